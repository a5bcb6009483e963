"""Bots at tables: each gets the sight of its seat, in a worker thread, and a limited time."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor

from tablee.bots.external import BotError
from tablee.bots.roster import FALLBACK_BOT, dismiss, known_names, make_bot, plays
from tablee.bots.simple import RandomBot
from tablee.core.game import Game
from tablee.core.sight import Sight
from tablee.tables.table import STAND_IN, Table

PATIENCE = 4.0  # times its seconds after which a bot's move is no longer waited for

log = logging.getLogger(__name__)


class BotThreads:
    """Threads in which bots choose moves; `seconds` bounds one decision."""

    def __init__(self, seconds: float, threads: int = 1) -> None:
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="bot")

    def names(self) -> Collection[str]:
        """Return the names of the bots of the roster and of the settings."""
        return known_names()

    async def move(self, table: Table, seat: int) -> str:
        """Return the move of the bot in the seat on turn; that of another if it fails or takes too long."""
        match = table.match
        assert match is not None
        bot = self.playing(table.seats[seat].bot or STAND_IN, match.game)
        sight, moves, seed = match.sight(seat), match.legal_moves(), self.seed(table, seat)
        seconds = None if table.created.day else self._seconds  # on a daily deal a busy machine must change no move
        patience = None if seconds is None else seconds * PATIENCE + 1
        begun, loop = time.monotonic(), asyncio.get_running_loop()
        deciding = loop.run_in_executor(self._threads, self._decide, bot, sight, moves, seed, seconds)
        try:
            chosen = await asyncio.wait_for(deciding, patience)
        except Exception as why:  # a game's policy may raise anything, and the table must go on
            reason = str(why) if isinstance(why, BotError) else type(why).__name__
            self.failed(bot, match.game.name, reason)
            chosen = self._decide_at_once(sight, moves, seed)
        self.took(bot, time.monotonic() - begun)
        return match.text(chosen)

    def _decide_at_once(self, sight: Sight, moves: list[int], seed: int) -> int:
        """Return a move without waiting for a thread: the network's, or a random one where there is none to ask."""
        game = sight.game
        if plays(FALLBACK_BOT, game) and self.playing(FALLBACK_BOT, game) == FALLBACK_BOT:
            try:
                return make_bot(FALLBACK_BOT, game, seed).decide(sight, moves).move
            except Exception as why:  # as above
                self.failed(FALLBACK_BOT, game.name, str(why))
        return RandomBot(seed).decide(sight, moves).move

    def playing(self, bot: str, game: Game) -> str:
        """Return the bot that plays for one that has a seat: itself; overridden where it may have to wait."""
        return bot

    def seed(self, table: Table, seat: int) -> int:
        """Return the seed of the bot in a seat."""
        return bot_seed(table, seat)

    def _decide(self, name: str, sight: Sight, moves: list[int], seed: int, seconds: float | None) -> int:
        bot = make_bot(name, sight.game, seed, seconds)
        try:
            return bot.decide(sight, moves).move
        finally:
            dismiss(bot)

    def failed(self, bot: str, game: str, reason: str) -> None:
        """Report that a bot failed; overridden where failures are logged otherwise."""
        log.error("bot %s failed at %s: %s", bot, game, reason)

    def took(self, bot: str, seconds: float) -> None:
        """Report the time of a decision; overridden where it is measured."""

    def close(self) -> None:
        """Stop without waiting for decisions under way."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def bot_seed(table: Table, seat: int) -> int:
    """Return the seed of a bot: secret like the deal's until the end, so that its moves can be checked afterwards."""
    return int(hashlib.sha256(f"{table.created.seed} bot {seat}".encode()).hexdigest(), 16)
