"""One client's socket. It pulls, so that a slow reader never makes anything grow.

A table only notes that a watcher has something to fetch. The sender asks each such table for the events after the last
number it has sent; a client that is too far behind gets the whole table instead.
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

from tablee.protocol.messages import (
    VERSION,
    Ack,
    ChatMessage,
    ChatRequest,
    CommandRequest,
    ExplainRequest,
    Explanation,
    Hello,
    Id,
    Ping,
    Pong,
    RefusedMessage,
    RemovedMessage,
    ServerMessage,
    TableMessage,
    UnwatchRequest,
    WatchRequest,
    decode_client_message,
    encode,
)
from tablee.protocol.shown import LogPage
from tablee.server.commands import handle_command, handle_explain
from tablee.server.event_messages import Viewing
from tablee.server.identity import Person
from tablee.server.limits import Allowance, Bucket, Client
from tablee.server.live_table import ServedTable
from tablee.server.registry import TableRegistry
from tablee.server.requests import former_player, viewer_of
from tablee.storage import StoreError
from tablee.tables.refusals import Refused
from tablee.tables.table import Step

SILENT, TOO_MANY, TOO_MANY_INVALID, SIGNED_OUT, FOREIGN, NOT_TEXT = 4008, 4013, 4029, 4401, 4403, 1003
MAX_REPLIES = 64  # not yet sent; until they are, nothing more is read
MAX_BAD_MESSAGES = 20  # at once; one more per second
MAX_LOG_LINES = 100  # with a whole table
CHAT_RATE, CHAT_BURST = 0.5, 5
WHOLE_TABLE_TOKENS = 4.0  # of the allowance of commands: what a whole table costs to draw and to send


class Closed(Exception):
    """The connection is to be closed with a code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@dataclass
class Subscription:
    """What a connection has sent of a table."""

    live: ServedTable
    viewer: int | None  # None: nothing yet
    number: int  # of the last event
    chat: int  # of the last line of chat
    wants_changes: bool = False
    shown: Viewing | None = None  # how the table after event `number` was drawn; None: the client has none from here


class Connection:
    """Reads messages, answers each, and sends the events of watched tables."""

    def __init__(
        self,
        registry: TableRegistry,
        socket: WebSocket,
        commands: Allowance,
        client: Client,
        person: Person | None,
        language: str,
    ) -> None:
        self._registry = registry
        self._socket = socket
        self._commands = commands  # shared with all connections and REST
        self._client = client
        self._person = person
        self._language = language
        self._watched: dict[str, Subscription] = {}
        self._replies: deque[bytes] = deque()
        self._changed: set[str] = set()
        self._awake = asyncio.Event()
        self._has_room = asyncio.Event()
        self._chat = Bucket(CHAT_RATE, CHAT_BURST)
        self._bad = Bucket(1.0, MAX_BAD_MESSAGES)

    @property
    def person_id(self) -> str | None:
        """The id of the person who is connected, None for a guest without a name."""
        return None if self._person is None else self._person.id

    async def run(self) -> None:
        """Serve until one side closes."""
        self._reply(Hello(VERSION, self._person.name if self._person else None, time.time()))
        reader, sender = asyncio.create_task(self._read()), asyncio.create_task(self._send())
        try:
            await asyncio.wait((reader, sender), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for subscription in self._watched.values():
                subscription.live.unwatch(self)
            for task in (reader, sender):
                task.cancel()
            results = await asyncio.gather(reader, sender, return_exceptions=True)
        await self._close(results)

    async def _close(self, results: Sequence[BaseException | None]) -> None:
        for result in results:
            if isinstance(result, Closed):
                with suppress(RuntimeError, WebSocketDisconnect):
                    await self._socket.close(result.code)
            elif isinstance(result, Exception) and not isinstance(result, WebSocketDisconnect):
                raise result

    def wake(self, table_id: str) -> None:
        """Note that there is something to fetch at a table."""
        self._changed.add(table_id)
        self._awake.set()

    # Reading

    async def _read(self) -> None:
        while True:
            text = await self._receive()
            self._check_token()
            await self._answer(text)
            while len(self._replies) >= MAX_REPLIES:
                self._has_room.clear()
                await self._has_room.wait()

    def _check_token(self) -> None:
        """Close the connection of a person who has signed out this device."""
        if self._person is not None and not self._registry.generations.is_current(self._person):
            raise Closed(SIGNED_OUT)

    async def _receive(self) -> str:
        try:
            async with asyncio.timeout(self._registry.settings.silence):  # wait_for would create a task
                received = await self._socket.receive()
        except TimeoutError:
            raise Closed(SILENT) from None
        if received["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(received.get("code") or 1005)
        if received.get("text") is None:
            raise Closed(NOT_TEXT)
        return str(received["text"])

    async def _answer(self, text: str) -> None:
        """Answer a message, valid or not."""
        try:
            message = decode_client_message(text)
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            self._count_bad_message()
            self._refuse(_id_in(text), Refused("bad_message"))
            return
        if isinstance(message, Ping):
            self._reply(Pong())
            return
        try:
            self._reply(await self._handle(message))
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

    async def _handle(
        self, message: CommandRequest | WatchRequest | UnwatchRequest | ExplainRequest
    ) -> Ack | Explanation:
        is_whole_table = isinstance(message, WatchRequest) and message.since is None
        self._commands.take(self._client, WHOLE_TABLE_TOKENS if is_whole_table else 1.0)
        has_access = message.table in self._watched
        if isinstance(message, WatchRequest):
            return await self._watch(message)
        if isinstance(message, UnwatchRequest):
            return self._unwatch(message)
        if isinstance(message, ExplainRequest):
            return await handle_explain(
                self._registry, message, self._client, self._person, self._language, has_access=has_access
            )
        if self._person is None:
            raise Refused("no_name")
        if isinstance(message, ChatRequest):
            self._chat.take()
        return await handle_command(self._registry, message, self._person, has_access=has_access)

    async def _watch(self, message: WatchRequest) -> Ack:
        if len(self._watched) >= self._registry.settings.watched_per_connection and message.table not in self._watched:
            raise Refused("too_many", "too_many_watched")
        live = await self._registry.visible(message.table, self._person, message.invite)
        chat = live.chat[-1].number if live.chat and message.since is not None else 0
        viewer = None if message.since is None else self._viewer(live)
        self._watched[message.table] = Subscription(live, viewer, message.since or 0, chat, message.changes)
        live.watchers.add(self)
        self.wake(message.table)
        return Ack(message.id, message.table, live.table.number)

    def _unwatch(self, message: UnwatchRequest) -> Ack:
        subscription = self._watched.pop(message.table, None)
        if subscription is None:
            raise Refused("unknown_table")
        subscription.live.unwatch(self)
        return Ack(message.id, message.table, subscription.number)

    # Sending

    def _reply(self, message: ServerMessage) -> None:
        self._replies.append(encode(message))
        self._awake.set()

    def _refuse(self, message_id: str | None, refused: Refused) -> None:
        self._registry.metrics.refuse("message", refused.code)
        self._reply(RefusedMessage(message_id, refused.code, refused.text(self._language), refused.clause))

    async def _send(self) -> None:
        while True:
            await self._awake.wait()
            self._awake.clear()
            await self._send_replies()
            while self._changed:
                await self._send_changes(self._changed.pop())
                await self._send_replies()

    async def _send_replies(self) -> None:
        while self._replies:
            await self._send_bytes(self._replies.popleft())
        self._has_room.set()

    async def _send_changes(self, table_id: str) -> None:
        """Send what this connection has not sent of a table."""
        subscription = self._watched.get(table_id)
        if subscription is None:
            return
        self._check_token()
        if self._person is not None and self._person.id in subscription.live.table.removed:
            self._stop_watching(subscription)
            return
        is_same_viewer = self._viewer(subscription.live) == subscription.viewer
        steps = subscription.live.steps_after(subscription.number) if is_same_viewer else None
        if steps is not None:
            texts = self._new_events(subscription, steps)
        else:
            texts = await self._whole_table(subscription)
        for text in texts:
            await self._send_bytes(text)

    def _stop_watching(self, subscription: Subscription) -> None:
        """Say that the host has removed this person from a table, and send nothing more of it."""
        table_id = subscription.live.table.id
        del self._watched[table_id]
        subscription.live.unwatch(self)
        self._reply(RemovedMessage(table_id, Refused("removed").text(self._language)))

    async def _send_bytes(self, text: bytes) -> None:
        await self._socket.send_text(text.decode())

    def _viewer(self, live: ServedTable) -> int:
        return viewer_of(live.table, self._person)

    def _viewing(self, live: ServedTable) -> Viewing:
        return Viewing(self._viewer(live), self._language, former_player(live.table, self._person))

    def _new_events(self, subscription: Subscription, steps: Sequence[Step]) -> list[bytes]:
        live = subscription.live
        viewing = self._viewing(live)
        has_base = subscription.wants_changes and subscription.shown == viewing
        events = [live.event_text(step, viewing, subscription.number if has_base else None) for step in steps]
        if steps:
            subscription.number, subscription.shown = live.table.number, viewing
        lines = [line for line in live.chat if line.number > subscription.chat]
        subscription.chat = lines[-1].number if lines else subscription.chat
        return [*events, *(encode(ChatMessage(live.table.id, line)) for line in lines)]

    async def _whole_table(self, subscription: Subscription) -> list[bytes]:
        live = subscription.live
        page = await self._last_log_lines(live)
        viewing = self._viewing(live)
        if self._watched.get(live.table.id) is not subscription:
            return []  # no longer watched, or watched again
        subscription.viewer, subscription.number, subscription.shown = viewing.viewer, live.table.number, viewing
        subscription.chat = live.chat[-1].number if live.chat else 0
        return [encode(TableMessage(live.shown(viewing), [*live.chat], page))]

    async def _last_log_lines(self, live: ServedTable) -> LogPage:
        """Return the end of the log; an empty one if the store does not answer: the table is shown all the same."""
        try:
            log = None
            while log is None or log.viewer != self._viewer(live):  # who may change while the log is made
                log = await live.log(self._viewer(live), self._language)
        except StoreError:
            return LogPage(0, 0)
        return log.page(MAX_LOG_LINES)


class _OnlyId(msgspec.Struct):
    id: Id


def _id_in(text: str) -> str | None:
    """Return the id of a message that is otherwise invalid, so that its sender can be answered."""
    try:
        return msgspec.json.decode(text, type=_OnlyId).id
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
