"""One person's socket. It is pulled, not pushed: a slow reader never makes anything grow.

A table only notes that a watcher has something to fetch. The sender asks each such table for what came after the last
number it has sent; who is too far behind gets the whole table instead of the steps in between.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from tablee.core.state import SPECTATOR
from tablee.server import messages
from tablee.server.identity import Person
from tablee.server.limits import Bucket
from tablee.server.live_table import LiveTable
from tablee.server.registry import TableRegistry
from tablee.storage import StoreError
from tablee.tables.decisions import Step
from tablee.tables.presentation import event_shown, event_told, table_shown
from tablee.tables.refusals import Refused

SILENT, TOO_MANY, TOO_MANY_INVALID, FOREIGN, NOT_TEXT = 4008, 4013, 4029, 4403, 1003
MAX_REPLIES = 64  # not yet sent; more are not read before
MAX_BAD_MESSAGES = 20  # in a row of time that the bucket allows
CHAT_RATE, CHAT_BURST = 0.5, 5


class Closed(Exception):
    """The connection is to be closed with a code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@dataclass
class Subscription:
    """How far a connection is with a table."""

    live: LiveTable
    viewer: int | None  # None: nothing sent yet
    number: int  # of the last event sent
    chat: int  # of the last line of chat sent


class Connection:
    """Reads commands, answers each, and sends what happens."""

    def __init__(self, registry: TableRegistry, socket: WebSocket, person: Person | None, language: str) -> None:
        self._registry = registry
        self._socket = socket
        self._person = person
        self._language = language
        self._watched: dict[str, Subscription] = {}
        self._replies: deque[bytes] = deque()
        self._changed: set[str] = set()
        self._awake = asyncio.Event()
        self._has_room = asyncio.Event()
        self._commands = Bucket(registry.settings.command_rate, 2 * registry.settings.command_rate)
        self._chat = Bucket(CHAT_RATE, CHAT_BURST)
        self._bad = Bucket(1.0, MAX_BAD_MESSAGES)

    async def run(self) -> None:
        """Serve until one side ends it."""
        name = self._person.name if self._person else None
        self._reply(messages.Hello(messages.VERSION, name, time.time()))
        reader, sender = asyncio.create_task(self._read()), asyncio.create_task(self._send())
        try:
            await asyncio.wait((reader, sender), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for watching in self._watched.values():
                watching.live.watchers.discard(self)
            for task in (reader, sender):
                task.cancel()
            ends = await asyncio.gather(reader, sender, return_exceptions=True)
        await self._close(ends)

    async def _close(self, ends: Sequence[BaseException | None]) -> None:
        for end in ends:
            if isinstance(end, Closed):
                with suppress(RuntimeError, WebSocketDisconnect):
                    await self._socket.close(end.code)
            elif isinstance(end, Exception) and not isinstance(end, WebSocketDisconnect):
                raise end

    def wake(self, table_id: str) -> None:
        """Note that there is something to fetch at a table."""
        self._changed.add(table_id)
        self._awake.set()

    # Read

    async def _read(self) -> None:
        while True:
            await self._answer(await self._received())
            while len(self._replies) >= MAX_REPLIES:
                self._has_room.clear()
                await self._has_room.wait()

    async def _received(self) -> str:
        try:
            async with asyncio.timeout(self._registry.settings.silence):  # wait_for would make a task of it
                received = await self._socket.receive()
        except TimeoutError:
            raise Closed(SILENT) from None
        if received["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(received.get("code") or 1005)
        if received.get("text") is None:
            raise Closed(NOT_TEXT)
        return str(received["text"])

    async def _answer(self, text: str) -> None:
        """Answer a message, whatever it is."""
        try:
            message = messages.read_message(text)
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            self._count_bad_message()
            self._refuse(_id_in(text), Refused("bad_message"))
            return
        if isinstance(message, messages.Ping):
            self._reply(messages.Pong())
            return
        try:
            self._reply(await self._done(message))
        except Refused as refused:
            self._refuse(message.id, refused)
        except StoreError:
            self._refuse(message.id, Refused("unavailable"))

    def _count_bad_message(self) -> None:
        self._registry.metrics.bad_messages.inc()
        try:
            self._bad.take()
        except Refused:
            raise Closed(TOO_MANY_INVALID) from None

    async def _done(self, message: messages.TableCommand | messages.Watch | messages.Unwatch) -> messages.Ack:
        self._commands.take()
        if isinstance(message, messages.Watch):
            return await self._watch(message)
        if isinstance(message, messages.Unwatch):
            return self._unwatch(message)
        if self._person is None:
            raise Refused("no_name")
        if isinstance(message, messages.Chat):
            self._chat.take()
        return await carried_out(self._registry, message, self._person, is_known=message.table in self._watched)

    async def _watch(self, message: messages.Watch) -> messages.Ack:
        if len(self._watched) >= self._registry.settings.watched_per_connection and message.table not in self._watched:
            raise Refused("too_many", "too_many_watched")
        live = await self._registry.visible(message.table, self._person, message.invite)
        chat = live.chat[-1].number if live.chat and message.since is not None else 0
        viewer = None if message.since is None else self._viewer(live)
        self._watched[message.table] = Subscription(live, viewer, message.since or 0, chat)
        live.watchers.add(self)
        self.wake(message.table)
        return messages.Ack(message.id, message.table, live.table.number)

    def _unwatch(self, message: messages.Unwatch) -> messages.Ack:
        watching = self._watched.pop(message.table, None)
        if watching is None:
            raise Refused("unknown_table")
        watching.live.watchers.discard(self)
        return messages.Ack(message.id, message.table, watching.number)

    # Send

    def _reply(self, message: messages.ServerMessage) -> None:
        self._replies.append(messages.write(message))
        self._awake.set()

    def _refuse(self, message_id: str | None, refused: Refused) -> None:
        text = refused.text(self._language)
        self._reply(messages.RefusedMessage(message_id, refused.code, text, refused.clause))

    async def _send(self) -> None:
        while True:
            await self._awake.wait()
            self._awake.clear()
            await self._send_replies()
            while self._changed:
                await self._send_news(self._changed.pop())
                await self._send_replies()

    async def _send_replies(self) -> None:
        while self._replies:
            await self._send_bytes(self._replies.popleft())
        self._has_room.set()

    async def _send_news(self, table_id: str) -> None:
        watching = self._watched.get(table_id)
        if watching is None:
            return
        for text in self._news(watching):
            await self._send_bytes(text)

    async def _send_bytes(self, text: bytes) -> None:
        await self._socket.send_text(text.decode())

    # What is new

    def _viewer(self, live: LiveTable) -> int:
        seat = live.table.seat_of(self._person.id) if self._person else None
        return SPECTATOR if seat is None else seat

    def _news(self, watching: Subscription) -> list[bytes]:
        """Return what this connection has not been told of a table, and note that it has."""
        live = watching.live
        viewer = self._viewer(live)
        missing = steps_after(live, watching.number)
        if viewer != watching.viewer or missing is None:
            watching.viewer, watching.number = viewer, live.table.number
            watching.chat = live.chat[-1].number if live.chat else 0
            return [messages.write(messages.WholeTable(table_shown(live.table, viewer, self._language), [*live.chat]))]
        watching.number = live.table.number
        news = [event_text(live, step, viewer, self._language) for step in missing]
        lines = [line for line in live.chat if line.number > watching.chat]
        watching.chat = lines[-1].number if lines else watching.chat
        return [*news, *(messages.write(messages.ChatMessage(live.table.id, line)) for line in lines)]


def steps_after(live: LiveTable, number: int) -> list[Step] | None:
    """Return a table's steps after a number; None if they are too many, or from the future."""
    if not live.table.number - len(live.steps) <= number <= live.table.number:
        return None
    return [step for step in live.steps if step.table.number > number]


def event_text(live: LiveTable, step: Step, viewer: int, language: str) -> bytes:
    """Return an event as it is sent, written once for all who see and read the same."""
    key = (step.table.number, viewer, language)
    if key not in live.written:
        message = event_message(step, viewer, language, is_last=step.table.number == live.table.number)
        live.written[key] = messages.write(message)
    return live.written[key]


def event_message(step: Step, viewer: int, language: str, *, is_last: bool) -> messages.EventMessage:
    """Return an event as a viewer may know it; the last of several brings the table after it."""
    shown = event_shown(step.table, step.event, viewer)
    return messages.EventMessage(
        table=step.table.id,
        number=step.table.number,
        event=shown,
        told=event_told(step.table, step.event, shown, viewer, language),
        state=table_shown(step.table, viewer, language) if is_last else None,
    )


async def carried_out(
    registry: TableRegistry, message: messages.TableCommand, person: Person, *, is_known: bool = False
) -> messages.Ack:
    """Do what somebody asks of a table; `is_known`: he has shown already that he may see it."""
    kind = str(type(message).__struct_config__.tag)
    try:
        ack = await _carried_out(registry, message, person, is_known)
    except Refused as refused:
        registry.metrics.commands.labels(kind, refused.code).inc()
        raise
    registry.metrics.commands.labels(kind, "done").inc()
    return ack


async def _carried_out(
    registry: TableRegistry, message: messages.TableCommand, person: Person, is_known: bool
) -> messages.Ack:
    if isinstance(message, messages.Claim):
        await registry.check_table_limit(person)
        live = await registry.table(message.table)
    elif is_known:
        live = await registry.table(message.table)
    else:
        live = await registry.visible(message.table, person)
    if isinstance(message, messages.Chat):
        return messages.Ack(message.id, message.table, await registry.say(live, person, message.text))
    if isinstance(message, messages.Rematch):
        number, new_table = await registry.rematch(live, person, message.id)
        return messages.Ack(message.id, message.table, number, new_table)
    number = await live.carry_out(message.command(), person.as_actor(message.id))
    return messages.Ack(message.id, message.table, number)


class _OnlyId(msgspec.Struct):
    id: messages.Id


def _id_in(text: str) -> str | None:
    """Return the id of a message that is otherwise not understood, so that its sender can be answered."""
    try:
        return msgspec.json.decode(text, type=_OnlyId).id
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
