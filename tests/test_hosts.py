"""One set of scenarios, run against both hosts: a table in this process and a table on a real server.

Both are dealt the same cards, and their bots play the first legal move when they are allowed to. What a host shows
after each step is kept and compared: board, prompt, log, and the commands that are offered.
"""

import asyncio
import json
import threading
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import msgspec
import pytest

from server_process import Guest, serving
from tablee import Record, find_game
from tablee.bots.bot import Decision
from tablee.terminal.addresses import Address, ServerClient
from tablee.terminal.display import waits_for_bot
from tablee.terminal.hosts import Host
from tablee.terminal.local_host import LocalHost
from tablee.terminal.play_settings import PlaySettings
from tablee.terminal.server_host import ServerHost
from terminals import SHORT, TIMEOUT

pytestmark = pytest.mark.surface

SEED = 3
KINDS = ("local", "server")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server whose bots may think for as long as a scenario holds them back."""
    with serving(tmp_path_factory.mktemp("server") / "tables.db", bot_seconds=1e6) as running_server:
        yield running_server


@pytest.fixture
def gate(monkeypatch):
    """Bots play the first legal move, as soon as this event is set."""
    event = threading.Event()
    event.set()

    def decide(self, sight, moves):
        assert event.wait(TIMEOUT)
        return Decision(moves[0])

    monkeypatch.setattr("tablee.bots.simple.RandomBot.decide", decide)
    monkeypatch.setattr("tablee.bots.simple.GreedyBot.decide", decide)  # plays for those who leave
    yield event
    event.set()


@pytest.fixture(autouse=True)
def _same_deals(tmp_path, monkeypatch):
    """The server deals as a local table with this seed does; a rematch has the next seed."""
    monkeypatch.chdir(tmp_path)
    seeds = count(SEED)
    monkeypatch.setattr("tablee.server.registry.secret_seed", lambda: next(seeds))


@dataclass
class Stage:
    """A host under test, and what it has shown."""

    host: Host
    gate: threading.Event
    shown: list[str] = field(default_factory=list)

    @property
    def table(self):
        return self.host.table

    @property
    def commands(self):
        return set(self.host.display().commands) - {"say"}

    @property
    def log(self):
        return [line.text for line in self.host.log]

    async def until(self, condition=lambda table: True):
        """Wait until the table fulfils a condition and, unless bots are held back, has no bot on turn.

        What is shown then is kept.
        """
        async with asyncio.timeout(TIMEOUT):
            while self.table is None or not condition(self.table) or not self._is_settled():
                await asyncio.sleep(0.005)
        self.shown.append(snapshot(self.host))

    def _is_settled(self):
        return not self.gate.is_set() or is_waiting_for_player(self.table)

    async def play(self, text):
        """Play a move that must be accepted; wait until it is shown."""
        moves = self.table.moves
        assert await self.host.play(text) == ""
        await self.until(lambda table: table.moves > moves)

    async def command(self, name, condition):
        """Execute a command that must be offered and accepted; wait until its effect is shown."""
        assert name in self.commands
        assert await self.host.command(name) == ""
        await self.until(condition)


def is_waiting_for_player(table):
    """Whether no bot is on turn."""
    return table.phase != "playing" or not (waits_for_bot(table) or table.is_early)


def snapshot(host):
    """What a host shows, as JSON that can be compared; bots have other names on a server."""
    table, display = host.table, host.display()
    content = {
        "phase": table.phase,
        "viewer": table.viewer,
        "moves": table.moves,
        "view": table.view,
        "early": [table.is_early, table.queued],
        "commands": [command for command in display.commands if command != "say"],
        "notice": display.notice,
        "result": display.result,
        "log": [line.text for line in host.log],
    }
    text = msgspec.json.encode(content).decode()
    for seat in table.seats:
        if seat.bot:
            text = text.replace(seat.name, "BOT")
    return text


@asynccontextmanager
async def local_host(game, seats, options):
    settings = PlaySettings(game, game.setup(seats, options), "en", bots=("random",), name="Ana", seed=SEED)
    yield LocalHost(settings, bot_pause=0)


@asynccontextmanager
async def server_host(server, game, seats, options):
    ana = Guest(server.url, "Ana")
    request = {"seats": seats, "options": options, "bots": ["random"] * (seats - 1), "rest": 0}
    table = await asyncio.to_thread(lambda: ana.create(game.name, **request))
    address = Address(server.url, table["id"], table["invite"])
    client = ServerClient(address)
    client.cookie = ana.cookie
    yield ServerHost(address, client, "en", sits=True)
    ana.close()


def perform(scenario, kind, server, gate):
    """Run a scenario against a host; return everything that it has shown."""
    name, seats, options = scenario.setup
    game = find_game(name)

    async def run():
        opened = local_host(game, seats, options) if kind == "local" else server_host(server, game, seats, options)
        async with opened as host:
            stage = Stage(host, gate)
            hosting = asyncio.create_task(host.run())
            try:
                await stage.until()
                await scenario(stage)
            finally:
                gate.set()
                await host.close()
                hosting.cancel()
                await asyncio.gather(hosting, return_exceptions=True)
            return stage.shown

    return asyncio.run(run())


def at(name, seats=2, options=None):
    """Give a scenario its game."""

    def decorate(scenario):
        scenario.setup = (name, seats, options or {})
        return scenario

    return decorate


# Scenarios


@at("skyjo", *SHORT["skyjo"])
async def a_whole_game(stage):
    while stage.table.phase != "over":
        await play_on(stage)
    assert stage.host.display().last_round.startswith("Round 2: Ana ")
    assert "The game is over." in stage.host.display().result[0]
    assert stage.commands == {"rematch"}
    record = await saved(stage)
    assert [player.kind for player in record.header.players] == ["person", "random 1"]
    assert record.replay().is_over


async def play_on(stage):
    """Play the first legal move, or begin the next round."""
    if stage.table.phase == "resting":
        await stage.command("ready", lambda table: table.phase == "playing")
    else:
        await stage.play(stage.table.view.choices[0].text)


async def saved(stage):
    """Return the record of the finished game."""
    async with asyncio.timeout(TIMEOUT):
        while not stage.host.exit_message:
            await asyncio.sleep(0.005)
    return Record.load(Path(stage.host.exit_message.split()[-1].rstrip(".")))


@at("skyjo")
async def refusals_and_explanations(stage):
    assert "(R3)" in await stage.host.play("draw")
    assert "is not a move or command" in await stage.host.play("dance")
    assert "There is no move number 99" in await stage.host.play("99")
    assert await stage.host.command("undo") == "'undo' is not possible now."
    assert await stage.host.command("resume") == "'resume' is not possible now."
    assert stage.table.moves == 0
    stage.shown.append(json.dumps(await stage.host.explain(["discard"])))
    await stage.play("flip a1")
    assert await stage.host.explain(["seat0.a1"]) == "That card lies open already (R13)"


@at("xe_queo")
async def a_move_is_undone(stage):
    stage.gate.clear()  # the bot has not moved yet
    assert "undo" not in stage.commands
    await stage.play("choose red")
    assert any("secretly chooses" in line for line in stage.log)
    await stage.command("undo", lambda table: table.moves == 1)
    assert not any("secretly chooses" in line for line in stage.log)
    assert stage.log[-1] == "Ana takes the last move back."
    await stage.play("choose pink")
    stage.gate.set()
    await stage.until(lambda table: table.moves == 3)


@at("xe_queo")
async def an_early_choice_is_made_withdrawn_and_made_again(stage):
    stage.gate.clear()
    await stage.play("choose red")
    assert stage.table.is_early
    early = stage.table.view.choices[0].text
    assert await stage.host.play(early) == ""
    await stage.until(lambda table: table.queued == early)
    assert stage.host.display().notice == f"Chosen early: {early}."
    await stage.command("withdraw", lambda table: table.queued is None)
    assert "withdraw" not in stage.commands
    assert await stage.host.play(early) == ""
    await stage.until(lambda table: table.queued == early)
    stage.gate.set()
    await stage.until(lambda table: table.moves >= 4)


@at("skyjo")
async def a_game_is_paused_and_resumed(stage):
    await stage.command("pause", lambda table: table.phase == "paused")
    assert stage.host.display().notice == "The game is paused."
    assert await stage.host.play("flip a1") == "The game is paused."
    assert stage.commands == {"resume", "stop", "leave"}
    await stage.command("resume", lambda table: table.phase == "playing")
    await stage.play("flip a1")


@at("skyjo", *SHORT["skyjo"])
async def a_table_rests_between_rounds(stage):
    while stage.table.phase != "resting":
        await play_on(stage)
    display = stage.host.display()
    assert display.view.round.number == 1
    assert display.view.choices == ()
    assert display.notice.startswith("Round 1: Ana ")
    assert display.notice.endswith("Press Enter for the next round.")
    assert stage.log[-1] == "Rest after round 1."
    assert stage.commands == {"ready", "pause", "stop", "leave"}
    assert "The round is over." in await stage.host.play("draw")
    await stage.command("ready", lambda table: table.phase == "playing")
    assert "Round 2 is dealt." in stage.log
    assert "ready" not in stage.commands
    await play_on(stage)


@at("skyjo")
async def the_end_is_proposed_and_a_rematch_opened(stage):
    await stage.command("stop", lambda table: table.phase == "over")
    assert stage.host.display().result[0] == "The game is over. Ended by agreement."
    first = stage.table.id
    assert dict((await saved(stage)).header.notes)["end"] == "agreement"
    await stage.command("rematch", lambda table: table.id != first)
    assert stage.table.viewer == 1
    await stage.play(stage.table.view.choices[0].text)


@at("skyjo", 3)
async def a_seat_is_left_and_taken_again(stage):
    stage.gate.clear()
    await stage.command("leave", lambda table: table.viewer == -1)
    assert stage.commands == {"sit"}
    assert stage.host.display().view.choices == ()
    await stage.command("sit", lambda table: table.viewer == 0)
    stage.gate.set()
    await stage.until()


SCENARIOS = (
    a_whole_game,
    refusals_and_explanations,
    a_move_is_undone,
    an_early_choice_is_made_withdrawn_and_made_again,
    a_game_is_paused_and_resumed,
    a_table_rests_between_rounds,
    the_end_is_proposed_and_a_rematch_opened,
    a_seat_is_left_and_taken_again,
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_scenario(scenario, kind, server, gate):
    perform(scenario, kind, server, gate)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_both_hosts_show_the_same(scenario, server, gate):
    local, remote = (perform(scenario, kind, server, gate) for kind in KINDS)
    assert [*map(json.loads, local)] == [*map(json.loads, remote)]
