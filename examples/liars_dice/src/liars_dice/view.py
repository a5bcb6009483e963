"""What a front end draws, and the events of each move, both from a sight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tablee.core.sight import Sight
from tablee.core.state import NOBODY
from tablee.core.view import Choice, Event, Piece, RoundScore, RoundSummary, View, Zone
from tablee.core.words import Words

from . import GAME
from .moves import DOUBT, FACES, bid_count, bid_face, move_text
from .rules import EndReason, count_dice, finished_rounds
from .state import NO_BID, NO_DIE, UNKNOWN, WILD_ONES, total_dice


def draw(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> View:
    """Draw the table for the sight's viewer; when the game is over, the dice of the last round."""
    state = sight.state
    left = tuple(int(number) for number in state.dice_left[: sight.seats])
    is_over = state.end_reason != 0
    bid, bidder = (state.last_bid, state.last_bidder) if is_over else (state.bid, state.bidder)
    return View(
        game=GAME.name,
        viewer=sight.seat,
        seats=sight.seats,
        to_move=sight.to_move,
        prompt=_prompt(sight, words, names),
        zones=(
            *_dice_zones(state.last_dice if is_over else state.dice, sight.seats, words, names),
            _bid_zone(int(bid), words),
            *_bidding_zones(int(total_dice(state)), words),
        ),
        scores=left,
        choices=tuple(_choice(move, words) for move in moves),
        end=words.say(f"reasons.{EndReason(int(state.end_reason)).key}") if is_over else None,
        winners=tuple(seat for seat in range(sight.seats) if left[seat] > 0) if is_over else (),
        facts=_facts(int(bid), int(bidder), words),
    )


def _prompt(sight: Sight, words: Words, names: Sequence[str]) -> str:
    if sight.state.end_reason != 0:
        return words.say("prompt.over")
    if sight.to_move != sight.seat:
        return words.say("prompt.wait", player=names[sight.to_move])
    return words.say("prompt.first" if sight.state.bid == NO_BID else "prompt.bid_or_doubt")


def _dice_zones(dice: Any, seats: int, words: Words, names: Sequence[str]) -> list[Zone]:
    return [
        Zone(
            f"seat{seat}",
            "fan",
            words.say("zones.dice", player=names[seat]),
            tuple(
                _die(f"seat{seat}.{index}", int(die), words) for index, die in enumerate(dice[seat]) if die != NO_DIE
            ),
            owner=seat,
        )
        for seat in range(seats)
    ]


def _die(piece_id: str, die: int, words: Words) -> Piece:
    if die == UNKNOWN:
        return Piece(piece_id, words.say("dice.hidden"))
    return Piece(piece_id, words.say("dice.open", face=die), face=str(die))


def _bid_zone(bid: int, words: Words) -> Zone:
    """Draw the bid: how many dice, and a die with the face."""
    if bid == NO_BID:
        return Zone("bid", "row", words.say("zones.no_bid"))
    count = Piece("bid.count", words.say("dice.count", n=bid_count(bid)), face=f"{bid_count(bid)}×")
    return Zone("bid", "row", words.say("zones.bid"), (count, _die("bid.face", bid_face(bid), words)))


def _bidding_zones(total: int, words: Words) -> tuple[Zone, Zone]:
    """Draw the numbers and the faces that a bid is made of."""
    counts = (Piece(f"count.{n}", words.say("dice.count", n=n), face=str(n)) for n in range(1, total + 1))
    faces = (_die(f"face.{face}", face, words) for face in range(1, FACES + 1))
    return (
        Zone("counts", "row", words.say("zones.counts"), tuple(counts)),
        Zone("faces", "row", words.say("zones.faces"), tuple(faces)),
    )


def _choice(move: int, words: Words) -> Choice:
    if move == DOUBT:
        return Choice(move, move_text(move), words.say("moves.doubt"), ("bid",), "doubt")
    count, face = int(bid_count(move)), int(bid_face(move))
    label = words.say("moves.bid", count=count, face=face)
    return Choice(move, move_text(move), label, (f"count.{count}", f"face.{face}"), "bid")


def _facts(bid: int, bidder: int, words: Words) -> dict[str, Any]:
    """Return what the game's own board needs besides the zones."""
    return {"bidder": bidder if bid != NO_BID else None, "doubt": words.say("moves.doubt")}


def draw_round(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> View:
    """Draw the round that ended last: all dice, the bid, and who lost a die."""
    state = after.state
    bid, loser = int(state.last_bid), int(state.last_loser)
    result = _result(after, words)
    return replace(
        draw(after, (), words, names),
        to_move=NOBODY,
        prompt=words.say("round.result", result=result, player=names[loser]),
        zones=(*_dice_zones(state.last_dice, after.seats, words, names), _bid_zone(bid, words)),
        facts=_facts(bid, int(state.last_bidder), words),
        round=RoundSummary(
            int(finished_rounds(state)),
            tuple(
                RoundScore(seat, -int(seat == loser), int(state.dice_left[seat]), result if seat == loser else "")
                for seat in range(after.seats)
            ),
        ),
    )


def _result(sight: Sight, words: Words) -> str:
    """Return how many dice the last bid named, and how many there were."""
    state = sight.state
    face = int(bid_face(int(state.last_bid)))
    found = int(count_dice(state.last_dice, state.options[WILD_ONES], face))
    return words.say("round.found", count=bid_count(int(state.last_bid)), face=face, found=found)


def tell(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> list[Event]:
    """Tell a bid, or a doubt with what it showed; the dice of the round are in `last_dice` by then."""
    assert move is not None  # every move is said aloud (R3, R4)
    mover = before.to_move
    if move != DOUBT:
        text = words.say("events.bid", player=names[mover], count=bid_count(move), face=bid_face(move))
        return [Event("bid", text, mover, (f"seat{mover}", "bid"))]
    loser = int(after.state.last_loser)
    bidder = names[int(after.state.last_bidder)]
    events = [
        Event("doubted", words.say("events.doubted", player=names[mover], bidder=bidder), mover),
        Event("shown", _result(after, words)),
        Event("lost", words.say("events.lost", player=names[loser]), loser),
    ]
    if after.state.dice_left[loser] == 0:
        events.append(Event("out", words.say("events.out", player=names[loser]), loser))
    return events
