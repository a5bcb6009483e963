"""REST for daily tables: the tables of a day, one's own tries, practice, and a picture to share."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from tablee.bots.roster import bot_label
from tablee.core.game import Game
from tablee.core.registry import all_games, find_game
from tablee.core.words import common
from tablee.protocol.daily import DailyBotResult, DailyDay, DailyGame, DailyPast
from tablee.protocol.shown import TableShown
from tablee.server.daily import DailyTables
from tablee.server.daily_pictures import draw_result
from tablee.server.daily_results import compare, counts_by_rank, streak
from tablee.server.identity import Person
from tablee.server.openapi import answers
from tablee.server.registry import TableRegistry, is_served
from tablee.server.requests import COSTLY, GameName, Language, RequestGuard, answer, known_game, viewer_of
from tablee.storage.daily import DailyTry
from tablee.tables.daily import DailyDeal
from tablee.tables.days import beginning_of, day_after, day_before, opening_time, parse_day
from tablee.tables.presentation import table_shown
from tablee.tables.refusals import Refused

Day = Annotated[str, Path(max_length=10)]
Before = Annotated[str | None, Query(max_length=10)]


def add_routes(api: APIRouter, registry: TableRegistry, guard: RequestGuard, daily: DailyTables) -> None:
    """Add the routes."""
    days = Days(registry, daily)
    _add_days(api, guard, daily, days)
    _add_tables(api, guard, daily)

    @api.get("/daily/{day}/{game}/picture.svg", responses=answers("image/svg+xml", 401, 404, 503))
    async def picture(request: Request, day: Day, game: GameName, lang: Language = "en") -> Response:
        """Return one's own result as a picture that shows nothing of the deal."""
        person, known = guard.person(request, COSTLY), known_game(game)
        shown = await days.game(days.known(day), known, person, lang)
        if shown.result is None:
            raise Refused("not_found")
        drawn = draw_result(shown, day, known, await days.streak(person), lang)
        return Response(drawn, media_type="image/svg+xml")


def _add_days(api: APIRouter, guard: RequestGuard, daily: DailyTables, days: Days) -> None:
    @api.get("/daily", responses=answers(DailyDay, 503))
    async def today(request: Request, lang: Language = "en") -> Response:
        """Return the daily tables of today."""
        return answer(await days.day(daily.today, guard.guest(request, COSTLY), lang))

    @api.get("/daily/{day}", responses=answers(DailyDay, 404, 503))
    async def one_day(request: Request, day: Day, lang: Language = "en") -> Response:
        """Return the daily tables of a day; of tomorrow's, the commitments."""
        return answer(await days.day(days.known(day), guard.guest(request, COSTLY), lang))

    @api.get("/me/daily", responses=answers(list[DailyPast], 401, 404, 503))
    async def past(request: Request, before: Before = None, lang: Language = "en") -> Response:
        """Return one's last finished tries before a day, newest first; at most 100."""
        person = guard.person(request, COSTLY)
        day = day_after(daily.today) if before is None else days.known(before)
        return answer(
            [_past(each, lang) for each in await daily.store.tries_before(person.id, day) if is_served(each.game)]
        )


def _add_tables(api: APIRouter, guard: RequestGuard, daily: DailyTables) -> None:
    @api.post("/games/{game}/daily", status_code=201, responses=_MADE)
    async def begin(request: Request, game: GameName, lang: Language = "en") -> Response:
        """Begin one's only try at today's table of a game, or go on with it."""
        person = guard.maker(request)
        table = (await daily.begin(known_game(game), person)).table
        return answer(table_shown(table, viewer_of(table, person), lang), HTTPStatus.CREATED)

    @api.post("/daily/{day}/{game}/practice", status_code=201, responses=_MADE)
    async def practise(request: Request, day: Day, game: GameName, lang: Language = "en") -> Response:
        """Make a table for practice on a deal that one has played, or that is opened."""
        person = guard.maker(request)
        table = (await daily.practise(_known(day, daily.today), known_game(game), person)).table
        return answer(table_shown(table, viewer_of(table, person), lang), HTTPStatus.CREATED)


_MADE = answers(TableShown, 401, 403, 404, 409, 429, 503, status=201)


class Days:
    """Shows the tables of a day to a person."""

    def __init__(self, registry: TableRegistry, daily: DailyTables) -> None:
        self._registry = registry
        self._daily = daily

    def known(self, day: str) -> str:
        """Return a day whose commitments are published; refuse any other."""
        return _known(day, day_after(self._daily.today))

    async def streak(self, person: Person | None) -> int:
        """Return how many days in a row a person has finished a try."""
        days = await self._daily.store.days_played(person.id) if person is not None else []
        return streak(days, self._daily.today)

    async def day(self, day: str, person: Person | None, language: str) -> DailyDay:
        """Return the tables of a day."""
        today, first = self._daily.today, await self._daily.store.first_day()
        return DailyDay(
            day=day,
            now=self._registry.clock(),
            begins_at=beginning_of(day),
            ends_at=beginning_of(day_after(day)),
            opens_at=opening_time(day),
            previous=day_before(day) if first is not None and first < day else None,
            next=day_after(day) if day <= today else None,
            streak=await self.streak(person),
            games=[await self.game(day, game, person, language) for game in all_games()],
        )

    async def game(self, day: str, game: Game, person: Person | None, language: str) -> DailyGame:
        """Return the table of a game; results only to those who have finished it, or when the deal is opened."""
        deal, words = await self._daily.deal(day, game), common(language)
        own = await self._daily.store.find(person.id, day, game.name) if person is not None else None
        counts, is_opened = await self._daily.store.counts(day, game.name), self._daily.is_opened(deal)
        has_ended, seats = own is not None and own.ended_at is not None, len(deal.bots) + 1
        is_shown = has_ended or is_opened
        return DailyGame(
            game=game.name,
            title=game.words(language).say("title"),
            commitment=deal.commitment,
            seed=f"{deal.seed:064x}" if is_opened else None,
            bots=[bot_label(bot, words) for bot in deal.bots],
            state="none" if own is None else "over" if has_ended else "playing",
            table=None if own is None else own.table_id,
            players=sum(each.players for each in counts),
            result=compare(own, counts, game, seats) if own is not None and has_ended else None,
            counts=counts_by_rank(counts) if is_shown else [],
            bot_results=await self._bot_results(deal, language, is_wanted=has_ended) if is_shown else [],
            can_practise=is_shown,
        )

    async def _bot_results(self, deal: DailyDeal, language: str, *, is_wanted: bool) -> list[DailyBotResult]:
        """Return what bots made of a deal, the strongest first; if they have not played it all, have them do so."""
        found, words = await self._daily.store.bots(deal.day, deal.game), common(language)
        if is_wanted and not found.keys() >= set(self._daily.levels):
            self._daily.play_with_bots(deal)
        return [
            DailyBotResult(bot, bot_label(bot, words), *found[bot])
            for bot in reversed(self._daily.levels)
            if bot in found
        ]


def _known(day: str, last: str) -> str:
    """Return a day that is not after `last`; refuse any other text."""
    try:
        if parse_day(day) <= last:
            return day
    except ValueError:
        pass
    raise Refused("not_found", "no_day", day=day)


def _past(own: DailyTry, language: str) -> DailyPast:
    game = find_game(own.game)
    is_given_up = own.rank is not None and own.rank > game.usual_seats
    rank, points = (None, None) if is_given_up else (own.rank, own.points)
    return DailyPast(own.day, own.game, game.words(language).say("title"), own.table_id, rank, points)
