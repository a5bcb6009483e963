"""One game of an arena, from its deal to its result. Needs NumPy and Numba, nothing else."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tablee.arena.lineups import Lineup
from tablee.bots.bot import Bot
from tablee.bots.external import BotError, ExternalBotSpec
from tablee.bots.roster import dismiss, make_bot, version_of
from tablee.core.game import Options
from tablee.core.match import Match


@dataclass(frozen=True)
class Task:
    """A game to be played; everything a process elsewhere must know."""

    contest: str  # the name of what it belongs to
    game: str
    options: Options
    seed: int
    deal: int
    turn: int  # which rotation of the line-up
    lineup: Lineup
    others: Mapping[str, ExternalBotSpec]  # outside bots by name
    keeps_record: bool

    @property
    def key(self) -> tuple[int, int, int]:
        """What tells this game from the others of its contest."""
        return self.seed, self.deal, self.turn


@dataclass(frozen=True)
class Forfeit:
    """Who had to give up, and why."""

    seat: int
    reason: str


@dataclass(frozen=True)
class GameResult:
    """How a game went. A seat that forfeits is last, the others share the victory and have no points."""

    contest: str
    seed: int
    deal: int
    turn: int
    lineup: Lineup
    first: int  # the seat that moved first
    ranks: tuple[int, ...]
    scores: tuple[int, ...] | None
    moves: int
    seconds: float
    forfeit: Forfeit | None = None

    @property
    def key(self) -> tuple[int, int, int]:
        """What tells this game from the others of its contest."""
        return self.seed, self.deal, self.turn

    @property
    def shares(self) -> tuple[float, ...]:
        """What part of the victory each seat has."""
        winners = self.ranks.count(1)
        return tuple(1 / winners if rank == 1 else 0.0 for rank in self.ranks)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> GameResult:
        """Read what `as_dict` wrote; journals before version 0.2.0 call the ranks `places`."""
        values = dict(values)
        ranks = values.pop("places", None) or values["ranks"]
        scores, forfeit = values["scores"], values["forfeit"]
        return cls(
            **{
                **values,
                "lineup": tuple(values["lineup"]),
                "ranks": tuple(ranks),
                "scores": None if scores is None else tuple(scores),
                "forfeit": None if forfeit is None else Forfeit(**forfeit),
            }
        )


def play_game(task: Task) -> tuple[GameResult, str | None]:
    """Play a game; return its result, and its record if that is wanted."""
    match = Match(task.game, seats=len(task.lineup), options=task.options, seed=task.seed, stream=task.deal)
    first = match.to_move
    bots = [
        make_bot(name, match.game, bot_seed(task.seed, task.deal, seat), others=task.others)
        for seat, name in enumerate(task.lineup)
    ]
    begun = time.perf_counter()
    try:
        forfeit = _play_on(match, bots)
    finally:
        for bot in bots:
            dismiss(bot)
    result = GameResult(
        task.contest,
        *task.key,
        lineup=task.lineup,
        first=first,
        ranks=_ranks(match, forfeit),
        scores=None if forfeit else tuple(match.scores()),
        moves=len(match.moves),
        seconds=round(time.perf_counter() - begun, 3),
        forfeit=forfeit,
    )
    return result, _record(match, task, forfeit) if task.keeps_record else None


def bot_seed(seed: int, deal: int, seat: int) -> int:
    """Return a bot's own chance: of the same seat and deal always the same, and nothing of the deal's."""
    return int(hashlib.sha256(f"{seed} {deal} bot {seat}".encode()).hexdigest(), 16)


def _play_on(match: Match, bots: list[Bot]) -> Forfeit | None:
    while not match.is_over:
        seat = match.to_move
        try:
            match.play(bots[seat].decide(match.sight(seat), match.legal_moves()).move)
        except BotError as why:
            return Forfeit(seat, str(why))
    return None


def _ranks(match: Match, forfeit: Forfeit | None) -> tuple[int, ...]:
    if forfeit is not None:
        return tuple(match.seats if seat == forfeit.seat else 1 for seat in range(match.seats))
    assert match.outcome is not None
    return match.outcome.ranks


def _record(match: Match, task: Task, forfeit: Forfeit | None) -> str:
    kinds = [f"{name} {version_of(name, task.others)}" for name in task.lineup]
    notes = {} if forfeit is None else {"forfeit": f"seat {forfeit.seat}: {forfeit.reason}"}
    return match.record(kinds=kinds, **notes).text()
