"""A table at a server, by the same messages as a browser's (docs/protocol.md); a lost connection comes back."""

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
from tablee.server import messages
from tablee.tables.presentation import SeatShown, TableShown
from tablee.tables.table import EMPTY, GATHERING, OVER, PAUSED, PLAYING
from tablee.terminal.addresses import Address, Visitor
from tablee.terminal.hosts import Listener, Scene
from tablee.terminal.input import numbered
from tablee.terminal.play_settings import free_path
from tablee.terminal.text import score_line

PING_SECONDS = 20
RETRY_SECONDS = 1.0
FIRST_DELAY, MAX_DELAY = 0.5, 30.0
FAREWELL_SECONDS = 1.0  # how long a server may take to say goodbye
USUAL_BOT = "club"

_decoder: msgspec.json.Decoder[messages.ServerMessage] = msgspec.json.Decoder(messages.ServerMessage)


class ServerHost:
    """Somebody at a table of a server, or looking at one."""

    def __init__(
        self, address: Address, visitor: Visitor, language: str, *, sits: bool, seat: int | None = None
    ) -> None:
        self.address = address
        self.visitor = visitor
        self.language = language
        self.listener = Listener()
        self.farewell = ""
        self._table_id = address.table
        self._table: TableShown | None = None
        self._told: tuple[Event, ...] = ()
        self._heard_chat = 0
        self._words = common(language)
        self._notice = self._words.say("terminal.connecting", server=address.server)
        self._wants_seat = sits
        self._seat = seat
        self._socket: ClientConnection | None = None
        self._unanswered: dict[str, messages.ClientMessage] = {}
        self._is_closed = False
        self._has_asked_record = False
        self._sending: set[asyncio.Task[None]] = set()

    # What there is to see

    def scene(self) -> Scene:
        """Return what there is to see."""
        table = self._table
        if table is None:
            return Scene(self._words.say("terminal.server"), notice=self._notice)
        names = tuple(self._name(seat) for seat in table.seats)
        lines = self._gathering(table) if table.view is None else ()
        end = self._end(table) if table.phase == OVER else ()
        notice = self._notice or self._state(table)
        return Scene(table.title, names, table.view, notice, self._told, end, tuple(self._asks(table)), lines)

    def _name(self, seat: SeatShown) -> str:
        if seat.kind == EMPTY and not seat.bot:
            return self._words.say("terminal.free_seat")
        return seat.name or self._words.say("seat", number=seat.seat + 1)

    def _gathering(self, table: TableShown) -> tuple[str, ...]:
        """Show who is here, and how others find us."""
        bots = {seat.seat: self._words.say("terminal.bot_plays") for seat in table.seats if seat.bot}
        seats = [f"  {seat.seat + 1}. {self._name(seat)}{bots.get(seat.seat, '')}" for seat in table.seats]
        link = Address(self.address.server, table.id, table.invite or "")
        return (table.title, *seats, "", self._words.say("terminal.invite", link=link) if table.invite else "")

    def _state(self, table: TableShown) -> str:
        """Say what keeps the game from going on, or what was chosen early."""
        if table.phase == GATHERING:
            return self._words.say("terminal.waiting", n=sum(seat.kind == EMPTY for seat in table.seats))
        if table.phase == PAUSED:
            return self._words.say("refused.while_paused")
        if table.proposal is not None:
            return self._words.say("table.end_proposed", name=table.seats[table.proposal.seat].name)
        if table.queued is not None:
            return self._words.say("terminal.queued", move=table.queued)
        return ""

    def _end(self, table: TableShown) -> tuple[str, ...]:
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
            self.farewell,
        )

    def _asks(self, table: TableShown) -> list[str]:
        """Return what can be asked of the table now."""
        is_seated = table.viewer != SPECTATOR
        own = table.seats[table.viewer] if is_seated else None
        has_room = any(seat.kind == EMPTY for seat in table.seats)
        possible = {
            "sit": not is_seated and has_room,
            "bot": is_seated and has_room and table.phase == GATHERING,
            "undo": table.can_undo,
            "withdraw": table.queued is not None,
            "return": own is not None and own.is_covered,
            "pause": is_seated and table.phase == PLAYING,
            "resume": is_seated and table.phase == PAUSED,
            "stop": is_seated and table.phase in (PLAYING, PAUSED) and table.proposal is None,
            "agree": is_seated and table.proposal is not None,
            "decline": is_seated and table.proposal is not None,
            "rematch": is_seated and table.phase == OVER,
            "leave": is_seated and table.phase != OVER,
            "say": is_seated,
        }
        return [name for name, is_possible in possible.items() if is_possible]

    async def rulebook(self) -> str:
        """Return the rules, in Markdown."""
        if self._table is None:
            return ""
        path = f"/api/games/{self._table.game}/rules?lang={self.language}"
        return str(json.loads(await asyncio.to_thread(self.visitor.read, path))["markdown"])

    # What the person does

    def play(self, text: str) -> str:
        """Send a move; a refusal comes later."""
        table = self._table
        if table is None or table.view is None:
            return self._notice or (self._state(table) if table else "")
        chosen = numbered(text, table.view.choices, self._words)
        if isinstance(chosen, str):
            return chosen
        move = text if chosen is None else chosen.text
        self._ask(lambda key: messages.Play(key, table.id, table.number, move))
        return ""

    def ask(self, command: str, argument: str) -> str:
        """Send a command; a refusal comes later."""
        table = self._table
        if table is None or command not in self._asks(table):
            return self._words.say("terminal.no_command", command=command)
        if command == "rematch" and table.rematch is not None:
            self._move_to(table.rematch)
        else:
            self._ask(lambda key: self._message(key, table, command, argument))
        return ""

    def _message(self, key: str, table: TableShown, command: str, argument: str) -> messages.ClientMessage:
        if command == "sit":
            return messages.Claim(key, table.id, self._seat, self.address.invite)
        if command == "bot":
            free = next(seat.seat for seat in table.seats if seat.kind == EMPTY)
            return messages.SeatBot(key, table.id, free, argument or USUAL_BOT)
        if command == "say":
            return messages.Chat(key, table.id, argument[: messages.MAX_CHAT_LENGTH])
        if command in ("agree", "decline"):
            return messages.AnswerEnd(key, table.id, command == "agree")
        kinds: dict[str, Callable[[str, str], messages.ClientMessage]] = {
            "undo": messages.Undo,
            "withdraw": messages.Withdraw,
            "return": messages.Return,
            "pause": messages.Pause,
            "resume": messages.Resume,
            "stop": messages.ProposeEnd,
            "rematch": messages.Rematch,
            "leave": messages.Leave,
        }
        return kinds[command](key, table.id)

    # The connection

    async def run(self) -> None:
        """Stay in touch until the table is left."""
        attempts = 0
        while not self._is_closed:
            try:
                async with self._connected() as socket:
                    attempts = 0
                    await self._talk(socket)
            except (OSError, WebSocketException, TimeoutError):
                attempts += 1
            self._socket = None
            if not self._is_closed:
                self._say(self._words.say("terminal.lost"))
                await asyncio.sleep(min(FIRST_DELAY * 2**attempts, MAX_DELAY) * random.uniform(0.5, 1.5))

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[ClientConnection]:
        """Be connected; who is interrupted leaves at once, without waiting for the server's goodbye."""
        url, headers = self.address.socket(self.language), self.visitor.headers
        async with connect(url, additional_headers=headers, close_timeout=FAREWELL_SECONDS) as socket:
            try:
                yield socket
            except asyncio.CancelledError:
                socket.transport.abort()
                raise

    async def _talk(self, socket: ClientConnection) -> None:
        """Ask for what was missed, send again what was not answered, and listen."""
        self._socket = socket
        if self._table is not None:
            self._background(self._hear_missed_chat(self._table.id))
        await self._watch(socket)
        for message in list(self._unanswered.values()):
            await socket.send(messages.write(message).decode())
        pinging = asyncio.create_task(_ping(socket))
        try:
            async for text in socket:
                self._hear(_decoder.decode(text))
        finally:
            pinging.cancel()

    async def _hear_missed_chat(self, table_id: str) -> None:
        """Ask for what was said meanwhile: it does not come by itself."""
        with suppress(TableeError, OSError):
            missed = await asyncio.to_thread(self.visitor.read, f"/api/tables/{table_id}/chat")
            for line in msgspec.json.decode(missed, type=list[messages.ChatShown]):
                self._listen(line)

    async def _watch(self, socket: ClientConnection) -> None:
        since = None if self._table is None else self._table.number
        watch = messages.Watch(secrets.token_hex(8), self._table_id, since, self.address.invite)
        await socket.send(messages.write(watch).decode())

    def _ask(self, make: Callable[[str], messages.ClientMessage]) -> None:
        """Send something until it is answered, however often the connection is lost."""
        key = secrets.token_hex(8)
        self._unanswered[key] = make(key)
        if self._socket is not None:
            self._background(self._send(self._socket, self._unanswered[key]))

    async def _send(self, socket: ClientConnection, message: messages.ClientMessage) -> None:
        with suppress(ConnectionClosed):  # it is sent again
            await socket.send(messages.write(message).decode())

    async def _send_later(self, message: messages.ClientMessage) -> None:
        """Try again what the server could not store just now."""
        await asyncio.sleep(RETRY_SECONDS)
        if self._socket is not None:
            await self._send(self._socket, message)

    def _background(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def close(self) -> None:
        """Leave the screen; the seat stays ours."""
        self._is_closed = True
        if self._table is not None and self._table.phase != OVER and self._table.viewer != SPECTATOR:
            self.farewell = self._words.say("terminal.come_back", link=self.address)
        if self._socket is not None:
            await self._socket.close()

    # What the server says

    def _say(self, notice: str) -> None:
        self._notice = notice
        self.listener.changed()

    def _hear(self, message: messages.ServerMessage) -> None:
        if isinstance(message, messages.WholeTable):
            self._replace(message)
        elif isinstance(message, messages.EventMessage):
            self._follow(message)
        elif isinstance(message, messages.ChatMessage):
            self._listen(message.chat)
        elif isinstance(message, messages.RefusedMessage):
            self._refused(message)
        elif isinstance(message, messages.Ack):
            self._unanswered.pop(message.id, None)
            if message.new_table is not None:
                self._move_to(message.new_table)

    def _replace(self, message: messages.WholeTable) -> None:
        self._table, self._told = message.table, ()
        for line in message.chat:
            self._listen(line)
        self._say("")
        self._sit_down()
        self._fetch_record()

    def _follow(self, message: messages.EventMessage) -> None:
        if message.table != self._table_id or self._table is None or message.number <= self._table.number:
            return  # heard twice: once as the tail, once as news
        self.listener.told([event.text for event in message.told])
        self._table = message.state or msgspec.structs.replace(self._table, number=message.number)
        self._told = tuple(message.told) or self._told
        self._say("")
        self._fetch_record()

    def _listen(self, line: messages.ChatShown) -> None:
        if line.number > self._heard_chat:
            self._heard_chat = line.number
            self.listener.told([f"{line.name}{self._words.say('colon')} {line.text}"])
            self.listener.changed()

    def _refused(self, message: messages.RefusedMessage) -> None:
        if message.code == "unavailable" and message.id in self._unanswered:
            self._background(self._send_later(self._unanswered[message.id]))
            return
        known = self._unanswered.pop(message.id or "", None)
        clause = f" ({message.clause})" if message.clause and message.clause not in message.text else ""
        if known is None and self._table is None:
            self._is_closed = True
            self._notice = message.text
            self.listener.changed()
        self.listener.answered(f"{message.text}{clause}")

    def _sit_down(self) -> None:
        """Take a seat, once, if that is what we came for."""
        if self._wants_seat and self._table is not None and self._table.viewer == SPECTATOR:
            self._wants_seat = False
            self.listener.answered(self.ask("sit", ""))

    def _move_to(self, table_id: str) -> None:
        """Go on at another table with the same people."""
        self._table_id, self._table, self._heard_chat = table_id, None, 0
        self.address = Address(self.address.server, table_id, self.address.invite)
        self.farewell, self._has_asked_record = "", False
        if self._socket is not None:
            self._background(self._watch(self._socket))

    def _fetch_record(self) -> None:
        if self._table is not None and self._table.phase == OVER and not self._has_asked_record:
            self._has_asked_record = True
            self._background(self._save_record(self._table))

    async def _save_record(self, table: TableShown) -> None:
        """Keep the record of a game that is over."""
        try:
            record = await asyncio.to_thread(self.visitor.read, f"/api/tables/{table.id}/record")
            path = free_path(table.game)
            path.write_bytes(record)
        except (TableeError, OSError):
            return
        self.farewell = self._words.say("play.saved", path=path)
        self.listener.changed()


async def _ping(socket: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        while True:
            await asyncio.sleep(PING_SECONDS)
            await socket.send(messages.write(messages.Ping()).decode())
