"""Plackett-Luce ratings of people and bots, which follow from results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from openskill.models import PlackettLuce

from tablee.storage.results import Participant, Result

# Ratings are shown on a scale of their own: openskill's initial mean of 25 as 1000, one unit as 40 points.
INITIAL_MEAN, SHOWN_MEAN, SCALE = 25.0, 1000.0, 40.0
_model = PlackettLuce()


@dataclass
class Rating:
    """A participant's rating in one game, in openskill's units, after some games."""

    participant: Participant
    mean: float
    deviation: float
    games: int = 0

    @property
    def shown(self) -> float:
        """The mean as people see it."""
        return SHOWN_MEAN + SCALE * (self.mean - INITIAL_MEAN)

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval, as people see it."""
        return SCALE * 1.96 * self.deviation


def rate(result: Result, ratings: dict[str, Rating]) -> list[Rating]:
    """Update the ratings in a game, by the participants' keys, after a result; return those that changed."""
    ranked = list(_ranked(result))
    if len({participant.key for participant, _ in ranked}) < 2:
        return []
    before = [_rating(ratings, participant) for participant, _ in ranked]
    teams = [[_model.rating(mu=rating.mean, sigma=rating.deviation)] for rating in before]
    after = _model.rate(teams, ranks=[rank for _, rank in ranked])
    changed = list({id(rating): rating for rating in before}.values())
    for rating in changed:
        # A bot in several seats of a table is one participant: it gets the average of their ratings.
        own = [team[0] for team, each in zip(after, before, strict=True) if each is rating]
        rating.mean = sum(each.mu for each in own) / len(own)
        rating.deviation = sum(each.sigma for each in own) / len(own)
        rating.games += 1
    return changed


def _ranked(result: Result) -> Iterator[tuple[Participant, int]]:
    for participant, rank in zip(result.participants, result.ranks, strict=False):
        if participant is not None:
            yield participant, rank


def _rating(ratings: dict[str, Rating], participant: Participant) -> Rating:
    default = _model.rating()
    rating = ratings.setdefault(participant.key, Rating(participant, default.mu, default.sigma))
    rating.participant = participant  # with the name used last
    return rating
