"""REST: games, rules, who one is, the lobby, tables, records (docs/protocol.md)."""

from __future__ import annotations

import io
from http import HTTPStatus

import msgspec
import segno
from fastapi import APIRouter, Request
from starlette.responses import Response

from tablee.core.registry import all_games
from tablee.server import examples, messages, replays, statistics
from tablee.server.catalogue import bot_infos, game_info, summary
from tablee.server.connection import carried_out
from tablee.server.identity import COOKIE, COOKIE_SECONDS, Person, TokenSigner, new_person
from tablee.server.live_table import LiveTable
from tablee.server.openapi import answers, body
from tablee.server.registry import TableRegistry
from tablee.server.requests import (
    GameName,
    Invite,
    Language,
    RequestGuard,
    TableId,
    answer,
    known_game,
    read_body,
    viewer_of,
)
from tablee.server.rulebook import rulebook_html
from tablee.server.settings import Settings
from tablee.tables.creation import TableRequest
from tablee.tables.presentation import TableShown, table_shown
from tablee.tables.refusals import Refused


def routes(settings: Settings, registry: TableRegistry, signer: TokenSigner) -> APIRouter:
    """Return all routes below /api."""
    api = APIRouter(prefix="/api", redirect_slashes=False)
    guard = RequestGuard(settings, signer)
    _add_games(api)
    _add_me(api, guard)
    _add_tables(api, registry, guard)
    replays.add_routes(api, registry, guard)
    examples.add_routes(api)
    statistics.add_routes(api, registry, guard)
    return api


# Games


def _add_games(api: APIRouter) -> None:
    @api.get("/games", responses=answers(list[messages.GameInfo]))
    async def games(lang: Language = "en") -> Response:
        """List the games."""
        return answer([game_info(game, lang) for game in all_games()])

    @api.get("/games/{game}", responses=answers(messages.GameInfo, 404))
    async def game_of_name(game: GameName, lang: Language = "en") -> Response:
        """Describe a game."""
        return answer(game_info(known_game(game), lang))

    @api.get("/games/{game}/rules", responses=answers(messages.Rules, 404))
    async def rules(game: GameName, lang: Language = "en") -> Response:
        """Return a rulebook, in Markdown and in HTML."""
        known = known_game(game)
        return answer(messages.Rules(game, lang, known.rulebook(lang), rulebook_html(known, lang)))

    @api.get("/bots", responses=answers(list[messages.BotInfo]))
    async def bots(lang: Language = "en") -> Response:
        """List the bots, weakest first."""
        return answer(bot_infos(lang))


# Who one is


def _add_me(api: APIRouter, guard: RequestGuard) -> None:
    @api.get("/me", responses=answers(messages.Me, 401))
    async def who_am_i(request: Request) -> Response:
        """Say who asks."""
        person = guard.person(request)
        return answer(messages.Me(person.name, person.id))

    @api.put("/me", responses=answers(messages.Me, 403, 413), openapi_extra=body(messages.NewName))
    async def i_am(request: Request, lang: Language = "en") -> Response:
        """Take a name; who had one keeps his seats."""
        guard.check_origin(request)
        wanted = await read_body(request, messages.NewName)
        person = new_person(wanted.name, wanted.is_program, guard.guest(request))
        token = guard.signer.token(person)
        me = answer(messages.Me(person.name, person.id, token if person.is_program else None))
        is_secure = request.url.scheme == "https"
        me.set_cookie(COOKIE, token, COOKIE_SECONDS, httponly=True, samesite="lax", secure=is_secure)
        return me

    @api.delete("/me", status_code=204, responses=answers(None, 403))
    async def forget_me(request: Request) -> Response:
        """Forget the cookie."""
        guard.check_origin(request)
        gone = Response(status_code=204)
        gone.delete_cookie(COOKIE)
        return gone


# Tables


def _add_tables(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    @api.get("/tables", responses=answers(messages.Lobby, 503))
    async def lobby(request: Request, lang: Language = "en") -> Response:
        """List the open tables, and one's own."""
        person = guard.guest(request)
        own = person.id if person else ""
        mine = await registry.store.tables_of(own) if own else []
        listed = await registry.store.open_tables()
        rows = [[summary(row, own, lang) for row in part if is_installed(row.game)] for part in (listed, mine)]
        return answer(messages.Lobby(*rows))

    @api.post(
        "/tables",
        status_code=201,
        responses=answers(TableShown, 401, 403, 404, 409, 413, 429, 503, status=201),
        openapi_extra=body(messages.NewTable),
    )
    async def make_table(request: Request, lang: Language = "en") -> Response:
        """Make a table, and sit down at it."""
        person = guard.maker(request)
        wanted = await read_body(request, messages.NewTable)
        live = await registry.create(TableRequest(**msgspec.structs.asdict(wanted)), person)
        return answer(_shown(live, person, lang), HTTPStatus.CREATED)

    @api.get("/tables/{table}", responses=answers(TableShown, 404, 409, 503))
    async def see_table(request: Request, table: TableId, lang: Language = "en", invite: Invite = "") -> Response:
        """Return what the asker may know of a table."""
        person = guard.guest(request)
        return answer(_shown(await registry.visible(table, person, invite), person, lang))

    @api.post(
        "/tables/{table}/commands",
        responses=answers(messages.Done, 401, 403, 404, 409, 413, 429, 503),
        openapi_extra=body(messages.TableCommand),
    )
    async def command(request: Request, table: TableId, lang: Language = "en") -> Response:
        """Ask something of a table, as over the socket."""
        person = guard.writer(request)
        message: messages.TableCommand = await read_body(request, messages.TableCommand)  # type: ignore[arg-type]
        if message.table != table:
            raise Refused("bad_message")
        ack = await carried_out(registry, message, person)
        return answer(messages.Done(ack.id, ack.number, ack.new_table))

    @api.get("/tables/{table}/chat", responses=answers(list[messages.ChatShown], 404, 409, 503))
    async def chat(request: Request, table: TableId, invite: Invite = "") -> Response:
        """Return what was said lately."""
        return answer(list((await registry.visible(table, guard.guest(request), invite)).chat))

    @api.get("/tables/{table}/qr.svg", responses=answers("image/svg+xml", 401, 403, 404, 409, 503))
    async def invitation(request: Request, table: TableId) -> Response:
        """Draw the invite link."""
        person = guard.person(request)
        live = await registry.visible(table, person)
        if live.table.seat_of(person.id) is None:
            raise Refused("not_seated")
        base = guard.address.rstrip("/") or f"{request.url.scheme}://{request.url.netloc}"
        drawing = io.BytesIO()
        segno.make(f"{base}/#table/{table}/{live.table.created.invite}", error="m").save(
            drawing, kind="svg", scale=6, dark="#000", light="#fff"
        )
        return Response(drawing.getvalue(), media_type="image/svg+xml")


def is_installed(game: str) -> bool:
    """Whether a game of the lobby can still be played here."""
    return any(game == known.name for known in all_games())


def _shown(live: LiveTable, person: Person | None, language: str) -> TableShown:
    return table_shown(live.table, viewer_of(live.table, person), language)
