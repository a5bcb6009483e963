"""Browser tests: a server process, and players with browsers of their own."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import closing, suppress
from itertools import count
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from seeds import CountedSeeds

CHROMIUM = shutil.which("chromium")
LIGHT_SERVER = Path(__file__).parent / "light_server.py"
TIMEOUT_MILLISECONDS = 30_000  # a loaded machine is slow
FIRST_PORT, PORTS = 12_000, 1_000  # below those of health, a thousand higher, and of connections, from 32768 on
MAX_TRIES = 1200  # to reach a server that starts, a tenth of a second apart
PHONE = {"width": 360, "height": 640}
DESKTOP = {"width": 1280, "height": 800}
CHOICES = CountedSeeds("choices")  # of players who play automatically
EXPECTED_OFFLINE = re.compile("ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED")

expect.set_options(timeout=TIMEOUT_MILLISECONDS)

# Waits until a condition (inserted as text) holds for the table and is rendered; returns whether it did. Of several
# events at once only the last carries the table's state: before it, the number of the table and its view disagree.
WAIT = """
async (seconds) => {
  const deadline = performance.now() + 1000 * seconds;
  while (performance.now() < deadline) {
    const watched = document.querySelector("table-page")?.watched, table = watched?.table;
    if (table && watched.isUpToDate && (CONDITION)) {
      await document.fonts.ready;
      await new Promise((resume) => setTimeout(resume)); // after the microtasks in which components render
      return true;
    }
    await new Promise((resume) => {
      watched?.addEventListener("change", resume, { once: true });
      setTimeout(resume, 50);
    });
  }
  return false;
}
"""

# Waits until all animations have finished, including those that others start.
FINISH_ANIMATIONS = """
async () => {
  for (let moving; (moving = document.getAnimations()).length; ) {
    await Promise.allSettled(moving.map((animation) => animation.finished));
  }
}
"""

# Plays automatically: clicks the targets of a choice in order, as a player would.
AUTOPLAY = """
([preferred, until, seed]) => {
  let state = 1 + seed;
  const random = (count) => { state = (state * 48271) % 2147483647; return state % count; };
  const page = () => document.querySelector("table-page");
  const button = (id) => document.querySelector(`button[data-id="${CSS.escape(id)}"]`)
    ?? document.querySelector(`[data-zone="${CSS.escape(id)}"] button[data-id]`);
  const play = async (choice) => {
    const board = page().board;
    board.clear();
    for (const target of choice.targets) {
      button(target).click();
      await board.updateComplete;
    }
    await page().updateComplete;
    await document.querySelector("table-dock")?.updateComplete;
    if (!page().isSending) document.querySelector(`.shortcuts [data-move="${choice.text}"]`)?.click();
  };
  const step = async () => {
    const table = page()?.watched?.table;
    if (!table || table.phase === "over") return;
    const choices = page().watched.isUpToDate ? (table.view?.choices ?? []) : [];
    if (table.number >= until && choices.length > 1) return;
    if (table.phase === "playing" && choices.length && !page().isSending && !table.queued && page().board) {
      const best = choices.filter((choice) => preferred.includes(choice.group));
      const pool = best.length ? best : choices;
      await play(pool[random(pool.length)]);
    }
    await new Promise((resume) => {
      page()?.watched?.addEventListener("change", resume, { once: true });
      setTimeout(resume, 100);
    });
    setTimeout(step, 0);
  };
  step();
}
"""


class Server:
    """A light server in its own process.

    It uses the kernels that the games' own tests have compiled. With a folder of additional games it would have an
    empty compile cache of its own, so its kernels are interpreted.
    """

    def __init__(self, folder: Path, games: Path | None = None) -> None:
        self._folder, self._games = folder, games
        self._start(free_port())  # it may be asked to start there again

    def _start(self, port: int) -> None:
        self.errors = (self._folder / "errors").open("w")
        self.process = subprocess.Popen(
            [sys.executable, str(LIGHT_SERVER), str(self._folder / "tablee.db"), str(port)],
            env=os.environ | ({"TABLEE_GAMES": str(self._games), "NUMBA_DISABLE_JIT": "1"} if self._games else {}),
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        printed = self.process.stdout.readline().strip()
        assert printed, f"the server has not started: {Path(self.errors.name).read_text()}"
        self.url = f"http://127.0.0.1:{printed}"

    def restart(self):
        """Stop, and start again at the same address with the same database."""
        self.stop()
        self._start(int(self.url.rpartition(":")[2]))

    def get(self, path):
        with urllib.request.urlopen(self.url + path) as response:
            return json.load(response)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(120)
        self.process.stdout.close()
        self.errors.close()


_ports = count(10 * os.getpid())
_reserved = []  # sockets, for as long as this process lives


def free_port():
    """Return a port that is free, for this process alone: the system gives it to no connection, other tests to nobody.

    It is reserved by a socket in Linux's abstract namespace, as the server that will listen there has yet to start.
    """
    while True:
        port = FIRST_PORT + next(_ports) % PORTS
        reservation = socket.socket(socket.AF_UNIX)
        with closing(socket.socket()) as probe, suppress(OSError):
            reservation.bind(f"\0tablee-test-port-{port}")
            probe.bind(("127.0.0.1", port))
            _reserved.append(reservation)
            return port
        reservation.close()


def fetch(url):
    """Return the text at an address."""
    with urllib.request.urlopen(url) as response:
        return response.read().decode()


def wait_for_server(process, url):
    """Wait until a server process answers."""
    for _ in range(MAX_TRIES):
        assert process.poll() is None, "the server has exited"
        try:
            fetch(f"{url}/api/games")
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server does not start")


class Player:
    """A player with their own browser, whose errors and warnings are recorded; without motion, also without sound."""

    def __init__(
        self, browser, server, name="", size=DESKTOP, language="en", theme="light", motion="reduce", pace="fast"
    ):
        self.name, self.server = name, server
        self.context = browser.new_context(
            viewport=size, locale=language, color_scheme=theme, reduced_motion=motion, has_touch=size is PHONE
        )
        self.context.set_default_timeout(TIMEOUT_MILLISECONDS)
        if motion == "reduce":
            self._store("sound", "off")  # synthesizing it takes a quarter of the processor time of a game
        self._store("pace", pace)
        self.page = self.context.new_page()
        self.errors = []
        self.page.on("console", self._record_message)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", self._check_host)

    def _record_message(self, message):
        if message.type in ("error", "warning") and not EXPECTED_OFFLINE.search(message.text):
            self.errors.append(f"{message.text} {message.location}")

    def _check_host(self, request):
        if not request.url.startswith((self.server.url, "data:", "blob:")):
            self.errors.append(f"a request to {request.url}")

    # Actions

    def visit(self, address=""):
        self.page.goto("about:blank")
        self.page.goto(f"{self.server.url}/{address}")
        return self.page

    def with_name(self):
        """Set the name, as if this browser had been used before."""
        self._request("put", "/api/me", {"name": self.name})
        self._store("name", self.name)
        return self

    def _store(self, setting, value):
        """Store a setting in the browser before the first page is loaded."""
        store = f"""localStorage["tablee.{setting}"] ??= {json.dumps(value)}"""
        self.context.add_init_script(f"""if (origin !== "null") {store};""")

    def create_table(self, game, **settings):
        """Create a table without the form, take a seat and open it."""
        defaults = {
            "game": game,
            "seats": None,
            "options": {},
            "is_open": True,
            "clock": None,
            "rest": None,
            "bots": [],
            "sits": True,
        }
        table = self._request("post", "/api/tables", defaults | settings)
        self.visit(f"t/{table['id']}")
        return table

    def _request(self, method, path, body):
        """Send a request with this browser's cookies; the server may have to compile first."""
        response = getattr(self.context.request, method)(
            self.server.url + path, data=body, timeout=4 * TIMEOUT_MILLISECONDS
        )
        assert response.ok, response.text()
        return response.json()

    def join(self, table):
        """Open the invite link and enter a name."""
        self.visit(f"t/{table['id']}#{table['invite']}")
        self.page.get_by_role("textbox").fill(self.name)
        self.page.locator("name-form button").click()

    def hold(self, address):
        """Hold requests back; return the list of those that wait, each to be let go with `continue_()`."""
        held = []

        def keep(route):
            held.append(route)

        self.page.route(address, keep)
        return held

    def play(self, preferred=(), until=1_000_000):
        """Play automatically to the end, or to the first real choice after event number `until`."""
        self.page.evaluate(AUTOPLAY, [list(preferred), until, CHOICES.randbits(30)])

    # State

    @property
    def table(self):
        return self.page.evaluate("document.querySelector('table-page').watched.table")

    def wait(self, condition, seconds=120):
        """Wait until a JavaScript condition on `table` or `watched` holds.

        Playwright's own polling is forbidden by the content security policy.
        """
        assert self.page.evaluate(WAIT.replace("CONDITION", condition), seconds), (
            f"{self.name} waited for {condition}: {self.errors}"
        )

    @property
    def overflows_sideways(self):
        return self.page.evaluate("document.documentElement.scrollWidth > innerWidth")

    def violations(self):
        """Return the accessibility violations that axe finds, once all animations have finished."""
        self.page.evaluate(FINISH_ANIMATIONS)
        found = Axe().run(self.page).response["violations"]
        return [f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"]]

    def close(self):
        self.context.close()
        assert not self.errors
