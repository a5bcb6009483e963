"""What is drawn and told."""

from __future__ import annotations

from collections.abc import Sequence

from tablee.core.sight import Sight
from tablee.core.view import Choice, Event, Piece, View, Zone
from tablee.core.words import Words

from . import GAME
from .moves import card_of, move_text
from .rules import REASONS
from .state import NO_CARD, UNKNOWN


def draw(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> View:
    """Draw the table for the sight's viewer."""
    points = tuple(int(number) for number in sight.state.points[: sight.seats])
    is_over = sight.state.end_reason != 0
    return View(
        game=GAME.name,
        viewer=sight.seat,
        seats=sight.seats,
        to_move=sight.to_move,
        prompt=_prompt(sight, words, names),
        zones=(*(_hand(sight, seat, words, names) for seat in range(sight.seats)), _trick(sight, words)),
        scores=points,
        choices=tuple(_choice(sight, move, words) for move in moves),
        end=words.say(f"reasons.{REASONS[int(sight.state.end_reason)]}") if is_over else None,
        winners=tuple(seat for seat in range(sight.seats) if points[seat] == max(points)) if is_over else (),
    )


def _prompt(sight: Sight, words: Words, names: Sequence[str]) -> str:
    if sight.state.end_reason != 0:
        return words.say("prompt.over")
    if sight.to_move == sight.seat:
        return words.say("prompt.play")
    return words.say("prompt.wait", player=names[sight.to_move])


def _hand(sight: Sight, seat: int, words: Words, names: Sequence[str]) -> Zone:
    cards = [int(card) for card in sight.state.hands[seat] if card != NO_CARD]
    pieces = tuple(_card(f"seat{seat}.{index}", card, words) for index, card in enumerate(cards))
    return Zone(f"seat{seat}", "fan", words.say("zones.hand", player=names[seat]), pieces, owner=seat)


def _trick(sight: Sight, words: Words) -> Zone:
    """Show the trick being played, each card at the place of who played it."""
    state = sight.state
    count = int(state.played_count)
    first = count - count % sight.seats
    pieces = tuple(
        _card(f"trick.{(int(state.leader) + index - first) % sight.seats}", int(state.played[index]), words)
        for index in range(first, count)
    )
    return Zone("trick", "row", words.say("zones.trick"), pieces)


def _card(index: str, card: int, words: Words) -> Piece:
    if card == UNKNOWN:
        return Piece(index, words.say("cards.hidden"))
    return Piece(index, words.say("cards.open", card=card), face=str(card), colour="blue")


def _choice(sight: Sight, move: int, words: Words) -> Choice:
    index = [int(card) for card in sight.state.hands[sight.seat]].index(card_of(move))
    label = words.say("moves.play", card=card_of(move))
    return Choice(move, move_text(move), label, (f"seat{sight.seat}.{index}",))


def tell(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> list[Event]:
    """Tell a move: the card, and who takes the trick if it was the last one."""
    assert move is not None  # every move is seen by all (R2)
    mover = before.to_move
    text = words.say("events.played", player=names[mover], card=card_of(move))
    events = [Event("played", text, mover, (f"seat{mover}", "trick"))]
    if int(after.state.played_count) % after.seats == 0:
        winner = int(after.state.leader)
        events.append(Event("took", words.say("events.took", player=names[winner]), winner, ("trick", f"seat{winner}")))
    return events
