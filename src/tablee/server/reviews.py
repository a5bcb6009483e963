"""Reviews of finished games: made one after another in a process of their own, stored, and shown in words."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TypeAlias

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from tablee.core.errors import TableeError
from tablee.protocol.reviews import ReviewLine, ReviewShown, ReviewState, ReviewTable, SeatChances, ShownReview
from tablee.review.files import ReviewProgress
from tablee.review.page import render_curve
from tablee.review.process import review_in_process
from tablee.review.report import UNIT, Review
from tablee.review.wording import Told, Wording
from tablee.server.logs import describe_exception, incident
from tablee.server.openapi import answers
from tablee.server.progress import reviewed_games
from tablee.server.registry import TableRegistry
from tablee.server.requests import COSTLY, Invite, Language, RequestGuard, TableId, answer
from tablee.server.turns import FairTurns
from tablee.storage.export import record_of
from tablee.storage.reviewed_games import ReviewedGameStore
from tablee.storage.reviews import ReviewStore
from tablee.storage.store import Store
from tablee.tables.refusals import Refused
from tablee.tables.table import OVER, Table

AT_ONCE = 1  # processes that review
MAX_WAITING = 3  # reviews per person
MAX_FAILED = 100  # reviews that failed, remembered until they are requested again

Reviewer: TypeAlias = Callable[[str], AsyncGenerator[ReviewProgress]]  # of the game whose record is given


class ReviewFailed(TableeError):
    """The process that reviews has ended without a review; the message says why, and no secret."""


@dataclass
class RunningReview:
    """A review that has been requested and is not stored yet."""

    state: ReviewState = "waiting"
    done: int = 0
    all: int = 0
    task: asyncio.Task[None] | None = None


class Reviews:
    """Makes reviews on request, in turns between those who ask, and keeps them."""

    def __init__(self, store: Store, seconds: float, reviewer: Reviewer = review_in_process) -> None:
        self._kept = ReviewStore(store)
        self._games = ReviewedGameStore(store)
        self._seconds = seconds
        self._reviewer = reviewer
        self._turns = FairTurns(AT_ONCE, MAX_WAITING)
        self._running: dict[str, RunningReview] = {}

    async def find(self, table_id: str) -> Review | None:
        """Return a stored review; its players have no names."""
        content = await self._kept.find(table_id)
        return None if content is None else msgspec.json.decode(content, type=Review)

    def progress(self, table_id: str) -> RunningReview:
        """Return how far a review is that is not stored."""
        return self._running.get(table_id) or RunningReview("none")

    def request(self, table: Table, key: str) -> None:
        """Have a finished game reviewed for the person or address `key`, unless that is done or under way."""
        if self.progress(table.id).state in ("waiting", "running"):
            return
        self._forget_failed()
        started = self._running[table.id] = RunningReview()
        started.task = asyncio.create_task(self._make(table, key, started))

    async def stop(self) -> None:
        """Give up the reviews under way; they can be requested again."""
        tasks = [running.task for running in self._running.values() if running.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _make(self, table: Table, key: str, running: RunningReview) -> None:
        try:
            review = stored = await self.find(table.id)
            if review is None:
                async with self._turns.turn(key):
                    running.state = "running"
                    review = await asyncio.wait_for(self._run(table, running), self._seconds)
            await self._games.save(table.id, reviewed_games(review, table))
            if stored is None:  # last: a person who sees the review finds it counted in the statistics
                await self._kept.save(table.id, msgspec.json.encode(_without_names(review)).decode())
        except ReviewFailed as error:
            running.state = "failed"
            incident("review fails", logging.ERROR, table=table.id, why=str(error))
        except Exception as error:
            running.state = "failed"
            incident("review fails", logging.ERROR, table=table.id, **describe_exception(error))
        else:
            del self._running[table.id]

    def _forget_failed(self) -> None:
        failed = [table for table, running in self._running.items() if running.state == "failed"]
        for table in failed[:-MAX_FAILED]:
            del self._running[table]

    async def _run(self, table: Table, running: RunningReview) -> Review:
        record = await asyncio.to_thread(lambda: record_of(table).text())
        async with aclosing(self._reviewer(record)) as lines:
            async for line in lines:
                if line.error:
                    raise ReviewFailed(line.error)
                running.done, running.all = line.done, line.all
                if line.review is not None:
                    return line.review
        raise ReviewFailed("the process that reviews has ended without a review")


def _without_names(review: Review) -> Review:
    """Return a review without the players' names, which follow from the table and may be deleted there."""
    return replace(review, players=("",) * len(review.players))


# Routes


def add_routes(api: APIRouter, registry: TableRegistry, guard: RequestGuard, reviews: Reviews) -> None:
    """Add the routes."""

    async def finished(request: Request, table: str, invite: str) -> Table:
        found = (await registry.visible(table, guard.guest(request, COSTLY), invite)).table
        if found.phase != OVER or found.match is None or not found.match.is_over:
            raise Refused("not_over")
        return found

    async def shown(request: Request, table: Table, language: str) -> ReviewShown:
        running = reviews.progress(table.id)  # before the store is asked: afterwards the review may be stored and done
        found = await reviews.find(table.id)
        if found is None:
            return ReviewShown(running.state, running.done, running.all)
        content = await registry.turns.run(guard.client(request).key, show_review, found, table, language)
        return ReviewShown("done", len(found.steps), len(found.steps), content)

    @api.get("/tables/{table}/review", responses=answers(ReviewShown, 404, 409, 503))
    async def review(request: Request, table: TableId, lang: Language = "en", invite: Invite = "") -> Response:
        """Return the review of a finished game, or how far it is."""
        return answer(await shown(request, await finished(request, table, invite), lang))

    @api.post("/tables/{table}/review", responses=answers(ReviewShown, 401, 403, 404, 409, 429, 503))
    async def make_review(request: Request, table: TableId, lang: Language = "en", invite: Invite = "") -> Response:
        """Have a finished game reviewed, once for all who look at it."""
        person = guard.writer(request)
        over = await finished(request, table, invite)
        reviews.request(over, person.id)
        return answer(await shown(request, over, lang))

    @api.get("/tables/{table}/review.svg", responses=answers("image/svg+xml", 404, 409, 503))
    async def picture(request: Request, table: TableId, lang: Language = "en", invite: Invite = "") -> Response:
        """Return the curve of the players' chances as a picture."""
        over = await finished(request, table, invite)
        found = await reviews.find(over.id)
        if found is None:
            raise Refused("not_found")
        drawn = await registry.turns.run(guard.client(request).key, _draw, found, over, lang)
        return Response(drawn, media_type="image/svg+xml")


def _draw(review: Review, table: Table, language: str) -> str:
    assert table.match is not None
    return render_curve(Wording(review, table.match, language))


def show_review(review: Review, table: Table, language: str) -> ShownReview:
    """Return a review in words."""
    assert table.match is not None
    wording = Wording(review, table.match, language)
    say = wording.words.say
    return ShownReview(
        title=wording.title,
        chances=[_chances(wording, seat) for seat in review.seats],
        round_starts=[start.step for start in review.rounds],
        seats=ReviewTable(wording.headings, wording.seat_rows()),
        rounds=ReviewTable(wording.round_headings, wording.round_rows()),
        mistakes=[_line(line.number, line.text, wording.told[line.number - 1], review) for line in wording.mistakes()],
        moments=[ReviewLine(line.number, line.text) for line in wording.moments()],
        notes=[say("review.measure"), say("review.adds_up"), say("review.depth", depth=review.depth)],
    )


def _chances(wording: Wording, seat: int) -> SeatChances:
    review = wording.review
    values = [*(step.values[seat] for step in review.steps), review.results[seat]]
    return SeatChances(wording.names[seat], [round(100 * value / UNIT) for value in values])


def _line(number: int, text: str, told: Told, review: Review) -> ReviewLine:
    step = review.steps[number - 1]
    return ReviewLine(number, text, step.seat, str(step.grade), told.better, told.better_text, 100 * step.loss / UNIT)
