"""A table in memory without server or database: ordered execution, watchers, bots, clock, log."""

import asyncio
import gc
import random
import time
import weakref

import pytest

from clocks import Clocks
from tablee.bots.roster import NAMES
from tablee.core.errors import TableeError
from tablee.core.match import Match
from tablee.core.randomness import secret_seed
from tablee.tables.bot_threads import BotThreads
from tablee.tables.commands import Actor, Claim, Pause, Play, ProposeEnd, Rematch, Resume, SeatBot
from tablee.tables.creation import Secrets, TableRequest, new_table, rematch_table
from tablee.tables.evolution import rebuild_table
from tablee.tables.forks import continue_match
from tablee.tables.live import MAX_RECENT_STEPS, LiveTable, MemoryJournal
from tablee.tables.log import build_log
from tablee.tables.presentation import table_shown
from tablee.tables.refusals import Refused

CLOCK = 1000  # seconds; so long that it does not matter how long a test takes
ANA, BEN = Actor("p1", "Ana"), Actor("p2", "Ben")


class Screen:
    """A watcher that waits for changes."""

    def __init__(self):
        self.changed = asyncio.Event()

    def wake(self, table_id):
        self.changed.set()

    async def until(self, is_true):
        async with asyncio.timeout(120):
            while not is_true():
                self.changed.clear()
                await self.changed.wait()


def opened(**request):
    options = {"game": "skyjo", "seats": 2, "options": {"opening": "auto"}, **request}
    return new_table("local", TableRequest(**options), Secrets(secret_seed(), "invite"), ANA, time.time(), NAMES)


async def live_table(journal=None, **request):
    bots = BotThreads(seconds=1.0)
    live = await LiveTable.create(opened(**request), journal or MemoryJournal(), bots)
    screen = Screen()
    live.watchers.add(screen)
    return live, screen, bots


def first_choice(live, viewer=0):
    shown = table_shown(live.table, viewer, "en")
    return Play(shown.view.choices[0].text, shown.number)


def run(scenario):
    """Run a scenario with a table; close what it leaves."""

    async def main():
        live, bots = await scenario()
        await live.close()
        bots.close()

    asyncio.run(main())


def test_a_person_and_a_bot_play_a_whole_game_in_one_process():
    async def scenario():
        live, screen, bots = await live_table(bots=["random"], rest=0)
        for _ in range(30):
            await screen.until(lambda: live.table.phase == "over" or live.table.on_turn == 0)
            if live.table.phase == "over":
                break
            await live.execute(first_choice(live), ANA)
        log = (await live.log(0, "en")).page(1000)
        assert log == build_log("local", await live._journal.events("local"), 0, "en").page(1000)
        assert {line.move for line in log.lines} - {None} == set(range(1, live.table.moves + 1))
        if live.table.phase != "over":
            await live.execute(ProposeEnd(), ANA)
        assert live.table.phase == "over"
        stored = await live._journal.events("local")
        assert rebuild_table("local", stored).match.digest() == live.table.match.digest()
        return live, bots

    run(scenario)


def test_commands_issued_at_once_are_executed_in_order():
    async def scenario():
        live, _, bots = await live_table(seats=4)
        actors = [Actor(f"q{number}", f"Person {number}") for number in range(6)]
        results = await asyncio.gather(
            *(live.execute(Claim(None, "invite"), actor) for actor in actors), return_exceptions=True
        )
        refused = [result for result in results if isinstance(result, Refused)]
        assert [result.code for result in refused] == ["table_full"] * 3
        assert sorted(result for result in results if isinstance(result, int)) == [3, 4, 5]
        assert live.table.phase == "playing"
        return live, bots

    run(scenario)


def test_a_command_with_a_known_key_is_not_repeated():
    async def scenario():
        live, _, bots = await live_table(seats=3)
        actor = Actor(BEN.person, BEN.name, key="p2/1")
        numbers = [await live.execute(Claim(None, "invite"), actor) for _ in range(3)]
        assert numbers == [3, 3, 3]
        return live, bots

    run(scenario)


class FailingJournal(MemoryJournal):
    """Stores what it is given, but fails to say so once."""

    fails = False

    async def append(self, number, steps, *others):
        is_stored = await super().append(number, steps, *others)
        if self.fails:
            self.fails = False
            raise TableeError("the disk is full, perhaps")
        return is_stored


def test_after_a_failed_append_the_journal_decides_what_happened():
    async def scenario():
        journal = FailingJournal()
        live, _, bots = await live_table(journal, seats=3)
        journal.fails = True
        actor = Actor(BEN.person, BEN.name, key="p2/1")
        with pytest.raises(TableeError):
            await live.execute(Claim(None, "invite"), actor)
        assert live.table.seat_of(BEN.person) is None
        assert await live.execute(Claim(None, "invite"), actor) == 3
        assert live.table.seat_of(BEN.person) == 1
        return live, bots

    run(scenario)


def test_what_another_process_appends_is_read():
    async def scenario():
        journal = MemoryJournal()
        live, _, bots = await live_table(journal, seats=3)
        other = LiveTable(live.steps, journal, bots)
        await other.execute(Claim(None, "invite"), BEN)
        assert (await live.log(0, "en")).number == live.table.number < other.table.number
        assert await live.execute(SeatBot(2, "random"), ANA) == 4  # after it
        await other.refresh()
        assert other.table.number == live.table.number
        await other.close()
        return live, bots

    run(scenario)


def test_a_rematch_is_stored_with_the_table_it_comes_from():
    async def scenario():
        journal = MemoryJournal()
        live, _, bots = await live_table(journal, bots=["random"])
        await live.execute(ProposeEnd(), ANA)
        new = rematch_table("again", live.table, Secrets(1, "invite"), ANA.person, time.time())
        await live.execute(Rematch("again"), ANA, new)
        assert live.table.rematch == "again"
        assert rebuild_table("again", await journal.events("again")).phase == "playing"
        return live, bots

    run(scenario)


def test_a_log_that_lags_too_far_behind_is_made_again():
    async def scenario():
        live, _, bots = await live_table(bots=["random"])
        before = (await live.log(-1, "fr")).number
        for _ in range(MAX_RECENT_STEPS):
            await live.execute(Pause(), ANA)
            await live.execute(Resume(), ANA)
        log = await live.log(-1, "fr")
        assert log.number == live.table.number > before + MAX_RECENT_STEPS
        assert log.page(1000) == build_log("local", await live._journal.events("local"), -1, "fr").page(1000)
        return live, bots

    run(scenario)


class SilentBots(BotThreads):
    """Bots that never answer."""

    async def move(self, table, seat):
        await asyncio.Event().wait()


def test_closing_stops_bots_that_are_thinking():
    async def scenario():
        bots = SilentBots(seconds=1.0)
        live = await LiveTable.create(opened(bots=["random", "random"], sits=False), MemoryJournal(), bots)
        await asyncio.sleep(0)
        assert not live.is_idle
        return live, bots

    run(scenario)


# Memory


def test_a_trimmed_table_makes_again_what_it_has_dropped():
    async def scenario():
        live, screen, bots = await live_table(seats=2)
        await live.execute(Claim(None, "invite"), BEN)
        actors = {0: ANA, 1: BEN}
        for _ in range(4):
            await live.execute(first_choice(live, live.table.on_turn), actors[live.table.on_turn])
        page = (await live.log(0, "en")).page(1000)
        shown = table_shown(live.table, 0, "en")
        live.trim()
        assert (len(live.steps), live._logs, live.table.sights, live.table.early) == (1, {}, {}, {})
        assert live.steps_after(live.table.number) == []
        assert live.steps_after(live.table.number - 2) is None  # a watcher who missed more gets the whole table
        assert table_shown(live.table, 0, "en") == shown
        assert (await live.log(0, "en")).page(1000) == page
        screen.changed.clear()
        live.trim()
        await live.execute(first_choice(live, live.table.on_turn), actors[live.table.on_turn])
        assert screen.changed.is_set()
        assert live.lines(live.steps[-1], 0, "en") == (await live.log(0, "en")).page(1000).lines[-1:]
        return live, bots

    run(scenario)


def test_only_the_last_two_positions_keep_sights_and_a_watcher_who_lags_behind_is_told_the_same():
    async def scenario():
        live, _, bots = await live_table(seats=2)
        await live.execute(Claim(None, "invite"), BEN)
        actors, told, first = {0: ANA, 1: BEN}, [], live.table.number
        for _ in range(6):
            await live.execute(first_choice(live, live.table.on_turn), actors[live.table.on_turn])
            told.append([live.lines(live.steps[-1], viewer, "en") for viewer in (-1, 0, 1)])
        *earlier, _, last = live.steps_after(first)
        assert last.table.sights
        assert last.table.sights_before
        assert not any(step.table.sights or step.table.sights_before for step in earlier[:-1])
        again = [[live.lines(step, viewer, "en") for viewer in (-1, 0, 1)] for step in live.steps_after(first)]
        assert again == told
        return live, bots

    run(scenario)


def test_a_closed_table_is_freed_without_the_garbage_collector():
    async def scenario():
        live, _, bots = await live_table(clock=60, bots=["random"])
        await live.execute(Pause(), ANA)
        await live.execute(Resume(), ANA)
        await live.close()
        bots.close()
        await asyncio.sleep(0)
        return weakref.ref(live)

    gc.disable()
    try:
        assert asyncio.run(scenario())() is None
    finally:
        gc.enable()


# Clock and rest


@pytest.fixture
def clocks(monkeypatch):
    return Clocks(monkeypatch)


async def seated(journal=None, **request):
    """A table of two people with a clock; nobody plays."""
    live, screen, bots = await live_table(journal, clock=CLOCK, **request)
    await live.execute(Claim(None, "invite"), BEN)
    return live, screen, bots


def is_covered(live):
    return any(seat.is_covered for seat in live.table.seats)


def run_with(clocks, scenario):
    async def main():
        live, bots = await scenario()
        await live.close()
        bots.close()

    clocks.run(main())


@pytest.mark.parametrize("seconds", [-300, -3600, 400, 3600])
def test_a_clock_runs_out_in_its_time_however_the_wall_clock_is_set(clocks, seconds):
    async def scenario():
        live, _, bots = await seated()
        await clocks.wait(CLOCK / 2)
        clocks.set_wall(seconds)
        await live.execute(ProposeEnd(), ANA)  # any event: the alarm is set again
        await clocks.wait(CLOCK / 2 - 200)
        await asyncio.sleep(0.02)
        assert not is_covered(live)
        await clocks.wait(201)
        await clocks.until(lambda: is_covered(live), seconds=0)
        return live, bots

    run_with(clocks, scenario)


def test_a_clock_runs_out_although_the_wall_clock_says_that_time_is_left(clocks):
    async def scenario():
        live, _, bots = await seated()
        clocks.set_wall(-300)
        await clocks.wait(CLOCK + 1)
        await clocks.until(lambda: is_covered(live), seconds=0)
        return live, bots

    run_with(clocks, scenario)


def test_every_turn_has_its_whole_clock_after_the_wall_clock_went_back(clocks):
    async def scenario():
        live, _, bots = await seated(rest=None)
        clocks.set_wall(-3600)
        actors = {0: ANA, 1: BEN}
        for _ in range(3):
            await clocks.wait(CLOCK - 200)
            await live.execute(first_choice(live, live.table.on_turn), actors[live.table.on_turn])
        await clocks.wait(CLOCK - 200)
        await asyncio.sleep(0.02)
        assert not is_covered(live)
        await clocks.wait(201)
        await clocks.until(lambda: is_covered(live), seconds=0)
        events = await live._journal.events("local")
        assert [event.at for event in events] == sorted(event.at for event in events)
        return live, bots

    run_with(clocks, scenario)


@pytest.mark.parametrize("seconds", [-3600, 3600])
def test_setting_the_wall_clock_takes_nothing_from_what_people_have_left_to_think(clocks, seconds):
    async def scenario():
        live, _, bots = await seated(rest=None)
        seat, begun = live.table.on_turn, live.table.at
        await clocks.wait(20)
        clocks.set_wall(seconds)
        await clocks.wait(5)
        await live.execute(first_choice(live, seat), {0: ANA, 1: BEN}[seat])
        assert 25 <= live.table.at - begun < 1000
        assert live.table.deadline - live.table.at == pytest.approx(CLOCK)
        return live, bots

    run_with(clocks, scenario)


class AbsentJournal(MemoryJournal):
    """A journal that is away for a while."""

    is_away = False
    refused = 0

    async def append(self, number, steps, *others):
        if self.is_away:
            self.refused += 1
            raise TableeError("the database does not answer")
        return await super().append(number, steps, *others)


def test_a_clock_that_runs_out_while_the_database_is_away_goes_on_when_it_is_back(clocks):
    async def scenario():
        journal = AbsentJournal()
        live, _, bots = await seated(journal)
        journal.is_away = True
        await clocks.wait(CLOCK + 1)
        await clocks.until(lambda: journal.refused >= 3)
        assert not is_covered(live)
        journal.is_away = False
        await clocks.until(lambda: is_covered(live))
        return live, bots

    run_with(clocks, scenario)


class OverwrittenJournal(MemoryJournal):
    """A journal in which another process is always faster."""

    is_overwritten = False
    refused = 0

    async def append(self, number, steps, *others):
        self.refused += self.is_overwritten
        return False if self.is_overwritten else await super().append(number, steps, *others)


def test_a_clock_whose_end_is_refused_tries_again(clocks):
    async def scenario():
        journal = OverwrittenJournal()
        live, _, bots = await seated(journal)
        journal.is_overwritten = True
        await clocks.wait(CLOCK + 1)
        await clocks.until(lambda: journal.refused >= 5)
        assert not is_covered(live)
        journal.is_overwritten = False
        await clocks.until(lambda: is_covered(live))
        return live, bots

    run_with(clocks, scenario)


@pytest.mark.parametrize("seconds", [0, -3600])
def test_a_clock_goes_on_after_a_restart(clocks, seconds):
    async def scenario():
        live, _, bots = await seated()
        await live.close()
        clocks.set_wall(seconds)
        again = LiveTable(live.steps, live._journal, bots)
        await clocks.wait(CLOCK + 1)
        await clocks.until(lambda: is_covered(again), seconds=0)
        return again, bots

    run_with(clocks, scenario)


def end_of_a_round():
    """Return a match of two people, and the move that ends its first round."""
    match, generator = Match("skyjo", seats=2, seed=0, options={"opening": "auto"}), random.Random(0)
    while True:
        move = generator.choice(match.legal_moves())
        before = match.copy()
        match.push(move)
        if match.finished_rounds():
            assert not match.is_over
            return before, move


def test_a_rest_ends_in_its_time_after_the_wall_clock_went_back(clocks):
    async def scenario():
        bots, (match, move) = BotThreads(seconds=1.0), end_of_a_round()
        people = [(0, ANA), (1, BEN)]
        table = continue_match("local", match, people, Secrets(7, "invite"), time.time(), rest=CLOCK)
        live = await LiveTable.create(table, MemoryJournal(), bots)
        await live.execute(Play(match.text(move), live.table.number), people[match.to_move][1])
        assert live.table.phase == "resting"
        clocks.set_wall(-3600)
        await clocks.wait(CLOCK - 200)
        await asyncio.sleep(0.02)
        assert live.table.phase == "resting"
        await clocks.wait(201)
        await clocks.until(lambda: live.table.phase == "playing", seconds=0)
        return live, bots

    run_with(clocks, scenario)
