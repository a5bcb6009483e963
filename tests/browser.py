"""A real server, a real browser, and people in it who click."""

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
from contextlib import closing
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe

CHROMIUM = shutil.which("chromium")
LIGHT_SERVER = Path(__file__).parent / "light_server.py"
PATIENCE = 30_000  # milliseconds; a loaded machine is slow
PHONE = {"width": 360, "height": 640}
DESKTOP = {"width": 1280, "height": 800}
EXPECTED_OFFLINE = re.compile("ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED")

# Waits until a condition (its text is put in) is true of the table; returns whether it ever was.
WAIT = """
async (seconds) => {
  const deadline = performance.now() + 1000 * seconds;
  while (performance.now() < deadline) {
    const watched = document.querySelector("table-page")?.watched, table = watched?.table;
    if (table && (CONDITION)) return true;
    await new Promise((resume) => {
      watched?.addEventListener("change", resume, { once: true });
      setTimeout(resume, 50);
    });
  }
  return false;
}
"""

# Waits until nothing moves or fades any more; what ends may begin something else.
REST = """
async () => {
  for (let moving; (moving = document.getAnimations()).length; ) {
    await Promise.allSettled(moving.map((animation) => animation.finished));
  }
}
"""

# Plays by itself: picks one of the choices and touches what it concerns, in order, as a person would.
AUTOPLAY = """
([preferred, until]) => {
  let state = 1 + Math.floor(performance.now());
  const random = (count) => { state = (state * 48271) % 2147483647; return state % count; };
  const page = () => document.querySelector("table-page");
  const thing = (id) => document.querySelector(`button[data-id="${CSS.escape(id)}"]`)
    ?? document.querySelector(`[data-zone="${CSS.escape(id)}"] button[data-id]`);
  const make = async (choice) => {
    const board = page().board;
    board.clear();
    for (const target of choice.targets) {
      thing(target).click();
      await board.updateComplete;
    }
    await page().updateComplete;
    await document.querySelector("table-dock")?.updateComplete;
    if (!page().isSending) document.querySelector(`.shortcuts [data-move="${choice.text}"]`)?.click();
  };
  const step = async () => {
    const table = page()?.watched?.table;
    if (!table || table.phase === "over") return;
    const choices = table.view?.choices ?? [];
    if (table.number >= until && choices.length > 1) return;
    if (table.phase === "playing" && choices.length && !page().isSending && !table.queued && page().board) {
      const best = choices.filter((choice) => preferred.includes(choice.group));
      const pool = best.length ? best : choices;
      await make(pool[random(pool.length)]);
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
    """A light server in a process of its own.

    It uses the kernels that the games' own tests have compiled. One that also knows the games in a folder elsewhere has
    a compile cache of its own, in which there is nothing yet: its kernels are interpreted.
    """

    def __init__(self, folder: Path, games: Path | None = None) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.errors = (folder / "errors").open("w")
        self.process = subprocess.Popen(
            [sys.executable, str(LIGHT_SERVER), str(self.port), str(folder / "tablee.db")],
            env=os.environ | {"TABLEE_GAMES": str(games or ""), "NUMBA_DISABLE_JIT": "1" if games else "0"},
            stdout=subprocess.DEVNULL,
            stderr=self.errors,
        )
        self._wait()

    def _wait(self):
        for _ in range(600):
            assert self.process.poll() is None, "the server has ended"
            try:
                with urllib.request.urlopen(f"{self.url}/healthz") as answer:
                    return json.load(answer)
            except OSError:
                time.sleep(0.1)
        raise AssertionError("the server does not open")

    def get(self, path):
        with urllib.request.urlopen(self.url + path) as answer:
            return json.load(answer)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)
        self.errors.close()


def free_port():
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Person:
    """Somebody with a browser of his own; notes whatever goes wrong in it."""

    def __init__(self, browser, server, name="", size=DESKTOP, language="en", theme="light", motion="reduce"):
        self.name, self.server = name, server
        self.context = browser.new_context(
            viewport=size, locale=language, color_scheme=theme, reduced_motion=motion, has_touch=size is PHONE
        )
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.troubles = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("request", self._check_host)

    def _hear(self, message):
        if message.type in ("error", "warning") and not EXPECTED_OFFLINE.search(message.text):
            self.troubles.append(f"{message.text} {message.location}")

    def _check_host(self, request):
        if not request.url.startswith((self.server.url, "data:", "blob:")):
            self.troubles.append(f"a request to {request.url}")

    # What people do

    def visit(self, address=""):
        self.page.goto("about:blank")
        self.page.goto(f"{self.server.url}/{address}")
        return self.page

    def introduce(self):
        """Have a name, as if one had been here before."""
        self._ask("put", "/api/me", {"name": self.name})
        remember = f"""localStorage["tablee.name"] ??= {json.dumps(self.name)}"""
        self.context.add_init_script(f"""if (origin !== "null") {remember};""")
        return self

    def make_table(self, game, **wishes):
        """Make a table without going through the form, and sit there."""
        wish = {"game": game, "seats": None, "options": {}, "is_open": True, "clock": None, "bots": [], "sits": True}
        table = self._ask("post", "/api/tables", wish | wishes)
        self.visit(f"#table/{table['id']}")
        return table

    def _ask(self, method, path, wish):
        """Ask the server with this browser's cookies, without a page; it may have to compile first."""
        answer = getattr(self.context.request, method)(self.server.url + path, data=wish, timeout=4 * PATIENCE)
        assert answer.ok, answer.text()
        return answer.json()

    def join(self, table):
        """Come by the invite link and say a name: nothing else is asked."""
        self.visit(f"#table/{table['id']}/{table['invite']}")
        self.page.get_by_role("textbox").fill(self.name)
        self.page.locator("name-form button").click()

    def play(self, preferred=(), until=1_000_000):
        """Play by itself, to the end, or to the first real choice after the event of that number."""
        self.page.evaluate(AUTOPLAY, [list(preferred), until])

    # What can be seen

    @property
    def table(self):
        return self.page.evaluate("document.querySelector('table-page').watched.table")

    def wait(self, condition, seconds=60):
        """Wait until something is true of `table` or `watched`, said in JavaScript (whose policy lets no page poll)."""
        assert self.page.evaluate(WAIT.replace("CONDITION", condition), seconds), (
            f"{self.name} waits for {condition}: {self.troubles}"
        )

    @property
    def is_wider_than_the_screen(self):
        return self.page.evaluate("document.documentElement.scrollWidth > innerWidth")

    def violations(self):
        """Return what axe finds wrong with the page, once nothing on it moves or fades."""
        self.page.evaluate(REST)
        found = Axe().run(self.page).response["violations"]
        return [f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"]]

    def leave(self):
        self.context.close()
        assert not self.troubles
