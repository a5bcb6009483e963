"""Every game in plain lines, to its end. Compiled, each game in the process that has compiled it (Makefile)."""

import asyncio
import random
import re

import pytest

from tablee import all_games
from tablee.bots.roster import NAMES, TRAINED_NAMES
from tablee.core.languages import languages
from tablee.server.warmup import SERVING
from tablee.tables.warmup import TABLE_STEPS, exercise_table
from tablee.terminal.local_host import LocalHost
from tablee.terminal.plain import PlainFrontEnd
from tablee.terminal.play_settings import PlaySettings
from test_plain import Script


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_every_game_in_every_language_to_its_end(game, language, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    smallest = next(setup for setup in game.setups() if setup.options == game.setup().options)
    settings = PlaySettings(game, smallest, language, seed=5)
    host, chooser, script = LocalHost(settings, bot_pause=0), random.Random(5), Script()

    async def read():
        return chooser.choice(host.table.view.choices).text if host.table.phase == "playing" else ""

    asyncio.run(PlainFrontEnd(host, read, script.written.append).run())
    assert game.words(language).say(f"reasons.{host.match.outcome.reason}") in script.output
    assert not re.findall(r".*(?:[{}]|\bNone\b).*", script.output)


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_everything_that_a_server_compiles(game):
    """Browser tests start a server each; they then find all kernels in the cache."""
    bots = NAMES[:2]
    assert len(list(exercise_table(game, bots))) == TABLE_STEPS + len(bots)
    assert SERVING.steps == TABLE_STEPS + len((*NAMES, *TRAINED_NAMES))
