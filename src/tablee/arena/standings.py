"""What the games say about the bots: shares of victories, margins, who comes before whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, pairwise
from typing import Any, TypeAlias

from tablee.arena.estimates import Estimate, WhoIsStronger, share_over_deals
from tablee.arena.margins import margins
from tablee.arena.matches import GameResult

Deal: TypeAlias = list[GameResult]  # all games of one deal


@dataclass(frozen=True)
class Standing:
    """How a bot did."""

    bot: str
    games: int  # seats taken, in all games
    share: Estimate | None  # of the victories
    margin: Estimate | None  # points ahead of the mean of the others, whichever way points count in the game
    forfeits: int


@dataclass(frozen=True)
class Standings:
    """How a contest went; every interval is over deals."""

    seats: int
    games: int
    deals: int
    bots: tuple[Standing, ...]  # in the order in which they were named
    before: dict[tuple[str, str], Estimate | None]  # how often the one came before the other; ties count half
    order: tuple[Estimate | None, ...]  # share of the victories by who moved first, second, ...
    lengths: tuple[int, ...]  # moves of each game

    @property
    def fair(self) -> float:
        """The share of a seat where all are equally strong."""
        return 1 / self.seats

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {**asdict(self), "before": [[*pair, _plain(estimate)] for pair, estimate in self.before.items()]}


def standings(bots: Sequence[str], seats: int, deals: Sequence[Deal], fewest_points_win: bool) -> Standings:
    """Count a contest out."""
    games = [game for deal in deals for game in deal]
    pairs = combinations(bots, 2)
    ahead = margins(bots, deals, fewest_points_win)
    return Standings(
        seats=seats,
        games=len(games),
        deals=len(deals),
        bots=tuple(_standing(bot, deals, ahead.get(bot)) for bot in bots),
        before={(one, other): _shares(advantage(one, other, deal) for deal in deals) for one, other in pairs},
        order=tuple(_shares(_share_by_order(deal, index) for deal in deals) for index in range(seats)),
        lengths=tuple(game.moves for game in games),
    )


def advantage(one: str, other: str, deal: Deal) -> float | None:
    """Return how often one bot came before another in a deal, from 0 to 1; None if they did not meet."""
    return _mean(
        (1 + (mine < theirs) - (mine > theirs)) / 2
        for game in deal
        for mine, its in zip(game.ranks, game.lineup, strict=True)
        if its == one
        for theirs, whose in zip(game.ranks, game.lineup, strict=True)
        if whose == other
    )


class Ladder:
    """Whether it is settled which of each two neighbours in a list of bots is the stronger."""

    def __init__(self, bots: Sequence[str], edge: float) -> None:
        steps = list(pairwise(bots))
        self.edge = edge
        self.tests = {step: WhoIsStronger(edge, error=0.05 / len(steps)) for step in steps}

    def observe(self, deal: Deal) -> None:
        """Count a deal in."""
        for (one, other), test in self.tests.items():
            share = advantage(one, other, deal)
            if share is not None:
                test.observe(share - 0.5)

    @property
    def is_settled(self) -> bool:
        """Whether every step has its answer."""
        return all(test.answer for test in self.tests.values())

    def answers(self) -> dict[tuple[str, str], str | None]:
        """Return the name of the stronger per step, `close` where neither is, None where it is open."""
        named = {}
        for (one, other), test in self.tests.items():
            named[one, other] = {"first": one, "second": other}.get(test.answer or "", test.answer)
        return named


def _standing(bot: str, deals: Sequence[Deal], margin: Estimate | None) -> Standing:
    return Standing(
        bot=bot,
        games=sum(game.lineup.count(bot) for deal in deals for game in deal),
        share=_shares(_share(bot, deal) for deal in deals),
        margin=margin,
        forfeits=sum(_has_forfeited(bot, game) for deal in deals for game in deal),
    )


def _has_forfeited(bot: str, game: GameResult) -> bool:
    return game.forfeit is not None and game.lineup[game.forfeit.seat] == bot


def _share(bot: str, deal: Deal) -> float | None:
    return _mean(share for game in deal for name, share in zip(game.lineup, game.shares, strict=True) if name == bot)


def _share_by_order(deal: Deal, index: int) -> float | None:
    return _mean(game.shares[(game.first + index) % len(game.shares)] for game in deal)


def _shares(values: Iterable[float | None]) -> Estimate | None:
    return share_over_deals(_present(values))


def _present(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def _plain(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else asdict(estimate)
