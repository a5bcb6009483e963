"""What a front end draws of a Skip-Bo table, and the events of each move, made from sights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

import numpy as np

from tablee.core.sight import Sight
from tablee.core.state import NOBODY, copy_state
from tablee.core.types import SightState
from tablee.core.view import Choice, Event, Piece, RoundScore, RoundSummary, View, Zone, drawn_once, drawn_with_names
from tablee.core.words import Words
from tablee.games.skip_bo.moves import PASS, PILE_NAMES, SERIES_NAMES, MoveParts, move_text, parts_of
from tablee.games.skip_bo.rules import (
    POINTS_PER_CARD,
    TARGET,
    WIN_POINTS,
    EndReason,
    lay_on_pile,
    lay_on_series,
    ranks,
    take_from_pile,
    take_from_stock,
)
from tablee.games.skip_bo.state import (
    NO_CARD,
    UNKNOWN,
    WILD,
    first_size,
    refill_size,
)

PARTS = tuple(parts_of(move) for move in range(PASS + 1))  # by move


def draw(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> View:
    """Draw the table for one viewer."""
    state = sight.values
    return View(
        game=sight.game.name,
        viewer=sight.seat,
        seats=sight.seats,
        to_move=sight.to_move,
        prompt=_prompt(sight, moves, words, names),
        zones=tuple(_zones(sight, words, names)),
        scores=tuple(state.totals.tolist()[: sight.seats]),
        choices=tuple(_choices(sight, moves, words)),
        end=words.say(f"reasons.{EndReason(state.end_reason).key}") if state.end_reason else None,
        winners=_winners(sight) if state.end_reason else (),
        facts=_facts(sight),
    )


def card_colour(card: int) -> str:
    """Return the colour of a card's band."""
    return "orange" if card == WILD else "blue" if card <= 4 else "green" if card <= 8 else "red"


def card_face(card: int) -> str:
    """Return what is printed on a card."""
    return "W" if card == WILD else str(card)


@drawn_once
def card_name(card: int, words: Words) -> str:
    """Return the name of a card."""
    return words.say("cards.wild") if card == WILD else words.say("cards.number", value=card)


def _winners(sight: Sight) -> tuple[int, ...]:
    found = np.zeros(sight.seats, np.int64)
    ranks(sight.state, found)
    return tuple(seat for seat in range(sight.seats) if found[seat] == 1)


# Zones


def _zones(sight: Sight, words: Words, names: Sequence[str]) -> Iterator[Zone]:
    state = sight.values
    for series, (height, wilds) in enumerate(zip(state.series.tolist(), state.series_wilds.tolist(), strict=True)):
        yield _series_zone(series, height, bool(wilds << 1 >> height & 1), words)
    yield _counted_zone("draw", state.draw_count, words)
    yield _counted_zone("completed", sum(state.completed.tolist()), words)
    stocks, piles = state.stock_counts.tolist(), _piles(sight)
    for seat in range(sight.seats):
        hand = tuple(_hand(state, seat))
        yield from _zones_of_seat(names, seat, stocks[seat], _stock_top(state, seat), hand, piles[seat], words)


def _piles(sight: Sight) -> list[tuple[bytes, ...]]:
    """Return the discard piles of each seat, each with its cards as bytes, top last."""
    discards, end = sight.values.discards.tobytes(), 0
    found = []
    for counts in sight.values.pile_counts.tolist()[: sight.seats]:
        ends = list(accumulate(counts, initial=end))
        found.append(tuple(discards[first:last] for first, last in pairwise(ends)))
        end = ends[-1]
    return found


@drawn_once
def _series_zone(series: int, height: int, is_wild: bool, words: Words) -> Zone:
    name = SERIES_NAMES[series]
    label = words.say("zones.series", series=name, value=height + 1)
    top = (_top_of_series(name, height, is_wild, words),) if height else ()
    return Zone(f"series{name}", "stack", label, top, count=height)


@drawn_once
def _counted_zone(name: str, count: int, words: Words) -> Zone:
    return Zone(name, "stack", words.say(f"zones.{name}"), count=count)


@drawn_once
def _top_of_series(name: str, height: int, is_wild: bool, words: Words) -> Piece:
    label = words.say("cards.top_wild" if is_wild else "cards.top", series=name, value=height)
    symbol, marks = ("wild", ("wild",)) if is_wild else (None, ())
    colour = card_colour(WILD if is_wild else height)
    return Piece(f"series{name}.top", label, str(height), colour, symbol, marks)


@drawn_with_names
def _zones_of_seat(
    names: Sequence[str],
    seat: int,
    stocked: int,
    top: int,
    hand: tuple[int, ...],
    piles: tuple[bytes, ...],
    words: Words,
) -> tuple[Zone, ...]:
    """Draw a seat's stock with its top card, hand and discard piles."""
    player = names[seat]
    pieces = (_card(f"seat{seat}.stock.top", top, words),) if top != NO_CARD else ()
    label = words.say("zones.stock", player=player)
    zones = [Zone(f"seat{seat}.stock", "stack", label, pieces, owner=seat, count=stocked)]
    zones.append(_fan(seat, "hand", hand, words.say("zones.hand", player=player), words))
    for name, pile in zip(PILE_NAMES, piles, strict=True):
        zones.append(_fan(seat, name, tuple(pile), words.say("zones.pile", player=player, pile=name), words))
    return tuple(zones)


def _fan(seat: int, name: str, cards: tuple[int, ...], label: str, words: Words) -> Zone:
    zone = f"seat{seat}.{name}"
    return Zone(zone, "fan", label, _cards(zone, cards, words), owner=seat, count=len(cards))


def _stock_top(state: Any, seat: int) -> int:
    """Return the face-up card of a stock, NO_CARD if it is empty."""
    count = int(state.stock_counts[seat])
    return int(state.stocks[seat * state.stock_size + count - 1]) if count else NO_CARD


@drawn_once
def _cards(zone_id: str, cards: tuple[int, ...], words: Words) -> tuple[Piece, ...]:
    return tuple(_card(f"{zone_id}.{number}", card, words) for number, card in enumerate(cards, 1))


@drawn_once
def _card(piece_id: str, card: int, words: Words) -> Piece:
    if card == UNKNOWN:
        return Piece(piece_id, words.say("cards.hidden"))
    symbol = "wild" if card == WILD else None
    return Piece(piece_id, card_name(card, words), card_face(card), card_colour(card), symbol)


# Choices


def _choices(sight: Sight, moves: Sequence[int], words: Words) -> Iterator[Choice]:
    if not moves:
        return
    state, seat = sight.values, sight.seat
    hand = _hand(state, seat)
    for move in moves:
        parts = PARTS[move]
        yield _choice(seat, move, _card_of(state, seat, parts), _source(state, seat, parts, hand), words)


@drawn_once
def _choice(seat: int, move: int, card: int, source: str, words: Words) -> Choice:
    parts, text = PARTS[move], move_text(move)
    if parts.kind == "pass":
        return Choice(move, text, words.say("moves.pass"), (source,), "pass")
    name = card_name(card, words)
    if parts.kind == "discard":
        pile = PILE_NAMES[parts.pile]
        label = words.say("moves.discard", card=name, pile=pile)
        return Choice(move, text, label, (source, f"seat{seat}.{pile}"), "discard")
    series = SERIES_NAMES[parts.series]
    label = words.say(f"moves.{parts.kind}", card=name, pile=PILE_NAMES[parts.pile], series=series)
    return Choice(move, text, label, (source, f"series{series}"), parts.kind)


def _card_of(state: Any, seat: int, parts: MoveParts) -> int:
    """Return the card that a move of a seat plays or discards, 0 for a pass."""
    if parts.kind == "stock":
        return _stock_top(state, seat)
    return int(state.pile_tops[seat, parts.pile]) if parts.kind == "pile" else parts.card


def _source(state: Any, seat: int, parts: MoveParts, hand: Sequence[int]) -> str:
    """Return the id of the piece that a move takes: in the hand, the first of equal cards."""
    if parts.kind == "stock":
        return f"seat{seat}.stock.top"
    if parts.kind == "pile":
        return f"seat{seat}.{PILE_NAMES[parts.pile]}.{int(state.pile_counts[seat, parts.pile])}"
    return f"seat{seat}.hand.{hand.index(parts.card) + 1}" if parts.card else f"seat{seat}.hand"


def _hand(state: Any, seat: int) -> list[int]:
    """Return the cards of a hand, ascending."""
    return sorted(card for card in state.hands[seat].tolist() if card != NO_CARD)


def _prompt(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> str:
    state = sight.values
    if state.end_reason:
        return words.say("prompt.over")
    if sight.to_move != sight.seat:
        return words.say("prompt.wait", player=names[sight.to_move])
    kinds = {PARTS[move].kind for move in moves}
    ending = "discard" if "discard" in kinds else "pass"
    if "stock" in kinds:
        return words.say(f"prompt.stock_or_{ending}", card=card_name(_stock_top(state, sight.seat), words))
    return words.say(f"prompt.play_or_{ending}" if kinds & {"hand", "pile"} else f"prompt.{ending}")


def _facts(sight: Sight) -> dict[str, Any]:
    state, seats = sight.values, sight.seats
    return {
        "round": state.rounds_played + (0 if state.end_reason else 1),
        "dealer": state.dealer,
        "lots": _lots(*state.lots.tolist()[:seats]),
        "next": _next_numbers(*state.series.tolist()),
        "series_length": state.series_length,
        "stock_size": state.stock_size,
        "stocks": _listed(*state.stock_counts.tolist()[:seats]),
        "hand_sizes": _listed(int(first_size(sight.state)), int(refill_size(sight.state))),
        "target": TARGET,
        "last_round": _last_round(sight),
    }


@drawn_once
def _lots(*lots: int) -> list[str | None]:
    return [card_face(lot) if lot else None for lot in lots]


@drawn_once
def _next_numbers(*heights: int) -> list[int]:
    return [height + 1 for height in heights]


@drawn_once
def _listed(*numbers: int) -> list[int]:
    return list(numbers)


def _last_round(sight: Sight) -> dict[str, Any] | None:
    state = sight.values
    if not state.rounds_played:
        return None
    return {
        "end": EndReason(state.last_end).key,
        "winner": state.last_winner,
        "points": state.last_points,
        "left": _listed(*state.last_left.tolist()[: sight.seats]),
    }


# The round that ended last


def draw_round(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> View:
    """Draw the end of a round: the whole table after its last move, and the result; hands stay hidden."""
    assert move is not None  # every move is public
    number = int(after.state.rounds_played)
    view = draw(after if after.state.end_reason else _final_sight(before, move, after), (), words, names)
    return replace(
        view,
        to_move=NOBODY,
        prompt=_round_result(after, words, names),
        facts=view.facts | {"round": number},
        round=RoundSummary(number, tuple(_round_score(after, seat, words) for seat in range(after.seats))),
    )


def _final_sight(before: Sight, move: int, after: Sight) -> Sight:
    """Return what is known when a move has ended the round, before the next deal."""
    state, mover, parts = copy_state(before.state), before.to_move, PARTS[move]
    card = _card_of(state, mover, parts)
    if parts.kind == "stock":
        take_from_stock(state, mover)
    elif parts.kind == "pile":
        take_from_pile(state, mover, parts.pile)
    elif parts.kind != "pass":
        _take_from_hand(state, mover, card if mover == before.seat else UNKNOWN)
    if parts.kind == "discard":
        lay_on_pile(state, mover, card, parts.pile)
    elif parts.kind != "pass":
        lay_on_series(state, card, parts.series)
    for name in ("totals", "rounds_played", "last_end", "last_winner", "last_points", "last_left"):
        state[name] = after.state[name]
    return Sight(before.game, before.seat, state)


def _take_from_hand(state: SightState, seat: int, card: int) -> None:
    """Take a card out of a hand, UNKNOWN out of a hidden one."""
    hand = state.hands[seat].tolist()
    hand.remove(card)
    state.hands[seat] = [*hand, NO_CARD]
    state.hand_counts[seat] -= 1


def _round_result(sight: Sight, words: Words, names: Sequence[str]) -> str:
    """Say why the round ended and who won it; the notes of the scores have the sum."""
    winner = int(sight.state.last_winner)
    if sight.state.last_end == EndReason.EMPTIED:
        return words.say("round.won", player=names[winner], points=int(sight.state.last_points))
    events = _tell_result(sight, _event_maker(words, names))
    return " ".join(event.text for event in events)


def _round_score(sight: Sight, seat: int, words: Words) -> RoundScore:
    state = sight.state
    total = int(state.totals[seat])
    if seat == state.last_winner:
        note = words.say("round.winner", win=WIN_POINTS, each=POINTS_PER_CARD, n=_cards_left(sight, seat))
        return RoundScore(seat, int(state.last_points), total, note)
    return RoundScore(seat, 0, total, words.say("round.left", n=int(state.last_left[seat])))


def _cards_left(sight: Sight, winner: int) -> int:
    """Return how many cards were left in the stocks of the others."""
    return sum(int(sight.state.last_left[seat]) for seat in range(sight.seats) if seat != winner)


# The events of a move

EventMaker: TypeAlias = Callable[..., Event]  # (code, seat, path = (), **parameters of the sentence)


def _event_maker(words: Words, names: Sequence[str]) -> EventMaker:
    def event(code: str, seat: int | None, path: tuple[str, ...] = (), **values: Any) -> Event:
        sentence = words.say(f"events.{code}", player="" if seat is None else names[seat], **values)
        return Event(code, sentence, seat, path)

    return event


def tell(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> list[Event]:
    """Return what happened; every move of this game is public (`sees_move`), so `move` is never None."""
    assert move is not None
    event, mover = _event_maker(words, names), before.to_move
    events = list(_tell_move(before, PARTS[move], words, event))
    if after.values.rounds_played > before.values.rounds_played:
        events += _tell_round(after, words, event)
    elif PARTS[move].kind == "stock":
        card = card_name(_stock_top(after.values, mover), words)
        events.append(event("turned_up", mover, (f"seat{mover}.stock",), card=card))
    events += _tell_drawn(before, move, after, words, event)
    if after.values.end_reason:
        winners = [names[seat] for seat in _winners(after)]
        code = "drawn" if len(winners) == len(names) else "won" if len(winners) == 1 else "won_together"
        events.append(event(code, None, winners=" & ".join(winners)))
    return events


def _tell_move(before: Sight, parts: MoveParts, words: Words, event: EventMaker) -> Iterator[Event]:
    state, mover = before.values, before.to_move
    if parts.kind == "pass":
        yield event("passed", mover)
        return
    value = _card_of(state, mover, parts)
    card = card_name(value, words)
    pile = PILE_NAMES[parts.pile]
    sources = {"stock": f"seat{mover}.stock", "pile": f"seat{mover}.{pile}"}
    source = sources.get(parts.kind, f"seat{mover}.hand")
    if parts.kind == "discard":
        yield event("discarded", mover, (source, f"seat{mover}.{pile}"), card=card, pile=pile)
        return
    series = SERIES_NAMES[parts.series]
    height = int(state.series[parts.series]) + 1
    code = f"played_{parts.kind}_wild" if value == WILD else f"played_{parts.kind}"
    yield event(code, mover, (source, f"series{series}"), card=card, pile=pile, series=series, value=height)
    if height == state.series_length:
        yield event("completed", None, (f"series{series}", "completed"), series=series)


def _tell_round(after: Sight, words: Words, event: EventMaker) -> Iterator[Event]:
    """Tell the result of the round, and the next deal."""
    yield from _tell_result(after, event)
    state = after.values
    if not state.end_reason:
        yield replace(event("dealt", state.dealer, number=state.rounds_played + 1), begins_round=True)
        for seat in range(after.seats):
            yield event("turned_up", seat, (f"seat{seat}.stock",), card=card_name(_stock_top(state, seat), words))


def _tell_result(after: Sight, event: EventMaker) -> Iterator[Event]:
    """Tell why the round ended, and who won it."""
    state = after.state
    winner = int(state.last_winner)
    if state.last_end == EndReason.EMPTIED:
        yield event("emptied", winner)
    else:
        yield event(EndReason(int(state.last_end)).key, None)
    if winner == NOBODY:
        yield event("nobody_scores", None)
    else:
        left = _cards_left(after, winner)
        yield event("scored", winner, n=left, points=int(state.last_points), total=int(state.totals[winner]))


def _tell_drawn(before: Sight, move: int, after: Sight, words: Words, event: EventMaker) -> Iterator[Event]:
    """Tell what the seat now on turn has drawn; the cards only to that seat."""
    old, new, drawer = before.values, after.values, after.to_move
    if drawer == NOBODY:
        return
    is_new_round = new.rounds_played > old.rounds_played
    has_taken = drawer == before.to_move and PARTS[move].card > 0
    kept = 0 if is_new_round else int(old.hand_counts[drawer]) - has_taken
    count = int(new.hand_counts[drawer]) - kept
    if count == 0:
        return
    if not is_new_round and old.draw_count < count:
        yield event("reshuffled", None, ("completed", "draw"))
    path = ("draw", f"seat{drawer}.hand")
    if drawer != after.seat:
        yield event("drew_unseen", drawer, path, n=count)
        return
    drawn = _hand(new, drawer)
    for card in _hand(old, drawer) if kept else ():
        if card in drawn:
            drawn.remove(card)
    yield event("drew", drawer, path, cards=", ".join(card_name(card, words) for card in drawn))
