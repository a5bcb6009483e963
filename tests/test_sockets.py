"""The endpoint of sockets: its checks, its end, and what is left of a connection."""

import asyncio
import gc
import json
import socket
import time
import weakref
from types import SimpleNamespace

import pytest
from websockets.server import ServerProtocol

from server_process import PATIENCE, Guest, serving, wait_until
from tablee.server import connection as connections
from tablee.server import socket_endpoint
from tablee.server.connection import Closed, Connection
from tablee.server.http_protocol import LimitedHttpProtocol
from tablee.server.socket_endpoint import SocketEndpoint
from tablee.server.websocket_protocol import BackpressureProtocol
from test_connection_limits import TEXT, frame, websocket
from test_server_hostile import handshake


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("sockets") / "tablee.db") as server:
        yield server


@pytest.fixture
def ana(server):
    return Guest(server.url, "Ana")


def answer_to(server, request):
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as opened:
        opened.sendall(request)
        return opened.recv(4096)


# Checks


class Client:
    """An ASGI server with one client, without our extensions: what it receives is kept."""

    def __init__(self, server, path="/api/socket", query="", texts=(), **headers):
        named = [(name.encode(), value.encode()) for name, value in {"host": "localhost", **headers}.items()]
        self.scope = {
            "type": "websocket",
            "path": path,
            "query_string": query.encode(),
            "headers": named,
            "scheme": "ws",
            "client": ("192.0.2.1", 1),
            "server": ("localhost", 80),
        }
        self.incoming = [
            {"type": "websocket.connect"},
            *({"type": "websocket.receive", "text": each} for each in texts),
        ]
        self.sent = []
        server.do(server.app(self.scope, self.receive, self.send))

    async def receive(self):
        await asyncio.sleep(0.01)  # what is to be sent is sent
        return self.incoming.pop(0) if self.incoming else {"type": "websocket.disconnect", "code": 1006}

    async def send(self, message):
        self.sent.append(message)

    @property
    def code(self):
        return next((each["code"] for each in self.sent if each["type"] == "websocket.close"), None)

    @property
    def messages(self):
        return [json.loads(each["text"]) for each in self.sent if each["type"] == "websocket.send"]


def test_a_socket_is_served_by_any_asgi_server(server, ana):
    client = Client(server, query="lang=fr&x=1", texts=['{"type":"ping"}', "?"], cookie=f"tablee={ana.cookie}")
    assert client.sent[0] == {"type": "websocket.accept"}
    hello, pong, refused = client.messages
    assert (hello["type"], hello["name"], pong["type"], refused["code"]) == ("hello", "Ana", "pong", "bad_message")
    assert "message" in refused["text"].lower()
    assert client.code is None


def test_every_check_holds_before_the_layers_of_routes(server, ana):
    assert Client(server, origin="https://evil.example").code == 4403
    assert Client(server, origin="null").code == 4403
    assert Client(server, origin="http://localhost").messages[0]["type"] == "hello"
    assert Client(server, host="evil.example").sent == [{"type": "websocket.close", "code": 1008}]
    for forged in (f"{ana.cookie}x", "x" * 5000, ""):
        assert Client(server, cookie=f"tablee={forged}").messages[0]["name"] is None
    assert Client(server, authorization=f"Bearer {ana.cookie}").messages[0]["name"] == "Ana"


@pytest.mark.parametrize("path", ["/api/sockets", "/api/socket/", "/", "/api/games", "/api/socket/x"])
def test_there_is_no_socket_elsewhere(server, path):
    assert [each["type"] for each in Client(server, path=path).sent] == ["websocket.close"]
    request = handshake(server.port).replace(b"/api/socket", path.encode(), 1)
    assert answer_to(server, request).startswith(b"HTTP/1.1 403")


def test_a_socket_is_no_page(server, ana):
    assert ana.get("/api/socket").status_code == 404


def test_sockets_are_counted_per_person_until_they_are_closed(tmp_path):
    with serving(tmp_path / "tablee.db", connections_per_person=2) as server:
        ana = Guest(server.url, "Ana")
        with ana.line() as first, ana.line():
            refused = Client(server, cookie=f"tablee={ana.cookie}")
            assert refused.code == 4013
            assert refused.messages == []
            assert Client(server).messages[0]["type"] == "hello"  # of another client
            first.websocket.close()
            wait_until(lambda: Client(server, cookie=f"tablee={ana.cookie}").code is None)


# The end of a connection


def test_a_person_who_has_signed_out_gets_nothing_more(server, ana):
    table = ana.create(seats=2)["id"]
    with ana.line() as reading, ana.line() as watching:
        watching.watch(table)
        server.registry.generations.set(server.registry._live[table].table.seats[0].person, 1)
        reading.websocket.send('{"type":"ping"}')
        assert reading.closed_with() == 4401
        server.do(wake(server, table))
        assert watching.closed_with() == 4401


async def wake(server, table):
    server.registry._live[table].wake()


def test_silence_is_measured_from_the_last_message(tmp_path, monkeypatch):
    now, sweeps, sweep = [1000.0], [], SocketEndpoint._sweep

    def counted_sweep(endpoint):
        sweeps.append(now[0])
        sweep(endpoint)

    clock = SimpleNamespace(monotonic=lambda: now[0], time=time.time)
    for module in (connections, socket_endpoint):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(socket_endpoint, "SWEEP_SECONDS", 0.01)
    monkeypatch.setattr(SocketEndpoint, "_sweep", counted_sweep)
    with serving(tmp_path / "tablee.db", silence=60.0) as server, Guest(server.url).line() as line:
        for _ in range(3):
            now[0] += 40.0
            wait_until(lambda: sweeps[-1] == now[0])
            line.websocket.send('{"type":"ping"}')
            assert line.receive() == {"type": "pong"}
        now[0] += 61.0
        assert line.closed_with() == 4008


def test_an_error_of_the_server_closes_with_a_code_and_is_logged_once(server, ana, monkeypatch):
    failures = []
    monkeypatch.setattr("tablee.server.socket_endpoint.incident", lambda name, *_, **fields: failures.append(name))
    table = ana.create(seats=2)["id"]
    with ana.line() as line:
        line.watch(table)
        monkeypatch.setattr(Connection, "_new_events", lambda *_: 1 / 0)
        server.do(wake(server, table))
        assert line.closed_with() == 1011
    assert failures == ["connection fails"]


def test_a_client_that_leaves_while_something_is_sent_is_no_failure(server, ana, monkeypatch):
    failures = []
    monkeypatch.setattr("tablee.server.socket_endpoint.incident", lambda name, *_, **fields: failures.append(name))
    table = ana.create(seats=2)["id"]
    request = frame(TEXT, json.dumps({"type": "watch", "id": "w", "table": table}).encode())
    for _ in range(20):
        with websocket(server) as opened:
            opened.sendall(request * 5)
    wait_until(lambda: not server.registry._live[table].watchers)
    assert failures == []


def test_nothing_is_read_while_replies_are_not_sent(monkeypatch):
    """A client that sends and never reads: the reader waits, and what is kept stays small."""
    monkeypatch.setattr(connections, "MAX_REPLIES", 3)
    read, has_room = [], asyncio.Event()

    async def receive():
        read.append(True)
        await asyncio.sleep(0)
        return {"type": "websocket.receive", "text": '{"type":"ping"}'}

    async def send(texts):
        await has_room.wait()

    async def scenario():
        served = Connection(None, receive, send, None, None, None, "en")
        serving = asyncio.create_task(served.run())
        for _ in range(200):
            await asyncio.sleep(0)
        assert len(read) <= 2 * 3 + 1
        before = len(read)
        has_room.set()
        for _ in range(200):
            await asyncio.sleep(0)
        assert len(read) > before + 10
        served.stop(Closed(4000))
        with pytest.raises(Closed):
            await serving

    asyncio.run(scenario())


# What is left


def test_an_idle_connection_has_one_task(server):
    async def all_tasks():
        return asyncio.all_tasks()

    before = server.do(all_tasks())  # also of connections of earlier tests, which end meanwhile

    def count_new_tasks():
        return len(server.do(all_tasks()) - before) - 1  # without the one that counts

    with Guest(server.url).line(), Guest(server.url).line():
        wait_until(lambda: count_new_tasks() == 2)
    wait_until(lambda: count_new_tasks() == 0)


@pytest.mark.parametrize("end", ["drop", "close", "flood", "binary", "nonsense", "error"])
def test_a_closed_connection_is_freed_without_the_garbage_collector(server, ana, monkeypatch, end):
    """What survives is left out of collections (0048): a cycle would stay until a full one."""
    monkeypatch.setattr("tablee.server.websocket_protocol.CLOSE_TIMEOUT", 0.1)
    monkeypatch.setattr(gc, "collect", lambda *_: 0)  # which the server calls
    table = ana.create(seats=2)["id"]
    kept = []
    for kind in (LimitedHttpProtocol, BackpressureProtocol, ServerProtocol, Connection):
        monkeypatch.setattr(kind, "__init__", noting(kind.__init__, kept))
    gc.disable()
    try:
        with websocket(server) as opened:
            opened.sendall(frame(TEXT, json.dumps({"type": "watch", "id": "w", "table": table}).encode()))
            opened.recv(65_536)
            if end == "close":
                opened.sendall(frame(0x8, b"\x03\xe8"))
            elif end == "flood":
                opened.sendall(frame(0xA) * 100)
            elif end == "binary":
                opened.sendall(frame(0x2, b"{}"))
            elif end == "nonsense":
                opened.sendall(frame(TEXT, b"?") * 30)
            elif end == "error":
                monkeypatch.setattr(Connection, "_handle", lambda *_: 1 / 0)
                opened.sendall(frame(TEXT, json.dumps({"type": "watch", "id": "w", "table": table}).encode()))
        assert len(kept) == 4
        wait_until(lambda: [each() for each in kept] == [None] * 4)
    finally:
        gc.enable()


def noting(method, kept):
    """Return a constructor that also keeps a weak reference to what it makes."""

    def construct(made, *arguments, **options):
        kept.append(weakref.ref(made))
        method(made, *arguments, **options)

    return construct
