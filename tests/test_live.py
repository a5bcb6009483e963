"""A table in memory without server or database: ordered execution, watchers, bots, clock, log."""

import asyncio
import time

import pytest

from tablee.bots.roster import NAMES
from tablee.core.errors import TableeError
from tablee.core.randomness import secret_seed
from tablee.tables.bot_threads import BotThreads
from tablee.tables.commands import Actor, Claim, Pause, Play, ProposeEnd, Rematch, Resume, SeatBot
from tablee.tables.creation import Secrets, TableRequest, new_table, rematch_table
from tablee.tables.live import MAX_RECENT_STEPS, LiveTable, MemoryJournal
from tablee.tables.log import build_log
from tablee.tables.presentation import table_shown
from tablee.tables.refusals import Refused
from tablee.tables.table import rebuild_table

ANA, BEN = Actor("p1", "Ana"), Actor("p2", "Ben")


class Screen:
    """A watcher that waits for changes."""

    def __init__(self):
        self.changed = asyncio.Event()

    def wake(self, table_id):
        self.changed.set()

    async def until(self, is_true):
        async with asyncio.timeout(60):
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
        new = rematch_table("again", live.table, Secrets(1, "invite"), time.time())
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
