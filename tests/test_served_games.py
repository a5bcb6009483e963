"""`tablee serve GAME…`: only these games exist on the server, and files of an outside game appear without a restart."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import deque
from contextlib import nullcontext
from dataclasses import replace

import pytest

from browser import fetch, free_port, wait_for_server
from played_tables import Played
from tablee.bots.roster import USUAL_BOT, needs_machine_code
from tablee.core import twins
from tablee.core.registry import find_game
from tablee.server import bot_pool, warmup
from tablee.server.bot_pool import BotPool
from tablee.server.metrics import Metrics
from tablee.server.settings import Settings
from tablee.tables.creation import TableRequest
from tablee.tables.table import STAND_IN
from tablee.testing.template import make_game


class Served:
    """`tablee serve` with arguments, in a process of its own, interpreted."""

    def __init__(self, folder, *arguments):
        self.url = f"http://127.0.0.1:{(port := free_port())}"
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "LC_ALL": "C"}
        command = [sys.executable, "-m", "tablee", "serve", *map(str, arguments), "--port", str(port)]
        self.process = subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.DEVNULL)
        wait_for_server(self.process, self.url)

    def get(self, path):
        return fetch(self.url + path)

    def status(self, path):
        try:
            self.get(path)
        except urllib.error.HTTPError as error:
            error.close()
            return error.code
        return 200

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_game("outside", tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def server(folder):
    """A server for a built-in game and an outside game, by its folder."""
    served = Served(folder.parent, "xylo", folder)
    yield served
    served.stop()


def test_only_the_named_games_are_served(server):
    assert [game["name"] for game in json.loads(server.get("/api/games"))] == ["outside", "xylo"]
    assert server.status("/api/games/outside/rules") == 200
    assert server.status("/api/games/skyjo") == 404
    assert server.status("/games/skyjo/web/board.js") == 404


def test_web_files_appear_change_and_disappear(server, folder):
    def style():
        return json.loads(server.get("/api/games/outside"))["style"]

    assert style() is None
    assert server.status("/games/outside/web/board.css") == 404
    (folder / "web").mkdir()
    file = folder / "web" / "board.css"
    file.write_text(".own { gap: 1rem; }")
    assert style() == "/games/outside/web/board.css"
    assert server.get(style()) == ".own { gap: 1rem; }"
    file.write_text(".own { gap: 2rem; }")
    os.utime(file, ns=(1, 1))  # another time of change, however coarse the clock
    assert server.get(style()) == ".own { gap: 2rem; }"
    file.unlink()
    assert style() is None
    assert server.status("/games/outside/web/board.css") == 404


def test_words_and_rules_change(server, folder):
    for path in (folder / "words" / "en.toml", folder / "rules.en.md"):
        path.write_text(path.read_text(encoding="utf-8").replace("Outside", "Out of Doors"), encoding="utf-8")
        os.utime(path, ns=(1, 1))
    # Words are looked at once per second.
    while json.loads(server.get("/api/games/outside"))["title"] != "Out of Doors":
        time.sleep(0.1)
    assert "Out of Doors" in json.loads(server.get("/api/games/outside/rules"))["html"]


def test_an_unknown_game_is_refused_with_a_suggestion(tmp_path):
    command = [sys.executable, "-m", "tablee", "serve", "skyjo", "xyloo", "--lang", "en"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "tablee: there is no game 'xyloo'; did you mean 'xylo'?\n"
    assert not list(tmp_path.iterdir())


def test_bots_that_search_play_without_it_until_their_game_is_compiled():
    compiled = set()
    pool = BotPool(Settings(), Metrics(), lambda game: game.name in compiled)
    skyjo = find_game("skyjo")
    assert [pool.playing(bot, skyjo) for bot in ("random", USUAL_BOT)] == ["random", STAND_IN]
    assert not needs_machine_code(STAND_IN)
    compiled.add("skyjo")
    assert pool.playing(USUAL_BOT, skyjo) == USUAL_BOT


@pytest.mark.parametrize(("bot", "waits"), [(STAND_IN, False), (USUAL_BOT, True)])
def test_bots_that_search_wait_for_machine_code_that_is_in_the_cache(monkeypatch, bot, waits):
    monkeypatch.setattr(bot_pool, "is_compiled", lambda game: True)
    monkeypatch.setattr(bot_pool, "POLL_SECONDS", 0.01)
    request = TableRequest("skyjo", seats=2, options={"opening": "auto"}, bots=[bot, bot], sits=False, is_open=True)
    table, looks = Played(request).table, []

    def is_loaded(game):
        looks.append(game)
        return len(looks) > 5

    async def move(self, table, seat):
        return "draw"

    monkeypatch.setattr(bot_pool.BotThreads, "move", move)
    pool = BotPool(Settings(), Metrics(), is_loaded)
    assert asyncio.run(pool.move(table, table.on_turn)) == "draw"
    assert (len(looks) > 5) == waits
    pool.close()


def test_games_in_the_cache_are_loaded_while_others_are_compiled(monkeypatch):
    skyjo, lexio, xylo = games = [find_game(name) for name in ("skyjo", "lexio", "xylo")]
    compiled, loaded, done = {"lexio"}, [], threading.Event()

    def load(game):
        assert twins.is_interpreting() is False
        loaded.append(game)
        yield

    monkeypatch.setattr(warmup, "is_compiled", lambda game: game.name in compiled)
    monkeypatch.setattr(warmup, "SERVING", replace(warmup.SERVING, run=load))
    monkeypatch.setattr(warmup, "POLL_SECONDS", 0.01)
    loader = warmup.GameLoader(games)
    loader.when_loaded = done.set
    loader.start()
    try:
        while not loader.is_loaded(lexio):
            time.sleep(0.01)
        assert twins.is_interpreting(), "others are still compiled"
        assert (loaded, loader.is_loaded(skyjo), done.is_set()) == ([lexio], False, False)
        compiled |= {"skyjo", "xylo"}
        assert done.wait(60)
        assert (sorted(game.name for game in loaded), loader.is_loaded(xylo)) == (["lexio", "skyjo", "xylo"], True)
        assert not twins.is_interpreting()
    finally:
        loader.stop()


def test_what_is_opened_is_compiled_next(tmp_path, monkeypatch):
    monkeypatch.setattr(warmup, "cache_folder", lambda: tmp_path)
    skyjo, lexio, xylo = games = [find_game(name) for name in ("skyjo", "lexio", "xylo")]
    monkeypatch.setattr(warmup, "is_compiled", lambda game: False)
    monkeypatch.setattr(warmup, "warm", lambda game, plan, show: deque(plan.run(game)))
    steps = []

    def exercise(game):
        for step in range(warmup.SERVING.steps):
            steps.append(game)
            if game is lexio and step == 1:
                warmup.request(xylo)
            yield

    monkeypatch.setattr(warmup, "SERVING", replace(warmup.SERVING, run=exercise))
    order = warmup.compile_games(games, lambda game: nullcontext(lambda done, steps: None))
    assert next(order) == (skyjo, "")
    assert warmup.compiled_share(skyjo) == 0  # the file of its progress is gone
    assert [game for game, _ in order] == [xylo, lexio]
    assert steps[warmup.SERVING.steps :][:3] == [lexio, lexio, xylo]  # it did not wait until another game was done
