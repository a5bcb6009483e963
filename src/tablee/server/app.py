"""The application: REST, socket and files around one table registry; health and metrics beside it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from tablee.bots import confinement
from tablee.core.errors import TableeError
from tablee.server.collector import CollectorSettings
from tablee.server.daily import DailyTables
from tablee.server.health import ProcessHealth, StorageHealth
from tablee.server.host_check import HostCheck
from tablee.server.identity import TokenSigner
from tablee.server.logs import log, log_uncaught_in
from tablee.server.metrics import Metrics
from tablee.server.openapi import describe
from tablee.server.pages import Pages
from tablee.server.problems import handle_problems
from tablee.server.registry import TableRegistry
from tablee.server.requests import RequestGuard
from tablee.server.rest import routes
from tablee.server.reviews import Reviews
from tablee.server.settings import Settings
from tablee.server.socket_endpoint import SocketEndpoint
from tablee.server.static_files import PublicCompression, SecurityHeaders, mount_files
from tablee.server.status import OFF, StatusServer
from tablee.storage import Store
from tablee.storage.coordination import coordinator_for
from tablee.storage.database import sqlite_file


class Application(FastAPI):
    """The application. Sockets pass the same checks as requests, but not through the layers around routes.

    Each layer would be a coroutine, and more, for as long as the socket is open.
    """

    sockets: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request or a socket."""
        if scope["type"] == "websocket":
            await self.sockets(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def create_app(settings: Settings) -> FastAPI:
    """Create the application; raise TableeError if the database or the address of health and metrics cannot be used."""
    metrics = Metrics()
    storage = StorageHealth(metrics)
    store = Store(settings.database, storage, uses_process=True)
    health = ProcessHealth(store, storage, metrics)
    if (file := sqlite_file(store.url)) is not None:
        confinement.protect(file)
    try:
        store.open()
        registry = TableRegistry(settings, store, coordinator_for(store), metrics)
        daily = DailyTables(registry)
        signer = TokenSigner(settings.secret or store.secret(), registry.generations.is_current)
        status = None if settings.status in ("", OFF) else StatusServer(settings.status, health, metrics)
    except TableeError:
        store.close()
        raise
    collector = CollectorSettings(registry.is_quiet)
    reviews = Reviews(store, settings.review_seconds)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        log_uncaught_in(asyncio.get_running_loop())
        if status is not None:
            status.start()
        collector.start()
        registry.loader.when_loaded = collector.collect_fully
        await registry.start()
        health.start()
        log("open", status=status.address if status else OFF)
        yield
        health.stop()
        collector.stop()
        await reviews.stop()
        await daily.stop()
        await registry.stop()
        store.close()
        if status is not None:
            status.stop()
        log("closed")

    app = Application(title="Tablée", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.state.registry = registry
    app.state.status = status
    app.state.reviews = reviews
    app.state.daily = daily
    app.add_middleware(SecurityHeaders)
    app.add_middleware(PublicCompression)
    app.add_middleware(HostCheck, settings=settings)
    guard = RequestGuard(settings, signer)
    app.sockets = HostCheck(SocketEndpoint(settings, registry, guard), settings)
    pages = Pages(registry, guard)
    handle_problems(app, pages.missing)
    app.include_router(routes(registry, guard, reviews, daily))
    app.include_router(pages.routes())
    describe(app)
    mount_files(app)
    return app
