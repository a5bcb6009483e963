"""REST for looking back: records, moments, points, playing on from a moment, records that people bring."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from http import HTTPStatus
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from tablee.core.errors import BadRecord
from tablee.core.state import SPECTATOR
from tablee.records import Record
from tablee.server import messages
from tablee.server.openapi import answers, body
from tablee.server.registry import TableRegistry
from tablee.server.requests import Invite, Language, RequestGuard, TableId, answer, read_body, viewer_of
from tablee.storage.export import record_of
from tablee.tables.forks import Fork
from tablee.tables.presentation import TableShown, table_shown
from tablee.tables.refusals import Refused
from tablee.tables.replays import Replay, may_look_back, open_view
from tablee.tables.table import OVER, Table

MAX_REPLAYS = 32  # kept in memory; the one not looked at for longest goes
MAX_RECORD_BYTES = 512 * 1024
Moves = Annotated[int, Path(ge=0, le=10**6)]
Seat = Annotated[int, Query(ge=-1, le=999)]
IsOpen = Annotated[bool, Query(alias="open")]


class ReplayCache:
    """The replays that somebody has looked at lately."""

    def __init__(self) -> None:
        self._replays: OrderedDict[tuple[str, int], Replay] = OrderedDict()

    def replay(self, table: Table) -> Replay:
        """Return the replay of a table as it is now."""
        assert table.match is not None
        key = (table.id, table.number)
        found = self._replays.pop(key, None) or Replay(table.match)
        self._replays[key] = found
        if len(self._replays) > MAX_REPLAYS:
            self._replays.popitem(last=False)
        return found


def add_routes(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    """Add the routes."""
    shelf = ReplayCache()
    _add_moments(api, registry, guard, shelf)
    _add_finished(api, registry, guard, shelf)
    _add_making(api, registry, guard)


def _add_moments(api: APIRouter, registry: TableRegistry, guard: RequestGuard, shelf: ReplayCache) -> None:
    @api.get("/tables/{table}/moments/{moves}", responses=answers(messages.Moment, 404, 409, 503))
    async def moment(
        request: Request,
        table: TableId,
        moves: Moves,
        seat: Seat = SPECTATOR,
        is_open: IsOpen = False,
        lang: Language = "en",
        invite: Invite = "",
    ) -> Response:
        """Return a game as it was after so many moves: one's own view of it, and after the end anybody's."""
        person = guard.guest(request)
        seen = (await registry.visible(table, person, invite)).table
        may_look_back(seen, viewer_of(seen, person), seat, is_open)
        replay = shelf.replay(seen)
        if moves > replay.length:
            raise Refused("not_found")
        return answer(await asyncio.to_thread(_moment, replay, moves, None if is_open else seat, lang))


def _moment(replay: Replay, moves: int, seat: int | None, language: str) -> messages.Moment:
    """Show a moment to a seat, or (None) with all that anybody knew."""
    if seat is None:
        told, view = replay.told_openly(moves, language), open_view(replay.at(moves), language)
    else:
        past = replay.at(moves)
        told, view = past.events(seat, language), past.view(seat, language)
    return messages.Moment(moves, replay.length, told, view)


def _add_finished(api: APIRouter, registry: TableRegistry, guard: RequestGuard, shelf: ReplayCache) -> None:
    async def finished(request: Request, table: str, invite: str) -> Table:
        found = (await registry.visible(table, guard.guest(request), invite)).table
        if found.phase != OVER or found.match is None:
            raise Refused("not_over")
        return found

    @api.get("/tables/{table}/record", responses=answers("text/plain", 404, 409, 503))
    async def record(request: Request, table: TableId, invite: Invite = "") -> Response:
        """Return the record of a finished game."""
        over = await finished(request, table, invite)
        text = record_of(over).text()
        name = f'attachment; filename="{over.created.game}-{over.id}.tablee"'
        return Response(text, media_type="text/plain", headers={"Content-Disposition": name})

    @api.get("/tables/{table}/points", responses=answers(list[messages.Points], 404, 409, 503))
    async def points(request: Request, table: TableId, invite: Invite = "") -> Response:
        """Return the points of a finished game: at its beginning, and after every move that changed them."""
        replay = shelf.replay(await finished(request, table, invite))
        return answer([messages.Points(*each) for each in await asyncio.to_thread(replay.points)])


def _add_making(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    @api.post(
        "/tables/{table}/forks",
        status_code=201,
        responses=answers(TableShown, 401, 403, 404, 409, 413, 429, 503, status=201),
        openapi_extra=body(messages.NewFork),
    )
    async def fork(request: Request, table: TableId, lang: Language = "en", invite: Invite = "") -> Response:
        """Play on from a moment of a finished game, against bots."""
        person = guard.maker(request)
        wanted = await read_body(request, messages.NewFork)
        old = (await registry.visible(table, person, invite)).table
        new = (await registry.fork(old, Fork(**msgspec.structs.asdict(wanted)), person)).table
        return answer(table_shown(new, viewer_of(new, person), lang), HTTPStatus.CREATED)

    @api.post(
        "/records",
        status_code=201,
        responses=answers(messages.KeptRecord, 401, 403, 413, 429, 503, status=201),
        openapi_extra=body(messages.NewRecord),
    )
    async def bring(request: Request) -> Response:
        """Keep a record that somebody brings, so that it can be looked at."""
        person = guard.maker(request)
        text = (await read_body(request, messages.NewRecord, MAX_RECORD_BYTES)).record
        try:
            record = await asyncio.to_thread(Record.parse, text)
        except BadRecord as why:
            raise Refused("bad_record", why=why) from None
        kept = (await registry.import_record(record, person)).table
        return answer(messages.KeptRecord(kept.id, kept.created.invite), HTTPStatus.CREATED)
