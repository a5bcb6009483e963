"""Bots at tables: they get the sight of their seat, in a worker thread, and a limited time."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from concurrent.futures import ThreadPoolExecutor

from tablee.bots.external import BotError
from tablee.bots.roster import dismiss, make_bot
from tablee.bots.simple import RandomBot
from tablee.core.sight import Sight
from tablee.server.logs import log
from tablee.server.metrics import Metrics
from tablee.server.settings import Settings
from tablee.tables.table import STAND_IN, Table

GRACE = 4.0  # times its seconds after which a bot is not waited for any more


class BotPool:
    """The threads in which bots think."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self._seconds = settings.bot_seconds
        self._measures = metrics
        self._threads = ThreadPoolExecutor(settings.bot_threads, thread_name_prefix="bot")

    async def move(self, table: Table, seat: int) -> str:
        """Return the move of the bot in the seat on turn; one that fails or never ends is replaced by chance."""
        match = table.match
        assert match is not None
        bot = table.seats[seat].bot or STAND_IN
        sight, moves, seed = match.sight(seat), match.legal_moves(), bot_seed(table, seat)
        begun = time.monotonic()
        deciding = asyncio.get_running_loop().run_in_executor(self._threads, self._decide, bot, sight, moves, seed)
        try:
            chosen = await asyncio.wait_for(deciding, self._seconds * GRACE + 1)
        except Exception as why:  # a game's policy may raise anything, and the table must go on
            reason = str(why) if isinstance(why, BotError) else type(why).__name__
            log("bot failed", logging.ERROR, bot=bot, game=match.game.name, why=reason)
            chosen = RandomBot(seed).decide(sight, moves).move
        self._measures.bot_seconds.labels(bot).observe(time.monotonic() - begun)
        return match.text(chosen)

    def _decide(self, name: str, sight: Sight, moves: list[int], seed: int) -> int:
        bot = make_bot(name, sight.game, seed, self._seconds)
        try:
            return bot.decide(sight, moves).move
        finally:
            dismiss(bot)

    def close(self) -> None:
        """Wait for nobody."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def bot_seed(table: Table, seat: int) -> int:
    """Return a bot's own chance: secret like the deal's, and known after the end, so that its moves can be checked."""
    return int(hashlib.sha256(f"{table.created.seed} bot {seat}".encode()).hexdigest(), 16)
