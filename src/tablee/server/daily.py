"""Daily tables on a server: begun once per person, played by bots in the background, compared when they have ended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from functools import partial

import msgspec

from tablee.bots.roster import NAMES, pin, version_of
from tablee.core.game import Game
from tablee.core.registry import find_game
from tablee.server.identity import Person
from tablee.server.live_table import ServedTable
from tablee.server.logs import describe_exception, incident
from tablee.server.registry import TableRegistry, new_id
from tablee.storage.daily import DailyStore, DailyTry, StoredDeal
from tablee.tables.commands import TABLE_ITSELF, BotPlay
from tablee.tables.creation import bots_table, daily_table, practice_table
from tablee.tables.daily import DailyDeal, daily_seed
from tablee.tables.days import day_of
from tablee.tables.decisions import decide
from tablee.tables.refusals import Refused
from tablee.tables.table import OVER, Table

SECRET = "daily_secret"  # the name of the secret in the database


class DailyTables:
    """The deals of all days, and people's tries at them."""

    def __init__(self, registry: TableRegistry, levels: Sequence[str] = NAMES) -> None:
        version_of(registry.settings.daily_bot)  # raises TableeError if there is no such bot
        self.store: DailyStore = registry.daily
        self.levels = levels  # bots that play each deal for comparison
        self._registry = registry
        self._secret = registry.store.secret(SECRET)
        self._playing = asyncio.Lock()  # one deal at a time is played by bots
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}  # by day and game

    @property
    def today(self) -> str:
        """The day whose tables can be begun."""
        return day_of(self._registry.clock())

    async def deal(self, day: str, game: Game) -> DailyDeal:
        """Return the deal of a day: as it was played, or as it is going to be."""
        stored = await self.store.deal(day, game.name)
        if stored is not None:
            return DailyDeal(day, game.name, int(stored.seed, 16), _names(stored.bots))
        bots = (self._registry.settings.daily_bot,) * (game.usual_seats - 1)
        return DailyDeal(day, game.name, daily_seed(self._secret, day, game.name), bots)

    def is_opened(self, deal: DailyDeal) -> bool:
        """Whether the seed of a deal is public."""
        return deal.is_opened(self._registry.clock())

    # Tries

    async def begin(self, game: Game, person: Person) -> ServedTable:
        """Open a person's try of today, or make it; raises `Refused` after its end."""
        day = self.today
        own = await self.store.find(person.id, day, game.name)
        if own is None:
            await self._registry.check_table_limit(person)
            deal = await self._pinned(day, game)
            own = await self.store.begin(DailyTry(person.id, day, game.name, new_id()))
        else:
            deal = await self.deal(day, game)
        if own.ended_at is not None:
            raise Refused("played_today")
        live = await self._registry.open_or_make(own.table_id, partial(daily_table, own.table_id, deal), person)
        if live.table.phase == OVER:
            raise Refused("played_today")
        return live

    async def practise(self, day: str, game: Game, person: Person) -> ServedTable:
        """Make a table for practice on a deal that the person has played, or that is opened."""
        deal = await self.deal(day, game)
        own = await self.store.find(person.id, day, game.name)
        has_played = own is not None and own.ended_at is not None
        if not has_played and not self.is_opened(deal):
            raise Refused("not_played")
        await self._registry.check_table_limit(person)
        table_id = new_id()
        return await self._registry.open_or_make(table_id, partial(practice_table, table_id, deal), person)

    async def _pinned(self, day: str, game: Game) -> DailyDeal:
        """Return the deal of a day, with rules and bots as they were when it was first played."""
        deal = await self.deal(day, game)
        pins = _pins(deal, game)
        await self.store.save_deal(StoredDeal(day, game.name, f"{deal.seed:064x}", game.version, pins))
        if not await self._is_unchanged(deal, game):
            raise Refused("outdated", "daily_changed")
        return deal

    async def _is_unchanged(self, deal: DailyDeal, game: Game) -> bool:
        stored = await self.store.deal(deal.day, game.name)
        return stored is not None and (stored.version, stored.bots) == (game.version, _pins(deal, game))

    # Bots

    def play_with_bots(self, deal: DailyDeal) -> None:
        """Let each level play a deal in the background, unless it has, or is doing so."""
        key = (deal.day, deal.game)
        if key not in self._tasks:
            task = self._tasks[key] = asyncio.create_task(self._play_levels(deal))
            task.add_done_callback(lambda _: self._tasks.pop(key))

    async def _play_levels(self, deal: DailyDeal) -> None:
        try:
            if not await self._is_unchanged(deal, find_game(deal.game)):
                return
            done = await self.store.bots(deal.day, deal.game)
            async with self._playing:
                for level in self.levels:
                    if level not in done:
                        await self._play_level(deal, level)
        except Exception as error:
            incident("daily bots fail", logging.ERROR, game=deal.game, **describe_exception(error))

    async def _play_level(self, deal: DailyDeal, level: str) -> None:
        table = bots_table(new_id(), deal, level).table
        while table.phase != OVER:
            table = await self._bot_move(table)
        assert table.match is not None
        outcome = table.match.outcome
        assert outcome is not None
        await self.store.save_bot(deal.day, deal.game, level, outcome.ranks[0], outcome.scores[0])

    async def _bot_move(self, table: Table) -> Table:
        seat = table.on_turn
        assert seat is not None
        move = await self._registry.bot_pool.move(table, seat)
        return decide(table, BotPlay(seat, move, table.number), TABLE_ITSELF, table.at)[-1].table

    async def stop(self) -> None:
        """Give up what bots are playing; it is begun again when it is asked for."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _pins(deal: DailyDeal, game: Game) -> str:
    return msgspec.json.encode([pin(bot, game) for bot in deal.bots]).decode()


def _names(pins: str) -> tuple[str, ...]:
    return tuple(each["name"] for each in msgspec.json.decode(pins))
