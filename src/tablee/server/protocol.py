"""uvicorn's WebSocket protocol, with an end to its patience: it would wait for ever for a client that does not read."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

PATIENCE = 20.0  # seconds that a client may take to make room for one more message


class PatientProtocol(WebSocketsSansIOProtocol):
    """Drops a connection whose client reads too slowly."""

    async def send(self, message: Any) -> None:
        """Send once there is room, or give the connection up."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self.writable.wait()
        except TimeoutError:
            self.transport.abort()
            raise OSError("the client reads too slowly") from None
        await super().send(message)
