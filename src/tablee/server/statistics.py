"""REST for a person's own statistics: games, results against people and bots, ratings."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablee.bots.roster import bot_label
from tablee.core.registry import all_games
from tablee.core.words import common
from tablee.protocol.rest import FinishedGame, GameStatistics, HeadToHead, RatedPlayer, RatingPoint
from tablee.server.openapi import answers
from tablee.server.registry import TableRegistry
from tablee.server.requests import Language, RequestGuard, answer
from tablee.server.results import Participant, Rating, RatingModel, Result, result_of

MAX_LISTED = 100  # finished games listed one by one


def add_routes(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    """Add the routes."""
    model = RatingModel()

    @api.get("/statistics", responses=answers(list[GameStatistics], 401, 503))
    async def statistics(request: Request, lang: Language = "en") -> Response:
        """Return the person's results and ratings in every game they have played."""
        person = guard.person(request)
        await model.update(registry.store)
        results = [result for row in await registry.store.results_of(person.id) if (result := result_of(row))]
        found = []
        for game in all_games():
            own = [result for result in results if result.game == game.name]
            if own:
                title = game.words(lang).say("title")
                found.append(_statistics(title, own, person.id, model.ratings(game.name), lang))
        return answer(found)


def _statistics(
    title: str, results: list[Result], person: str, ratings: dict[str, Rating], language: str
) -> GameStatistics:
    ranks = [result.ranks[result.seat_of(person)] for result in results if result.ranks]
    own = ratings.get(person)
    return GameStatistics(
        game=results[0].game,
        title=title,
        played=[_finished_game(result, person, language) for result in results[:MAX_LISTED]],
        count=len(results),
        won=ranks.count(1),
        stopped=len(results) - len(ranks),
        against=_head_to_head(results, person, language),
        ratings=_rated_players(results, person, ratings, language),
        history=[RatingPoint(at, round(rating)) for at, rating in own.history] if own else [],
    )


def _name(participant: Participant, language: str) -> str:
    return bot_label(participant.name, common(language)) if participant.is_bot else participant.name


def _finished_game(result: Result, person: str, language: str) -> FinishedGame:
    seat = result.seat_of(person)
    others = [_name(other, language) for other in result.participants if other is not None and other.key != person]
    rank = result.ranks[seat] if result.ranks else None
    return FinishedGame(result.table, result.at, rank, len(result.participants), result.scores[seat], others)


def _head_to_head(results: Iterable[Result], person: str, language: str) -> list[HeadToHead]:
    """Compare a person's ranks with those of everybody they played with, most frequent opponents first."""
    opponents: dict[str, HeadToHead] = {}
    for result in results:
        if not result.ranks:
            continue
        own_rank = result.ranks[result.seat_of(person)]
        for other, rank in zip(result.participants, result.ranks, strict=True):
            if other is None or other.key == person:
                continue
            tally = opponents.setdefault(other.key, HeadToHead(_name(other, language), other.is_bot))
            tally.ahead += own_rank < rank
            tally.level += own_rank == rank
            tally.behind += own_rank > rank
    return sorted(opponents.values(), key=lambda tally: -(tally.ahead + tally.level + tally.behind))


def _rated_players(
    results: Iterable[Result], person: str, ratings: dict[str, Rating], language: str
) -> list[RatedPlayer]:
    """Return the ratings of all bots and of the people one has played with, best first; others stay private."""
    met = {one.key for result in results for one in result.participants if one is not None}
    players = [
        RatedPlayer(
            name=_name(rating.participant, language),
            is_bot=rating.participant.is_bot,
            is_you=key == person,
            rating=round(rating.shown),
            margin=round(rating.margin),
            games=len(rating.history),
        )
        for key, rating in ratings.items()
        if key in met or rating.participant.is_bot
    ]
    return sorted(players, key=lambda player: -player.rating)
