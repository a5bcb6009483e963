"""REST for somebody's own statistics: games, results against people and bots, ratings."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from tablee.core.registry import all_games
from tablee.core.words import common
from tablee.server.openapi import answers
from tablee.server.registry import TableRegistry
from tablee.server.requests import Language, RequestGuard, answer
from tablee.server.results import Player, Rating, Ratings, Result, result_of

MAX_PLAYED = 100  # games that are listed one by one


class Played(msgspec.Struct, frozen=True):
    """A game somebody played to its end."""

    table: str
    at: float
    rank: int | None  # None: it was ended by agreement
    seats: int
    score: int
    others: list[str]


class Against(msgspec.Struct):
    """How often somebody ended before, level with and behind another player."""

    name: str
    is_bot: bool
    ahead: int = 0
    level: int = 0
    behind: int = 0


class RatedPlayer(msgspec.Struct, frozen=True):
    """How good somebody seems to be."""

    name: str
    is_bot: bool
    is_you: bool
    rating: int
    margin: int  # half of the interval of 95 %
    games: int


class RatingPoint(msgspec.Struct, frozen=True):
    """One's rating after a game."""

    at: float
    rating: int


class GameStatistics(msgspec.Struct, frozen=True):
    """Everything about one game."""

    game: str
    title: str
    played: list[Played]
    count: int
    won: int
    stopped: int
    against: list[Against]
    ratings: list[RatedPlayer]
    history: list[RatingPoint]


def add_routes(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    """Add the routes."""
    ratings = Ratings()

    @api.get("/statistics", responses=answers(list[GameStatistics], 401, 503))
    async def statistics(request: Request, lang: Language = "en") -> Response:
        """Return the asker's games, results and ratings, game by game; those never played are left out."""
        person = guard.person(request)
        await ratings.update(registry.store)
        found = [result for row in await registry.store.results_of(person.id) if (result := result_of(row))]
        told = []
        for game in all_games():
            results = [result for result in found if result.game == game.name]
            if results:
                title = game.words(lang).say("title")
                told.append(_statistics(title, results, person.id, ratings.of(game.name), lang))
        return answer(told)


def _statistics(
    title: str, results: list[Result], person: str, ratings: dict[str, Rating], language: str
) -> GameStatistics:
    ranks = [result.ranks[result.seat_of(person)] for result in results if result.ranks]
    own = ratings.get(person)
    return GameStatistics(
        game=results[0].game,
        title=title,
        played=[_played(result, person, language) for result in results[:MAX_PLAYED]],
        count=len(results),
        won=ranks.count(1),
        stopped=len(results) - len(ranks),
        against=_against(results, person, language),
        ratings=_ratings(results, person, ratings, language),
        history=[RatingPoint(at, round(rating)) for at, rating in own.history] if own else [],
    )


def _name(player: Player, language: str) -> str:
    words = common(language)
    key = f"roster.{player.name}"
    return words.say(key) if player.is_bot and key in words else player.name


def _played(result: Result, person: str, language: str) -> Played:
    seat = result.seat_of(person)
    others = [_name(player, language) for player in result.players if player is not None and player.key != person]
    rank = result.ranks[seat] if result.ranks else None
    return Played(result.table, result.at, rank, len(result.players), result.scores[seat], others)


def _against(results: Iterable[Result], person: str, language: str) -> list[Against]:
    """Compare somebody's places with those of everybody he met, whom he met most often first."""
    met: dict[str, Against] = {}
    for result in results:
        if not result.ranks:
            continue
        own = result.ranks[result.seat_of(person)]
        for player, rank in zip(result.players, result.ranks, strict=True):
            if player is None or player.key == person:
                continue
            against = met.setdefault(player.key, Against(_name(player, language), player.is_bot))
            against.ahead += own < rank
            against.level += own == rank
            against.behind += own > rank
    return sorted(met.values(), key=lambda against: -(against.ahead + against.level + against.behind))


def _ratings(results: Iterable[Result], person: str, ratings: dict[str, Rating], language: str) -> list[RatedPlayer]:
    """Return the ratings of the bots and of the people one has met, best first; nobody else's are his business."""
    met = {player.key for result in results for player in result.players if player is not None}
    shown = [
        RatedPlayer(
            name=_name(rating.player, language),
            is_bot=rating.player.is_bot,
            is_you=key == person,
            rating=round(rating.shown),
            margin=round(rating.margin),
            games=len(rating.history),
        )
        for key, rating in ratings.items()
        if key in met or rating.player.is_bot
    ]
    return sorted(shown, key=lambda player: -player.rating)
