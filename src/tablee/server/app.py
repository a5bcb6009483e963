"""The application: REST, socket, files, health and metrics around one table registry."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, WebSocket
from starlette.responses import Response

from tablee.core.languages import supported
from tablee.protocol.messages import encode
from tablee.protocol.rest import Health
from tablee.server.connection import FOREIGN, TOO_MANY, Connection
from tablee.server.identity import COOKIE, TokenSigner
from tablee.server.logs import log, write_logs_to_stderr
from tablee.server.metrics import Metrics
from tablee.server.openapi import describe
from tablee.server.problems import handle_problems, problem
from tablee.server.registry import TableRegistry
from tablee.server.requests import is_foreign
from tablee.server.rest import routes
from tablee.server.settings import Settings
from tablee.server.static_files import PublicCompression, SecurityHeaders, mount_files
from tablee.storage import Store, StoreError
from tablee.storage.coordination import coordinator_for


def create_app(settings: Settings | None = None) -> FastAPI:
    """Create the application; without settings they come from the environment."""
    if settings is None:
        settings = Settings.from_environment()
        write_logs_to_stderr()
    store = Store(settings.database)
    store.open()
    metrics = Metrics()
    registry = TableRegistry(settings, store, coordinator_for(store), metrics)
    signer = TokenSigner(store.secret())

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await registry.start()
        log("open")
        yield
        await registry.stop()
        store.close()
        log("closed")

    app = FastAPI(title="Tablée", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.state.registry = registry
    app.add_middleware(SecurityHeaders)
    app.add_middleware(PublicCompression)
    handle_problems(app)
    app.include_router(routes(settings, registry, signer))
    _add_health(app, registry)
    _add_socket(app, settings, registry, signer)
    describe(app)
    mount_files(app)
    return app


def _add_health(app: FastAPI, registry: TableRegistry) -> None:
    @app.get("/healthz", include_in_schema=False)
    async def health() -> Response:
        """Return whether the store answers."""
        try:
            await registry.store.check()
        except StoreError:
            return problem("unavailable", "the store does not answer")
        return Response(encode(Health("ok")), media_type="application/json")

    @app.get("/metrics", include_in_schema=False)
    async def metrics() -> Response:
        """Return the metrics of this process."""
        return Response(registry.metrics.text(), media_type="text/plain; version=0.0.4")


def _add_socket(app: FastAPI, settings: Settings, registry: TableRegistry, signer: TokenSigner) -> None:
    present: Counter[str] = Counter()

    @app.websocket("/api/socket")
    async def socket(websocket: WebSocket, lang: str = "en") -> None:
        """Serve one client."""
        headers = websocket.headers
        await websocket.accept()
        if is_foreign(headers.get("origin"), headers.get("host"), settings.address):
            await websocket.close(FOREIGN)
            return
        person = signer.identify(websocket.cookies.get(COOKIE), headers.get("authorization"))
        who = person.id if person else ""
        if present.total() >= settings.connections or (who and present[who] >= settings.connections_per_person):
            await websocket.close(TOO_MANY)
            return
        present[who] += 1
        registry.metrics.connections.inc()
        try:
            await Connection(registry, websocket, person, supported(lang)).run()
        finally:
            registry.metrics.connections.dec()
            present[who] -= 1
            if not present[who]:
                del present[who]
