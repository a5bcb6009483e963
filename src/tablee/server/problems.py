"""REST errors as application/problem+json (RFC 9457)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from tablee.core.languages import supported
from tablee.protocol.messages import encode
from tablee.protocol.rest import Problem
from tablee.server.logs import logger
from tablee.storage import StoreError
from tablee.tables.refusals import Refused

STATUSES = {
    "bad_message": 422,
    "no_name": 401,
    "unknown_game": 404,
    "unknown_table": 404,
    "not_found": 404,
    "bad_method": 405,
    "bad_setup": 422,
    "not_invited": 403,
    "not_seated": 403,
    "not_played": 403,
    "not_host": 403,
    "removed": 403,
    "foreign_origin": 403,
    "foreign_host": 421,
    "no_such_seat": 422,
    "unknown_bot": 422,
    "bad_move": 422,
    "bad_record": 422,
    "too_large": 413,
    "too_fast": 429,
    "too_many": 429,
    "unavailable": 503,
}
CONFLICT = 409  # all other codes: a valid request that the table's state does not allow


def problem(code: str, detail: str, clause: str | None = None, status: int | None = None) -> Response:
    """Return a refusal as a response; its status follows from the code unless given."""
    status = status or STATUSES.get(code, CONFLICT)
    body = encode(Problem(HTTPStatus(status).phrase, status, code, detail, clause=clause))
    return Response(body, status, media_type="application/problem+json")


def language_of(request: Request) -> str:
    """Return the language of a request, English if it asks for an unknown one."""
    return supported(request.query_params.get("lang"))


async def _refused(request: Request, refused: Exception) -> Response:
    assert isinstance(refused, Refused)
    request.app.state.registry.metrics.refuse("request", refused.code)
    return problem(refused.code, refused.text(language_of(request)), refused.clause)


async def _invalid(request: Request, _: Exception) -> Response:
    return await _refused(request, Refused("bad_message"))


async def _store_failed(request: Request, _: Exception) -> Response:
    return await _refused(request, Refused("unavailable"))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = {404: "not_found", 405: "bad_method"}.get(error.status_code, "bad_message")
    answer = problem(code, Refused(code).text(language_of(request)), status=error.status_code)
    answer.headers.update(error.headers or {})
    return answer


def _opens_page(request: Request) -> bool:
    """Whether a browser asks for a page, not for a file of a page or an answer of the API."""
    accepts_pages = "text/html" in request.headers.get("accept", "")
    return accepts_pages and request.method in ("GET", "HEAD") and not request.url.path.startswith("/api/")


async def _unexpected(request: Request, error: Exception) -> Response:
    logger.log(logging.ERROR, "unexpected error", exc_info=error, extra={"fields": {"method": request.method}})
    return problem("unavailable", Refused("unavailable").text(language_of(request)), status=500)


def handle_problems(app: FastAPI, missing_page: Callable[[Request], Response]) -> None:
    """Make the application answer errors as problems; to browsers that open an unknown address, with a page."""

    async def http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code == HTTPStatus.NOT_FOUND and _opens_page(request):
            return missing_page(request)
        return await _http(request, error)

    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(StoreError, _store_failed)
    app.add_exception_handler(HTTPException, http_error)
    app.add_exception_handler(Exception, _unexpected)
