"""A table on a server, by the protocol of docs/protocol.md; a lost connection is reopened."""

from __future__ import annotations

import asyncio
import json
import random
import secrets
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from tablee.core.errors import TableeError
from tablee.core.state import SPECTATOR
from tablee.core.words import common
from tablee.protocol import messages
from tablee.protocol.changes import apply_changes
from tablee.protocol.messages import (
    Ack,
    ChatMessage,
    CommandRequest,
    EventMessage,
    ExplainRequest,
    Explanation,
    RefusedMessage,
    RemovedMessage,
    ServerMessage,
    TableMessage,
)
from tablee.protocol.reviews import BeliefsShown, HintShown
from tablee.protocol.shown import ChatShown, LogLine, PresenceShown, TableShown
from tablee.terminal.addresses import Address, ServerClient
from tablee.terminal.coaching import PieceBelief, TableBeliefs
from tablee.terminal.hosts import Host, Reply
from tablee.terminal.pace import FASTEST
from tablee.terminal.play_settings import unused_path

PING_SECONDS = 20
PRESENCE_SECONDS = 15
RETRY_SECONDS = 1.0
FIRST_DELAY, MAX_DELAY = 0.5, 30.0  # seconds before reconnecting
CLOSE_TIMEOUT = 1.0  # seconds to wait for the server's close frame


def connect_to_table(
    address: Address, language: str, name: str | None, seat: int | None = None, pace: str = FASTEST
) -> ServerHost:
    """Return the host of a table on a server, for a player of this name or, without one, for a spectator."""
    client = ServerClient(address)
    if name is not None:
        client.set_name(name)
    return ServerHost(address, client, language, sits=name is not None, seat=seat, pace=pace)


class ServerHost(Host):
    """A player or spectator at a table on a server."""

    def __init__(
        self,
        address: Address,
        client: ServerClient,
        language: str,
        *,
        sits: bool,
        seat: int | None = None,
        pace: str = FASTEST,
    ) -> None:
        super().__init__(common(language).say("terminal.server"), language, pace)
        self.address = address
        self.client = client
        self._notice = self.words.say("terminal.connecting", server=address.server)
        self._wants_seat = sits
        self._seat = seat
        self._last_chat = 0
        self._shown_number = 0  # of the event after which `table` was drawn
        self._socket: ClientConnection | None = None
        self._pending: dict[str, tuple[CommandRequest | ExplainRequest, asyncio.Future[Reply]]] = {}
        self._is_closed = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._saving: asyncio.Task[None] | None = None

    async def rulebook(self) -> str:
        """Return the rules, in Markdown."""
        if self.table is None:
            return ""
        path = f"/api/games/{self.table.game}/rules?lang={self.language}"
        return str(json.loads(await asyncio.to_thread(self.client.get, path))["markdown"])

    def _invite_link(self) -> str:
        if self.table is None or not self.table.invite:
            return ""
        return str(Address(self.address.server, self.table.id, self.table.invite))

    def _claim_request(self, message_id: str, table_id: str) -> CommandRequest:
        return messages.ClaimRequest(message_id, table_id, self._seat, self.address.invite)

    # The coach

    async def _ask_hint(self) -> HintShown:
        content = await self._get(f"hint?lang={self.language}")
        return msgspec.json.decode(content, type=HintShown)

    async def _ask_beliefs(self) -> TableBeliefs:
        assert self.table is not None
        address = f"moments/{self.table.moves}/beliefs?seat={self.table.viewer}&lang={self.language}"
        found = msgspec.json.decode(await self._get(address), type=BeliefsShown)
        pieces, zones = (
            tuple(
                PieceBelief(each.id, each.label, tuple((one.label, one.percent, one.error) for one in each.possible))
                for each in beliefs
            )
            for beliefs in (found.pieces, found.zones)
        )
        return TableBeliefs(found.worlds, pieces, zones)

    async def _get(self, address: str) -> bytes:
        assert self.table is not None
        return await asyncio.to_thread(self.client.get, f"/api/tables/{self.table.id}/{address}")

    # Connection

    async def run(self) -> None:
        """Stay connected until the table is left."""
        attempts = 0
        while not self._is_closed:
            try:
                async with self._connected() as socket:
                    attempts = 0
                    await self._receive(socket)
            except (OSError, WebSocketException, TimeoutError):
                attempts += 1
            self._socket = None
            if not self._is_closed:
                self._set_notice(self.words.say("terminal.lost"))
                await asyncio.sleep(min(FIRST_DELAY * 2**attempts, MAX_DELAY) * random.uniform(0.5, 1.5))

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[ClientConnection]:
        """Connect; when cancelled, close at once without waiting for the server's close frame."""
        url, headers = self.address.socket_url(self.language), self.client.headers
        async with connect(url, additional_headers=headers, close_timeout=CLOSE_TIMEOUT) as socket:
            try:
                yield socket
            except asyncio.CancelledError:
                socket.transport.abort()
                raise

    async def _receive(self, socket: ClientConnection) -> None:
        """Watch the table, resend what was not answered, and handle messages until the connection is closed."""
        self._socket = socket
        if self.table is not None:
            self._start(self._fetch_missed_chat(self.table.id))
        await self._watch(socket)
        for message, _ in list(self._pending.values()):
            await socket.send(messages.encode(message).decode())
        background = [asyncio.create_task(_ping(socket)), asyncio.create_task(self._ask_presence())]
        try:
            async for text in socket:
                self._handle(messages.decode_server_message(text))
        finally:
            for task in background:
                task.cancel()

    async def _ask_presence(self) -> None:
        """Ask again and again who is here, while other people play at the table."""
        while True:
            await asyncio.sleep(PRESENCE_SECONDS)
            await self._fetch_presence()

    async def _fetch_presence(self) -> None:
        table = self.table
        if table is None or table.phase == "over" or not _has_other_people(table):
            return
        with suppress(TableeError, OSError):
            presence = await asyncio.to_thread(self.client.get, f"/api/tables/{table.id}/presence")
            self._presence = msgspec.json.decode(presence, type=list[PresenceShown])
            self.callbacks.changed()

    async def _watch(self, socket: ClientConnection) -> None:
        has_table = self.table is not None and self._shown_number == self.table.number
        watch = messages.WatchRequest(
            id=secrets.token_hex(8),
            table=self.address.table,
            since=self._shown_number if has_table else None,
            invite=self.address.invite,
            changes=True,
        )
        await socket.send(messages.encode(watch).decode())

    async def request(self, message: CommandRequest | ExplainRequest) -> Reply:
        """Send a request, again after every lost connection, until it is answered."""
        answered: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._pending[message.id] = (message, answered)
        if self._socket is not None:
            await self._send(self._socket, message)
        return await answered

    async def _send(self, socket: ClientConnection, message: CommandRequest | ExplainRequest) -> None:
        with suppress(ConnectionClosed):  # it is sent again after reconnecting
            await socket.send(messages.encode(message).decode())

    async def _resend(self, message: CommandRequest | ExplainRequest) -> None:
        """Retry a request that the server could not store."""
        await asyncio.sleep(RETRY_SECONDS)
        if self._socket is not None:
            await self._send(self._socket, message)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine in the background."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Close the connection; the seat stays taken."""
        self._is_closed = True
        if self._saving is not None:
            await self._saving
        elif self.table is not None and self.table.viewer != SPECTATOR:
            self.exit_message = self.words.say("terminal.come_back", link=self.address)
        for _, answered in self._pending.values():
            answered.cancel()
        if self._socket is not None:
            await self._socket.close()

    def save(self) -> None:
        """Save nothing: the table is on the server."""

    # Messages from the server

    def _handle(self, message: ServerMessage) -> None:
        if isinstance(message, TableMessage):
            self._handle_table(message)
        elif isinstance(message, EventMessage):
            self._handle_event(message)
        elif isinstance(message, ChatMessage):
            self._add_chat([message.chat])
        elif isinstance(message, RemovedMessage):
            self._give_up(message.text)
        elif isinstance(message, RefusedMessage) and message.id not in self._pending:
            self._handle_refused_watch(message)
        elif isinstance(message, RefusedMessage) and message.code == "unavailable":
            self._start(self._resend(self._pending[message.id or ""][0]))
        elif isinstance(message, Ack | RefusedMessage | Explanation) and message.id in self._pending:
            _, answered = self._pending.pop(message.id)
            if not answered.done():
                answered.set_result(message)

    def _handle_table(self, message: TableMessage) -> None:
        if message.table.id != self.address.table:
            return
        self._shown_number = message.table.number
        known_chat = [line for line in self.log if line.code == "chat"]
        self._set_table(message.table, [*message.log.lines, *known_chat], message.log.rounds)
        self._add_chat(message.chat)
        self._start(self._fetch_presence())
        wants_seat, self._wants_seat = self._wants_seat, False
        if wants_seat and message.table.viewer == SPECTATOR:
            self._start(self._claim_seat())

    async def _claim_seat(self) -> None:
        """Take a seat, or show why that is refused."""
        refusal = await self.command("sit")
        if refusal:
            self.callbacks.refused(refusal)

    def _handle_event(self, message: EventMessage) -> None:
        if message.table != self.address.table or self.table is None or message.number <= self.table.number:
            return  # received twice: in the catch-up after watching, and as it happened
        table = self._table_after(message)
        if table is None:
            table = msgspec.structs.replace(self.table, number=message.number)
        else:
            self._shown_number = message.number
        rounds = () if message.round is None else (message.round,)
        self._apply_event(message.lines, message.moves, rounds, table)
        if message.base is not None and self._shown_number != message.number and self._socket is not None:
            self._start(self._watch(self._socket))  # an event was missed: receive the whole table

    def _table_after(self, message: EventMessage) -> TableShown | None:
        """Return the table after an event; None if it comes with a later one, or if what it changed is unknown."""
        if message.base is None or message.base != self._shown_number:
            return message.state
        known = json.loads(messages.encode(self.table))
        return msgspec.convert(apply_changes(message.changes, known), TableShown)

    def _handle_refused_watch(self, message: RefusedMessage) -> None:
        if self.table is None:
            self._give_up(message.text)
        self.callbacks.refused(message.text)

    def _give_up(self, reason: str) -> None:
        """Leave a table that cannot be watched, or from which the host has removed this player."""
        self._forget_table()
        self._is_closed = True
        self._set_notice(reason)
        if self._socket is not None:
            self._start(self._socket.close())

    def _add_chat(self, chat: Sequence[ChatShown]) -> None:
        """Add lines of chat to the log, each once."""
        new = [line for line in chat if line.number > self._last_chat]
        if new:
            self._last_chat = new[-1].number
            colon = self.words.say("colon")
            lines = [LogLine(0, "chat", f"{line.name}{colon} {line.text}") for line in new]
            self._add_log_lines(lines)
            if self.shown is not None:
                self.shown = self.shown._replace(log=[*self.shown.log, *lines])
            self.callbacks.changed()

    async def _fetch_missed_chat(self, table_id: str) -> None:
        """Fetch the chat of the time without connection: the server does not send it again."""
        with suppress(TableeError, OSError):
            missed = await asyncio.to_thread(self.client.get, f"/api/tables/{table_id}/chat")
            self._add_chat(msgspec.json.decode(missed, type=list[ChatShown]))

    async def _switch_to(self, table_id: str) -> None:
        """Go to another table, a rematch, and sit down there."""
        self.address = Address(self.address.server, table_id, self.address.invite)
        self._wants_seat = True
        self._forget_table()
        self._last_chat, self._presence = 0, ()
        self.exit_message, self._is_saved, self._saving = "", False, None
        if self._socket is not None:
            await self._watch(self._socket)

    # The record

    def _save_finished(self) -> None:
        assert self.table is not None
        self._saving = self._start(self._save_record(self.table))

    async def _save_record(self, table: TableShown) -> None:
        """Fetch and save the record of a finished game."""
        try:
            record = await asyncio.to_thread(self.client.get, f"/api/tables/{table.id}/record")
            path = unused_path(table.game)
            path.write_bytes(record)
        except (TableeError, OSError):
            return
        self.exit_message = self.words.say("play.saved", path=path)
        self.callbacks.changed()


def _has_other_people(table: TableShown) -> bool:
    return any(seat.kind == "person" and not seat.is_you for seat in table.seats)


async def _ping(socket: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        while True:
            await asyncio.sleep(PING_SECONDS)
            await socket.send(messages.encode(messages.Ping()).decode())
