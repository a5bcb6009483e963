"""Size and time to interactive of our pages on a slow network, and of boardgame.io's; prints a JSON line per figure.

    python benchmarks/pages.py [--runs 3] [--game NAME] [--without-peer]

Each page is opened in a new browser context without cache, over a network like that of a phone (150 ms, 1.6 Mbit/s
down, 750 kbit/s up). `bytes` is everything received, headers included; `interactive_ms` is the time until the first
control exists and no long task is running, the best of several runs. The peer is the game of boardgame.io's tutorial
(nine cells, two players at one screen), with and without React, built for production by Vite and served with the same
compression; it needs node and npm, and is installed into a temporary folder.
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
from contextlib import contextmanager
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
    arguments = parser.parse_args()
    print_line(**description(), load=round(os.getloadavg()[0], 1))
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        ours = measure_pages(browser, Path(folder), arguments.game, arguments.runs)
        peers = {} if arguments.without_peer else measure_peers(browser, Path(folder), arguments.runs)
        browser.close()
    for peer, theirs in peers.items():
        for page, own in ours.items():
            ratios = {"bytes": own.size / theirs.size, "interactive": own.interactive / theirs.interactive}
            print_line(page=page, compared_with=peer, **{key: round(ratio, 2) for key, ratio in ratios.items()})


def print_figures(page: str, figures: PageFigures) -> None:
    """Print the figures of a page."""
    milliseconds = round(figures.interactive)
    print_line(page=page, bytes=figures.size, requests=figures.requests, interactive_ms=milliseconds)


# Our pages


def measure_pages(browser: Browser, folder: Path, game: str, runs: int) -> dict[str, PageFigures]:
    """Measure the lobby and a table against bots."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "tablee", "serve", "--port", str(port), "--database", str(folder / "tablee.db")]
    with running(command, f"{url}/api/games", os.environ | {"NUMBA_DISABLE_JIT": "1"}):
        table, state = sit_down(browser, url, game)
        lobby = best(browser, f"{url}/", ".game-card button", runs)
        print_figures("lobby", lobby)
        choice = ".is-next, [data-move]"
        at_table = best(browser, f"{url}/t/{table}", choice, runs, state)
        print_figures(f"table of {game}", at_table)
    return {"lobby": lobby, f"table of {game}": at_table}


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


# Peer


def measure_peers(browser: Browser, folder: Path, runs: int) -> dict[str, PageFigures]:
    """Build and measure the game of boardgame.io's tutorial."""
    measured = {}
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
        subprocess.run(["npx", "vite", "build"], cwd=project, check=True, capture_output=True)
        port = free_port()
        command = [sys.executable, __file__, "--serve", str(project / "dist"), str(port)]
        with running(command, f"http://127.0.0.1:{port}/", dict(os.environ)):
            peer = f"boardgame.io {version}{name}"
            measured[peer] = best(browser, f"http://127.0.0.1:{port}/", "#app button", runs)
            print_figures(peer, measured[peer])
    return measured


def serve_built(folder: str, port: int) -> None:
    """Serve a built page with the same compression as ours."""
    import uvicorn
    from starlette.applications import Starlette

    from tablee.server.static_files import CompressedFiles

    app = Starlette()
    app.mount("/", CompressedFiles(directory=folder, html=True))
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")


# Measurement


def best(browser: Browser, url: str, selector: str, runs: int, state: Any = None) -> PageFigures:
    """Open a page several times; return the figures of the fastest run."""
    runs_made = (open_page(browser, url, selector, state) for _ in range(runs))
    return min(runs_made, key=lambda figures: figures.interactive)


def open_page(browser: Browser, url: str, selector: str, state: Any) -> PageFigures:
    """Open a page over a slow network, and measure it."""
    context = browser.new_context(viewport=PHONE, storage_state=state)
    context.add_init_script(WATCH.replace("SELECTOR", json.dumps(selector)))
    page = context.new_page()
    session = context.new_cdp_session(page)
    received: list[float] = []
    session.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", NETWORK)
    page.goto(url)
    page.wait_for_selector(selector, state="attached", timeout=120_000)
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
