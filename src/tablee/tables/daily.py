"""Daily tables: every day and game one deal with the same bots for everybody, and what is not possible there.

The seed of a deal follows from a secret, the day and the game. Its commitment is published the day before. A try must
begin on its day (UTC); the deal is opened at noon of the day after, so that a player who begins late can finish.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablee.records import commitment
from tablee.tables.commands import Actor, Claim, Command, Leave, Lock, Pause, Rematch, Undo
from tablee.tables.days import opening_time
from tablee.tables.refusals import Refused

if TYPE_CHECKING:
    from tablee.tables.table import Table

NEEDLESS = (Leave, Lock, Pause)  # a daily table waits for its only person, who cannot hand it to a bot


@dataclass(frozen=True)
class DailyDeal:
    """The deal of a day in a game, and the bots in all seats but the first."""

    day: str  # YYYY-MM-DD
    game: str
    seed: int
    bots: tuple[str, ...]

    @property
    def commitment(self) -> str:
        """The hash that is published before the day."""
        return commitment(self.seed)

    def is_opened(self, now: float) -> bool:
        """Whether the seed is public, and everybody may see everybody's try."""
        return now >= opening_time(self.day)


def daily_seed(secret: str, day: str, game: str) -> int:
    """Return the seed of a deal, 256 bits that nobody without the secret can know."""
    return int(hmac.new(secret.encode(), f"daily {day} {game}".encode(), hashlib.sha256).hexdigest(), 16)


def public_seed(day: str, game: str) -> int:
    """Return the seed of a day for play without a server: the same on every machine, and no secret."""
    return int(hashlib.sha256(f"daily {day} {game}".encode()).hexdigest(), 16)


# At the table


def check_on_daily_deal(table: Table, command: Command, actor: Actor) -> None:
    """Refuse what would give one person more than others have: another look, another try, a bot's help."""
    if isinstance(command, Claim) and table.seat_kept_for(actor.person) is None:
        raise Refused("not_invited", "daily_alone")
    if not table.is_daily:
        return
    if isinstance(command, Undo):
        raise Refused("cannot_undo", "daily_undo")
    if isinstance(command, NEEDLESS):
        raise Refused("nothing_to_do", "daily_waits")
    if isinstance(command, Rematch):
        raise Refused("nothing_to_do", "daily_once")
