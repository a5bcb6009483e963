"""OpenAPI schemas of bodies and answers, from the msgspec types that are sent (docs/decisions/0037)."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from tablee import __version__
from tablee.protocol.rest import Problem

REFERENCE = "#/components/schemas/{name}"
JSON = "application/json"
PROBLEM_JSON = "application/problem+json"
ANY_ROUTE = (HTTPStatus.MISDIRECTED_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.TOO_MANY_REQUESTS)
# Schemas that other schemas refer to, of all routes declared so far.
COMPONENTS: dict[str, Any] = {}


@cache
def schema_of(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of a type, and add what it refers to to COMPONENTS."""
    (schema,), components = msgspec.json.schema_components([kind], ref_template=REFERENCE)
    COMPONENTS.update(components)
    return schema


def body(kind: Any) -> dict[str, Any]:
    """Describe a request's JSON body, for the argument `openapi_extra` of a route."""
    return {"requestBody": {"required": True, "content": _content(kind)}}


def answers(kind: Any, *problems: int, status: int = HTTPStatus.OK) -> dict[int | str, dict[str, Any]]:
    """Describe what a route answers, for its argument `responses`.

    `kind` is the type of a JSON answer, a media type as a string, or None for 204 without content. `problems` are the
    statuses of errors; every route can also answer those of ANY_ROUTE.
    """
    described: dict[int | str, dict[str, Any]] = {
        code: {"description": "Refused.", "content": _content(Problem, PROBLEM_JSON)}
        for code in (*problems, *ANY_ROUTE)
    }
    if kind is None:
        described[HTTPStatus.NO_CONTENT] = {"description": "Done."}
    elif isinstance(kind, str):
        described[status] = {"description": "Done.", "content": {kind: {"schema": {"type": "string"}}}}
    else:
        described[status] = {"description": "Done.", "content": _content(kind)}
    return described


def _content(kind: Any, media_type: str = JSON) -> dict[str, Any]:
    return {media_type: {"schema": schema_of(kind)}}


def describe(app: FastAPI) -> None:
    """Make the application's OpenAPI document include COMPONENTS."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = get_openapi(title=app.title, version=__version__, routes=app.routes)
            document.setdefault("components", {}).setdefault("schemas", {}).update(COMPONENTS)
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]
