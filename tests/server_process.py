"""A server on a real port inside the test's process, and its clients."""

import asyncio
import json
import threading
import time
from contextlib import contextmanager
from itertools import count

import httpx
import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tablee.server.app import create_app
from tablee.server.launcher import listening_socket, uvicorn_options
from tablee.server.settings import Settings

PATIENCE = 120  # seconds; the machine may be busy
QUICK = {"status": "127.0.0.1:0", "bot_pause": 0.0, "command_rate": 1e6, "table_rate": 1e6, "open_per_person": 1000}


class Server:
    """A server in a thread with an event loop of its own."""

    def __init__(self, database, **settings):
        chosen = Settings(database=str(database), **{**QUICK, **settings})
        self.app = create_app(chosen)
        self.status = f"http://{self.app.state.status.address}"
        self.registry = self.app.state.registry
        self.listener = listening_socket("127.0.0.1", 0)
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        options = uvicorn_options(chosen)
        self.admission = options["http"].args[0]
        self._uvicorn = uvicorn.Server(uvicorn.Config(self.app, **options))
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._started = threading.Event()
        self._thread.start()
        assert self._started.wait(PATIENCE)

    def _run(self):
        async def main():
            self.loop = asyncio.get_running_loop()
            self.loop.call_soon(self._started.set)
            await self._uvicorn.serve([self.listener])
            for connection in list(self._uvicorn.server_state.connections):  # clients that are still connected
                connection.transport.abort()

        asyncio.run(main())

    def do(self, coroutine):
        """Run a coroutine in the server's loop and return its result."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(PATIENCE)

    def stop(self):
        self._uvicorn.should_exit = True
        self._thread.join(PATIENCE)
        self.listener.close()


@contextmanager
def serving(database, **settings):
    server = Server(database, **settings)
    try:
        yield server
    finally:
        close_guests()
        server.stop()


def wait_until(is_so):
    """Wait until a condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def let_tables_wait(monkeypatch):
    """Let tables wait for players for decades: those of a stored database may be as old as they like."""
    for name in ("tables.table.GATHERING_SECONDS", "tables.alarm.GATHERING_SECONDS", "server.catalogue.LISTED_SECONDS"):
        monkeypatch.setattr(f"tablee.{name}", 2e9)


_guests = []  # of this test


def close_guests():
    while _guests:
        _guests.pop().close()


class Guest:
    """A client with a name, or (None) without one."""

    def __init__(self, url, name=None, token=None):
        self.url = url
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.http = httpx.Client(base_url=url, timeout=PATIENCE, headers=headers)
        if name is not None:
            answer = self.http.put("/api/me", json={"name": name})
            assert answer.status_code == 200, answer.text
        self.cookie = self.http.cookies.get("tablee")
        _guests.append(self)

    def get(self, path, **headers):
        return self.http.get(path, headers=headers)

    def create(self, game="skyjo", **request):
        answer = self.http.post("/api/tables", json={"game": game, "rest": None, **request})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def command(self, kind, table, **fields):
        message = {"type": kind, "id": fresh_id(), "table": table, **fields}
        return self.http.post(f"/api/tables/{table}/commands", json=message)

    @contextmanager
    def line(self, lang="en", **headers):
        if self.cookie:
            headers["Cookie"] = f"tablee={self.cookie}"
        address = f"{self.url.replace('http', 'ws')}/api/socket?lang={lang}"
        with connect(address, additional_headers=headers, compression=None, open_timeout=PATIENCE) as websocket:
            yield Line(websocket)

    def close(self):
        self.http.close()


_ids = count(1)


def fresh_id():
    return f"c{next(_ids)}"


class Line:
    """One socket, with helpers to wait for messages."""

    def __init__(self, websocket):
        self.websocket = websocket
        self.hello = self.receive()
        assert self.hello["type"] == "hello"

    def receive_bytes(self):
        return self.websocket.recv(PATIENCE)

    def receive(self):
        return json.loads(self.receive_bytes())

    def send(self, kind, **fields):
        message = {"type": kind, "id": fresh_id(), **fields}
        self.websocket.send(json.dumps(message))
        return message["id"]

    def until(self, is_wanted):
        while True:
            message = self.receive()
            if is_wanted(message):
                return message

    def ask(self, kind, **fields):
        """Send a command and return its answer."""
        wanted = self.send(kind, **fields)
        return self.until(lambda message: message.get("id") == wanted)

    def watch(self, table, **fields):
        assert self.ask("watch", table=table, **fields)["type"] == "ack"
        return self.until(lambda message: message["type"] == "table")["table"]

    def closed_with(self):
        """Return the code with which the server closes."""
        try:
            while True:
                self.receive_bytes()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None
