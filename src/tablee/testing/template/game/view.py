"""What a front end draws, and the events of each move, both from a sight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tablee.core.sight import Sight
from tablee.core.state import NOBODY
from tablee.core.view import Choice, Event, Piece, RoundScore, RoundSummary, View, Zone
from tablee.core.words import Words

from . import GAME
from .moves import card_of, move_text
from .rules import EndReason, best_card_index, finished_rounds
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
        end=words.say(f"reasons.{EndReason(int(sight.state.end_reason)).key}") if is_over else None,
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
    """Draw the trick being played."""
    count = int(sight.state.played_count)
    cards = sight.state.played[count - count % sight.seats : count].tolist()
    return _trick_zone(cards, int(sight.state.leader), sight.seats, words)


def _trick_zone(cards: Sequence[int], leader: int, seats: int, words: Words) -> Zone:
    """Draw a trick that a seat has led; the id of each card names the seat that played it."""
    pieces = tuple(_card(f"trick.{(leader + index) % seats}", card, words) for index, card in enumerate(cards))
    return Zone("trick", "row", words.say("zones.trick"), pieces)


def _card(piece_id: str, card: int, words: Words) -> Piece:
    if card == UNKNOWN:
        return Piece(piece_id, words.say("cards.hidden"))
    return Piece(piece_id, words.say("cards.open", card=card), face=str(card), colour="blue")


def _choice(sight: Sight, move: int, words: Words) -> Choice:
    index = [int(card) for card in sight.state.hands[sight.seat]].index(card_of(move))
    label = words.say("moves.play", card=card_of(move))
    return Choice(move, move_text(move), label, (f"seat{sight.seat}.{index}",))


def draw_round(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> View:
    """Draw the trick that was taken last, and who took it."""
    state = after.state
    number = int(finished_rounds(state))
    first = (number - 1) * after.seats
    winner = int(state.leader)  # who takes a trick leads the next one (R3)
    leader = winner - int(best_card_index(state, first))
    cards = state.played[first : first + after.seats].tolist()
    return replace(
        draw(after, (), words, names),
        to_move=NOBODY,
        prompt=words.say("round.result", number=number, player=names[winner]),
        zones=(_trick_zone(cards, leader, after.seats, words),),
        round=RoundSummary(
            number,
            tuple(RoundScore(seat, int(seat == winner), int(state.points[seat])) for seat in range(after.seats)),
        ),
    )


def tell(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> list[Event]:
    """Tell the card that was played, and who takes the trick if it was the last one."""
    assert move is not None  # every move is public (R2)
    mover = before.to_move
    text = words.say("events.played", player=names[mover], card=card_of(move))
    events = [Event("played", text, mover, (f"seat{mover}", "trick"))]
    if int(after.state.played_count) % after.seats == 0:
        winner = int(after.state.leader)
        events.append(Event("took", words.say("events.took", player=names[winner]), winner, ("trick", f"seat{winner}")))
    return events
