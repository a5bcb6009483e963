"""Fixtures of several test modules: databases, limits, and players with browsers."""

import time
from types import SimpleNamespace

import pytest


@pytest.fixture(scope="session")
def postgres():
    """A real PostgreSQL; the tests kill servers, never the database, so it need not wait for the disk."""
    from databases import Postgres

    cluster = Postgres("fsync=off", "full_page_writes=off")
    yield cluster
    cluster.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    """The address of an empty database of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "tablee.db")
    return request.getfixturevalue("postgres").database()


@pytest.fixture
def _stopped_limits(monkeypatch):
    """No rate limit recovers during the test, however long it takes."""
    now = time.monotonic()
    monkeypatch.setattr("tablee.server.limits.time", SimpleNamespace(monotonic=lambda: now))


@pytest.fixture(scope="module")
def browser():
    """Debian's chromium."""
    from playwright.sync_api import sync_playwright

    from browser import CHROMIUM

    if CHROMIUM is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def server(browser, tmp_path_factory):
    """A server for browsers, unless the module has one of its own."""
    from browser import Server

    running = Server(tmp_path_factory.mktemp("server"))
    yield running
    running.stop()


@pytest.fixture
def new_player(browser, server):
    """Create players at the module's server; at the end, no browser may have reported an error."""
    from browser import Player

    players = []

    def create(name="", at=server, **settings):
        players.append(Player(browser, at, name, **settings))
        return players[-1]

    yield create
    for player in players:
        player.close()
