"""Results on the deal of a day, compared with those of all others: duplicate scoring of one seat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tablee.core.game import Game
from tablee.protocol.daily import DailyCount, DailyResult
from tablee.storage.daily import DailyTry, ResultCount
from tablee.tables.days import day_before


def compare(own: DailyTry, counts: Sequence[ResultCount], game: Game, seats: int) -> DailyResult:
    """Return a finished try as its person sees it; `counts` are the results of all people, the person's own included.

    The better rank at the table is the better result; of equal ranks, the better points. To give up is worse than any
    result.
    """
    if own.rank is None or own.points is None:
        return DailyResult(None, None, is_late=True)
    others = _without(counts, own.rank, own.points)
    is_given_up = own.rank > seats
    finished = [each for each in others if each.rank <= seats]
    lead = None if is_given_up else _lead(own.points, finished, game)
    beaten = _beaten(_key(own.rank, own.points, game, seats), others, game, seats)
    return DailyResult(None if is_given_up else own.rank, None if is_given_up else own.points, beaten, lead)


def counts_by_rank(counts: Iterable[ResultCount]) -> list[DailyCount]:
    """Return how many people finished with each rank."""
    players: dict[int, int] = {}
    for each in counts:
        players[each.rank] = players.get(each.rank, 0) + each.players
    return [DailyCount(rank, players[rank]) for rank in sorted(players)]


def streak(days: Sequence[str], today: str) -> int:
    """Return how many days in a row, up to today or yesterday, are among `days`, which are newest first."""
    expected = today if today in days[:1] else day_before(today)
    length = 0
    for day in days:
        if day != expected:
            break
        length += 1
        expected = day_before(day)
    return length


def _without(counts: Sequence[ResultCount], rank: int, points: int) -> list[ResultCount]:
    """Return the results of all others."""
    return [
        ResultCount(rank, points, each.players - 1) if (each.rank, each.points) == (rank, points) else each
        for each in counts
    ]


def _key(rank: int, points: int, game: Game, seats: int) -> tuple[int, int]:
    """Return what results are ordered by, the best first."""
    if rank > seats:
        return rank, 0
    return rank, points if game.fewest_points_win else -points


def _beaten(own: tuple[int, int], others: Sequence[ResultCount], game: Game, seats: int) -> float | None:
    count = sum(each.players for each in others)
    if not count:
        return None
    keys = [(_key(each.rank, each.points, game, seats), each.players) for each in others]
    worse = sum(players for key, players in keys if key > own)
    level = sum(players for key, players in keys if key == own)
    return round(100 * (worse + level / 2) / count, 1)


def _lead(points: int, others: Sequence[ResultCount], game: Game) -> float | None:
    count = sum(each.players for each in others)
    if not count:
        return None
    mean = sum(each.points * each.players for each in others) / count
    return round(mean - points if game.fewest_points_win else points - mean, 1)
