"""REST for guided rounds."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablee.protocol.rest import NewLesson
from tablee.protocol.shown import TableShown
from tablee.server.openapi import answers, body
from tablee.server.registry import TableRegistry
from tablee.server.requests import GameName, Language, RequestGuard, answer, known_game, read_body, viewer_of
from tablee.tables.presentation import table_shown


def add_routes(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    """Add the routes."""

    @api.post(
        "/games/{game}/lesson",
        status_code=201,
        responses=answers(TableShown, 401, 403, 404, 413, 429, 503, status=201),
        openapi_extra=body(NewLesson),
    )
    async def lesson(request: Request, game: GameName, lang: Language = "en") -> Response:
        """Open a game's guided round: the one that the person has not finished, or a new one."""
        person = guard.maker(request)
        wanted = await read_body(request, NewLesson)
        live = await registry.lesson(known_game(game), person, is_new=wanted.is_new)
        return answer(table_shown(live.table, viewer_of(live.table, person), lang), HTTPStatus.CREATED)
