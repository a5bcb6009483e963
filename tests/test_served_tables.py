"""The tables of a server process without sockets: chat, clocks, what is kept in memory and what comes back."""

import asyncio
from contextlib import asynccontextmanager

from tablee.protocol.messages import ChatRequest
from tablee.server.commands import handle_command
from tablee.server.identity import Person
from tablee.server.metrics import Metrics
from tablee.server.registry import TableRegistry
from tablee.server.settings import Settings
from tablee.storage import Store
from tablee.storage.coordination import coordinator_for
from tablee.tables.creation import TableRequest

ANA, BEN = Person("p1", "Ana"), Person("p2", "Ben")
REQUEST = TableRequest("skyjo", seats=2, options={"opening": "auto"}, is_open=True)


@asynccontextmanager
async def process(database):
    """A server process: a store and its tables."""
    store = Store(str(database))
    store.open()
    registry = TableRegistry(Settings(bot_pause=0.0), store, coordinator_for(store), Metrics())
    await registry.start()
    try:
        yield registry
    finally:
        await registry.stop()
        store.close()


# Chat


def test_a_chat_line_sent_three_times_is_one_line(tmp_path):
    async def scenario():
        async with process(tmp_path / "tablee.db") as registry:
            live = await registry.create(REQUEST, ANA)
            line = ChatRequest(id="c1", table=live.table.id, text="Hello")
            acks = [await handle_command(registry, line, ANA) for _ in range(3)]
            assert [ack.number for ack in acks] == [1, 1, 1]
            assert len(live.chat) == len(await registry.store.chat(live.table.id)) == 1
            assert (await handle_command(registry, line, BEN)).number == 2  # another person's id is another's line

    asyncio.run(scenario())


def test_chat_of_another_process_is_not_skipped(tmp_path):
    async def scenario():
        async with process(tmp_path / "tablee.db") as registry:
            live = await registry.create(REQUEST, ANA)
            await registry.add_chat(live, ANA, "one", "c1")
            await registry.store.add_chat(
                live.table.id, '{"number": 0, "at": 1.0, "name": "Ben", "seat": null, "text": "two"}'
            )
            await registry.add_chat(live, ANA, "three", "c2")
            assert [line.text for line in live.chat] == ["one", "two", "three"]

    asyncio.run(scenario())
