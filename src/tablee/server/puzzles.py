"""REST for puzzles. The server judges: nothing about the solution is sent before an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.core.puzzles import PERMILLE, Puzzle, PuzzleFile, puzzles_of
from tablee.core.registry import all_games
from tablee.protocol.puzzles import (
    AttemptShown,
    ComparedMove,
    NewAttempt,
    PuzzleQuestion,
    PuzzleShown,
    PuzzlesShown,
    SolverShown,
)
from tablee.protocol.rest import ExampleExplanation
from tablee.protocol.shown import SeatShown
from tablee.review.puzzle_ratings import INITIAL_RATING, Attempt, SolverRating, rate_solver
from tablee.review.puzzle_words import PuzzleWording
from tablee.server.openapi import answers, body
from tablee.server.registry import TableRegistry
from tablee.server.requests import COSTLY, GameName, Language, RequestGuard, answer, known_game, read_body
from tablee.storage.puzzles import PuzzleStore, StoredAttempt
from tablee.tables.decisions import check_move
from tablee.tables.explanations import explain_in
from tablee.tables.refusals import Refused
from tablee.tables.seats import PERSON

PuzzleId = Annotated[str, Path(min_length=1, max_length=16)]
After = Annotated[str, Query(max_length=16)]


def add_routes(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    """Add the routes."""
    store = PuzzleStore(registry.store)

    async def own_attempts(request: Request, game: Game | None = None) -> list[StoredAttempt] | None:
        """Return the attempts of the person asking, in one game or in all; None without a name."""
        person = guard.identify(request)
        if person is None:
            return None
        found = await store.attempts(person.id)
        return [attempt for attempt in found if game is None or attempt.game == game.name]

    @api.get("/puzzles", responses=answers(list[PuzzlesShown], 503))
    async def all_puzzles(request: Request, lang: Language = "en") -> Response:
        """List the games that have puzzles, with the rating of the person asking."""
        guard.guest(request)
        attempts = await own_attempts(request)
        return answer([_overview(game, found, attempts, lang) for game, found in _games_with_puzzles()])

    @api.get("/games/{game}/puzzle", responses=answers(PuzzleShown, 404, 429, 503))
    async def next_puzzle(request: Request, game: GameName, after: After = "", lang: Language = "en") -> Response:
        """Return the next puzzle: one that the person has not answered, as hard as fits their rating."""
        guard.guest(request, COSTLY)
        known, found = _puzzles(game)
        attempts = await own_attempts(request, known)
        puzzle = choose_next(found.puzzles, attempts or [], after)
        key = guard.client(request).key
        return answer(await registry.turns.run(key, _shown, known, found, puzzle, attempts, lang))

    @api.get("/games/{game}/puzzles/{id}", responses=answers(PuzzleShown, 404, 429, 503))
    async def one_puzzle(
        request: Request, game: GameName, puzzle_id: Annotated[PuzzleId, Path(alias="id")], lang: Language = "en"
    ) -> Response:
        """Return a puzzle."""
        guard.guest(request, COSTLY)
        known, found = _puzzles(game)
        puzzle = _find(found, puzzle_id)
        attempts = await own_attempts(request, known)
        key = guard.client(request).key
        return answer(await registry.turns.run(key, _shown, known, found, puzzle, attempts, lang))

    @api.post(
        "/games/{game}/puzzles/{id}/attempts",
        responses=answers(AttemptShown, 403, 404, 409, 413, 429, 503),
        openapi_extra=body(NewAttempt),
    )
    async def attempt(
        request: Request, game: GameName, puzzle_id: Annotated[PuzzleId, Path(alias="id")], lang: Language = "en"
    ) -> Response:
        """Answer a puzzle; the first answer of a person counts for their rating."""
        guard.check_origin(request)
        person, key = guard.guest(request, COSTLY), guard.client(request).key
        wanted = await read_body(request, NewAttempt)
        known, found = _puzzles(game)
        puzzle = _find(found, puzzle_id)
        judged = await registry.turns.run(key, _judged, known, found, puzzle, wanted.move, lang)
        is_counted = False
        if person is not None:
            is_counted = await store.add(person.id, known.name, puzzle.id, puzzle.rating, judged.is_solved)
        you = _solver_shown(await own_attempts(request, known))
        return answer(_with_solver(judged, is_counted, you))

    @api.post(
        "/games/{game}/puzzles/{id}/explanation",
        responses=answers(ExampleExplanation, 404, 413, 429),
        openapi_extra=body(PuzzleQuestion),
    )
    async def explanation(
        request: Request, game: GameName, puzzle_id: Annotated[PuzzleId, Path(alias="id")], lang: Language = "en"
    ) -> Response:
        """Explain why a move is not possible in a puzzle."""
        guard.guest(request)
        known, found = _puzzles(game)
        puzzle = _find(found, puzzle_id)
        question = await read_body(request, PuzzleQuestion)
        return answer(await registry.turns.run(guard.client(request).key, _explanation, known, puzzle, question, lang))


# Puzzles


def _games_with_puzzles() -> list[tuple[Game, PuzzleFile]]:
    found = [(game, _readable(game)) for game in all_games()]
    return [(game, puzzles) for game, puzzles in found if puzzles is not None and puzzles.puzzles]


def _readable(game: Game) -> PuzzleFile | None:
    """Return the puzzles of a game, None if their file is bad: the others stay usable."""
    try:
        return puzzles_of(game)
    except TableeError:
        return None


def _puzzles(name: str) -> tuple[Game, PuzzleFile]:
    """Return a game and its puzzles, or refuse."""
    game = known_game(name)
    found = _readable(game)
    if found is None or not found.puzzles:
        raise Refused("not_found")
    return game, found


def _find(found: PuzzleFile, puzzle_id: str) -> Puzzle:
    puzzle = found.find(puzzle_id)
    if puzzle is None:
        raise Refused("not_found")
    return puzzle


def choose_next(puzzles: Sequence[Puzzle], attempts: Sequence[StoredAttempt], after: str = "") -> Puzzle:
    """Return the untried puzzle whose rating is nearest to the person's.

    Once all have been tried, and without a name, they come in order after the one with the id `after`.
    """
    tried = {attempt.puzzle for attempt in attempts}
    untried = [puzzle for puzzle in puzzles if puzzle.id not in tried and puzzle.id != after]
    if attempts and untried:
        rating = _rate(attempts).rating
        return min(untried, key=lambda puzzle: (abs(puzzle.rating - rating), puzzle.id))
    ids = [puzzle.id for puzzle in puzzles]
    if after in ids:
        return puzzles[(ids.index(after) + 1) % len(puzzles)]
    return min(puzzles, key=lambda puzzle: (abs(puzzle.rating - INITIAL_RATING), puzzle.id))


def _shown(
    game: Game, found: PuzzleFile, puzzle: Puzzle, attempts: Sequence[StoredAttempt] | None, language: str
) -> PuzzleShown:
    match = puzzle.position(game)
    seat = match.to_move
    seats = [
        SeatShown(index, PERSON, name, None, index == seat, False) for index, name in enumerate(match.names(language))
    ]
    return PuzzleShown(
        id=puzzle.id,
        number=found.puzzles.index(puzzle) + 1,
        count=len(found.puzzles),
        rating=puzzle.rating,
        view=match.view(seat, language),
        seats=seats,
        is_tried=any(attempt.puzzle == puzzle.id for attempt in attempts or ()),
        you=_solver_shown(attempts),
    )


def _judged(game: Game, found: PuzzleFile, puzzle: Puzzle, text: str, language: str) -> AttemptShown:
    """Judge a move; refuse one that is not legal."""
    match = puzzle.position(game)
    move = check_move(match, text).text
    wording = PuzzleWording(puzzle, match, found.source.worlds, language)
    return AttemptShown(
        is_solved=move == puzzle.solution,
        verdict=wording.verdict(move),
        reasons=list(wording.reasons(move)),
        moves=[
            ComparedMove(
                value.move,
                wording.label(value.move),
                100 * value.share / PERMILLE,
                value.move == puzzle.solution,
                value.move == move,
            )
            for value in puzzle.values
        ],
        worlds=found.source.worlds,
    )


def _with_solver(judged: AttemptShown, is_counted: bool, you: SolverShown | None) -> AttemptShown:
    return msgspec.structs.replace(judged, is_counted=is_counted, you=you)


def _explanation(game: Game, puzzle: Puzzle, question: PuzzleQuestion, language: str) -> ExampleExplanation:
    match = puzzle.position(game)
    reason = explain_in(match, match, match.to_move, question.targets, question.move, language)
    return ExampleExplanation(reason.text, reason.clause)


# Ratings


def _overview(game: Game, found: PuzzleFile, attempts: Sequence[StoredAttempt] | None, language: str) -> PuzzlesShown:
    own = None if attempts is None else [attempt for attempt in attempts if attempt.game == game.name]
    return PuzzlesShown(game.name, game.words(language).say("title"), len(found.puzzles), _solver_shown(own))


def _rate(attempts: Sequence[StoredAttempt]) -> SolverRating:
    return rate_solver(Attempt(attempt.rating, attempt.is_solved) for attempt in attempts)


def _solver_shown(attempts: Sequence[StoredAttempt] | None) -> SolverShown | None:
    if attempts is None:
        return None
    own = _rate(attempts)
    return SolverShown(round(own.rating), own.margin, own.tried, own.solved, own.streak, own.best_streak)
