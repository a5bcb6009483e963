"""REST for hints of the coach."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablee.protocol.reviews import HintShown
from tablee.server.openapi import answers
from tablee.server.registry import TableRegistry
from tablee.server.requests import COSTLY, Language, RequestGuard, TableId, answer


def add_routes(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    """Add the routes."""

    @api.get("/tables/{table}/hint", responses=answers(HintShown, 401, 403, 404, 409, 429, 503))
    async def hint(request: Request, table: TableId, lang: Language = "en") -> Response:
        """Return a hint about the move that the person is to choose, at a table whose people all agree to the coach."""
        person = guard.person(request, COSTLY)
        live = await registry.visible(table, person)
        return answer(await registry.coach.hint(live, person.id, lang))
