"""What several test modules share: databases, and servers in front of them."""

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
