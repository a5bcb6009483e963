"""What OpenAPI says of bodies and answers: schemas made from the same types that read and write them."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from tablee import __version__
from tablee.server import messages

REFERENCE = "#/components/schemas/{name}"
COMPONENTS: dict[str, Any] = {}


@cache
def schema_of(kind: Any) -> dict[str, Any]:
    """Return the schema of a type, and remember what it refers to."""
    (schema,), components = msgspec.json.schema_components([kind], ref_template=REFERENCE)
    COMPONENTS.update(components)
    return schema


def body(kind: Any) -> dict[str, Any]:
    """Describe a request's body."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema_of(kind)}}}}


def answers(kind: Any, *problems: int, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """Describe the answers of a route: JSON of a type, something of a media type, or nothing; and the problems."""
    described: dict[int | str, dict[str, Any]] = {
        code: {"description": "Refused.", "content": _content("application/problem+json", messages.Problem)}
        for code in (*problems, 422)
    }
    if kind is None:
        described[204] = {"description": "Done."}
    elif isinstance(kind, str):
        described[status] = {"description": "Done.", "content": {kind: {"schema": {"type": "string"}}}}
    else:
        described[status] = {"description": "Done.", "content": _content("application/json", kind)}
    return described


def _content(media_type: str, kind: Any) -> dict[str, Any]:
    return {media_type: {"schema": schema_of(kind)}}


def describe(app: FastAPI) -> None:
    """Let the application describe itself."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            described = get_openapi(title="Tablée", version=__version__, routes=app.routes)
            described.setdefault("components", {}).setdefault("schemas", {}).update(COMPONENTS)
            app.openapi_schema = described
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]
