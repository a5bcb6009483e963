"""One game of a contest, from its deal to its result. Needs only NumPy and Numba."""

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
    """A game to play, with everything that a process on another machine must know."""

    contest: str  # name of its contest
    game: str
    options: Options
    seed: int
    deal: int
    rotation: int  # of the seats
    lineup: Lineup
    external_bots: Mapping[str, ExternalBotSpec]  # by name
    keeps_record: bool

    @property
    def key(self) -> tuple[int, int, int]:
        """The game's identity within its contest."""
        return self.seed, self.deal, self.rotation


@dataclass(frozen=True)
class Forfeit:
    """A bot that did not give a legal move: its seat, and the reason."""

    seat: int
    reason: str


@dataclass(frozen=True)
class GameResult:
    """The result of a game. A seat that forfeits is last; the others share the win, and no seat has points."""

    contest: str
    seed: int
    deal: int
    rotation: int
    lineup: Lineup
    first: int  # the seat that moved first
    ranks: tuple[int, ...]
    scores: tuple[int, ...] | None
    moves: int
    seconds: float
    forfeit: Forfeit | None = None

    @property
    def key(self) -> tuple[int, int, int]:
        """The game's identity within its contest."""
        return self.seed, self.deal, self.rotation

    @property
    def win_shares(self) -> tuple[float, ...]:
        """Each seat's share of the win: 1 for a sole winner, equal parts for a shared win."""
        winners = self.ranks.count(1)
        return tuple(1 / winners if rank == 1 else 0.0 for rank in self.ranks)

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain values, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> GameResult:
        """Read what `as_dict` wrote; journals before version 0.2.0 say `places` for ranks and `turn` for rotation."""
        old_names = {"places": "ranks", "turn": "rotation"}
        values = {old_names.get(name, name): value for name, value in values.items()}
        scores, forfeit = values["scores"], values["forfeit"]
        return cls(
            **{
                **values,
                "lineup": tuple(values["lineup"]),
                "ranks": tuple(values["ranks"]),
                "scores": None if scores is None else tuple(scores),
                "forfeit": None if forfeit is None else Forfeit(**forfeit),
            }
        )


def play_game(task: Task) -> tuple[GameResult, str | None]:
    """Play a game; return its result, and the text of its record if the task keeps it."""
    match = Match(task.game, seats=len(task.lineup), options=task.options, seed=task.seed, stream=task.deal)
    first = match.to_move
    bots = [
        make_bot(name, match.game, bot_seed(task.seed, task.deal, seat), external_bots=task.external_bots)
        for seat, name in enumerate(task.lineup)
    ]
    start = time.perf_counter()
    try:
        forfeit = _play_to_end(match, bots)
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
        seconds=round(time.perf_counter() - start, 3),
        forfeit=forfeit,
    )
    return result, _record(match, task, forfeit) if task.keeps_record else None


def bot_seed(seed: int, deal: int, seat: int) -> int:
    """Return the seed of a bot: fixed for a deal and a seat, and unrelated to the cards."""
    return int(hashlib.sha256(f"{seed} {deal} bot {seat}".encode()).hexdigest(), 16)


def _play_to_end(match: Match, bots: list[Bot]) -> Forfeit | None:
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
    kinds = [f"{name} {version_of(name, task.external_bots)}" for name in task.lineup]
    notes = {} if forfeit is None else {"forfeit": f"seat {forfeit.seat}: {forfeit.reason}"}
    return match.record(kinds=kinds, **notes).text()
