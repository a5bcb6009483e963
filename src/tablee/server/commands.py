"""Requests of clients, by socket and REST: access to the table, execution, reply."""

from __future__ import annotations

import time

from tablee.protocol.messages import (
    Ack,
    ChatRequest,
    ClaimRequest,
    CommandRequest,
    ExplainRequest,
    Explanation,
    RematchRequest,
)
from tablee.server.identity import Person
from tablee.server.limits import Client
from tablee.server.live_table import ServedTable
from tablee.server.registry import TableRegistry
from tablee.server.requests import viewer_of
from tablee.tables.explanations import explain
from tablee.tables.refusals import Refused
from tablee.tables.requests import command_of, type_of


async def handle_command(
    registry: TableRegistry, message: CommandRequest, person: Person, *, has_access: bool = False
) -> Ack:
    """Check access to the table and execute a command; raises `Refused`.

    `has_access`: the person has shown before that they may see the table.
    """
    begun, result = time.monotonic(), "unavailable"
    try:
        ack = await _execute(registry, message, person, has_access)
        result = "done"
    except Refused as refused:
        result = refused.code
        raise
    finally:
        registry.metrics.count_command(type_of(message), result, time.monotonic() - begun)
    return ack


async def _execute(registry: TableRegistry, message: CommandRequest, person: Person, has_access: bool) -> Ack:
    if isinstance(message, ClaimRequest):
        await registry.check_table_limit(person)
        has_access = True  # the table itself checks the invite
    live = await _table(registry, message.table, person, has_access)
    if isinstance(message, ChatRequest):
        return Ack(message.id, message.table, await registry.add_chat(live, person, message.text, message.id))
    if isinstance(message, RematchRequest):
        number, new_table = await registry.rematch(live, person, message.id)
        return Ack(message.id, message.table, number, new_table)
    number = await live.execute(command_of(message), person.as_actor(message.id))
    return Ack(message.id, message.table, number)


async def handle_explain(
    registry: TableRegistry,
    message: ExplainRequest,
    client: Client,
    person: Person | None,
    language: str,
    *,
    has_access: bool = False,
) -> Explanation:
    """Explain why a move is not possible, in a thread; nothing is played. Raises `Refused` without access."""
    table = (await _table(registry, message.table, person, has_access)).table
    viewer = viewer_of(table, person)
    reason = await registry.turns.run(client.key, explain, table, viewer, message.targets, message.move, language)
    return Explanation(message.id, reason.text, reason.clause)


async def _table(registry: TableRegistry, table_id: str, person: Person | None, has_access: bool) -> ServedTable:
    return await (registry.table(table_id) if has_access else registry.visible(table_id, person))
