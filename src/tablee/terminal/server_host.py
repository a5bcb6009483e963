"""A table on a server, by the protocol of docs/protocol.md; a lost connection is reopened."""

from __future__ import annotations

import asyncio
import json
import random
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from tablee.core.errors import TableeError
from tablee.core.state import SPECTATOR
from tablee.core.view import Event
from tablee.core.words import common
from tablee.protocol import messages
from tablee.protocol.shown import ChatShown, CommandName, SeatShown, TableShown
from tablee.tables.table import EMPTY, GATHERING, OVER, PAUSED
from tablee.terminal.addresses import Address, ServerClient
from tablee.terminal.hosts import Callbacks, Display
from tablee.terminal.input import numbered
from tablee.terminal.play_settings import unused_path
from tablee.terminal.text import score_line

PING_SECONDS = 20
RETRY_SECONDS = 1.0
FIRST_DELAY, MAX_DELAY = 0.5, 30.0
CLOSE_TIMEOUT = 1.0  # seconds to wait for the server's close frame
DEFAULT_BOT = "club"

COMMANDS: dict[str, CommandName] = {
    "sit": "claim",
    "bot": "seat_bot",
    "undo": "undo",
    "withdraw": "withdraw",
    "return": "return",
    "pause": "pause",
    "resume": "resume",
    "stop": "propose_end",
    "agree": "answer_end",
    "decline": "answer_end",
    "rematch": "rematch",
    "leave": "leave",
    "say": "chat",
}


class ServerHost:
    """A player or spectator at a table on a server."""

    def __init__(
        self, address: Address, client: ServerClient, language: str, *, sits: bool, seat: int | None = None
    ) -> None:
        self.address = address
        self.client = client
        self.language = language
        self.callbacks = Callbacks()
        self.exit_message = ""
        self._table_id = address.table
        self._table: TableShown | None = None
        self._last_events: tuple[Event, ...] = ()
        self._last_chat = 0
        self._words = common(language)
        self._notice = self._words.say("terminal.connecting", server=address.server)
        self._wants_seat = sits
        self._seat = seat
        self._socket: ClientConnection | None = None
        self._unacknowledged: dict[str, messages.ClientMessage] = {}
        self._is_closed = False
        self._has_fetched_record = False
        self._tasks: set[asyncio.Task[None]] = set()

    # Display

    def display(self) -> Display:
        """Return what to show now."""
        table = self._table
        if table is None:
            return Display(self._words.say("terminal.server"), notice=self._notice)
        names = tuple(self._name(seat) for seat in table.seats)
        lines = self._waiting_lines(table) if table.view is None else ()
        result = self._result_lines(table) if table.phase == OVER else ()
        notice = self._notice or self._status(table)
        return Display(
            table.title, names, table.view, notice, self._last_events, result, tuple(self._commands(table)), lines
        )

    def _name(self, seat: SeatShown) -> str:
        if seat.kind == EMPTY and not seat.bot:
            return self._words.say("terminal.free_seat")
        return seat.name or self._words.say("seat", number=seat.seat + 1)

    def _waiting_lines(self, table: TableShown) -> tuple[str, ...]:
        """Return who is seated and the invite link, shown before the game starts."""
        bots = {seat.seat: self._words.say("terminal.bot_plays") for seat in table.seats if seat.bot}
        seats = [f"  {seat.seat + 1}. {self._name(seat)}{bots.get(seat.seat, '')}" for seat in table.seats]
        link = Address(self.address.server, table.id, table.invite or "")
        return (table.title, *seats, "", self._words.say("terminal.invite", link=link) if table.invite else "")

    def _status(self, table: TableShown) -> str:
        """Return why the game is not running, or the move chosen early."""
        if table.phase == GATHERING:
            return self._words.say("terminal.waiting", n=sum(seat.kind == EMPTY for seat in table.seats))
        if table.phase == PAUSED:
            return self._words.say("refused.while_paused")
        if table.proposal is not None:
            return self._words.say("table.end_proposed", name=table.seats[table.proposal.seat].name)
        if table.queued is not None:
            return self._words.say("terminal.queued", move=table.queued)
        return ""

    def _result_lines(self, table: TableShown) -> tuple[str, ...]:
        result = table.result
        if result is None:
            return ()
        names = [self._name(seat) for seat in table.seats]
        winners = f" {self._words.say('and')} ".join(names[seat] for seat in result.winners)
        won = (self._words.say("play.won", winners=winners, n=len(result.winners)),) if winners else ()
        return (
            self._words.say("play.over", reason=result.text),
            score_line(result.scores, names, self.language),
            *won,
            self.exit_message,
        )

    def _commands(self, table: TableShown) -> list[str]:
        """Return the commands that are possible now."""
        possible = {command.type for command in table.commands}
        return [name for name, command in COMMANDS.items() if command in possible]

    async def rulebook(self) -> str:
        """Return the rules, in Markdown."""
        if self._table is None:
            return ""
        path = f"/api/games/{self._table.game}/rules?lang={self.language}"
        return str(json.loads(await asyncio.to_thread(self.client.get, path))["markdown"])

    # Input

    def play(self, text: str) -> str:
        """Send a move; a refusal arrives later."""
        table = self._table
        if table is None or table.view is None:
            return self._notice or (self._status(table) if table else "")
        chosen = numbered(text, table.view.choices, self._words)
        if isinstance(chosen, str):
            return chosen
        move = text if chosen is None else chosen.text
        self._send_reliably(lambda key: messages.PlayRequest(key, table.id, table.number, move))
        return ""

    def request(self, command: str, argument: str) -> str:
        """Send a command; a refusal arrives later."""
        table = self._table
        if table is None or command not in self._commands(table):
            return self._words.say("terminal.no_command", command=command)
        if command == "rematch" and table.rematch is not None:
            self._go_to_table(table.rematch)
        else:
            self._send_reliably(lambda key: self._message(key, table, command, argument))
        return ""

    def _message(self, key: str, table: TableShown, command: str, argument: str) -> messages.ClientMessage:
        if command == "sit":
            return messages.ClaimRequest(key, table.id, self._seat, self.address.invite)
        if command == "bot":
            free = next(seat.seat for seat in table.seats if seat.kind == EMPTY)
            return messages.SeatBotRequest(key, table.id, free, argument or DEFAULT_BOT)
        if command == "say":
            return messages.ChatRequest(key, table.id, argument[: messages.MAX_CHAT_LENGTH])
        if command in ("agree", "decline"):
            return messages.AnswerEndRequest(key, table.id, command == "agree")
        kinds: dict[str, Callable[[str, str], messages.ClientMessage]] = {
            "undo": messages.UndoRequest,
            "withdraw": messages.WithdrawRequest,
            "return": messages.ReturnRequest,
            "pause": messages.PauseRequest,
            "resume": messages.ResumeRequest,
            "stop": messages.ProposeEndRequest,
            "rematch": messages.RematchRequest,
            "leave": messages.LeaveRequest,
        }
        return kinds[command](key, table.id)

    # The connection

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
                self._set_notice(self._words.say("terminal.lost"))
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
        """Watch the table, resend what was not acknowledged, and handle messages until the connection is closed."""
        self._socket = socket
        if self._table is not None:
            self._background(self._fetch_missed_chat(self._table.id))
        await self._watch(socket)
        for message in list(self._unacknowledged.values()):
            await socket.send(messages.encode(message).decode())
        pinging = asyncio.create_task(_ping(socket))
        try:
            async for text in socket:
                self._handle(messages.decode_server_message(text))
        finally:
            pinging.cancel()

    async def _fetch_missed_chat(self, table_id: str) -> None:
        """Fetch the chat of the time without connection: the server does not send it again."""
        with suppress(TableeError, OSError):
            missed = await asyncio.to_thread(self.client.get, f"/api/tables/{table_id}/chat")
            for line in msgspec.json.decode(missed, type=list[ChatShown]):
                self._add_chat(line)

    async def _watch(self, socket: ClientConnection) -> None:
        since = None if self._table is None else self._table.number
        watch = messages.WatchRequest(secrets.token_hex(8), self._table_id, since, self.address.invite)
        await socket.send(messages.encode(watch).decode())

    def _send_reliably(self, make: Callable[[str], messages.ClientMessage]) -> None:
        """Send a message, again after every lost connection, until it is acknowledged or refused."""
        key = secrets.token_hex(8)
        self._unacknowledged[key] = make(key)
        if self._socket is not None:
            self._background(self._send(self._socket, self._unacknowledged[key]))

    async def _send(self, socket: ClientConnection, message: messages.ClientMessage) -> None:
        with suppress(ConnectionClosed):  # it is sent again after reconnecting
            await socket.send(messages.encode(message).decode())

    async def _send_later(self, message: messages.ClientMessage) -> None:
        """Retry a message that the server could not store."""
        await asyncio.sleep(RETRY_SECONDS)
        if self._socket is not None:
            await self._send(self._socket, message)

    def _background(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Close the connection; the seat stays taken."""
        self._is_closed = True
        if self._table is not None and self._table.phase != OVER and self._table.viewer != SPECTATOR:
            self.exit_message = self._words.say("terminal.come_back", link=self.address)
        if self._socket is not None:
            await self._socket.close()

    # Messages from the server

    def _set_notice(self, notice: str) -> None:
        self._notice = notice
        self.callbacks.changed()

    def _handle(self, message: messages.ServerMessage) -> None:
        if isinstance(message, messages.TableMessage):
            self._set_table(message)
        elif isinstance(message, messages.EventMessage):
            self._apply_event(message)
        elif isinstance(message, messages.ChatMessage):
            self._add_chat(message.chat)
        elif isinstance(message, messages.RefusedMessage):
            self._handle_refusal(message)
        elif isinstance(message, messages.Ack):
            self._unacknowledged.pop(message.id, None)
            if message.new_table is not None:
                self._go_to_table(message.new_table)

    def _set_table(self, message: messages.TableMessage) -> None:
        self._table, self._last_events = message.table, ()
        for line in message.chat:
            self._add_chat(line)
        self._set_notice("")
        self._claim_seat()
        self._fetch_record()

    def _apply_event(self, message: messages.EventMessage) -> None:
        if message.table != self._table_id or self._table is None or message.number <= self._table.number:
            return  # received twice: in the catch-up after watching, and as it happened
        self.callbacks.logged([event.text for event in message.told])
        self._table = message.state or msgspec.structs.replace(self._table, number=message.number)
        told = tuple(Event(line.code, line.text, line.seat, line.path) for line in message.told)
        self._last_events = told or self._last_events
        self._set_notice("")
        self._fetch_record()

    def _add_chat(self, line: ChatShown) -> None:
        if line.number > self._last_chat:
            self._last_chat = line.number
            self.callbacks.logged([f"{line.name}{self._words.say('colon')} {line.text}"])
            self.callbacks.changed()

    def _handle_refusal(self, message: messages.RefusedMessage) -> None:
        if message.code == "unavailable" and message.id in self._unacknowledged:
            self._background(self._send_later(self._unacknowledged[message.id]))
            return
        sent = self._unacknowledged.pop(message.id or "", None)
        clause = f" ({message.clause})" if message.clause and message.clause not in message.text else ""
        if sent is None and self._table is None:
            self._is_closed = True
            self._notice = message.text
            self.callbacks.changed()
        self.callbacks.replied(f"{message.text}{clause}")

    def _claim_seat(self) -> None:
        """Claim a seat, once, if this is a player."""
        if self._wants_seat and self._table is not None and self._table.viewer == SPECTATOR:
            self._wants_seat = False
            self.callbacks.replied(self.request("sit", ""))

    def _go_to_table(self, table_id: str) -> None:
        """Switch to another table: a rematch."""
        self._table_id, self._table, self._last_chat = table_id, None, 0
        self.address = Address(self.address.server, table_id, self.address.invite)
        self.exit_message, self._has_fetched_record = "", False
        if self._socket is not None:
            self._background(self._watch(self._socket))

    def _fetch_record(self) -> None:
        if self._table is not None and self._table.phase == OVER and not self._has_fetched_record:
            self._has_fetched_record = True
            self._background(self._save_record(self._table))

    async def _save_record(self, table: TableShown) -> None:
        """Save the record of a finished game."""
        try:
            record = await asyncio.to_thread(self.client.get, f"/api/tables/{table.id}/record")
            path = unused_path(table.game)
            path.write_bytes(record)
        except (TableeError, OSError):
            return
        self.exit_message = self._words.say("play.saved", path=path)
        self.callbacks.changed()


async def _ping(socket: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        while True:
            await asyncio.sleep(PING_SECONDS)
            await socket.send(messages.encode(messages.Ping()).decode())
