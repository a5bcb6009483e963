"""The golden text of a random match: changes of rules, moves, views and words show as differences."""

from __future__ import annotations

from collections.abc import Iterator

from tablee.core.game import Game, Setup
from tablee.core.match import Match
from tablee.core.state import SPECTATOR
from tablee.core.view import Piece, View, Zone
from tablee.testing.positions import random_positions

MAX_LISTED = 16  # legal moves and choices listed; of more, the first ones and their number
VIEW_STRIDE = 100  # moves between two positions with all views
MAX_DETAILED = 200  # moves with legal moves and events; later ones have a line each


def playthrough(game: Game, setup: Setup | None = None, seed: int = 0) -> str:
    """Play a random match and return it as text, in English: moves, digests, legal moves, events, views and the end."""
    return "\n".join(_lines(game, setup or game.setup(), seed)) + "\n"


def _lines(game: Game, setup: Setup, seed: int) -> Iterator[str]:
    yield f"{game.name} {game.version}: {setup} seed={seed}"
    listed: list[int] = []
    mover = 0
    for match in random_positions(game, setup, seed):
        if match.moves:
            yield from _move_lines(match, mover, listed)
        if len(match.moves) % VIEW_STRIDE == 0 or match.is_over:
            yield from _view_lines(match)
        listed, mover = match.legal_moves(), match.to_move
    yield from _end_lines(match)


def _move_lines(match: Match, mover: int, listed: list[int]) -> Iterator[str]:
    number = len(match.moves)
    yield f"{number}. seat {mover}: {match.text(match.moves[-1])} {match.digest()}"
    if number <= MAX_DETAILED or match.is_over:
        texts = [match.text(move) for move in listed[:MAX_LISTED]]
        rest = f", ... {len(listed)} in all" if len(listed) > MAX_LISTED else ""
        yield f"   of {', '.join(texts)}{rest}"
        yield from (f"   {event.text}" for event in match.events(mover))


def _view_lines(match: Match) -> Iterator[str]:
    yield f"-- after {len(match.moves)} moves --"
    for seat in range(SPECTATOR, match.seats):
        yield f"as seen by {'a spectator' if seat == SPECTATOR else f'seat {seat}'}"
        yield from (f"   {line}" for line in view_lines(match.view(seat)))


def _end_lines(match: Match) -> Iterator[str]:
    outcome = match.outcome
    if outcome is not None:
        yield f"end: {outcome.reason}, scores {list(outcome.scores)}, ranks {list(outcome.ranks)}"


def view_lines(view: View) -> Iterator[str]:
    """Yield a view as lines of text."""
    yield view.prompt
    yield f"scores {list(view.scores)}" + (f"; {view.end}; winners {list(view.winners)}" if view.end else "")
    for zone in view.zones:
        yield f"{zone.id} ({_zone_line(zone)}): {' '.join(_piece_text(piece) for piece in zone.pieces)}".rstrip()
    if view.choices:
        yield "choices: " + "; ".join(choice.label for choice in view.choices[:MAX_LISTED])
    if view.facts:
        yield f"facts: {view.facts}"


def _zone_line(zone: Zone) -> str:
    return ", ".join([zone.kind, zone.label, *([str(zone.count)] if zone.count is not None else [])])


def _piece_text(piece: Piece) -> str:
    """Return a piece as text: its face or `?`, then its colour, symbol and marks."""
    details = [detail for detail in (piece.colour, piece.symbol, *piece.marks) if detail]
    return (piece.face if piece.face is not None else "?") + (f"[{','.join(details)}]" if details else "")
