"""The server's bots: threads whose decisions are measured and whose failures are logged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from tablee.bots.confinement import landlock_version
from tablee.bots.external import listed
from tablee.bots.roster import needs_machine_code
from tablee.core.game import Game
from tablee.server.logs import incident, log
from tablee.server.metrics import Metrics
from tablee.server.settings import Settings
from tablee.server.turns import FairTurns
from tablee.server.warmup import is_compiled
from tablee.tables.bot_threads import BotThreads
from tablee.tables.table import STAND_IN, Table

POLL_SECONDS = 0.5  # between two looks whether a game is compiled


class BotPool(BotThreads):
    """Bots of all tables of this process."""

    def __init__(
        self, settings: Settings, metrics: Metrics, is_loaded: Callable[[Game], bool] = lambda game: True
    ) -> None:
        super().__init__(settings.bot_seconds, settings.bot_threads)
        self._metrics = metrics
        self._turns = FairTurns(settings.bot_threads)
        self._is_loaded = is_loaded
        if listed() and not landlock_version():
            log("external bots are not confined: the kernel has no Landlock", logging.WARNING)

    def playing(self, bot: str, game: Game) -> str:
        """Return the bot itself, or while the game is interpreted one that neither searches nor has a network."""
        return bot if self._is_loaded(game) or not needs_machine_code(bot) else STAND_IN

    async def move(self, table: Table, seat: int) -> str:
        """Return the move of the bot in the seat on turn; people take turns, however many tables each of them has."""
        assert table.match is not None
        game, bot = table.match.game, table.seats[seat].bot or STAND_IN
        if not self._is_loaded(game) and (table.created.day or (needs_machine_code(bot) and is_compiled(game))):
            await self._until_loaded(game)
        with self._metrics.bots_thinking.track_inprogress():
            async with self._turns.turn(_beneficiary(table)):
                return await super().move(table, seat)

    async def _until_loaded(self, game: Game) -> None:
        """Wait until a game is compiled, which takes seconds if its machine code is in the cache.

        Otherwise only on the deal of a day, where everybody meets the same bots, which search.
        """
        while not self._is_loaded(game):
            await asyncio.sleep(POLL_SECONDS)

    def failed(self, bot: str, game: str, reason: str) -> None:
        """Log that a bot failed."""
        incident(f"bot {bot} fails at {game}", logging.ERROR, why=reason)

    def took(self, bot: str, seconds: float) -> None:
        """Measure a decision."""
        self._metrics.bot_seconds.labels(bot).observe(seconds)


def _beneficiary(table: Table) -> str:
    """Return the key by which bots take turns: the first person of a table; all tables without people are one."""
    return next((seat.person for seat in table.seats if seat.is_persons), "")
