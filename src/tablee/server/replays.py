"""REST for finished and past positions: records, moments, points, forks, imported records."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from tablee.bots.simple import generator_for
from tablee.core.errors import BadRecord
from tablee.core.match import Match
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR
from tablee.protocol.rest import ImportedRecord, Moment, NewFork, NewRecord, Points
from tablee.protocol.reviews import BeliefsShown
from tablee.protocol.shown import TableShown
from tablee.records import Record
from tablee.review.beliefs import find_beliefs
from tablee.review.coach import BELIEF_WORLDS
from tablee.server.openapi import answers, body
from tablee.server.registry import TableRegistry
from tablee.server.requests import COSTLY, Invite, Language, RequestGuard, TableId, answer, read_body, viewer_of
from tablee.server.table_coach import beliefs_shown
from tablee.storage.export import record_of
from tablee.tables.coaching import check_coached
from tablee.tables.forks import Fork
from tablee.tables.presentation import table_shown
from tablee.tables.refusals import Refused
from tablee.tables.replays import Replay, check_may_look_back, open_view
from tablee.tables.table import OVER, Table

MAX_REPLAYS = 32  # kept in memory; the least recently used is dropped
MAX_RECORD_BYTES = 512 * 1024
Moves = Annotated[int, Path(ge=0, le=10**6)]
Seat = Annotated[int, Query(ge=-1, le=999)]
IsOpen = Annotated[bool, Query(alias="open")]


class ReplayCache:
    """The replays used last."""

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
    cache = ReplayCache()
    _add_moments(api, registry, guard, cache)
    _add_finished(api, registry, guard, cache)
    _add_new_tables(api, registry, guard)


def _add_moments(api: APIRouter, registry: TableRegistry, guard: RequestGuard, cache: ReplayCache) -> None:
    @api.get("/tables/{table}/moments/{moves}", responses=answers(Moment, 404, 409, 503))
    async def moment(
        request: Request,
        table: TableId,
        moves: Moves,
        seat: Seat = SPECTATOR,
        is_open: IsOpen = False,
        lang: Language = "en",
        invite: Invite = "",
    ) -> Response:
        """Return the position after some moves: one's own view of it, and after the end any seat's."""
        person, key = guard.guest(request, COSTLY), guard.client(request).key
        found = (await registry.visible(table, person, invite)).table
        check_may_look_back(found, viewer_of(found, person), None if is_open else seat)
        replay = cache.replay(found)
        if moves > replay.length:
            raise Refused("not_found")
        return answer(await registry.turns.run(key, _moment, replay, moves, None if is_open else seat, lang))

    @api.get("/tables/{table}/moments/{moves}/beliefs", responses=answers(BeliefsShown, 404, 409, 503))
    async def beliefs(
        request: Request,
        table: TableId,
        moves: Moves,
        seat: Seat = SPECTATOR,
        lang: Language = "en",
        invite: Invite = "",
    ) -> Response:
        """Return what hidden pieces could be, by what a seat knew: after the end, or for oneself with the coach on."""
        person, key = guard.guest(request, COSTLY), guard.client(request).key
        live = await registry.visible(table, person, invite)
        found = live.table
        check_may_look_back(found, viewer_of(found, person), seat)
        if found.phase != OVER:
            _check_running(found, seat)
        replay = cache.replay(found)
        if moves > replay.length:
            raise Refused("not_found")
        if found.phase != OVER and person is not None:
            return answer(await registry.coach.beliefs(live, person.id, replay.at(moves).sight(seat), lang))
        return answer(await registry.turns.run(key, _beliefs, replay.at(moves), seat, lang))


def _check_running(table: Table, viewer: int) -> None:
    """Refuse beliefs about a running game unless the table has a coach, which helps the viewer."""
    if not table.created.coach:
        raise Refused("not_over")
    check_coached(table, viewer)


def _beliefs(match: Match, seat: int, language: str) -> BeliefsShown:
    return show_beliefs(match.sight(seat), language, match.names(language))


def show_beliefs(sight: Sight, language: str, names: Sequence[str], worlds: int = BELIEF_WORLDS) -> BeliefsShown:
    """Say what hidden pieces can be by what a seat knows: counted, or in imagined worlds if the game cannot count."""
    return beliefs_shown(find_beliefs(sight, worlds, generator_for(0, sight), sight.game.words(language), names))


def _moment(replay: Replay, moves: int, seat: int | None, language: str) -> Moment:
    """Show a position to a seat, or (None) with everything that any seat knew."""
    past = replay.at(moves)
    round_view = None
    if past.has_just_finished_round:
        round_view = past.round_view(SPECTATOR if seat is None else seat, language)
    if seat is None:
        events, view = replay.open_events(moves, language), open_view(past, language)
    else:
        events, view = past.events(seat, language), past.view(seat, language)
    return Moment(moves, replay.length, events, view, round_view)


def _add_finished(api: APIRouter, registry: TableRegistry, guard: RequestGuard, cache: ReplayCache) -> None:
    async def finished(request: Request, table: str, invite: str) -> Table:
        found = (await registry.visible(table, guard.guest(request, COSTLY), invite)).table
        if found.phase != OVER or found.match is None:
            raise Refused("not_over")
        return found

    @api.get("/tables/{table}/record", responses=answers("text/plain", 404, 409, 503))
    async def record(request: Request, table: TableId, invite: Invite = "") -> Response:
        """Return the record of a finished game."""
        over = await finished(request, table, invite)
        text = await registry.turns.run(guard.client(request).key, _record_text, over)
        name = f'attachment; filename="{over.created.game}-{over.id}.tablee"'
        return Response(text, media_type="text/plain", headers={"Content-Disposition": name})

    @api.get("/tables/{table}/points", responses=answers(list[Points], 404, 409, 503))
    async def points(request: Request, table: TableId, invite: Invite = "") -> Response:
        """Return the scores of a finished game at the beginning, and after every move that changed them."""
        replay = cache.replay(await finished(request, table, invite))
        points = await registry.turns.run(guard.client(request).key, replay.points)
        return answer([Points(*each) for each in points])


def _record_text(over: Table) -> str:
    return record_of(over).text()


def _add_new_tables(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    @api.post(
        "/tables/{table}/forks",
        status_code=201,
        responses=answers(TableShown, 401, 403, 404, 409, 413, 429, 503, status=201),
        openapi_extra=body(NewFork),
    )
    async def fork(request: Request, table: TableId, lang: Language = "en", invite: Invite = "") -> Response:
        """Continue from a position of a finished game, against bots."""
        person = guard.maker(request)
        wanted = await read_body(request, NewFork)
        old = (await registry.visible(table, person, invite)).table
        new = (await registry.fork(old, Fork(**msgspec.structs.asdict(wanted)), person)).table
        return answer(table_shown(new, viewer_of(new, person), lang), HTTPStatus.CREATED)

    @api.post(
        "/records",
        status_code=201,
        responses=answers(ImportedRecord, 401, 403, 413, 429, 503, status=201),
        openapi_extra=body(NewRecord),
    )
    async def import_record(request: Request) -> Response:
        """Import a record, so that it can be viewed."""
        person = guard.importer(request)
        text = (await read_body(request, NewRecord, MAX_RECORD_BYTES)).record
        try:
            record = await registry.turns.run(person.id, Record.parse, text)
        except BadRecord as why:
            raise Refused("bad_record", why=why) from None
        imported = (await registry.import_record(record, person)).table
        return answer(ImportedRecord(imported.id, imported.created.invite), HTTPStatus.CREATED)
