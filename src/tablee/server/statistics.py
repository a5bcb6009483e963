"""REST for a person's own statistics: games, results against people and bots, ratings."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablee.bots.roster import bot_label
from tablee.core.game import Game
from tablee.core.registry import all_games
from tablee.core.words import common
from tablee.protocol.rest import FinishedGame, GameStatistics, HeadToHead, RatedPlayer, RatingPoint
from tablee.server.openapi import answers
from tablee.server.registry import TableRegistry
from tablee.server.requests import COSTLY, Language, RequestGuard, answer
from tablee.storage.ratings import Rating
from tablee.storage.results import Participant, Result, result_of
from tablee.storage.tallies import Encounter, Statistics


def add_routes(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    """Add the routes."""

    @api.get("/statistics", responses=answers(list[GameStatistics], 401, 503))
    async def statistics(request: Request, lang: Language = "en") -> Response:
        """Return the person's results and ratings in every game they have played."""
        person = guard.person(request, COSTLY)
        kept = {one.game: one for one in await registry.store.statistics(person.id)}
        return await registry.turns.run(person.id, _answer, kept, person.id, lang)


def _answer(kept: dict[str, Statistics], person: str, language: str) -> Response:
    return answer(
        [game_statistics(game, kept[game.name], person, language) for game in all_games() if game.name in kept]
    )


def game_statistics(game: Game, kept: Statistics, person: str, language: str) -> GameStatistics:
    """Return what a person sees of what is kept about them in a game."""
    results = [result for row in kept.finished if (result := result_of(row)) is not None]
    return GameStatistics(
        game=game.name,
        title=game.words(language).say("title"),
        played=[_finished_game(result, person, language) for result in results],
        count=kept.played,
        won=kept.won,
        stopped=kept.stopped,
        against=[_head_to_head(encounter, language) for encounter in kept.encounters if _games(encounter)],
        ratings=_rated_players(kept.ratings, person, language),
        history=[RatingPoint(at, round(rating)) for at, rating in kept.history],
    )


def _name(participant: Participant, language: str) -> str:
    return bot_label(participant.name, common(language)) if participant.is_bot else participant.name


def _finished_game(result: Result, person: str, language: str) -> FinishedGame:
    seat = result.seat_of(person)
    others = [_name(other, language) for other in result.participants if other is not None and other.key != person]
    rank = result.ranks[seat] if result.ranks else None
    return FinishedGame(result.table, result.at, rank, len(result.participants), result.scores[seat], others)


def _games(encounter: Encounter) -> int:
    """Return the number of comparisons: none if all games with this player were ended by agreement."""
    return encounter.ahead + encounter.level + encounter.behind


def _head_to_head(encounter: Encounter, language: str) -> HeadToHead:
    other = encounter.other
    return HeadToHead(_name(other, language), other.is_bot, encounter.ahead, encounter.level, encounter.behind)


def _rated_players(ratings: list[Rating], person: str, language: str) -> list[RatedPlayer]:
    """Return the ratings of all bots and of the people one has played with, best first; others stay private."""
    players = [
        RatedPlayer(
            name=_name(rating.participant, language),
            is_bot=rating.participant.is_bot,
            is_you=rating.participant.key == person,
            rating=round(rating.shown),
            margin=round(rating.margin),
            games=rating.games,
        )
        for rating in ratings
    ]
    return sorted(players, key=lambda player: -player.rating)
