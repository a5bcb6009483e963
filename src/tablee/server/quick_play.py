"""REST for quick play: a table with bots of the level that suits the person, in one request."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablee.bots.roster import ladder_of
from tablee.protocol.shown import TableShown
from tablee.server.openapi import answers
from tablee.server.progress import advise, levels_of
from tablee.server.registry import TableRegistry
from tablee.server.requests import GameName, Language, RequestGuard, answer, known_game, viewer_of
from tablee.storage.reviewed_games import ReviewedGameStore
from tablee.tables.creation import TableRequest
from tablee.tables.presentation import table_shown

REST = 60  # seconds: longest rest after a round, as at other tables that say nothing


def add_routes(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    """Add the routes."""
    store = ReviewedGameStore(registry.store)

    @api.post(
        "/games/{game}/quick-play",
        status_code=201,
        responses=answers(TableShown, 401, 403, 404, 409, 429, 503, status=201),
    )
    async def quick_play(request: Request, game: GameName, lang: Language = "en") -> Response:
        """Make a table with the usual number of bots, of the level that the person's results suggest, and sit down."""
        person, known = guard.maker(request), known_game(game)
        bot = advise(await levels_of(person.id, known, store), ladder_of(known)).next_bot
        wanted = TableRequest(known.name, rest=REST, bots=[bot] * (known.usual_seats - 1))
        table = (await registry.create(wanted, person)).table
        return answer(table_shown(table, viewer_of(table, person), lang), HTTPStatus.CREATED)
