"""Standings of a contest: win shares, margins, head-to-head results, and tests of neighbouring bots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, pairwise
from typing import Any, TypeAlias

from tablee.arena.estimates import Estimate, SequentialTest, share_over_deals
from tablee.arena.margins import estimate_margins
from tablee.arena.matches import GameResult

Deal: TypeAlias = list[GameResult]  # all games of one deal


@dataclass(frozen=True)
class Standing:
    """The results of one bot."""

    bot: str
    games: int  # counted once per seat the bot took
    win_share: Estimate | None
    margin: Estimate | None  # lead over the mean of the others in points, positive for the better bot
    forfeits: int


@dataclass(frozen=True)
class Standings:
    """The results of a contest; every interval is over deals."""

    seats: int
    games: int
    deals: int
    bots: tuple[Standing, ...]  # in the order of the contest
    head_to_head: dict[tuple[str, str], Estimate | None]  # how often the first bot ranked ahead; ties count half
    win_share_by_turn: tuple[Estimate | None, ...]  # of the seat that moved first, second, ...
    lengths: tuple[int, ...]  # moves of each game

    @property
    def fair_share(self) -> float:
        """The win share of a seat if all bots were equally strong."""
        return 1 / self.seats

    def as_dict(self) -> dict[str, Any]:
        """Return the standings as plain values, ready for JSON."""
        pairs = [[*pair, _plain(estimate)] for pair, estimate in self.head_to_head.items()]
        return {**asdict(self), "head_to_head": pairs}


def compute_standings(bots: Sequence[str], seats: int, deals: Sequence[Deal], fewest_points_win: bool) -> Standings:
    """Compute the standings of the bots over some deals."""
    games = [game for deal in deals for game in deal]
    pairs = combinations(bots, 2)
    margins = estimate_margins(bots, deals, fewest_points_win)
    return Standings(
        seats=seats,
        games=len(games),
        deals=len(deals),
        bots=tuple(_standing(bot, deals, margins.get(bot)) for bot in bots),
        head_to_head={(one, other): _estimate(ahead_share(one, other, deal) for deal in deals) for one, other in pairs},
        win_share_by_turn=tuple(_estimate(_share_by_turn(deal, turn) for deal in deals) for turn in range(seats)),
        lengths=tuple(game.moves for game in games),
    )


def ahead_share(one: str, other: str, deal: Deal) -> float | None:
    """Return how often one bot ranked ahead of another in a deal, 0 to 1, ties half; None if they did not meet."""
    return _mean(
        (1 + (rank < other_rank) - (rank > other_rank)) / 2
        for game in deal
        for rank in _ranks_of(one, game)
        for other_rank in _ranks_of(other, game)
    )


class NeighbourTests:
    """A sequential test for each pair of neighbours in a list of bots; all verdicts together err with 5 %."""

    def __init__(self, bots: Sequence[str], edge: float) -> None:
        pairs = list(pairwise(bots))
        self.edge = edge
        self.tests = {pair: SequentialTest(edge, error=0.05 / len(pairs)) for pair in pairs}

    def observe(self, deal: Deal) -> None:
        """Add a deal to the test of each pair that met in it."""
        for (one, other), test in self.tests.items():
            share = ahead_share(one, other, deal)
            if share is not None:
                test.observe(share - 0.5)

    @property
    def are_decided(self) -> bool:
        """Whether every pair has a verdict."""
        return all(test.verdict for test in self.tests.values())

    def verdicts(self) -> dict[tuple[str, str], str | None]:
        """Return for each pair the name of the stronger bot, `close` if neither is, None while undecided."""
        named = {}
        for (one, other), test in self.tests.items():
            named[one, other] = {"first": one, "second": other}.get(test.verdict or "", test.verdict)
        return named


def _standing(bot: str, deals: Sequence[Deal], margin: Estimate | None) -> Standing:
    return Standing(
        bot=bot,
        games=sum(game.lineup.count(bot) for deal in deals for game in deal),
        win_share=_estimate(_win_share(bot, deal) for deal in deals),
        margin=margin,
        forfeits=sum(_has_forfeited(bot, game) for deal in deals for game in deal),
    )


def _has_forfeited(bot: str, game: GameResult) -> bool:
    return game.forfeit is not None and game.lineup[game.forfeit.seat] == bot


def _ranks_of(bot: str, game: GameResult) -> list[int]:
    return [rank for rank, name in zip(game.ranks, game.lineup, strict=True) if name == bot]


def _win_share(bot: str, deal: Deal) -> float | None:
    shares = (pair for game in deal for pair in zip(game.lineup, game.win_shares, strict=True))
    return _mean(share for name, share in shares if name == bot)


def _share_by_turn(deal: Deal, turn: int) -> float | None:
    return _mean(game.win_shares[(game.first + turn) % len(game.win_shares)] for game in deal)


def _estimate(values: Iterable[float | None]) -> Estimate | None:
    return share_over_deals([value for value in values if value is not None])


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def _plain(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else asdict(estimate)
