"""REST for the playable examples of rulebooks. Nothing is kept: whoever tries says again what he has played so far."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from tablee.core.game import Game
from tablee.core.view import Event, View
from tablee.server.openapi import answers
from tablee.server.registry import check_ready
from tablee.server.requests import GameName, Language, answer, known_game
from tablee.tables.decisions import checked_move
from tablee.tables.examples import Example, examples_of
from tablee.tables.presentation import SeatShown
from tablee.tables.refusals import Refused
from tablee.tables.table import PERSON

MAX_TRIED = 30  # moves in an example
ExampleName = Annotated[str, Path(min_length=1, max_length=64)]
Tried = Annotated[list[str], Query(alias="move", max_length=MAX_TRIED)]


class ExampleInfo(msgspec.Struct, frozen=True):
    """An example, and the clause it belongs to."""

    name: str
    clause: str
    title: str


class ExampleShown(msgspec.Struct, frozen=True):
    """An example after what somebody has tried."""

    prompt: str  # what to try
    view: View
    seats: list[SeatShown]
    told: list[Event]
    is_over: bool  # the turn has passed on
    seen: str | None  # what the clause has shown, once it has


def add_routes(api: APIRouter) -> None:
    """Add the routes."""

    @api.get("/games/{game}/examples", responses=answers(list[ExampleInfo], 404))
    async def examples(game: GameName, lang: Language = "en") -> Response:
        """List the playable examples of a rulebook."""
        found = examples_of(known_game(game))
        return answer([ExampleInfo(each.name, each.clause, each.words_in(lang).title) for each in found])

    @api.get("/games/{game}/examples/{name}", responses=answers(ExampleShown, 404, 409))
    async def example(game: GameName, name: ExampleName, move: Tried = [], lang: Language = "en") -> Response:  # noqa: B006
        """Show an example after what somebody has tried; a move that is not possible is refused with its clause."""
        known = known_game(game)
        check_ready(known.name)
        wanted = next((each for each in examples_of(known) if each.name == name), None)
        if wanted is None:
            raise Refused("not_found")
        return answer(await asyncio.to_thread(_shown, known, wanted, move, lang))


def _shown(game: Game, example: Example, tried: list[str], language: str) -> ExampleShown:
    match = example.position(game)
    seat = match.to_move
    told: list[Event] = []
    played: list[str] = []
    for text in tried:
        if match.to_move != seat:
            raise Refused("not_playing", "while_over")
        played.append(checked_move(match, text))
        match.play(played[-1])
        told = match.events(seat, language)
    names = [
        SeatShown(index, PERSON, name, None, index == seat, False) for index, name in enumerate(match.names(language))
    ]
    words = example.words_in(language)
    is_seen = example.is_seen(played)
    return ExampleShown(
        prompt=words.prompt,
        view=match.view(seat, language),
        seats=names,
        told=told,
        is_over=is_seen or match.to_move != seat,
        seen=words.seen if is_seen else None,
    )
