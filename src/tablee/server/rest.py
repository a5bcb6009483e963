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
from tablee.server.connection import carried_out
from tablee.server.describing import bot_infos, game_info, summary
from tablee.server.desk import Desk, GameName, Invite, Language, TableId, answer, known_game, read_body, viewer_of
from tablee.server.hall import Hall
from tablee.server.live import LiveTable
from tablee.server.openapi import answers, body
from tablee.server.people import COOKIE, COOKIE_SECONDS, Doorman, Person, new_person
from tablee.server.settings import Settings
from tablee.tables.making import Wish
from tablee.tables.refusing import Refused
from tablee.tables.showing import TableShown, table_shown


def routes(settings: Settings, hall: Hall, doorman: Doorman) -> APIRouter:
    """Return all routes below /api."""
    api = APIRouter(prefix="/api", redirect_slashes=False)
    desk = Desk(settings, doorman)
    _add_games(api)
    _add_me(api, desk)
    _add_tables(api, hall, desk)
    replays.add_routes(api, hall, desk)
    examples.add_routes(api)
    statistics.add_routes(api, hall, desk)
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
        """Return a rulebook in Markdown."""
        return answer(messages.Rules(game, lang, known_game(game).rulebook(lang)))

    @api.get("/bots", responses=answers(list[messages.BotInfo]))
    async def bots(lang: Language = "en") -> Response:
        """List the bots, weakest first."""
        return answer(bot_infos(lang))


# Who one is


def _add_me(api: APIRouter, desk: Desk) -> None:
    @api.get("/me", responses=answers(messages.Me, 401))
    async def who_am_i(request: Request) -> Response:
        """Say who asks."""
        person = desk.person(request)
        return answer(messages.Me(person.name, person.id))

    @api.put("/me", responses=answers(messages.Me, 403, 413), openapi_extra=body(messages.NewName))
    async def i_am(request: Request, lang: Language = "en") -> Response:
        """Take a name; who had one keeps his seats."""
        desk.check_origin(request)
        wanted = await read_body(request, messages.NewName)
        person = new_person(wanted.name, wanted.is_program, desk.guest(request))
        token = desk.doorman.token(person)
        me = answer(messages.Me(person.name, person.id, token if person.is_program else None))
        is_secure = request.url.scheme == "https"
        me.set_cookie(COOKIE, token, COOKIE_SECONDS, httponly=True, samesite="lax", secure=is_secure)
        return me

    @api.delete("/me", status_code=204, responses=answers(None, 403))
    async def forget_me(request: Request) -> Response:
        """Forget the cookie."""
        desk.check_origin(request)
        gone = Response(status_code=204)
        gone.delete_cookie(COOKIE)
        return gone


# Tables


def _add_tables(api: APIRouter, hall: Hall, desk: Desk) -> None:
    @api.get("/tables", responses=answers(messages.Lobby, 503))
    async def lobby(request: Request, lang: Language = "en") -> Response:
        """List the open tables, and one's own."""
        person = desk.guest(request)
        own = person.id if person else ""
        mine = await hall.store.tables_of(own) if own else []
        listed = await hall.store.open_tables()
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
        person = desk.maker(request)
        wanted = await read_body(request, messages.NewTable)
        live = await hall.make(Wish(**msgspec.structs.asdict(wanted)), person)
        return answer(_shown(live, person, lang), HTTPStatus.CREATED)

    @api.get("/tables/{table}", responses=answers(TableShown, 404, 409, 503))
    async def see_table(request: Request, table: TableId, lang: Language = "en", invite: Invite = "") -> Response:
        """Return what the asker may know of a table."""
        person = desk.guest(request)
        return answer(_shown(await hall.visible(table, person, invite), person, lang))

    @api.post(
        "/tables/{table}/commands",
        responses=answers(messages.Done, 401, 403, 404, 409, 413, 429, 503),
        openapi_extra=body(messages.TableCommand),
    )
    async def command(request: Request, table: TableId, lang: Language = "en") -> Response:
        """Ask something of a table, as over the socket."""
        person = desk.writer(request)
        message: messages.TableCommand = await read_body(request, messages.TableCommand)  # type: ignore[arg-type]
        if message.table != table:
            raise Refused("bad_message")
        ack = await carried_out(hall, message, person)
        return answer(messages.Done(ack.id, ack.number, ack.new_table))

    @api.get("/tables/{table}/chat", responses=answers(list[messages.ChatShown], 404, 409, 503))
    async def chat(request: Request, table: TableId, invite: Invite = "") -> Response:
        """Return what was said lately."""
        return answer(list((await hall.visible(table, desk.guest(request), invite)).chat))

    @api.get("/tables/{table}/qr.svg", responses=answers("image/svg+xml", 401, 403, 404, 409, 503))
    async def invitation(request: Request, table: TableId) -> Response:
        """Draw the invite link."""
        person = desk.person(request)
        live = await hall.visible(table, person)
        if live.table.seat_of(person.id) is None:
            raise Refused("not_seated")
        base = desk.address.rstrip("/") or f"{request.url.scheme}://{request.url.netloc}"
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
