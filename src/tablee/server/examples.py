"""REST for the playable examples of rulebooks. Stateless: each request names the moves made so far."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.view import Event
from tablee.protocol.rest import MAX_EXAMPLE_MOVES, ExampleExplanation, ExampleInfo, ExampleQuestion, ExampleShown
from tablee.protocol.shown import SeatShown
from tablee.server.openapi import answers, body
from tablee.server.registry import TableRegistry
from tablee.server.requests import GameName, Language, RequestGuard, answer, known_game, read_body
from tablee.tables.decisions import check_move
from tablee.tables.examples import Example, examples_of
from tablee.tables.explanations import explain_in
from tablee.tables.refusals import Refused
from tablee.tables.seats import PERSON

ExampleName = Annotated[str, Path(min_length=1, max_length=64)]
Tried = Annotated[list[str], Query(alias="move", max_length=MAX_EXAMPLE_MOVES)]


def add_routes(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    """Add the routes."""

    @api.get("/games/{game}/examples", responses=answers(list[ExampleInfo], 404))
    async def examples(game: GameName, lang: Language = "en") -> Response:
        """List the playable examples of a rulebook."""
        found = examples_of(known_game(game))
        return answer([ExampleInfo(each.name, each.clause, each.words_in(lang).title) for each in found])

    @api.get("/games/{game}/examples/{name}", responses=answers(ExampleShown, 404, 409, 429))
    async def example(
        request: Request,
        game: GameName,
        name: ExampleName,
        move: Tried = [],  # noqa: B006
        lang: Language = "en",
    ) -> Response:
        """Show an example after some moves; an illegal one is refused with its clause."""
        guard.guest(request)
        known = known_game(game)
        wanted = _find(known, name)
        return answer(await registry.turns.run(guard.client(request).key, _shown, known, wanted, move, lang))

    @api.post(
        "/games/{game}/examples/{name}/explanation",
        responses=answers(ExampleExplanation, 404, 409, 413, 429),
        openapi_extra=body(ExampleQuestion),
    )
    async def explanation(request: Request, game: GameName, name: ExampleName, lang: Language = "en") -> Response:
        """Explain why a move is not possible in an example."""
        guard.guest(request)
        known = known_game(game)
        wanted = _find(known, name)
        question = await read_body(request, ExampleQuestion)
        return answer(await registry.turns.run(guard.client(request).key, _explanation, known, wanted, question, lang))


def _find(game: Game, name: str) -> Example:
    found = next((each for each in examples_of(game) if each.name == name), None)
    if found is None:
        raise Refused("not_found")
    return found


def _after(game: Game, example: Example, tried: list[str], language: str) -> tuple[Match, list[str], list[Event]]:
    """Return the match after some moves, their texts, and what the last one's player may know of it."""
    match = example.position(game)
    seat = match.to_move
    played: list[str] = []
    events: list[Event] = []
    for text in tried:
        if match.to_move != seat:
            raise Refused("not_playing", "while_over")
        move = check_move(match, text)
        match.push(move.number)
        played.append(move.text)
        events = match.events(seat, language)
    return match, played, events


def _shown(game: Game, example: Example, tried: list[str], language: str) -> ExampleShown:
    seat = example.position(game).to_move
    match, played, events = _after(game, example, tried, language)
    names = [
        SeatShown(index, PERSON, name, None, index == seat, False) for index, name in enumerate(match.names(language))
    ]
    words = example.words_in(language)
    is_seen = example.is_seen(played)
    return ExampleShown(
        prompt=words.prompt,
        view=match.view(seat, language),
        seats=names,
        events=events,
        is_over=is_seen or match.to_move != seat,
        seen=words.seen if is_seen else None,
    )


def _explanation(game: Game, example: Example, question: ExampleQuestion, language: str) -> ExampleExplanation:
    seat = example.position(game).to_move
    match, _, _ = _after(game, example, question.moves, language)
    if match.to_move != seat:
        raise Refused("not_playing", "while_over")
    reason = explain_in(match, match, seat, question.targets, question.move, language)
    return ExampleExplanation(reason.text, reason.clause)
