"""REST for a person's progress: accuracy and luck over time, typical mistakes, and which bot to play next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from tablee.bots.roster import FIRST_BOT, NAMES, USUAL_BOT, bot_label, ladder_of
from tablee.core.game import Game
from tablee.core.words import common
from tablee.protocol.progress import BotLevel, GameProgress, MistakeKind, ProgressPoint, UnreviewedGame
from tablee.review.mistakes import MistakeCount, count_mistakes, sum_mistakes
from tablee.review.report import UNIT, Review
from tablee.server.openapi import answers
from tablee.server.registry import TableRegistry
from tablee.server.requests import COSTLY, GameName, Language, RequestGuard, answer, known_game
from tablee.storage.reviewed_games import ReviewedGame, ReviewedGameStore
from tablee.storage.tallies import Encounter
from tablee.tables.table import Table

MAX_KINDS = 8  # of mistakes, that are told
QUANTILE = 1.96  # of the 95 % interval
EVEN = 50.0  # percent


def add_routes(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    """Add the routes."""
    store = ReviewedGameStore(registry.store)

    @api.get("/statistics/{game}/progress", responses=answers(GameProgress, 401, 404, 503))
    async def progress(request: Request, game: GameName, lang: Language = "en") -> Response:
        """Return the person's accuracy, luck and mistakes in reviewed games, and which bot to play next."""
        person, known = guard.person(request, COSTLY), known_game(game)
        games = await store.last(person.id, known.name)
        levels = await levels_of(person.id, known, store, lang)
        unreviewed = await store.unreviewed(person.id, known.name)
        return answer(_progress(known, games, levels, unreviewed, lang))


def _progress(
    game: Game,
    games: Sequence[ReviewedGame],
    levels: list[BotLevel],
    unreviewed: Sequence[tuple[str, float]],
    language: str,
) -> GameProgress:
    advice = advise(levels, ladder_of(game))
    words = common(language)
    labels = {"bot": bot_label(advice.level, words), "next": bot_label(advice.next_bot, words)}
    return GameProgress(
        game=game.name,
        title=game.words(language).say("title"),
        points=[_point(each) for each in games],
        mistakes=_mistakes(game, games, language),
        levels=levels,
        next_bot=advice.next_bot,
        advice=words.say(f"progress.{advice.reason}", **labels),
        unreviewed=[UnreviewedGame(*each) for each in unreviewed],
    )


# Reviewed games


def reviewed_games(review: Review, table: Table) -> list[ReviewedGame]:
    """Return what a review says about each person of a table; nothing of games that do not count for statistics."""
    if table.match is None or table.ended_at is None or not table.is_rated:
        return []
    return [
        _reviewed(review, table.match.game, seat, table.seats[seat].person, table.id, table.ended_at)
        for seat in table.people()
    ]


def _reviewed(review: Review, game: Game, seat: int, person: str, table_id: str, ended_at: float) -> ReviewedGame:
    balance = review.balance(seat)
    return ReviewedGame(
        person=person,
        game=game.name,
        ended_at=ended_at,
        table_id=table_id,
        accuracy=review.accuracy(seat),
        result=review.results[seat],
        decisions=balance.decisions,
        others=balance.others,
        luck=balance.luck,
        mistakes=msgspec.json.encode(count_mistakes(review, game, seat)).decode(),
    )


def _point(game: ReviewedGame) -> ProgressPoint:
    accuracy = None if game.accuracy is None else round(100 * game.accuracy, 1)
    shares = (_percent(share) for share in (game.result, game.decisions, game.luck))
    return ProgressPoint(game.table_id, game.ended_at, accuracy, *shares)


def _percent(share: int) -> float:
    return round(100 * share / UNIT, 1)


def _mistakes(game: Game, games: Iterable[ReviewedGame], language: str) -> list[MistakeKind]:
    words = game.words(language)
    counts = [count for each in games for count in msgspec.json.decode(each.mistakes, type=list[MistakeCount])]

    def say(kind: str) -> str:
        return words.say(f"kinds.{kind}") if f"kinds.{kind}" in words else kind

    return [
        MistakeKind(say(each.kind), say(each.better), each.count, _percent(each.loss))
        for each in sum_mistakes(counts)[:MAX_KINDS]
    ]


# Bots


async def levels_of(person: str, game: Game, store: ReviewedGameStore, language: str = "en") -> list[BotLevel]:
    """Return how a person fares against the bots of a game's ladder that they have met, weakest first."""
    ladder = ladder_of(game)
    return bot_levels(await store.against_bots(person, game.name, ladder), language, ladder)


def bot_levels(encounters: Iterable[Encounter], language: str, ladder: Sequence[str] = NAMES) -> list[BotLevel]:
    """Return how a person fares against the bots of a ladder that they have met, weakest first."""
    met = {encounter.other.name: encounter for encounter in encounters}
    levels = []
    for name in ladder:
        encounter = met.get(name)
        if encounter is not None and (games := encounter.ahead + encounter.level + encounter.behind):
            share = (encounter.ahead + encounter.level / 2) / games
            low, high = wilson_interval(share, games)
            shown = (round(100 * value, 1) for value in (share, low, high))
            levels.append(BotLevel(name, bot_label(name, common(language)), games, *shown))
    return levels


def wilson_interval(share: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a probability, of which `share` was observed in `count` trials (Wilson, 1927)."""
    square = QUANTILE**2
    middle = (share + square / (2 * count)) / (1 + square / count)
    width = QUANTILE * sqrt(share * (1 - share) / count + square / (4 * count**2)) / (1 + square / count)
    return max(0.0, middle - width), min(1.0, middle + width)


@dataclass(frozen=True)
class BotAdvice:
    """Which bot to play against next, and why: `reason` is a key below `progress`, about a level that was met."""

    next_bot: str
    reason: str
    level: str


def advise(levels: Sequence[BotLevel], ladder: Sequence[str] = NAMES) -> BotAdvice:
    """Return the weakest bot of a ladder that the person does not clearly beat, unless it clearly beats them.

    Clearly: half is outside of the 95 % interval. A player who beats a bot is taken to beat all weaker ones.
    """
    beaten = [level.name for level in levels if level.low > EVEN]
    losing = [level.name for level in levels if level.high < EVEN]
    if not levels:
        return BotAdvice(FIRST_BOT, "first", FIRST_BOT)
    above = ladder.index(beaten[-1]) + 1 if beaten else min(ladder.index(levels[0].name), ladder.index(USUAL_BOT))
    if above == len(ladder):
        return BotAdvice(ladder[-1], "top", ladder[-1])
    bot = ladder[above]
    if bot in losing:
        return BotAdvice(bot, "hard", bot) if beaten or above == 0 else BotAdvice(ladder[above - 1], "down", bot)
    return BotAdvice(bot, "up", beaten[-1]) if beaten else BotAdvice(bot, "even", bot)
