"""Hostile clients: invalid messages, other people's seats, foreign sites, slow readers, floods; others are served."""

import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from server_process import PATIENCE, Guest, close_guests, serving
from test_kill import RestartingServer

OPEN = {"seats": 2, "options": {"opening": "auto"}, "is_open": True}
CONNECTIONS = 10_000
INVALID = [
    "",
    "null",
    "[]",
    "1e999",
    "{",
    '"play"',
    "{}",
    '{"type":"fly","id":"x","table":"t"}',
    '{"type":"play","id":"x","table":"t"}',
    '{"type":"play","id":"x","table":"t","number":"1","move":"draw"}',
    '{"type":"play","id":"x","table":"t","number":1,"move":["draw"]}',
    '{"type":"play","id":"x","table":"t","number":1e400,"move":"draw"}',
    '{"type":"play","id":"x","table":"t","number":-1,"move":"draw"}',
    '{"type":"play","id":"x","table":"t","number":99999999999999999999999,"move":"draw"}',
    '{"type":"play","id":"","table":"t","number":1,"move":"draw"}',
    '{"type":"claim","id":"x","table":"t","seat":true}',
    '{"type":"claim","id":"x","table":"t","admin":true}',
    '{"type":"watch","id":"x","table":"' + "t" * 33 + '"}',
    "[" * 4000 + "]" * 4000,
    '{"type":"chat","id":"x","table":"t","text":' + "[" * 3000 + "]" * 3000 + "}",
    '{"type":"ping","extra":1}',
    "\u0000",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("hostile") / "tablee.db") as server:
        yield server


@pytest.fixture
def ana(server):
    return Guest(server.url, "Ana")


def check_health(server):
    assert Guest(server.status).get("/healthz").json() == {"status": "ready"}


def test_invalid_messages_are_answered_then_the_connection_is_closed(server, ana):
    for text in INVALID:
        with ana.line() as line:
            line.websocket.send(text)
            answer = line.receive()
            assert (answer["type"], answer["code"]) == ("refused", "bad_message"), text
    with ana.line() as line:
        with suppress(ConnectionClosed):  # the server may close it before everything is sent
            for _ in range(60):
                line.websocket.send("nonsense")
        assert line.closed_with() == 4029
    check_health(server)


def test_huge_and_binary_frames_close_the_connection(server, ana):
    with ana.line() as line:
        line.websocket.send("x" * 10_000)
        assert line.closed_with() == 1009
    with ana.line() as line:
        line.websocket.send(b"{}")
        assert line.closed_with() == 1003
    check_health(server)


def test_mutated_messages_never_break_the_server(server, ana):
    """Frames made by changing valid ones: every text is answered, or the connection is closed with a reason."""
    generator = random.Random(3)
    table = ana.create(**OPEN)["id"]
    valid = [
        {"type": "play", "id": "m", "table": table, "number": 3, "move": "draw"},
        {"type": "claim", "id": "m", "table": table, "seat": 1, "invite": "x"},
        {"type": "watch", "id": "m", "table": table, "since": 1},
        {"type": "seat_bot", "id": "m", "table": table, "seat": 1, "bot": "random"},
        {"type": "answer_end", "id": "m", "table": table, "agrees": True},
        {"type": "explain", "id": "m", "table": table, "targets": ["discard"], "move": "draw"},
    ]
    values = [None, True, -1, 2**63, 1.5, "", "x" * 500, [], {}, [[[]]], "\u202e", table]
    for _ in range(25):
        with ana.line() as line:
            for _ in range(8):
                message = dict(generator.choice(valid))
                message[generator.choice([*message, "more"])] = generator.choice(values)
                line.websocket.send(json.dumps(message))
                wanted = message.get("id")
                line.until(lambda m, w=wanted: m["type"] in ("ack", "refused", "explanation") and m["id"] in (w, None))
    check_health(server)


def test_nobody_can_act_for_another_player(server, ana):
    ben, eve = Guest(server.url, "Ben"), Guest(server.url, "Eve")
    table = ana.create(**OPEN)["id"]
    ben.command("claim", table)
    before = ana.get(f"/api/tables/{table}").json()["number"]
    attempts = [
        ("play", {"number": before, "move": "draw"}),
        ("leave", {}),
        ("seat_bot", {"seat": 1, "bot": "random"}),
        ("claim", {"seat": 0}),
        ("undo", {}),
        ("pause", {}),
        ("propose_end", {}),
        ("answer_end", {"agrees": True}),
        ("rematch", {}),
        ("withdraw", {}),
        ("return", {}),
        ("ready", {}),
    ]
    for kind, fields in attempts:
        assert eve.command(kind, table, **fields).status_code in (403, 409), kind
    waiting = next(guest for guest in (ana, ben) if not guest.get(f"/api/tables/{table}").json()["view"]["choices"])
    assert waiting.command("play", table, number=before, move="draw").json()["code"] == "not_your_turn"
    assert ana.get(f"/api/tables/{table}").json()["number"] == before


def claimable(table):
    return [seat for command in table["commands"] if command["type"] == "claim" for seat in command["seats"]]


def test_hopping_between_seats_shows_no_second_hand(server, ana):
    """Ben leaves; Ana leaves and may return to their own seat, by invite or not, and to no other."""
    ben, eve = Guest(server.url, "Ben"), Guest(server.url, "Eve")
    table = ana.create(**OPEN)["id"]
    ben.command("claim", table)
    with ana.line() as line:
        line.watch(table)
        ben.command("leave", table)
        ana.command("leave", table)
        left = line.until(lambda message: message["type"] == "table" and message["table"]["viewer"] == -1)["table"]
    assert claimable(left) == claimable(ana.get(f"/api/tables/{table}").json()) == [0]
    assert claimable(eve.get(f"/api/tables/{table}").json()) == [0, 1]
    assert ana.command("claim", table, seat=1).json()["code"] == "other_hand_seen"
    assert ana.command("claim", table).status_code == 200
    assert ana.get(f"/api/tables/{table}").json()["viewer"] == 0


def test_sockets_of_other_sites_are_refused(server, ana):
    address = f"{server.url.replace('http', 'ws')}/api/socket"

    async def connect_from_another_site():
        headers = {"Cookie": f"tablee={ana.cookie}"}
        async with connect(address, origin="https://evil.example", additional_headers=headers) as line:
            with pytest.raises(ConnectionClosed) as closed:
                await line.recv()
        return closed.value.rcvd.code

    assert asyncio.run(connect_from_another_site()) == 4403


def test_pages_of_other_sites_cannot_write(server, ana):
    answer = ana.http.post("/api/tables", json={"game": "skyjo"}, headers={"Origin": "https://evil.example"})
    assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin")
    form = ana.http.post("/api/tables", content='{"game":"skyjo"}', headers={"Content-Type": "text/plain"})
    assert form.status_code == 422
    large = ana.http.post("/api/tables", json={"game": "x" * 20_000})
    assert (large.status_code, large.json()["code"]) == (413, "too_large")


def handshake(port):
    """Return a client's opening handshake."""
    return (
        f"GET /api/socket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def send_forever(connection, frame):
    while True:
        connection.sendall(frame)


def test_a_slow_reader_is_dropped_without_growing_memory(server, ana, monkeypatch):
    """It watches a table again and again and never reads; the server stops reading from it, then closes."""
    monkeypatch.setattr("tablee.server.websocket_protocol.SEND_TIMEOUT", 0.5)
    table = ana.create(**OPEN)["id"]
    payload = json.dumps({"type": "watch", "id": "w", "table": table}).encode()
    frame = bytes([0x81, 0x80 | len(payload), 0, 0, 0, 0]) + payload
    # Its buffers keep their size: Linux may wait for minutes on a connection whose window was made smaller.
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as slow:
        slow.sendall(handshake(server.port))
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += slow.recv(1)
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            send_forever(slow, frame)
    check_health(server)


@pytest.mark.usefixtures("_stopped_limits")
def test_the_rate_of_commands_is_limited(tmp_path):
    with serving(tmp_path / "tablee.db", command_rate=5.0) as server:
        ana = Guest(server.url, "Ana")
        with ana.line() as line:
            codes = [line.ask("unwatch", table="t").get("code") for _ in range(30)]
        assert codes[0] == "unknown_table"
        assert "too_fast" in codes


def test_a_table_that_nobody_could_see_is_refused(server, ana):
    request = {"game": "skyjo", "seats": 2, "bots": ["random", "random"], "sits": False, "is_open": False}
    answer = ana.http.post("/api/tables", json=request)
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_setup")
    assert "see" in answer.json()["detail"]


def test_tables_without_their_maker_are_limited(tmp_path):
    with serving(tmp_path / "tablee.db", unseated_per_person=2, bot_pause=60.0) as server:
        ana, ben = Guest(server.url, "Ana"), Guest(server.url, "Ben")
        request = {"seats": 2, "bots": ["random", "random"], "sits": False, "is_open": True}
        for _ in range(2):
            ana.create(**request)
        refused = ana.http.post("/api/tables", json={"game": "skyjo", **request})
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many")
        ben.create(**request)
        ana.create(**OPEN)


def test_open_tables_that_wait_are_limited(tmp_path):
    with serving(tmp_path / "tablee.db", open_per_person=2) as server:
        ana = Guest(server.url, "Ana")
        tables = [ana.create(**OPEN)["id"] for _ in range(2)]
        refused = ana.http.post("/api/tables", json={"game": "skyjo", **OPEN})
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many")
        assert Guest(server.url, "Ben").command("claim", tables[0]).status_code == 200
        ana.create(**OPEN)


def test_many_names_at_one_address_do_not_fill_the_lobby(tmp_path):
    def guest(name, address):
        made = Guest(server.url, name)
        made.http.headers["X-Forwarded-For"] = address
        return made

    with serving(tmp_path / "tablee.db", open_per_address=3) as server:
        tables = [guest(f"Eve {number}", "192.0.2.9").create(**OPEN)["id"] for number in range(3)]
        another = guest("Eve 3", "192.0.2.9")
        refused = another.http.post("/api/tables", json={"game": "skyjo", **OPEN})
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many")
        assert "address" in refused.json()["detail"]
        another.create(seats=2, is_open=False)
        guest("Ana", "192.0.2.10").create(**OPEN)
        assert Guest(server.url, "Ben").command("claim", tables[0]).status_code == 200
        another.create(**OPEN)


@pytest.mark.usefixtures("_stopped_limits")
def test_readers_at_one_address_are_limited_and_others_are_not(tmp_path):
    with serving(tmp_path / "tablee.db", command_rate=1.0) as server:
        near, far = (
            httpx.Client(base_url=server.url, transport=httpx.HTTPTransport(local_address=address), timeout=PATIENCE)
            for address in ("127.0.0.2", "127.0.0.3")
        )
        statuses = [near.get("/api/tables").status_code for _ in range(40)]
        assert statuses[0] == 200
        assert 429 in statuses
        assert far.get("/api/tables").status_code == 200
        forwarded = Guest(server.url)
        answers = [forwarded.get("/api/tables", **{"X-Forwarded-For": "192.0.2.9"}).status_code for _ in range(40)]
        assert 429 in answers
        assert forwarded.get("/api/tables", **{"X-Forwarded-For": "192.0.2.10"}).status_code == 200
        for client in (near, far):
            client.close()


READ = ("/", "/rules/skyjo", "/t/nowhere", "/api/tables", "/api/address", "/api/daily", "/api/puzzles")


@pytest.mark.usefixtures("_stopped_limits")
def test_whatever_is_made_for_a_reader_is_limited(tmp_path):
    with serving(tmp_path / "tablee.db", command_rate=1.0) as server:
        for number, path in enumerate(READ, start=2):
            transport = httpx.HTTPTransport(local_address=f"127.0.0.{number}")
            with httpx.Client(base_url=server.url, transport=transport, timeout=PATIENCE) as reader:
                statuses = [reader.get(path).status_code for _ in range(40)]
            assert statuses[0] in (200, 404)
            assert statuses[-1] == 429, path


def test_a_foreign_host_is_refused(server, ana):
    answer = ana.get("/api/tables", Host="evil.example")
    assert (answer.status_code, answer.json()["code"]) == (421, "foreign_host")
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as opened:
        opened.sendall(handshake(server.port).replace(b"127.0.0.1", b"evil.example"))
        assert opened.recv(100).startswith(b"HTTP/1.1 403")


async def open_and_drop(port, count, at_once=100):
    async def one():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(handshake(port))
        async with asyncio.timeout(PATIENCE):
            assert b" 101 " in await reader.readline()
            await reader.readuntil(b'"hello"')
        writer.transport.abort()

    for _ in range(count // at_once):
        await asyncio.gather(*(one() for _ in range(at_once)))


def memory(pid):
    """Return the resident memory of a process, in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def test_ten_thousand_connections_leak_nothing(tmp_path):
    server = RestartingServer(str(tmp_path / "tablee.db"), tmp_path)
    try:
        port = int(server.url.rpartition(":")[2])
        guest = Guest(server.status)
        asyncio.run(open_and_drop(port, CONNECTIONS // 5))
        before = memory(server.pid)
        asyncio.run(open_and_drop(port, CONNECTIONS - CONNECTIONS // 5))
        deadline = time.monotonic() + PATIENCE
        while "tablee_connections 0.0" not in guest.get("/metrics").text:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert memory(server.pid) - before < 20
    finally:
        close_guests()
        server.stop()


def test_schemathesis_finds_no_fault_in_the_rest_interface(server, ana):
    table = ana.create(**OPEN)["id"]
    assert table
    program = Path(sys.executable).with_name("schemathesis")
    checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
    command = [program, "run", f"{server.url}/api/openapi.json", "--checks", checks, "--max-examples", "4"]
    command += [
        "--seed",
        "1",
        "-H",
        f"Cookie: tablee={ana.cookie}",
        "--no-color",
        "--phases",
        "examples,coverage,fuzzing",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
