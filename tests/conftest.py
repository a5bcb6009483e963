"""What several test modules share: databases, a browser, and people in it."""

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


@pytest.fixture(scope="module")
def browser():
    """Debian's chromium."""
    from playwright.sync_api import sync_playwright

    from browser import CHROMIUM

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def meet(browser, server):
    """Make people at the module's server; when all is done, nothing may have gone wrong in anybody's browser."""
    from browser import Person

    people = []

    def make(name="", at=server, **wishes):
        people.append(Person(browser, at, name, **wishes))
        return people[-1]

    yield make
    for person in people:
        person.leave()
