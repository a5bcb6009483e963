"""REST: games, rules, identity, lobby and tables (docs/protocol.md)."""

from __future__ import annotations

import io
from http import HTTPStatus
from typing import Annotated

import msgspec
import segno
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tablee.core.registry import all_games
from tablee.protocol.messages import CommandRequest, ExplainRequest, Explanation
from tablee.protocol.rest import BotInfo, Done, GameInfo, Invitation, Lobby, Me, NewName, NewTable, Rules, ServerAddress
from tablee.protocol.shown import ChatShown, LogPage, PresenceShown, TableShown
from tablee.server import (
    daily_routes,
    examples,
    hints,
    identities,
    lessons,
    progress,
    puzzles,
    quick_play,
    replays,
    reviews,
    statistics,
    warmup,
)
from tablee.server.catalogue import bot_infos, game_info, lobby_shown
from tablee.server.commands import handle_command, handle_explain
from tablee.server.daily import DailyTables
from tablee.server.identity import COOKIE, COOKIE_SECONDS, Person, new_person
from tablee.server.openapi import answers, body
from tablee.server.reach import is_local_url, qr_picture
from tablee.server.registry import TableRegistry
from tablee.server.requests import (
    COSTLY,
    GameName,
    Invite,
    Language,
    RequestGuard,
    TableId,
    answer,
    former_player,
    known_game,
    read_body,
    viewer_of,
)
from tablee.server.reviews import Reviews
from tablee.server.rulebook import rulebook_html
from tablee.tables.creation import TableRequest
from tablee.tables.presentation import table_shown
from tablee.tables.refusals import Refused
from tablee.tables.replays import check_may_look_back
from tablee.tables.table import Table

LineIndex = Annotated[int, Query(ge=0, le=10**9)]
Limit = Annotated[int, Query(ge=1, le=1000)]
Seat = Annotated[int, Query(ge=-1, le=999)]


def routes(registry: TableRegistry, guard: RequestGuard, kept_reviews: Reviews, daily: DailyTables) -> APIRouter:
    """Return all routes below /api."""
    api = APIRouter(prefix="/api", redirect_slashes=False)
    _add_games(api)
    _add_address(api, guard)
    _add_me(api, registry, guard)
    _add_tables(api, registry, guard)
    _add_table(api, registry, guard)
    replays.add_routes(api, registry, guard)
    reviews.add_routes(api, registry, guard, kept_reviews)
    examples.add_routes(api, registry, guard)
    lessons.add_routes(api, registry, guard)
    quick_play.add_routes(api, registry, guard)
    hints.add_routes(api, registry, guard)
    daily_routes.add_routes(api, registry, guard, daily)
    puzzles.add_routes(api, registry, guard)
    statistics.add_routes(api, registry, guard)
    progress.add_routes(api, registry, guard)
    identities.add_routes(api, registry, guard)
    return api


# Games


def _add_games(api: APIRouter) -> None:
    @api.get("/games", responses=answers(list[GameInfo]))
    async def games(lang: Language = "en") -> Response:
        """List the games."""
        return answer([game_info(game, lang) for game in all_games()])

    @api.get("/games/{game}", responses=answers(GameInfo, 404))
    async def one_game(game: GameName, lang: Language = "en") -> Response:
        """Describe a game; if it is not compiled, it is the next to be."""
        warmup.request(known_game(game))
        return answer(game_info(known_game(game), lang))

    @api.get("/games/{game}/rules", responses=answers(Rules, 404))
    async def rules(game: GameName, lang: Language = "en") -> Response:
        """Return a rulebook in Markdown, and as an HTML fragment."""
        known = known_game(game)
        return answer(Rules(game, lang, known.rulebook(lang), rulebook_html(known, lang)))

    @api.get("/bots", responses=answers(list[BotInfo]))
    async def bots(lang: Language = "en") -> Response:
        """List the bots, weakest first."""
        return answer(bot_infos(lang))


def _add_address(api: APIRouter, guard: RequestGuard) -> None:
    @api.get("/address", responses=answers(ServerAddress, 429))
    async def address(request: Request) -> Response:
        """Return where people open this server, with a QR code."""
        guard.guest(request)
        link = guard.public_address(request)
        return answer(ServerAddress(link, is_local_url(link), qr_picture(link)))


# Identity


def _add_me(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    @api.get("/me", responses=answers(Me, 401))
    async def me(request: Request) -> Response:
        """Return the name and id of the person asking."""
        person = guard.person(request)
        return answer(Me(person.name, person.id))

    @api.put("/me", responses=answers(Me, 403, 413), openapi_extra=body(NewName))
    async def set_name(request: Request, lang: Language = "en") -> Response:
        """Set the name; a person who had one keeps their id and seats, and is renamed at tables that are not over."""
        known = guard.namer(request)
        wanted = await read_body(request, NewName)
        person = new_person(wanted.name, wanted.is_program, known)
        if known is not None and known.name != person.name:
            await registry.rename(person)
        token = guard.signer.token(person)
        named = answer(Me(person.name, person.id, token if person.is_program else None))
        is_secure = request.url.scheme == "https"
        named.set_cookie(COOKIE, token, COOKIE_SECONDS, httponly=True, samesite="lax", secure=is_secure)
        return named

    @api.delete("/me", status_code=204, responses=answers(None, 403))
    async def forget_name(request: Request) -> Response:
        """Delete the cookie."""
        guard.check_origin(request)
        forgotten = Response(status_code=204)
        forgotten.delete_cookie(COOKIE)
        return forgotten


# The lobby


def _add_tables(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    @api.get("/tables", responses=answers(Lobby, 503))
    async def lobby(request: Request, lang: Language = "en") -> Response:
        """List the open tables, and those of the person asking."""
        return answer(await lobby_shown(registry.store, guard.guest(request), lang))

    @api.post(
        "/tables",
        status_code=201,
        responses=answers(TableShown, 401, 403, 404, 409, 413, 429, 503, status=201),
        openapi_extra=body(NewTable),
    )
    async def make_table(request: Request, lang: Language = "en") -> Response:
        """Make a table, and take its first seat."""
        person = guard.maker(request)
        wanted = await read_body(request, NewTable)
        address = guard.client(request).address
        live = await registry.create(TableRequest(**msgspec.structs.asdict(wanted)), person, address)
        return answer(_shown(live.table, person, lang), HTTPStatus.CREATED)


# One table


def _add_table(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    @api.get("/tables/{table}", responses=answers(TableShown, 404, 409, 503))
    async def one_table(request: Request, table: TableId, lang: Language = "en", invite: Invite = "") -> Response:
        """Return what the person asking may know about a table."""
        person = guard.guest(request)
        return answer(_shown((await registry.visible(table, person, invite)).table, person, lang))

    @api.post(
        "/tables/{table}/commands",
        responses=answers(Done, 401, 403, 404, 409, 413, 429, 503),
        openapi_extra=body(CommandRequest),
    )
    async def command(request: Request, table: TableId, lang: Language = "en") -> Response:
        """Execute a command, as over the socket."""
        person = guard.writer(request)
        message: CommandRequest = await read_body(request, CommandRequest)  # type: ignore[arg-type]
        if message.table != table:
            raise Refused("bad_message")
        ack = await handle_command(registry, message, person)
        return answer(Done(ack.id, ack.number, ack.new_table))

    @api.post(
        "/tables/{table}/explanation",
        responses=answers(Explanation, 401, 403, 404, 409, 413, 429, 503),
        openapi_extra=body(ExplainRequest),
    )
    async def explanation(request: Request, table: TableId, lang: Language = "en") -> Response:
        """Explain why a move is not possible, as over the socket; nothing is played."""
        person = guard.writer(request)
        message = await read_body(request, ExplainRequest)
        if message.table != table:
            raise Refused("bad_message")
        return answer(await handle_explain(registry, message, guard.client(request), person, lang))

    @api.get("/tables/{table}/log", responses=answers(LogPage, 404, 409, 503))
    async def log(
        request: Request,
        table: TableId,
        before: LineIndex | None = None,
        limit: Limit = 100,
        seat: Seat | None = None,
        lang: Language = "en",
        invite: Invite = "",
    ) -> Response:
        """Return the last lines of the log, or those before a line; after the end, as any seat saw the game."""
        person = guard.guest(request, COSTLY)
        live = await registry.visible(table, person, invite)
        viewer = viewer_of(live.table, person)
        if seat is not None and seat != viewer:
            check_may_look_back(live.table, viewer, seat)
            viewer = seat
        return answer((await live.log(viewer, lang)).page(limit, before))

    @api.get("/tables/{table}/presence", responses=answers(list[PresenceShown], 404, 409, 503))
    async def presence(request: Request, table: TableId, invite: Invite = "") -> Response:
        """Return which of the people at the table are connected to it, and since when the others are not."""
        return answer((await registry.visible(table, guard.guest(request), invite)).presence())

    @api.get("/tables/{table}/chat", responses=answers(list[ChatShown], 404, 409, 503))
    async def chat(request: Request, table: TableId, invite: Invite = "") -> Response:
        """Return the last lines of chat."""
        return answer(list((await registry.visible(table, guard.guest(request), invite)).chat))

    @api.get("/tables/{table}/invitation", responses=answers(Invitation, 401, 403, 404, 409, 503))
    async def invitation(request: Request, table: TableId) -> Response:
        """Return the invite link, for those who sit at the table."""
        link = await _invite_link(request, registry, guard, table)
        return answer(Invitation(link, is_local_url(link)))

    @api.get("/tables/{table}/qr.svg", responses=answers("image/svg+xml", 401, 403, 404, 409, 503))
    async def invite_picture(request: Request, table: TableId) -> Response:
        """Return the invite link as a QR code."""
        link = await _invite_link(request, registry, guard, table)
        picture = io.BytesIO()
        segno.make(link, error="m").save(picture, kind="svg", scale=6, dark="#000", light="#fff")
        return Response(picture.getvalue(), media_type="image/svg+xml")


async def _invite_link(request: Request, registry: TableRegistry, guard: RequestGuard, table: str) -> str:
    """Return the link by which others join a table; refuse it to those who do not sit there."""
    person = guard.person(request)
    live = await registry.visible(table, person)
    if live.table.seat_of(person.id) is None:
        raise Refused("not_seated")
    return f"{guard.public_address(request)}/t/{table}#{live.table.created.invite}"


def _shown(table: Table, person: Person | None, language: str) -> TableShown:
    return table_shown(table, viewer_of(table, person), language, former_player(table, person))
