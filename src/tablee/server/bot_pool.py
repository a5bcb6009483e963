"""The server's bots: threads whose decisions are measured and whose failures are logged."""

from __future__ import annotations

import logging

from tablee.server.logs import log
from tablee.server.metrics import Metrics
from tablee.server.settings import Settings
from tablee.tables.bot_threads import BotThreads


class BotPool(BotThreads):
    """Bots of all tables of this process."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        super().__init__(settings.bot_seconds, settings.bot_threads)
        self._metrics = metrics

    def failed(self, bot: str, game: str, reason: str) -> None:
        """Log that a bot failed."""
        log("bot failed", logging.ERROR, bot=bot, game=game, why=reason)

    def took(self, bot: str, seconds: float) -> None:
        """Measure a decision."""
        self._metrics.bot_seconds.labels(bot).observe(seconds)
