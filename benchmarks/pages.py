"""Size and time to interactive of our pages on a slow network, and of boardgame.io's; prints a JSON line per figure.

    python benchmarks/pages.py [--runs 3] [--game NAME] [--without-peer] [--first-move]

Each page is opened in a new browser context without cache, over a network like that of a phone (150 ms, 1.6 Mbit/s
down, 750 kbit/s up). `bytes` is everything received, headers included; `interactive_ms` is the time until the first
control exists and no long task is running, the best of several runs. The peer is the game of boardgame.io's tutorial
(nine cells, two players at one screen), with and without React, built for production by Vite and served with the same
compression; it needs node and npm, and is installed into a temporary folder. Our pages and the peer's are opened in
turns.

With `--first-move`, instead: the time from a click on "Play with bots now" to one's own first move, on a server just
started on an empty compile cache, then on the same cache when the game is compiled; on a local network, not a slow one.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ViewportSize, sync_playwright

from json_lines import print_line
from machine import description
from tablee import all_games

NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8}
PHONE = ViewportSize(width=360, height=640)
SETTLING_MILLISECONDS = 1500
NUMBER = "document.querySelector('table-page').watched.table.number"  # of the last event at the table

# Records when the first control exists, and when long tasks end.
WATCH = """
window.watched = { ready: null, busyUntil: 0 };
new MutationObserver(() => {
  if (window.watched.ready === null && document.querySelector(SELECTOR)) window.watched.ready = performance.now();
}).observe(document, { childList: true, subtree: true, attributes: true });
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) window.watched.busyUntil = startTime + duration;
}).observe({ type: "longtask", buffered: true });
"""

RULES = """
export const game = {
  setup: () => ({ cells: Array(9).fill(null) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: { mark: ({ G, playerID }, cell) => { G.cells[cell] = playerID; } },
};
"""
PLAIN = """
import { Client } from "boardgame.io/client";
import { game } from "./rules.js";
const client = Client({ game });
const app = document.getElementById("app");
client.subscribe((state) => {
  app.replaceChildren(...(state?.G.cells ?? []).map((mark, cell) => {
    const button = document.createElement("button");
    button.textContent = mark ?? "·";
    button.onclick = () => client.moves.mark(cell);
    return button;
  }));
});
client.start();
"""
REACT = """
import { createElement as element } from "react";
import { createRoot } from "react-dom/client";
import { Client } from "boardgame.io/react";
import { game } from "./rules.js";
const board = ({ G, moves }) =>
  element("div", null, G.cells.map((mark, cell) =>
    element("button", { key: cell, onClick: () => moves.mark(cell) }, mark ?? "·")));
const App = Client({ game, board, debug: false });
createRoot(document.getElementById("app")).render(element(App));
"""
PAGE = '<!doctype html><title>peer</title><div id="app"></div><script type="module" src="/main.js"></script>'


@dataclass(frozen=True)
class MeasuredPage:
    """A page that is opened."""

    name: str
    url: str
    selector: str  # of its first control
    state: Any = None  # the browser's storage: who opens it


@dataclass(frozen=True)
class PageFigures:
    """The figures of a page."""

    size: int  # bytes
    requests: int
    interactive: float  # milliseconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="size and time to interactive of the pages")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--game", default=all_games()[0].name)
    parser.add_argument("--without-peer", action="store_true")
    parser.add_argument("--first-move", action="store_true")
    arguments = parser.parse_args()
    print_line(**description(), load=round(os.getloadavg()[0], 1))
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        if arguments.first_move:
            measure_first_moves(browser, Path(folder), arguments.game)
        else:
            measure_in_turns(browser, Path(folder), arguments)
        browser.close()


def measure_in_turns(browser: Browser, folder: Path, arguments: argparse.Namespace) -> None:
    """Measure our pages and the peer's, one after the other in every run; print the best of each, and the ratios."""
    best: dict[str, PageFigures] = {}
    with ExitStack() as servers:
        ours = serve_pages(browser, folder, arguments.game, servers)
        peers = [] if arguments.without_peer else serve_peers(folder, servers)
        for _ in range(arguments.runs):
            for page in [*ours, *peers]:
                figures = open_page(browser, page)
                best[page.name] = min(best.get(page.name, figures), figures, key=lambda each: each.interactive)
    for name, figures in best.items():
        print_figures(name, figures)
    for peer in peers:
        for page in ours:
            own, theirs = best[page.name], best[peer.name]
            ratios = {"bytes": own.size / theirs.size, "interactive": own.interactive / theirs.interactive}
            print_line(page=page.name, compared_with=peer.name, **{key: round(each, 2) for key, each in ratios.items()})


def print_figures(page: str, figures: PageFigures) -> None:
    """Print the figures of a page."""
    milliseconds = round(figures.interactive)
    print_line(page=page, bytes=figures.size, requests=figures.requests, interactive_ms=milliseconds)


# Our pages


def serve_pages(browser: Browser, folder: Path, game: str, servers: ExitStack) -> list[MeasuredPage]:
    """Serve the lobby and a table against bots."""
    url = servers.enter_context(our_server(folder, NUMBA_DISABLE_JIT="1"))
    table, state = sit_down(browser, url, game)
    return [
        MeasuredPage("lobby", f"{url}/", ".game-card button"),
        MeasuredPage(f"table of {game}", f"{url}/t/{table}", ".is-next, [data-move]", state),
    ]


@contextmanager
def our_server(folder: Path, *games: str, **environment: str) -> Iterator[str]:
    """Serve games; yield the URL."""
    url = f"http://127.0.0.1:{(port := free_port())}"
    database = str(folder / "tablee.db")
    command = [sys.executable, "-m", "tablee", "serve", *games, "--port", str(port), "--database", database]
    with running(command, f"{url}/", os.environ | environment):
        yield url


def sit_down(browser: Browser, url: str, game: str) -> tuple[str, Any]:
    """Make a table and take a seat; return its id, and the storage state that identifies the player."""
    context = browser.new_context()
    context.request.put(f"{url}/api/me", data={"name": "Ana"})
    info = context.request.get(f"{url}/api/games/{game}").json()
    request = {"game": game, "seats": info["usual_seats"], "bots": ["random"] * (info["usual_seats"] - 1)}
    table = context.request.post(f"{url}/api/tables", data=request).json()
    while not context.request.get(f"{url}/api/tables/{table['id']}").json()["view"]["choices"]:
        time.sleep(0.2)  # wait until the bots have moved
    state = context.storage_state()
    context.close()
    return str(table["id"]), state


def measure_first_moves(browser: Browser, folder: Path, game: str) -> None:
    """Print the time from the click to one's own first move on an empty compile cache, and on a full one."""
    cache = {"TABLEE_CACHE": str(folder / "cache"), "NUMBA_DISABLE_JIT": "0"}
    seconds = {}
    for name in ("empty", "full"):
        with our_server(folder, game, **cache) as url:
            seconds[name] = first_move(browser, url)
            print_line(first_move_of=game, cache=name, seconds=round(seconds[name], 2))
            while not is_compiled(url):
                time.sleep(1)
    print_line(first_move_of=game, empty_over_full=round(seconds["empty"] / seconds["full"], 2))


def first_move(browser: Browser, url: str) -> float:
    """Click on the first game of the lobby, and play the first move that is possible; return the seconds until then."""
    context = browser.new_context(viewport=PHONE, reduced_motion="reduce")
    context.set_default_timeout(120_000)
    page = context.new_page()
    page.goto(url)
    play = page.locator(".game-card button").first
    play.wait_for()
    begun = time.perf_counter()
    play.click()
    page.locator(".opener").click()
    before = page.evaluate(NUMBER)
    page.locator(".choice-list [data-move]").first.click()
    while page.evaluate(NUMBER) == before:
        page.wait_for_timeout(20)
    elapsed = time.perf_counter() - begun
    context.close()
    return elapsed


def is_compiled(url: str) -> bool:
    """Whether a server has compiled all its games."""
    with urllib.request.urlopen(f"{url}/api/games") as answer:
        return all(game["compiled"] == 1 for game in json.load(answer))


# Peer


def serve_peers(folder: Path, servers: ExitStack) -> list[MeasuredPage]:
    """Build and serve the game of boardgame.io's tutorial."""
    pages: list[MeasuredPage] = []
    project = folder / "peer"
    project.mkdir()
    (project / "package.json").write_text('{"private": true, "type": "module"}')
    packages = ["boardgame.io", "react@18", "react-dom@18", "vite"]
    subprocess.run(["npm", "install", "--silent", *packages], cwd=project, check=True, capture_output=True)
    version = json.loads((project / "node_modules/boardgame.io/package.json").read_text())["version"]
    (project / "rules.js").write_text(RULES)
    (project / "index.html").write_text(PAGE)
    for name, source in (("", PLAIN), (" with React", REACT)):
        (project / "main.js").write_text(source)
        built = f"dist{len(pages)}"
        subprocess.run(["npx", "vite", "build", "--outDir", built], cwd=project, check=True, capture_output=True)
        url = f"http://127.0.0.1:{(port := free_port())}/"
        command = [sys.executable, __file__, "--serve", str(project / built), str(port)]
        servers.enter_context(running(command, url, dict(os.environ)))
        pages.append(MeasuredPage(f"boardgame.io {version}{name}", url, "#app button"))
    return pages


def serve_built(folder: str, port: int) -> None:
    """Serve a built page with the same compression as ours."""
    import uvicorn
    from starlette.applications import Starlette

    from tablee.server.static_files import CompressedFiles

    app = Starlette()
    app.mount("/", CompressedFiles(directory=folder, html=True))
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")


# Measurement


def open_page(browser: Browser, measured: MeasuredPage) -> PageFigures:
    """Open a page over a slow network, and measure it."""
    context = browser.new_context(viewport=PHONE, storage_state=measured.state)
    context.add_init_script(WATCH.replace("SELECTOR", json.dumps(measured.selector)))
    page = context.new_page()
    session = context.new_cdp_session(page)
    received: list[float] = []
    session.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", NETWORK)
    page.goto(measured.url)
    page.wait_for_selector(measured.selector, state="attached", timeout=120_000)
    page.wait_for_timeout(SETTLING_MILLISECONDS)
    watched = page.evaluate("window.watched")
    context.close()
    return PageFigures(round(sum(received)), len(received), max(watched["ready"], watched["busyUntil"]))


@contextmanager
def running(command: list[str], url: str, environment: dict[str, str]) -> Iterator[None]:
    """Run a server for the time of a with block."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_server(url, process)
        yield
    finally:
        process.terminate()
        process.wait(30)


def wait_for_server(url: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until a server responds; exit if it has ended."""
    while True:
        if process.poll() is not None:
            raise SystemExit(f"the server of {url} has ended")
        try:
            with urllib.request.urlopen(url):
                return
        except OSError:
            time.sleep(0.2)


def free_port() -> int:
    """Return an unused port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve_built(sys.argv[2], int(sys.argv[3]))
    else:
        main()
