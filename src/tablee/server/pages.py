"""The pages of the web front end, by their addresses; what is not an address of a page is a page that says so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablee.core.registry import all_games
from tablee.core.words import common
from tablee.protocol.messages import TableMessage
from tablee.protocol.rest import Me
from tablee.protocol.shown import SeatShown
from tablee.server.catalogue import bot_infos, game_info, lobby_shown
from tablee.server.documents import Page, bundle_response, language_of_page, page_response
from tablee.server.identity import Person
from tablee.server.live_table import ServedTable
from tablee.server.registry import TableRegistry
from tablee.server.requests import GameName, RequestGuard, TableId, former_player, known_game, viewer_of
from tablee.server.warmup import request as request_compilation
from tablee.storage import StoreError
from tablee.tables.presentation import table_shown
from tablee.tables.refusals import Refused
from tablee.tables.table import GATHERING

MAX_LOG_LINES = 100


class Pages:
    """Makes the pages from what the registry knows, for the sender of a request."""

    def __init__(self, registry: TableRegistry, guard: RequestGuard) -> None:
        self._registry = registry
        self._guard = guard

    def routes(self) -> APIRouter:
        """Return the routes of all pages and of their bundles."""
        router = APIRouter(redirect_slashes=False, include_in_schema=False)
        pages: dict[str, Callable[..., Awaitable[Response]]] = {
            "/": self.lobby,
            "/index.html": self.lobby,
            "/games/{game}": self.new_table,
            "/rules/{game}": self.rules,
            "/rules/{game}/{clause}": self.rules,
            "/puzzles": self.statistics,
            "/puzzles/{game}": self.puzzles,
            "/puzzles/{game}/{puzzle}": self.puzzles,
            "/statistics": self.statistics,
            "/me": self.statistics,
            "/daily": self.daily,
            "/daily/{day}": self.daily,
            "/t/{table}": self.table,
            "/replay/{table}": self.replay,
            "/replay/{table}/{moves}": self.replay,
            "/replay/{table}/{moves}/{viewer}": self.replay,
            "/bundles/{file}": self.bundle,
        }
        for path, page in pages.items():
            router.add_api_route(path, page, methods=["GET", "HEAD"])
        return router

    async def lobby(self, request: Request) -> Response:
        """Return the lobby."""
        language, person = language_of_page(request), self._guard.guest(request)
        answers: dict[str, Any] = {"/api/games": [game_info(game, language) for game in all_games()]}
        with suppress(StoreError):  # the page asks again, and says that there is no answer
            answers["/api/tables"] = await lobby_shown(self._registry.store, person, language)
        return self._response(request, Page("Tablée", _motto(language), "lobby", answers=answers))

    async def new_table(self, request: Request, game: GameName) -> Response:
        """Return the form for a new table."""
        return self._game_page(request, game, "pages.new")

    async def rules(self, request: Request, game: GameName, clause: str = "") -> Response:
        """Return the rulebook of a game."""
        return self._game_page(request, game, "pages.rules")

    async def puzzles(self, request: Request, game: GameName, puzzle: str = "") -> Response:
        """Return the page of a game's puzzles."""
        return self._game_page(request, game, "pages.puzzles")

    async def statistics(self, request: Request) -> Response:
        """Return the page of the person's finished games, of all puzzles, or the one about the person."""
        return self._response(request, Page("Tablée", _motto(language_of_page(request))))

    async def daily(self, request: Request, day: str = "") -> Response:
        """Return the page of the daily tables of a day."""
        words = common(language_of_page(request))
        return self._response(request, Page(words.say("pages.daily"), words.say("pages.daily_about")))

    async def table(self, request: Request, table: TableId) -> Response:
        """Return the page of a table; of a private one, who has no seat only learns the game."""
        page = await self._table_page(request, table)
        if page.table is None:
            return self._response(request, page)
        shown = page.table.table
        title = page.title
        if shown.phase == GATHERING and (host := _host(shown.seats)):
            title = common(language_of_page(request)).say("pages.invitation", name=host, title=shown.title)
        return self._response(request, replace(page, title=title))

    async def replay(self, request: Request, table: TableId, moves: str = "", viewer: str = "") -> Response:
        """Return the page of a position of a game."""
        page = await self._table_page(request, table)
        title = common(language_of_page(request)).say("pages.replay", title=page.title) if page.game else page.title
        return self._response(request, replace(page, title=title, bundle="shell", table=None))

    async def bundle(self, request: Request, file: str) -> Response:
        """Return a bundle of scripts or styles."""
        return bundle_response(request, file) or self.missing(request)

    def missing(self, request: Request) -> Response:
        """Return the page that says that there is nothing at an address."""
        page = Page("Tablée", _motto(language_of_page(request)), status=HTTPStatus.NOT_FOUND)
        return self._response(request, page)

    def _game_page(self, request: Request, name: str, title: str) -> Response:
        language = language_of_page(request)
        try:
            game = known_game(name)
        except Refused:
            return self.missing(request)
        request_compilation(game)
        words = game.words(language)
        answers = {f"/api/games/{game.name}": game_info(game, language), "/api/bots": bot_infos(language)}
        heading = common(language).say(title, title=words.say("title"))
        return self._response(request, Page(heading, words.say("summary"), game=game, answers=answers))

    async def _table_page(self, request: Request, table_id: str) -> Page:
        """Return the page of a table, with the table if the person may see it without an invite."""
        language, person = language_of_page(request), self._guard.guest(request)
        try:
            live = await self._registry.table(table_id)
            game = known_game(live.table.created.game)
        except (Refused, StoreError) as why:
            is_missing = isinstance(why, Refused) and why.code == "unknown_table"
            status = HTTPStatus.NOT_FOUND if is_missing else HTTPStatus.OK
            return Page("Tablée", _motto(language), "table", status=status)  # its script says why
        words = game.words(language)
        answers = {f"/api/games/{game.name}": game_info(game, language)}
        page = Page(words.say("title"), words.say("summary"), "table", game, answers)
        try:
            await self._registry.visible(table_id, person)
            return replace(page, table=await _table_message(live, person, language), is_personal=True)
        except (Refused, StoreError):
            return page

    def _response(self, request: Request, page: Page) -> Response:
        person = self._guard.guest(request)
        if person is not None:
            page = replace(page, answers={**page.answers, "/api/me": Me(person.name, person.id)}, is_personal=True)
        return page_response(request, page, language_of_page(request), self._guard.public_address(request))


async def _table_message(live: ServedTable, person: Person | None, language: str) -> TableMessage:
    """Return what a connection would send of a table first."""
    log = None
    while log is None or log.viewer != viewer_of(live.table, person):  # who may change while the log is made
        log = await live.log(viewer_of(live.table, person), language)
    shown = table_shown(live.table, log.viewer, language, former_player(live.table, person))
    return TableMessage(shown, [*live.chat], log.page(MAX_LOG_LINES))


def _host(seats: tuple[SeatShown, ...]) -> str | None:
    """Return the name of the host, who invites."""
    return next((seat.name for seat in seats if seat.is_host), None)


def _motto(language: str) -> str:
    return common(language).say("pages.motto")
