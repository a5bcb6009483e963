"""Health, logs and metrics: an outage is seen, named and logged once, and nothing secret is ever logged."""

import asyncio
import json
import logging
import subprocess
import sys
import time
import urllib.error
import urllib.request

import psycopg
import pytest
from sqlalchemy import event

from server_process import PATIENCE, Guest, serving, wait_until
from tablee.core.errors import BadSetup
from tablee.server.health import MAX_SILENCE, RECENT_SECONDS, ProcessHealth, StorageHealth
from tablee.server.logs import QUIET_SECONDS, REPEAT_SECONDS, Incidents, JsonFormatter
from tablee.server.metrics import Metrics
from tablee.server.socket_endpoint import is_disconnection
from tablee.server.status import StatusServer, default_status_address, parse_status_address
from tablee.storage import Store
from tablee.storage.observer import READ, WRITE, WRITER_PROCESS

OPERATIONS = ("read", "listen")  # which fail while a database is away


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def fetch(url):
    """Return the status and the JSON at an address."""
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def until_health_is(server, wanted):
    deadline = time.monotonic() + PATIENCE
    while (found := fetch(f"{server.status}/healthz"))[0] != wanted:
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    return found[1]


def messages(caplog):
    return [record.getMessage() for record in caplog.records if record.name == "tablee.server"]


# Incidents


def test_an_incident_is_one_line_when_it_begins_one_a_minute_and_one_when_it_ends(caplog):
    clock = Clock()
    incidents = Incidents(clock)
    with caplog.at_level(logging.INFO, "tablee.server"):
        for _ in range(500):
            incidents.report("storage write fails", logging.ERROR, why="disk full")
            clock.now += REPEAT_SECONDS / 200
        incidents.end("storage write fails")
        incidents.end("storage write fails")
    lines = [json.loads(JsonFormatter().format(record)) for record in caplog.records]
    assert [line["message"].rpartition(": ")[2] for line in lines] == ["began", "goes on", "goes on", "ended"]
    assert lines[0]["why"] == "disk full"
    assert [line["level"] for line in lines] == ["error", "error", "error", "info"]
    assert lines[-1]["count"] == incidents.totals["storage write fails"] == 500
    assert lines[-1]["seconds"] == pytest.approx(2.5 * REPEAT_SECONDS)


def test_an_incident_that_is_not_reported_any_more_ends_by_itself(caplog):
    clock = Clock()
    incidents = Incidents(clock)
    with caplog.at_level(logging.INFO, "tablee.server"):
        incidents.report("flood")
        clock.now += QUIET_SECONDS / 2
        incidents.end_quiet()
        assert incidents.present() == ["flood"]
        clock.now += QUIET_SECONDS
        incidents.end_quiet()
    assert incidents.present() == []
    assert messages(caplog) == ["flood: began", "flood: ended"]


# Logs

NOISE = """
import asyncio, gc, logging, threading, warnings
from tablee.server.logs import log_uncaught_in, write_logs_to_stderr
from sqlalchemy import create_engine, text

write_logs_to_stderr()

def fail(*_):
    with create_engine("sqlite://").connect() as connection:
        connection.execute(text("SELECT :secret FROM missing"), {"secret": "hunter2"})

async def main():
    log_uncaught_in(asyncio.get_running_loop())
    await asyncio.wait([asyncio.create_task(asyncio.to_thread(fail))])
    gc.collect()
    asyncio.get_running_loop().call_soon(fail)
    await asyncio.sleep(0)

asyncio.run(main())
logging.getLogger("uvicorn.error").error("several\\nlines")
warnings.warn("careful", stacklevel=1)
thread = threading.Thread(target=fail)
thread.start()
thread.join()
try:
    fail()
except Exception:
    logging.getLogger("other").exception("bad thing: %s", "here")
fail()
"""


def test_everything_a_process_says_is_json_without_values_of_a_statement():
    done = subprocess.run([sys.executable, "-c", NOISE], capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert "hunter2" not in done.stderr
    assert {line["error"] for line in lines if "error" in line} == {"OperationalError"}
    said = [line["message"] for line in lines]
    assert said.count("uncaught in a task") == 2
    assert said.count("uncaught") == 2  # in a thread, and in the main one
    assert "several" in said
    assert any("careful" in message for message in said)
    assert next(line for line in lines if line["message"] == "bad thing: here")["where"]


def test_what_clients_cause_by_leaving_is_not_an_error():
    late = "Unexpected ASGI message 'websocket.send', after sending 'websocket.close'."
    assert is_disconnection(RuntimeError(late))
    assert is_disconnection(OSError("the client has not read for 20 seconds"))
    assert not is_disconnection(RuntimeError("dictionary changed size during iteration"))
    assert not is_disconnection(KeyError("seat"))


# Readiness


@pytest.fixture
def full_disk():
    """Make a store's disk full, or give it room again: SQLite then refuses what needs another page."""
    listeners = []

    def limit(store, pages):
        while listeners:
            event.remove(*listeners.pop())

        def set_limit(connection, *_):
            connection.execute(f"PRAGMA max_page_count={pages}")

        event.listen(store.engine, "connect", set_limit)
        listeners.append((store.engine, "connect", set_limit))
        store.engine.dispose()

    return limit


def test_a_full_disk_makes_the_server_unready_and_is_logged_once(tmp_path, full_disk, caplog):
    with caplog.at_level(logging.INFO, "tablee.server"), serving(tmp_path / "tablee.db") as server:
        ana = Guest(server.url, "Ana")
        ana.create()
        assert fetch(f"{server.status}/healthz") == (200, {"status": "ready"})
        full_disk(server.registry.store, 1)
        refused = 0
        for _ in range(60):
            refused += ana.http.post("/api/tables", json={"game": "skyjo"}).status_code == 503
        assert refused >= 50
        code, shown = fetch(f"{server.status}/healthz")
        assert (code, shown["status"]) == (503, "not ready")
        assert "full" in shown["reason"]
        assert fetch(f"{server.status}/healthz/live") == (200, {"status": "alive"})
        full_disk(server.registry.store, 1_000_000)
        ana.create()
        assert fetch(f"{server.status}/healthz") == (200, {"status": "ready"})
        text = urllib.request.urlopen(f"{server.status}/metrics").read().decode()
    assert f'tablee_store_failures_total{{operation="write"}} {refused}.0' in text
    assert 'tablee_incidents_total{name="storage write fails"}' in text
    assert [message for message in messages(caplog) if message.startswith("storage")] == [
        "storage write fails: began",
        "storage write fails: ended",
    ]


def test_a_database_that_goes_away_makes_the_server_unready_until_it_is_back(postgres, caplog):
    database = postgres.database()
    name = database.split("/")[3].split("?")[0]
    with (
        caplog.at_level(logging.INFO, "tablee.server"),
        serving(database) as server,
        psycopg.connect(postgres.url("postgres"), autocommit=True) as operator,
    ):
        ana = Guest(server.url, "Ana")
        table = ana.create()
        operator.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        end = "SELECT pg_terminate_backend(pid, %s) FROM pg_stat_activity WHERE datname = %s"
        assert all(ended for (ended,) in operator.execute(end, [1000 * PATIENCE, name]))
        assert ana.get("/api/tables").status_code == 503
        assert "not currently accepting connections" in until_health_is(server, 503)["reason"]
        wait_until(lambda: {f"storage {operation} fails: began" for operation in OPERATIONS} <= {*messages(caplog)})
        operator.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        until_health_is(server, 200)
        assert ana.get(f"/api/tables/{table['id']}").status_code == 200
        said = messages(caplog)
    for operation in OPERATIONS:
        assert said.count(f"storage {operation} fails: began") == 1


def test_a_failure_that_nobody_repeats_is_forgotten_when_writing_works():
    clock = Clock()
    storage = StorageHealth(Metrics(Incidents(clock)), Incidents(clock), clock)
    storage.failed(WRITE, "disk full")
    storage.failed(READ, "gone")
    assert storage.problem == "storage read fails: gone; storage write fails: disk full"
    storage.answered(READ, 0.001)
    assert storage.problem == "storage write fails: disk full"
    clock.now += RECENT_SECONDS + 1
    assert storage.problem is None


def test_a_server_whose_process_that_writes_has_failed_is_ready_and_says_so(caplog):
    clock, metrics = Clock(), Metrics(Incidents(Clock()))
    storage = StorageHealth(metrics, Incidents(clock), clock)
    with caplog.at_level(logging.INFO, "tablee.server"):
        storage.answered(WRITER_PROCESS, 1.23)
        storage.failed(WRITER_PROCESS, "killed")
        storage.answered(WRITE, 0.001)
    assert storage.problem is None
    assert messages(caplog) == ["writer process started", "storage writer process fails: began"]
    assert metrics.store_failures.labels(WRITER_PROCESS)._value.get() == 1


def test_a_process_whose_event_loop_hangs_is_not_alive(tmp_path):
    clock = Clock()
    metrics = Metrics(Incidents(clock))
    storage = StorageHealth(metrics, Incidents(clock), clock)
    store = Store(str(tmp_path / "tablee.db"), storage)
    store.open()

    async def serve():
        health = ProcessHealth(store, storage, metrics, clock)
        assert health.unreadiness() == "the server is not open"
        health.start()
        assert (health.death(), health.unreadiness()) == (None, None)
        clock.now += MAX_SILENCE + 1
        assert health.death() == health.unreadiness() == f"the event loop has not run for {MAX_SILENCE + 1:.0f} s"
        health.tick(0.002)
        assert health.death() is None
        health.stop()
        assert health.unreadiness() == "the server is not open"

    asyncio.run(serve())
    store.close()
    assert 'tablee_event_loop_lag_seconds_bucket{le="0.002"}' in metrics.text().decode()


# Metrics


def test_refused_and_slow_and_collected(tmp_path):
    import gc

    metrics = Metrics(Incidents())
    metrics.refuse("message", "too_fast")
    metrics.count_command("play", "done", 0.01)
    metrics.count_command("play", "done", 3.0)
    metrics.count_tables(["playing", "playing", "over"])
    metrics.collector_pauses.start()
    gc.collect()
    metrics.collector_pauses.stop()
    metrics.collector_pauses.stop()
    text = metrics.text().decode()
    assert 'tablee_refused_total{reason="too_fast",where="message"} 1.0' in text
    assert 'tablee_slow_commands_total{kind="play"} 1.0' in text
    assert 'tablee_tables_in_memory{phase="playing"} 2.0' in text
    assert 'tablee_tables_in_memory{phase="gathering"} 0.0' in text
    assert 'tablee_collector_pause_seconds_count{generation="2"} 1.0' in text


def test_refusals_are_counted_by_reason(tmp_path):
    with serving(tmp_path / "tablee.db") as server:
        ana = Guest(server.url, "Ana")
        with ana.line() as line:
            assert line.ask("watch", table="nowhere")["type"] == "refused"
        assert ana.get("/api/tables/nowhere").status_code == 404
        text = urllib.request.urlopen(f"{server.status}/metrics").read().decode()
    assert 'tablee_refused_total{reason="unknown_table",where="message"} 1.0' in text
    assert 'tablee_refused_total{reason="unknown_table",where="request"} 1.0' in text


# The address of health and metrics


def test_each_process_takes_the_first_free_port_of_a_range():
    metrics = Metrics(Incidents())
    first = StatusServer("127.0.0.1:0", None, metrics)
    port = first.server_address[1]
    with pytest.raises(BadSetup, match="in use"):
        StatusServer(f"127.0.0.1:{port}", None, metrics)
    second = StatusServer(f"127.0.0.1:{port}-{min(port + 20, 65535)}", None, metrics)
    assert second.server_address[1] > port
    for server in (first, second):
        server.server_close()


@pytest.mark.parametrize("address", ["9100", "localhost", "127.0.0.1:", "127.0.0.1:70000", "127.0.0.1:9-8", "a b:1"])
def test_an_address_that_cannot_be_read_is_refused_with_an_example(address):
    with pytest.raises(BadSetup, match=r"HOST:PORT.*127\.0\.0\.1:9100"):
        parse_status_address(address)


def test_addresses_are_read():
    assert parse_status_address("[::1]:9100") == ("::1", range(9100, 9101))
    assert parse_status_address(default_status_address(8000)) == ("127.0.0.1", range(9000, 9016))
    assert parse_status_address(default_status_address(65_535))[1][-1] < 65_535
