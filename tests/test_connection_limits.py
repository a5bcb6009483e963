"""Limits before the parser: bytes, frames, time, and the number of connections, of HTTP and of WebSockets."""

import asyncio
import json
import socket
import struct
from contextlib import contextmanager, suppress
from types import SimpleNamespace

import httpx
import pytest
from websockets.frames import Frame, Opcode
from websockets.protocol import State

from server_process import PATIENCE, Guest, serving, wait_until
from tablee.protocol.messages import MAX_MESSAGE_BYTES
from tablee.server import http_protocol
from tablee.server.addresses import TrustedProxies, address_group
from tablee.server.admission import Admission
from tablee.server.frames import CONTROL_BURST, FrameBudget, read_text_frame, text_frames
from tablee.server.settings import Settings
from tablee.server.websocket_protocol import MAX_UNSENT, BackpressureProtocol, Inbox, Outbox
from test_server_hostile import handshake

PING, PONG, TEXT, CONTINUATION = 0x9, 0xA, 0x1, 0x0


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("limits") / "tablee.db", command_rate=20.0) as server:
        yield server


def check_others_are_served(server):
    assert Guest(server.url, "Witness").get("/api/me").status_code == 200


@contextmanager
def connection(server, source="127.0.0.1"):
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE, (source, 0)) as opened:
        yield opened


def answer_of(opened):
    """Return all that the server sends until it closes, also if it does not read what was sent."""
    received = b""
    try:
        while part := opened.recv(65_536):
            received += part
    except ConnectionResetError:
        pass
    return received


def send_while_open(opened, part, most=100_000_000):
    """Send until the server closes; return the number of bytes sent."""
    sent = 0
    try:
        while sent < most:
            opened.sendall(part)
            sent += len(part)
    except (ConnectionResetError, BrokenPipeError):
        pass
    return sent


# HTTP


@pytest.mark.parametrize(
    ("beginning", "status"),
    [
        (b"GET /", (414, 431)),
        (b"GET / HTTP/1.1\r\nX-Endless: ", (431,)),
        (b"GET / HTTP/1.1\r\nX: 1\r\n", (431,)),
        (b"POST /api/tables HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\n", (413,)),
        (b"POST /api/tables HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", ()),
    ],
    ids=["url", "header", "headers", "body", "chunks"],
)
def test_an_endless_request_is_refused_before_it_is_kept(server, beginning, status):
    part = b"X: 1\r\n" * 10_000 if beginning.endswith(b"1\r\n") else b"a" * 60_000
    if b"chunked" in beginning:
        part = b"ea60\r\n" + part + b"\r\n"
    with connection(server) as opened:
        opened.sendall(beginning)
        assert send_while_open(opened, part) < 10_000_000
    if status:
        with connection(server) as opened:
            opened.sendall(beginning + part[:30_000])
            assert int(answer_of(opened).split()[1]) in status
    check_others_are_served(server)


def test_a_request_within_the_limits_is_answered_however_it_is_cut(server):
    long = b"GET /api/bots HTTP/1.1\r\nHost: h\r\nX-Long: " + b"a" * 12_000 + b"\r\nConnection: close\r\n\r\n"
    with connection(server) as opened:
        for part in (long[:5], long[5:60], long[60:9_000], long[9_000:]):
            opened.sendall(part)
        assert answer_of(opened).startswith(b"HTTP/1.1 200")


def test_few_requests_are_read_before_the_first_is_answered(server):
    with connection(server) as opened:
        opened.sendall(b"GET /api/bots HTTP/1.1\r\nHost: h\r\n\r\n" * 3)
        received = b""
        while received.count(b"HTTP/1.1 200") < 3:
            received += opened.recv(65_536)
    with connection(server) as opened:
        with suppress(ConnectionResetError, BrokenPipeError):  # the server may close before everything is sent
            opened.sendall(b"GET /api/bots HTTP/1.1\r\nHost: h\r\n\r\n" * 5_000)
        assert answer_of(opened).count(b"HTTP/1.1 200") <= http_protocol.MAX_PIPELINED
    check_others_are_served(server)


@pytest.mark.parametrize(
    "beginning",
    [
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: h\r\n",
        b"POST /api/me HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{",
    ],
    ids=["nothing", "line", "head", "body"],
)
def test_a_request_that_is_never_complete_is_ended(server, monkeypatch, beginning):
    for name in ("HEAD_SECONDS", "BODY_SECONDS"):
        monkeypatch.setattr(http_protocol, name, 0.1)
    with connection(server) as opened:
        opened.sendall(beginning)
        answer = answer_of(opened)  # until the server closes
    assert not answer or b" 408 " in answer


def test_an_answer_that_nobody_reads_is_ended(server, monkeypatch):
    """The answers do not fit into the buffers of the kernel, which are made small."""
    monkeypatch.setattr(http_protocol, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(http_protocol, "SEND_SECONDS", 0.2)
    server.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    request = b"GET /api/openapi.json HTTP/1.1\r\nHost: h\r\n\r\n" * 6
    ended, leave = [], server.admission.leave

    def note_end(connection):
        ended.append(connection.client)
        leave(connection)

    monkeypatch.setattr(server.admission, "leave", note_end)
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        slow.connect(("127.0.0.1", server.port))
        slow.sendall(request)
        wait_until(lambda: slow.getsockname() in ended)
    check_others_are_served(server)


# WebSockets


def frame(opcode, payload=b"", is_last=True):
    """Return a masked frame of a client."""
    length = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + struct.pack("!H", len(payload))
    return bytes([opcode | 0x80 * is_last, length[0] | 0x80]) + length[1:] + bytes(4) + payload


@contextmanager
def websocket(server):
    with connection(server) as opened:
        opened.sendall(handshake(server.port))
        answer = b""
        while b'"hello"' not in answer:
            answer += opened.recv(4096)
        yield opened


@pytest.mark.parametrize(
    "flood",
    [
        frame(PONG),
        frame(PING),
        frame(PING, b"x" * 125),
        frame(CONTINUATION, is_last=False),
        frame(TEXT, b'{"type":"ping"}'),
        frame(TEXT, b"nonsense"),
    ],
    ids=["pongs", "pings", "long pings", "empty fragments", "messages", "nonsense"],
)
def test_a_flood_of_frames_closes_the_connection(server, flood):
    """Each of these costs the server more than its sender: one connection at a megabyte per second stopped it."""
    first = frame(TEXT, b'"', is_last=False) if flood == frame(CONTINUATION, is_last=False) else b""
    with websocket(server) as opened:
        opened.sendall(first)
        assert send_while_open(opened, flood * 1000) < 10_000_000
    check_others_are_served(server)


def test_a_flood_is_closed_with_a_code(server):
    with websocket(server) as opened:
        opened.sendall(frame(PONG) * int(CONTROL_BURST + 5))
        assert struct.pack("!H", 4030) in answer_of(opened)


def test_nothing_is_raised_uncaught_when_something_is_sent_after_a_close():
    """uvicorn raises a RuntimeError; an OSError is a disconnection to Starlette, which the connection expects."""

    async def send_late():
        protocol = object.__new__(BackpressureProtocol)
        protocol.writable, protocol.close_sent = asyncio.Event(), True
        protocol.writable.set()
        await protocol.send({"type": "websocket.close", "code": 1000})
        with pytest.raises(OSError, match="closed"):
            await protocol.send({"type": "websocket.send", "text": "late"})

    asyncio.run(send_late())


def test_messages_to_several_clients_are_written_together_and_before_anything_else():
    async def send():
        outbox = Outbox()
        quick, slow = opened_protocol(outbox), opened_protocol(outbox)
        for protocol in (quick, slow):
            assert protocol.send_messages([b"1", b"2"]) is None
            assert not protocol.transport.written
        slow.send_messages([b"3"])
        assert slow.transport.written == [text_frames([b"1", b"2"])]  # one batch waits, no more
        await asyncio.sleep(0)
        assert quick.transport.written == [text_frames([b"1", b"2"])]
        assert slow.transport.written == [text_frames([b"1", b"2"]), text_frames([b"3"])]
        quick.send_messages([b"4"])
        quick._close_flooded()
        assert quick.transport.written[1:] == [text_frames([b"4"]), b"close"]
        await asyncio.sleep(0)
        many = [opened_protocol(outbox) for _ in range(MAX_UNSENT)]
        for protocol in many:
            protocol.send_messages([b"5"])
        assert all(protocol.transport.written for protocol in many)
        slow.send_messages([b"6"])
        slow.transport.is_closing = lambda: True
        await asyncio.sleep(0)
        assert len(slow.transport.written) == 2

    asyncio.run(send())


def opened_protocol(outbox):
    """Return a protocol of an open connection, whose transport notes what is written."""
    protocol = object.__new__(BackpressureProtocol)
    protocol.loop, protocol._outbox = asyncio.get_running_loop(), outbox
    protocol.disconnected, protocol.handshake_complete, protocol.close_sent = False, True, False
    protocol.queue, protocol.writable = Inbox(), asyncio.Event()
    protocol.writable.set()
    protocol.conn = SimpleNamespace(state=State.OPEN, fail=lambda code: None, data_to_send=lambda: [b"close"])
    written = []
    protocol.transport = SimpleNamespace(
        written=written, write=written.append, is_closing=lambda: False, close=lambda: None
    )
    return protocol


def test_frames_are_counted_however_they_are_cut():
    payloads = [b"", b"x", b"x" * 125, b"x" * 126, b"x" * 5000, b""]
    stream = b"".join(frame(TEXT, payload) for payload in payloads) + frame(PING) + frame(PONG, b"pong")
    for size in (1, 2, 3, 5, 7, 64, 1000, len(stream)):
        budget = FrameBudget(1e6)
        counts = [budget._count(stream[start : start + size]) for start in range(0, len(stream), size)]
        assert (sum(frames for frames, _ in counts), sum(controls for _, controls in counts)) == (8, 2), size


def test_one_frame_with_a_whole_text_is_read_as_the_library_reads_it():
    for payload in (b"", b"x", "é".encode(), b"x" * 125, b"x" * 126, b"x" * MAX_MESSAGE_BYTES):
        masked = Frame(Opcode.TEXT, payload).serialize(mask=True)
        assert read_text_frame(masked, MAX_MESSAGE_BYTES) == payload.decode()


def test_everything_else_is_left_to_the_library():
    whole = frame(TEXT, b"hello")
    others = [
        *(whole[:length] for length in range(len(whole))),  # a part
        whole + whole,
        frame(TEXT, b"x" * (MAX_MESSAGE_BYTES + 1)),
        frame(TEXT, b"\xff"),  # not UTF-8
        frame(PING, b"hello"),
        bytes([whole[0] & 0x7F]) + whole[1:],  # a fragment
        bytes([whole[0] | 0x40]) + whole[1:],  # a reserved bit
        Frame(Opcode.TEXT, b"hello").serialize(mask=False),
        Frame(Opcode.BINARY, b"hello").serialize(mask=True),
        bytes([0x81, 0xFF]) + (5).to_bytes(8, "big") + whole[2:],
    ]
    assert [read_text_frame(data, MAX_MESSAGE_BYTES) for data in others] == [None] * len(others)


def test_messages_are_framed_as_the_library_frames_them():
    messages = [b"", b"x" * 125, b"x" * 126, b"x" * 65_535, b"x" * 65_536]
    assert text_frames(messages) == b"".join(Frame(Opcode.TEXT, each).serialize(mask=False) for each in messages)


def test_honest_players_stay_far_below_the_budget():
    budget = FrameBudget(20.0)
    message = json.dumps(
        {"type": "play", "id": "c12345", "table": "abcdefghjkmn", "number": 100, "move": "draw"}
    ).encode()
    assert all(budget.allows(frame(TEXT, message)) for _ in range(100))
    assert all(budget.allows(frame(PING)) for _ in range(10))


# Connections


class Waiting:
    deadline = None
    is_waiting = True
    has_given_way = False

    def expire(self):
        self.has_given_way = True

    def give_way(self):
        self.has_given_way = True


class Served(Waiting):
    is_waiting = False


def admitted(admission, connection, host="192.0.2.1"):
    async def ask():
        return admission.refusal(connection, host)

    return asyncio.run(ask())


def test_connections_of_one_address_are_limited_and_counted_down():
    admission = Admission(limit=100, per_address=2, proxies=TrustedProxies("10.0.0.0/8"))
    first, second = Served(), Served()
    assert [admitted(admission, each) for each in (first, second, Served())] == [None, None, "address"]
    assert admitted(admission, Served(), "192.0.2.2") is None
    admission.leave(first)
    admission.leave(first)
    assert [admitted(admission, Served()), admitted(admission, Served())] == [None, "address"]
    for host in ("127.0.0.1", "10.1.2.3"):  # this machine and the proxy are not limited
        assert [admitted(admission, Served(), host) for _ in range(3)] == [None] * 3


@pytest.mark.usefixtures("_stopped_limits")
def test_rates_of_one_address_hold_over_all_its_connections(monkeypatch):
    monkeypatch.setattr("tablee.server.admission.CONNECTION_BURST", 3.0)
    admission = Admission(limit=100, per_address=50, proxies=TrustedProxies("10.0.0.1"), command_rate=1.0)
    connections = [Served() for _ in range(3)]
    assert [admitted(admission, each) for each in (*connections, Served())] == [None, None, None, "address"]
    assert [admission.allows_frames(each, 30) for each in connections] == [True, True, False]
    local = Served()
    assert admitted(admission, local, "127.0.0.1") is None
    assert all(admission.allows_frames(local, 1000) and admission.allows_request(local) for _ in range(10))


def test_a_full_process_closes_waiting_connections_first():
    admission = Admission(limit=2, per_address=10)
    waiting, served = Waiting(), Served()
    assert [admitted(admission, each) for each in (waiting, served)] == [None, None]
    assert admitted(admission, Served()) is None
    assert (waiting.has_given_way, served.has_given_way) == (True, False)
    assert admitted(admission, Served()) == "full"
    assert len(admission) == 2


def test_file_descriptors_are_kept_in_reserve(monkeypatch):
    """For the database, health and metrics, and bots: whatever the settings allow."""
    for descriptors, limit in ((1024, 924), (100_000, 12_000), (50, 1)):
        monkeypatch.setattr("tablee.server.admission.raise_descriptor_limit", lambda count=descriptors: count)
        assert Admission.for_process(Settings()).limit == limit


def test_addresses_of_one_network_count_as_one():
    assert (
        address_group("2001:db8:1:2:aaaa::1") == address_group("2001:db8:1:2::ffff") != address_group("2001:db8:1:3::1")
    )
    assert address_group("::ffff:192.0.2.7") == address_group("192.0.2.7") != address_group("192.0.2.8")
    assert address_group("127.0.0.1") == address_group("::1") == ""


def test_half_open_connections_of_one_address_lock_nobody_out(tmp_path):
    with serving(tmp_path / "tablee.db", connections_per_address=20) as server:
        half_open = [
            socket.create_connection(("127.0.0.1", server.port), PATIENCE, ("127.0.0.2", 0)) for _ in range(20)
        ]
        for each in half_open:
            each.sendall(b"GET / HT")
        wait_until(lambda: len(server.admission) == 20)
        with connection(server, "127.0.0.2") as refused:
            assert b" 429 " in answer_of(refused)
        with httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.3"), timeout=PATIENCE) as http:
            assert http.get(f"{server.url}/api/bots").status_code == 200
        for each in half_open:
            each.close()
