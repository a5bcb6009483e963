"""What a front end draws of a Skip-Bo table, and the events of each move, made from sights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from tablee.core.sight import Sight
from tablee.core.state import NOBODY, copy_state
from tablee.core.types import SightState
from tablee.core.view import Choice, Event, Piece, RoundScore, RoundSummary, View, Zone, drawn_once
from tablee.core.words import Words
from tablee.games.skip_bo.moves import PILE_NAMES, PILES, SERIES, SERIES_NAMES, MoveParts, move_text, parts_of
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
    ends_in_wild,
    first_size,
    pile_end,
    refill_size,
    stock_top,
)


def draw(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> View:
    """Draw the table for one viewer."""
    state = sight.state
    return View(
        game=sight.game.name,
        viewer=sight.seat,
        seats=sight.seats,
        to_move=sight.to_move,
        prompt=_prompt(sight, moves, words, names),
        zones=tuple(_zones(sight, words, names)),
        scores=tuple(_totals(sight)),
        choices=tuple(_choice(sight, move, words) for move in moves),
        end=words.say(f"reasons.{EndReason(int(state.end_reason)).key}") if state.end_reason else None,
        winners=_winners(sight),
        facts=_facts(sight),
    )


def card_colour(card: int) -> str:
    """Return the colour of a card's band."""
    return "orange" if card == WILD else "blue" if card <= 4 else "green" if card <= 8 else "red"


def card_face(card: int) -> str:
    """Return what is printed on a card."""
    return "W" if card == WILD else str(card)


def card_name(card: int, words: Words) -> str:
    """Return the name of a card."""
    return words.say("cards.wild") if card == WILD else words.say("cards.number", value=card)


def _totals(sight: Sight) -> list[int]:
    return [int(sight.state.totals[seat]) for seat in range(sight.seats)]


def _winners(sight: Sight) -> tuple[int, ...]:
    if not sight.state.end_reason:
        return ()
    found = np.zeros(sight.seats, np.int64)
    ranks(sight.state, found)
    return tuple(seat for seat in range(sight.seats) if found[seat] == 1)


# Zones


def _zones(sight: Sight, words: Words, names: Sequence[str]) -> Iterator[Zone]:
    state = sight.state
    for series in range(SERIES):
        yield _series_zone(state, series, words)
    yield Zone("draw", "stack", words.say("zones.draw"), count=int(state.draw_count))
    yield Zone("completed", "stack", words.say("zones.completed"), count=int(state.completed.sum()))
    for seat in range(sight.seats):
        yield _stock_zone(state, seat, words, names[seat])
        yield _hand_zone(sight, seat, words, names[seat])
        for pile in range(PILES):
            yield _pile_zone(state, seat, pile, words, names[seat])


def _series_zone(state: SightState, series: int, words: Words) -> Zone:
    name = SERIES_NAMES[series]
    height = int(state.series[series])
    label = words.say("zones.series", series=name, value=height + 1)
    if height == 0:
        return Zone(f"series{name}", "stack", label, count=0)
    top = _top_of_series(name, height, bool(ends_in_wild(state, series)), words)
    return Zone(f"series{name}", "stack", label, (top,), count=height)


@drawn_once
def _top_of_series(name: str, height: int, is_wild: bool, words: Words) -> Piece:
    label = words.say("cards.top_wild" if is_wild else "cards.top", series=name, value=height)
    symbol, marks = ("wild", ("wild",)) if is_wild else (None, ())
    colour = card_colour(WILD if is_wild else height)
    return Piece(f"series{name}.top", label, str(height), colour, symbol, marks)


def _stock_zone(state: SightState, seat: int, words: Words, player: str) -> Zone:
    top = int(stock_top(state, seat))
    pieces = (_card(f"seat{seat}.stock.top", top, words),) if top != NO_CARD else ()
    label = words.say("zones.stock", player=player)
    return Zone(f"seat{seat}.stock", "stack", label, pieces, owner=seat, count=int(state.stock_counts[seat]))


def _hand_zone(sight: Sight, seat: int, words: Words, player: str) -> Zone:
    pieces = _cards(f"seat{seat}.hand", tuple(_hand(sight.state, seat)), words)
    label = words.say("zones.hand", player=player)
    return Zone(f"seat{seat}.hand", "fan", label, pieces, owner=seat, count=len(pieces))


def _pile_zone(state: SightState, seat: int, pile: int, words: Words, player: str) -> Zone:
    name = PILE_NAMES[pile]
    cards = _pile_cards(state, seat, pile)
    pieces = _cards(f"seat{seat}.{name}", tuple(cards), words)
    label = words.say("zones.pile", player=player, pile=name)
    return Zone(f"seat{seat}.{name}", "fan", label, pieces, owner=seat, count=len(cards))


def _pile_cards(state: SightState, seat: int, pile: int) -> list[int]:
    """Return the cards of a discard pile, top last."""
    end = int(pile_end(state, seat, pile))
    cards: list[int] = state.discards[end - int(state.pile_counts[seat, pile]) : end].tolist()
    return cards


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


def _choice(sight: Sight, move: int, words: Words) -> Choice:
    state, seat = sight.state, sight.seat
    parts = parts_of(move)
    if parts.kind == "pass":
        return _drawn_choice(seat, move, 0, f"seat{seat}.hand", words)
    return _drawn_choice(seat, move, _card_of(state, seat, parts), _source(state, seat, parts), words)


@drawn_once
def _drawn_choice(seat: int, move: int, card: int, source: str, words: Words) -> Choice:
    parts, text = parts_of(move), move_text(move)
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


def _card_of(state: SightState, seat: int, parts: MoveParts) -> int:
    """Return the card that a move of a seat plays or discards."""
    if parts.kind == "stock":
        return int(stock_top(state, seat))
    return int(state.pile_tops[seat, parts.pile]) if parts.kind == "pile" else parts.card


def _source(state: SightState, seat: int, parts: MoveParts) -> str:
    """Return the id of the piece that a move takes: in the hand, the first of equal cards."""
    if parts.kind == "stock":
        return f"seat{seat}.stock.top"
    if parts.kind == "pile":
        return f"seat{seat}.{PILE_NAMES[parts.pile]}.{int(state.pile_counts[seat, parts.pile])}"
    return f"seat{seat}.hand.{_hand(state, seat).index(parts.card) + 1}"


def _hand(state: SightState, seat: int) -> list[int]:
    """Return the cards of a hand, ascending."""
    return sorted(card for card in state.hands[seat].tolist() if card != NO_CARD)


def _prompt(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> str:
    state = sight.state
    if state.end_reason:
        return words.say("prompt.over")
    if sight.to_move != sight.seat:
        return words.say("prompt.wait", player=names[sight.to_move])
    kinds = {parts_of(move).kind for move in moves}
    ending = "discard" if "discard" in kinds else "pass"
    if "stock" in kinds:
        return words.say(f"prompt.stock_or_{ending}", card=card_name(int(stock_top(state, sight.seat)), words))
    return words.say(f"prompt.play_or_{ending}" if kinds & {"hand", "pile"} else f"prompt.{ending}")


def _facts(sight: Sight) -> dict[str, Any]:
    state = sight.state
    seats = range(sight.seats)
    return {
        "round": int(state.rounds_played) + (0 if state.end_reason else 1),
        "dealer": int(state.dealer),
        "lots": [card_face(int(state.lots[seat])) if state.lots[seat] else None for seat in seats],
        "next": [int(height) + 1 for height in state.series],
        "series_length": int(state.series_length),
        "stock_size": int(state.stock_size),
        "stocks": [int(state.stock_counts[seat]) for seat in seats],
        "hand_sizes": [int(first_size(state)), int(refill_size(state))],
        "target": TARGET,
        "last_round": _last_round(sight),
    }


def _last_round(sight: Sight) -> dict[str, Any] | None:
    state = sight.state
    if not state.rounds_played:
        return None
    return {
        "end": EndReason(int(state.last_end)).key,
        "winner": int(state.last_winner),
        "points": int(state.last_points),
        "left": [int(state.last_left[seat]) for seat in range(sight.seats)],
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
    state, mover, parts = copy_state(before.state), before.to_move, parts_of(move)
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
    event = _event_maker(words, names)
    events = list(_tell_move(before, parts_of(move), words, event))
    if after.state.rounds_played > before.state.rounds_played:
        events += _tell_round(after, words, event)
    elif after.state.stock_counts[before.to_move] < before.state.stock_counts[before.to_move]:
        card = card_name(int(stock_top(after.state, before.to_move)), words)
        events.append(event("turned_up", before.to_move, (f"seat{before.to_move}.stock",), card=card))
    events += _tell_drawn(before, move, after, words, event)
    if after.state.end_reason:
        winners = [names[seat] for seat in _winners(after)]
        code = "drawn" if len(winners) == len(names) else "won" if len(winners) == 1 else "won_together"
        events.append(event(code, None, winners=" & ".join(winners)))
    return events


def _tell_move(before: Sight, parts: MoveParts, words: Words, event: EventMaker) -> Iterator[Event]:
    state, mover = before.state, before.to_move
    if parts.kind == "pass":
        yield event("passed", mover)
        return
    card = card_name(_card_of(state, mover, parts), words)
    pile = PILE_NAMES[parts.pile]
    sources = {"stock": f"seat{mover}.stock", "pile": f"seat{mover}.{pile}"}
    source = sources.get(parts.kind, f"seat{mover}.hand")
    if parts.kind == "discard":
        yield event("discarded", mover, (source, f"seat{mover}.{pile}"), card=card, pile=pile)
        return
    series = SERIES_NAMES[parts.series]
    height = int(state.series[parts.series]) + 1
    is_wild = _card_of(state, mover, parts) == WILD
    code = f"played_{parts.kind}_wild" if is_wild else f"played_{parts.kind}"
    yield event(code, mover, (source, f"series{series}"), card=card, pile=pile, series=series, value=height)
    if height == state.series_length:
        yield event("completed", None, (f"series{series}", "completed"), series=series)


def _tell_round(after: Sight, words: Words, event: EventMaker) -> Iterator[Event]:
    """Tell the result of the round, and the next deal."""
    yield from _tell_result(after, event)
    state = after.state
    if not state.end_reason:
        yield replace(event("dealt", int(state.dealer), number=int(state.rounds_played) + 1), begins_round=True)
        for seat in range(after.seats):
            yield event("turned_up", seat, (f"seat{seat}.stock",), card=card_name(int(stock_top(state, seat)), words))


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
    old, new, drawer = before.state, after.state, after.to_move
    if drawer == NOBODY:
        return
    is_new_round = new.rounds_played > old.rounds_played
    has_taken = drawer == before.to_move and parts_of(move).card > 0
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
    drawn = Counter(_hand(new, drawer)) - Counter(_hand(old, drawer) if kept else ())
    listed = ", ".join(card_name(card, words) for card in sorted(drawn.elements()))
    yield event("drew", drawer, path, cards=listed)
