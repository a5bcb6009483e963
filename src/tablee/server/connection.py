"""One client's socket. It pulls, so that a slow reader never makes anything grow.

A table only notes that a watcher has something to fetch. The sender asks each such table for the events after the last
number it has sent; a client that is too far behind gets the whole table instead. The task that serves the client reads;
the event loop calls what sends when there is something to send, and only where that has to wait does it become a task.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

import msgspec
from starlette.types import Receive

from tablee.core.state import SPECTATOR
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
from tablee.server.websocket_protocol import SendMessages
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


@dataclass(slots=True)
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

    __slots__ = (
        "__weakref__",
        "_bad",
        "_changed",
        "_chat",
        "_commands",
        "_failure",
        "_language",
        "_person",
        "_reader",
        "_receive",
        "_registry",
        "_replies",
        "_send_messages",
        "_sender",
        "_watched",
        "client",
        "waiting_since",
    )

    def __init__(
        self,
        registry: TableRegistry,
        receive: Receive,
        send_messages: SendMessages,
        commands: Allowance,
        client: Client,
        person: Person | None,
        language: str,
    ) -> None:
        """Serve a client by two functions: `receive` of ASGI, and one that sends texts or raises OSError."""
        self._registry = registry
        self._receive = receive
        self._send_messages = send_messages
        self._commands = commands  # shared with all connections and REST
        self.client = client
        self._person = person
        self._language = language
        self._watched: dict[str, Subscription] = {}
        self._replies: list[bytes] = []
        self._changed: set[str] = set()
        self._chat: Bucket | None = None  # made when the first line is sent
        self._bad: Bucket | None = None  # made when the first message is invalid
        self._reader: asyncio.Task[None] | None = None  # while it reads
        self._sender: asyncio.Handle | asyncio.Future[None] | None = None  # while there is something to send
        self._failure: Exception | None = None  # why the sender, or who watches for silence, has stopped the reader
        self.waiting_since = math.inf  # time.monotonic() since when the client has been silent; inf: it is being served

    @property
    def person_id(self) -> str | None:
        """The id of the person who is connected, None for a guest without a name."""
        return None if self._person is None else self._person.id

    async def run(self) -> None:
        """Serve until the client has gone; raise `Closed` if the connection is to be closed with a code."""
        self._reader = asyncio.current_task()
        self._reply(Hello(VERSION, self._person.name if self._person else None, time.time()))
        try:
            await self._read()
        except asyncio.CancelledError:
            if self._failure is None:
                raise
            assert self._reader is not None
            self._reader.uncancel()
        finally:
            self._reader = None
            failure, self._failure = self._failure, None  # its traceback refers to this connection
            await self._end()
        if failure is not None:
            try:
                raise failure
            finally:
                del failure  # or it and this frame would refer to each other

    async def _end(self) -> None:
        for subscription in self._watched.values():
            subscription.live.unwatch(self)
        sender, self._sender = self._sender, None
        if sender is not None:
            sender.cancel()
        if isinstance(sender, asyncio.Future):
            await asyncio.wait((sender,))

    def stop(self, why: Exception) -> None:
        """End the connection for a reason: `Closed`, or OSError if the client has gone."""
        if self._reader is not None and self._failure is None:
            self._failure = why
            self._reader.cancel()

    def wake(self, table_id: str) -> None:
        """Note that there is something to fetch at a table."""
        self._changed.add(table_id)
        self._start_sending()

    # Reading

    async def _read(self) -> None:
        """Answer messages until the client has gone."""
        while True:
            self.waiting_since = time.monotonic()
            received = await self._receive()
            self.waiting_since = math.inf
            if received["type"] == "websocket.disconnect":
                return
            if received.get("text") is None:
                raise Closed(NOT_TEXT)
            self._check_token()
            await self._answer(received["text"])
            while len(self._replies) >= MAX_REPLIES and self._sender is not None:
                await (asyncio.wait((self._sender,)) if isinstance(self._sender, asyncio.Future) else asyncio.sleep(0))

    def _check_token(self) -> None:
        """Close the connection of a person who has signed out this device."""
        if self._person is not None and not self._registry.generations.is_current(self._person):
            raise Closed(SIGNED_OUT)

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
        self._bad = self._bad or Bucket(1.0, MAX_BAD_MESSAGES)
        if not self._bad.spend():
            raise Closed(TOO_MANY_INVALID)

    async def _handle(
        self, message: CommandRequest | WatchRequest | UnwatchRequest | ExplainRequest
    ) -> Ack | Explanation:
        is_whole_table = isinstance(message, WatchRequest) and message.since is None
        self._commands.take(self.client, WHOLE_TABLE_TOKENS if is_whole_table else 1.0)
        has_access = message.table in self._watched
        if isinstance(message, WatchRequest):
            return await self._watch(message)
        if isinstance(message, UnwatchRequest):
            return self._unwatch(message)
        if isinstance(message, ExplainRequest):
            return await handle_explain(
                self._registry, message, self.client, self._person, self._language, has_access=has_access
            )
        if self._person is None:
            raise Refused("no_name")
        if isinstance(message, ChatRequest):
            self._chat = self._chat or Bucket(CHAT_RATE, CHAT_BURST)
            self._chat.take()
        return await handle_command(self._registry, message, self._person, has_access=has_access)

    async def _watch(self, message: WatchRequest) -> Ack:
        if len(self._watched) >= self._registry.settings.watched_per_connection and message.table not in self._watched:
            raise Refused("too_many", "too_many_watched")
        live = await self._registry.visible(message.table, self._person, message.invite)
        chat = live.last_chat if message.since is not None else 0
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
        self._start_sending()

    def _refuse(self, message_id: str | None, refused: Refused) -> None:
        self._registry.metrics.refuse("message", refused.code)
        self._reply(RefusedMessage(message_id, refused.code, refused.text(self._language), refused.clause))

    def _start_sending(self) -> None:
        if self._sender is None and self._reader is not None and self._failure is None:
            self._sender = asyncio.get_running_loop().call_soon(self._send)

    def _send(self) -> None:
        """Send what there is; what has to wait is a task, after which this goes on."""
        self._sender = None
        try:
            while self._sender is None and (self._replies or self._changed):
                waiting = self._send_batch()
                if waiting is not None:
                    self._sender = asyncio.ensure_future(waiting)
                    self._sender.add_done_callback(self._sent)
        except Exception as error:  # the reader raises it
            self.stop(error)

    def _sent(self, waited: asyncio.Future[None]) -> None:
        if waited.cancelled():
            return
        error = waited.exception()
        if isinstance(error, Exception):
            self._sender = None
            self.stop(error)
        else:
            self._send()

    def _send_batch(self) -> Awaitable[None] | None:
        """Send the replies and what is new at one table; return what to wait for until they are sent."""
        texts, self._replies = self._replies, []
        if self._changed:
            subscription = self._watched.get(self._changed.pop())
            if subscription is not None:
                changes = self._changes(subscription)
                if changes is None:
                    return self._send_whole_table(texts, subscription)
                texts += changes
        return self._send_messages(texts) if texts else None

    def _changes(self, subscription: Subscription) -> list[bytes] | None:
        """Return what this connection has not sent of a table; None if that is the whole table."""
        self._check_token()
        if self._person is not None and self._person.id in subscription.live.table.removed:
            return [self._stop_watching(subscription)]
        viewing = self._viewing(subscription.live)
        is_same_viewer = viewing.viewer == subscription.viewer
        steps = subscription.live.steps_after(subscription.number) if is_same_viewer else None
        if steps is None:
            return None
        return [*self._new_events(subscription, viewing, steps), *self._new_chat(subscription)]

    def _stop_watching(self, subscription: Subscription) -> bytes:
        """Return the message that the host has removed this person from a table; nothing more of it is sent."""
        table_id = subscription.live.table.id
        del self._watched[table_id]
        subscription.live.unwatch(self)
        return encode(RemovedMessage(table_id, Refused("removed").text(self._language)))

    def _viewer(self, live: ServedTable) -> int:
        return viewer_of(live.table, self._person)

    def _viewing(self, live: ServedTable) -> Viewing:
        viewer = self._viewer(live)
        former = former_player(live.table, self._person) if viewer == SPECTATOR else ""
        return Viewing(viewer, self._language, former)

    def _new_events(self, subscription: Subscription, viewing: Viewing, steps: Sequence[Step]) -> list[bytes]:
        has_base = subscription.wants_changes and subscription.shown == viewing
        known = subscription.number if has_base else None
        if steps:
            subscription.number, subscription.shown = steps[-1].table.number, viewing
        return [subscription.live.event_text(step, viewing, known) for step in steps]

    @staticmethod
    def _new_chat(subscription: Subscription) -> list[bytes]:
        live = subscription.live
        if live.last_chat <= subscription.chat:
            return []
        lines = [line for line in live.chat if line.number > subscription.chat]
        subscription.chat = live.last_chat
        return [encode(ChatMessage(live.table.id, line)) for line in lines]

    async def _send_whole_table(self, texts: list[bytes], subscription: Subscription) -> None:
        """Send replies, and after them the whole table."""
        texts += await self._whole_table(subscription)
        waiting = self._send_messages(texts) if texts else None
        if waiting is not None:
            await waiting

    async def _whole_table(self, subscription: Subscription) -> list[bytes]:
        live = subscription.live
        page = await self._last_log_lines(live)
        viewing = self._viewing(live)
        if self._watched.get(live.table.id) is not subscription:
            return []  # no longer watched, or watched again
        subscription.viewer, subscription.number, subscription.shown = viewing.viewer, live.table.number, viewing
        subscription.chat = live.last_chat
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
