"""The application: REST, socket and files around one table registry; health and metrics beside it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI, WebSocket
from starlette.websockets import WebSocketDisconnect

from tablee.core.errors import TableeError
from tablee.core.languages import supported
from tablee.server.collector import CollectorSettings
from tablee.server.connection import FOREIGN, TOO_MANY, Connection
from tablee.server.health import ProcessHealth, StorageHealth
from tablee.server.host_check import HostCheck
from tablee.server.identity import TokenSigner
from tablee.server.limits import SocketCount
from tablee.server.logs import describe_exception, incident, log, log_uncaught_in
from tablee.server.metrics import Metrics
from tablee.server.openapi import describe
from tablee.server.pages import Pages
from tablee.server.problems import handle_problems
from tablee.server.registry import TableRegistry
from tablee.server.requests import RequestGuard, is_foreign
from tablee.server.rest import routes
from tablee.server.reviews import Reviews
from tablee.server.settings import Settings
from tablee.server.static_files import PublicCompression, SecurityHeaders, mount_files
from tablee.server.status import OFF, StatusServer
from tablee.storage import Store
from tablee.storage.coordination import coordinator_for

FAILED = 1011  # the code of a connection that the server closes because of an error of its own


def create_app(settings: Settings) -> FastAPI:
    """Create the application; raise TableeError if the database or the address of health and metrics cannot be used."""
    metrics = Metrics()
    storage = StorageHealth(metrics)
    store = Store(settings.database, storage)
    health = ProcessHealth(store, storage, metrics)
    try:
        store.open()
        registry = TableRegistry(settings, store, coordinator_for(store), metrics)
        signer = TokenSigner(settings.secret or store.secret(), registry.generations.is_current)
        status = None if settings.status in ("", OFF) else StatusServer(settings.status, health, metrics)
    except TableeError:
        store.close()
        raise
    collector = CollectorSettings()
    reviews = Reviews(store, settings.review_seconds)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        log_uncaught_in(asyncio.get_running_loop())
        if status is not None:
            status.start()
        await registry.start()
        collector.start()
        health.start()
        log("open", status=status.address if status else OFF)
        yield
        health.stop()
        collector.stop()
        await reviews.stop()
        await registry.stop()
        store.close()
        if status is not None:
            status.stop()
        log("closed")

    app = FastAPI(title="Tablée", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.state.registry = registry
    app.state.status = status
    app.state.reviews = reviews
    app.add_middleware(SecurityHeaders)
    app.add_middleware(PublicCompression)
    app.add_middleware(HostCheck, settings=settings)
    guard = RequestGuard(settings, signer)
    pages = Pages(registry, guard)
    handle_problems(app, pages.missing)
    app.include_router(routes(registry, guard, reviews))
    app.include_router(pages.routes())
    _add_socket(app, settings, registry, guard)
    describe(app)
    mount_files(app)
    return app


def _add_socket(app: FastAPI, settings: Settings, registry: TableRegistry, guard: RequestGuard) -> None:
    sockets = SocketCount(settings.connections_per_person, settings.connections_per_address)

    @app.websocket("/api/socket")
    async def socket(websocket: WebSocket, lang: str = "en") -> None:
        """Serve one client; a failure is logged once, and not at all if the client has only gone."""
        try:
            await serve(websocket, lang)
        except Exception as error:
            if not _is_disconnection(error):
                incident("connection fails", logging.ERROR, **describe_exception(error))
            with suppress(Exception):
                await websocket.close(FAILED)

    async def serve(websocket: WebSocket, lang: str) -> None:
        await websocket.accept()
        if is_foreign(websocket, settings.address):
            registry.metrics.refuse("connection", "foreign_origin")
            await websocket.close(FOREIGN)
            return
        person, client = guard.identify(websocket), guard.client(websocket)
        if sockets.is_full_for(client):
            registry.metrics.refuse("connection", "too_many")
            await websocket.close(TOO_MANY)
            return
        sockets.add(client)
        registry.metrics.connections.inc()
        try:
            await Connection(registry, websocket, guard.commands, client, person, supported(lang)).run()
        finally:
            registry.metrics.connections.dec()
            sockets.remove(client)


def _is_disconnection(error: Exception) -> bool:
    """Whether an exception says that the client has gone: a RuntimeError where something is sent after the close."""
    is_late = isinstance(error, RuntimeError) and "websocket." in str(error)
    return is_late or isinstance(error, WebSocketDisconnect | OSError)
