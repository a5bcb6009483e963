"""Which tokens are void: each has a generation, and a person who signs out other devices begins a new one."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from tablee.server.identity import Person
from tablee.storage import StoreError
from tablee.storage.identities import IdentityStore, identity_key

REFRESH_SECONDS = 10.0  # after which other processes know that tokens are void


class Generations:
    """Which tokens are void: a person signed out their other devices, or was deleted."""

    def __init__(self) -> None:
        self._generations: dict[str, int] = {}  # by identity key; of those who have signed out
        self._read_until = 0.0

    def is_current(self, person: Person) -> bool:
        """Whether a person's token has not been made void."""
        return person.generation >= self._generations.get(person.key, 0)

    def set(self, person: str, generation: int) -> None:
        """Note a change that this process has made."""
        self._generations[identity_key(person)] = generation

    async def read(self, identities: IdentityStore) -> None:
        """Read what has changed in the store; again from a little earlier, as commits may overtake one another."""
        for each in await identities.changed_since(self._read_until - REFRESH_SECONDS):
            self._generations[each.key] = each.generation
            self._read_until = max(self._read_until, each.updated_at)

    async def keep_reading(self, identities: IdentityStore) -> None:
        """Read what other processes change, for ever."""
        while True:
            with suppress(StoreError):
                await self.read(identities)
            await asyncio.sleep(REFRESH_SECONDS)
