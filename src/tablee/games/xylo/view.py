"""What a front end draws of a Xylo table, made from a sight; events are in events.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tablee.core.sight import Sight
from tablee.core.state import NOBODY, copy_state
from tablee.core.types import SightState
from tablee.core.view import Choice, Piece, RoundScore, RoundSummary, View, Zone, drawn_once, drawn_with_names
from tablee.core.words import Words
from tablee.games.xylo.events import tell, winners_of
from tablee.games.xylo.moves import (
    BID_LEFT,
    BID_RIGHT,
    COLOUR_NAMES,
    KEEP,
    PASS,
    PEEK_FIRST,
    colour_of_move,
    move_text,
    position_of_move,
)
from tablee.games.xylo.names import (
    as_sentence,
    card_name,
    colour_name,
    owner_of,
    piece_id,
    row_name,
    zone_id,
    zone_ids,
)
from tablee.games.xylo.packets import arranged_position, arranged_row
from tablee.games.xylo.rules import EndReason
from tablee.games.xylo.scoring import BONUS, is_met
from tablee.games.xylo.state import (
    ARRANGE,
    BID,
    NO_CARD,
    NOWHERE,
    PHASES,
    PLAY,
    UNKNOWN_VALUE,
    WINDOW,
    Card,
    Row,
    card_at,
    colour_of,
    has_bid,
    is_down,
    is_trick_empty,
    row_count,
    row_of,
    seat_of,
    value_of,
)
from tablee.games.xylo.tricks import of_colour, winner_of

__all__ = ["draw", "draw_round", "tell"]

SYMBOLS = ("triangle", "diamond", "star", "square", "drop", "circle", "cross", "heart")  # by colour, on every card


def draw(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> View:
    """Draw the table for one viewer."""
    state, rows = sight.values, _rows(sight)
    is_over = bool(state.end_reason)
    return View(
        game=sight.game.name,
        viewer=sight.seat,
        seats=sight.seats,
        to_move=sight.to_move,
        prompt=_prompt(sight, words, names),
        zones=tuple(_zones(sight, rows, words, names)),
        scores=tuple(state.totals.tolist()[: sight.seats]),
        choices=tuple(_choices(sight, rows, moves, words)),
        end=words.say(f"reasons.{EndReason(state.end_reason).key}") if is_over else None,
        winners=winners_of(sight) if is_over else (),
        facts=_facts(sight, rows, words),
    )


def _rows(sight: Sight) -> list[tuple[Card, ...]]:
    """Return the cards of each row, played or not."""
    cards, size = sight.values.cards.tolist(), sight.values.row_size
    return [tuple(cards[row * size : (row + 1) * size]) for row in range(len(zone_ids(sight.seats)))]


# Zones


def _zones(sight: Sight, rows: Sequence[tuple[Card, ...]], words: Words, names: Sequence[str]) -> Iterator[Zone]:
    state, seats = sight.values, sight.seats
    sizes, down, won = tuple(state.sizes.tolist()), state.down.tolist(), state.won.tolist()
    bids, peeks = state.bid_at.tolist(), state.peeks.tolist()
    for row, cards in enumerate(rows):
        bid = cards[bids[row]] if bids[row] != NOWHERE else NO_CARD
        yield from _zones_of_row(names, seats, row, cards, sizes, down[row], tuple(peeks[row]), bid, won[row], words)
    yield _trick_zone(names, seats, state.leader, tuple(state.trick.tolist()), words)


@drawn_with_names
def _zones_of_row(
    names: Sequence[str],
    seats: int,
    row: Row,
    cards: tuple[Card, ...],
    sizes: tuple[int, ...],
    down: int,
    peeks: tuple[int, ...],
    bid: Card,
    tricks: int,
    words: Words,
) -> tuple[Zone, ...]:
    """Draw a row during a round."""
    peeked = tuple(position in peeks for position in range(len(cards)))
    bars = _drawn_bars(zone_ids(seats)[row], cards, down, peeked, _ranges(cards, sizes), words)
    return tuple(_row_zones(seats, row, bars, bid, tricks, words, names))


def _row_zones(
    seats: int,
    row: Row,
    bars: tuple[Piece, ...],
    bid: Card,
    tricks: int,
    words: Words,
    names: Sequence[str],
) -> Iterator[Zone]:
    """Yield the zones of a row: its cards, its announcement (NO_CARD: none) and its tricks."""
    zone, name = zone_ids(seats)[row], row_name(seats, row, words, names)
    owner = seat if (seat := owner_of(seats, row)) != NOBODY else None
    yield Zone(zone, "row", as_sentence(words.say("zones.row", player=name)), bars, owner)
    announced = (_announced(f"{zone}.bid.card", bid, words),) if bid != NO_CARD else ()
    yield Zone(f"{zone}.bid", "row", as_sentence(words.say("zones.bid", player=name)), announced, owner)
    label = as_sentence(words.say("zones.tricks", player=name))
    yield Zone(f"{zone}.tricks", "counter", label, owner=owner, count=tricks)


@drawn_once
def _drawn_bars(
    zone: str,
    cards: tuple[Card, ...],
    down: int,
    peeked: tuple[bool, ...],
    ranges: tuple[tuple[int, int], ...],
    words: Words,
) -> tuple[Piece, ...]:
    return tuple(
        _bar(
            f"{zone}.{position + 1}",
            position + 1,
            card,
            bool(down >> position & 1),
            ("peeked",) if peeked[position] else (),
            ranges[position],
            words,
        )
        for position, card in enumerate(cards)
    )


@drawn_once
def _bar(
    bar_id: str, number: int, card: Card, is_down: bool, marks: tuple[str, ...], values: tuple[int, int], words: Words
) -> Piece:
    """Draw one position of a row: a gap, a face-down card that the viewer knows, or the back of a card."""
    if not is_down:
        return Piece(bar_id, words.say("cards.gap", position=number, card=card_name(card, words)), marks=("empty",))
    if card < 0:
        return Piece(bar_id, words.say("cards.unknown", position=number))
    colour = COLOUR_NAMES[colour_of(card)]
    if value_of(card) != UNKNOWN_VALUE:
        label = words.say("cards.known", position=number, card=card_name(card, words))
        return Piece(bar_id, label, str(value_of(card)), colour, SYMBOLS[colour_of(card)], ("known", *marks))
    low, high = values
    colour_word = colour_name(card, words)
    if low == high:
        label = words.say("cards.certain", position=number, colour=colour_word, value=low)
    else:
        label = words.say("cards.back", position=number, colour=colour_word, low=low, high=high)
    return Piece(bar_id, label, None, colour, SYMBOLS[colour_of(card)], marks)


def _announced(card_id: str, card: Card, words: Words) -> Piece:
    label = words.say("cards.bid", card=card_name(card, words))
    colour, symbol = COLOUR_NAMES[colour_of(card)], SYMBOLS[colour_of(card)]
    return Piece(card_id, label, str(value_of(card)), colour, symbol, ("bid",))


@drawn_with_names
def _trick_zone(names: Sequence[str], seats: int, leader: Row, trick: tuple[Card, ...], words: Words) -> Zone:
    count = len(zone_ids(seats))
    rows = [row % count for row in range(leader, leader + count) if trick[row % count] != NO_CARD]
    pieces = tuple(_trick_card(seats, row, trick[row], words, names) for row in rows)
    return Zone("trick", "row", words.say("zones.trick"), pieces)


def _trick_card(seats: int, row: Row, card: Card, words: Words, names: Sequence[str]) -> Piece:
    label = words.say("cards.played", player=row_name(seats, row, words, names), card=card_name(card, words))
    colour, symbol = COLOUR_NAMES[colour_of(card)], SYMBOLS[colour_of(card)]
    return Piece(f"trick.{zone_ids(seats)[row]}", label, str(value_of(card)), colour, symbol)


def possible_values(state: SightState, row: int) -> list[tuple[int, int]]:
    """Return the lowest and highest value each card can have, given only what is known of this row."""
    size = int(state.row_size)
    cards = state.cards[row * size : (row + 1) * size].tolist()
    return list(_ranges(tuple(cards), tuple(state.sizes.tolist())))


@drawn_once
def _ranges(cards: tuple[Card, ...], sizes: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Return the lowest and highest value of each card of a row; `sizes` are the numbers of cards by colour."""
    size = len(cards)
    ranges = [_own_range(sizes, card) for card in cards]
    highest, lowest = [high for _, high in ranges], [low for low, _ in ranges]
    for position in range(1, size):
        highest[position] = min(highest[position], highest[position - 1])
    for position in range(size - 2, -1, -1):
        lowest[position] = max(lowest[position], lowest[position + 1])
    return tuple(zip(lowest, highest, strict=True))


@drawn_once
def _range_fact(cards: tuple[Card, ...], sizes: tuple[int, ...]) -> list[list[int]]:
    return [list(ends) for ends in _ranges(cards, sizes)]


def _own_range(sizes: Sequence[int], card: Card) -> tuple[int, int]:
    if card < 0:
        return 0, max(sizes) - 1
    if value_of(card) != UNKNOWN_VALUE:
        return value_of(card), value_of(card)
    return 0, sizes[colour_of(card)] - 1


# Choices and prompt


def _choices(sight: Sight, rows: Sequence[tuple[Card, ...]], moves: Sequence[int], words: Words) -> Iterator[Choice]:
    if not moves:
        return
    state, seats = sight.values, sight.seats
    row = 2 * sight.seat if seats == 2 else sight.seat
    zone, cards, down, peeks = zone_ids(seats)[row], rows[row], int(state.down[row]), state.peeks[row].tolist()
    for move in moves:
        if move == KEEP or colour_of_move(move) is not None:
            yield _arranging_choice(sight.state, move, move_text(move), words)
        elif move == PASS:
            yield _pass(words)
        elif move in (BID_LEFT, BID_RIGHT):
            position = peeks[move - BID_LEFT]
            yield _bid(move, zone, position, cards[position], words)
        else:
            position = position_of_move(move) or 0
            if move < PEEK_FIRST:
                yield _play(move, zone, position, cards[position], words)
            else:
                yield _peek(move, zone, position, _right_neighbour(down, position), words)


@drawn_once
def _pass(words: Words) -> Choice:
    return Choice(PASS, move_text(PASS), words.say("moves.pass"), ("trick",), "pass")


@drawn_once
def _bid(move: int, zone: str, position: int, card: Card, words: Words) -> Choice:
    label = words.say("moves.bid", n=value_of(card), card=card_name(card, words))
    return Choice(move, move_text(move), label, (f"{zone}.{position + 1}",), "bid")


@drawn_once
def _play(move: int, zone: str, position: int, card: Card, words: Words) -> Choice:
    label = words.say("moves.play", colour=colour_name(card, words), position=position + 1)
    return Choice(move, move_text(move), label, (f"{zone}.{position + 1}",), "play")


@drawn_once
def _peek(move: int, zone: str, left: int, right: int, words: Words) -> Choice:
    label = words.say("moves.peek", left=left + 1, right=right + 1)
    return Choice(move, move_text(move), label, (f"{zone}.{left + 1}", f"{zone}.{right + 1}"), "peek")


def _arranging_choice(state: SightState, move: int, text: str, words: Words) -> Choice:
    row, position = int(arranged_row(state)), int(arranged_position(state))
    if move == KEEP:
        return Choice(move, text, words.say("moves.keep"), (zone_id(state, row),), "keep")
    while colour_of(card_at(state, row, position)) != colour_of_move(move):
        position += 1
    label = words.say("moves.next", card=card_name(card_at(state, row, position), words))
    return Choice(move, text, label, (piece_id(state, row, position),), "next")


def _right_neighbour(down: int, position: int) -> int:
    """Return the next position to the right whose card lies face down."""
    position += 1
    while not down >> position & 1:
        position += 1
    return position


def _prompt(sight: Sight, words: Words, names: Sequence[str]) -> str:
    if sight.values.end_reason:
        return words.say("prompt.over")
    if sight.to_move != sight.seat:
        return words.say(f"prompt.wait_{PHASES[sight.values.phase]}", player=names[sight.to_move])
    state = sight.state
    row = int(row_of(state, sight.seat))
    if state.phase == ARRANGE:
        return _prompt_in_arrange(state, words, names)
    if state.phase == BID:
        values = [value_of(card_at(state, row, int(position))) for position in state.peeks[row]]
        return words.say("prompt.bid", left=values[0], right=values[1])
    if state.phase == WINDOW:
        return words.say("prompt.window_lead" if state.leader == row and is_trick_empty(state) else "prompt.window")
    prompt = _prompt_in_play(state, row, words)
    is_last_choice = not has_bid(state, row) and _count_down(state, row) == 2
    return f"{prompt} {words.say('prompt.last_card')}" if is_last_choice else prompt


def _prompt_in_arrange(state: SightState, words: Words, names: Sequence[str]) -> str:
    row, position = int(arranged_row(state)), int(arranged_position(state))
    player = row_name(int(state.seats), row, words, names)
    if position == state.row_size - 1:
        return words.say("prompt.arrange_nothing", player=player)
    return words.say("prompt.arrange", player=player, value=value_of(card_at(state, row, position)))


def _prompt_in_play(state: SightState, row: int, words: Words) -> str:
    if is_trick_empty(state):
        return words.say("prompt.lead_last" if _count_down(state, row) == 1 else "prompt.lead")
    led = int(state.trick[state.leader])
    can_follow = of_colour(state, row, colour_of(led)) != 0
    return words.say("prompt.follow" if can_follow else "prompt.cannot_follow", colour=colour_name(led, words))


def _count_down(state: SightState, row: int) -> int:
    return int(state.down[row]).bit_count()


def _facts(sight: Sight, rows: Sequence[tuple[Card, ...]], words: Words) -> dict[str, Any]:
    state, seats, ids = sight.values, sight.seats, zone_ids(sight.seats)
    has_round = state.rounds_played > 0
    sizes, count = tuple(state.sizes.tolist()), len(ids)
    return {
        "round": state.rounds_played + (0 if state.end_reason else 1),
        "phase": PHASES[state.phase],
        "trump": COLOUR_NAMES[state.trump],
        "trump_symbol": SYMBOLS[state.trump],
        "automata": _automata(seats, words),
        "sizes": _size_facts(sizes),
        "leader": ids[state.leader],
        "winning": _winning(seats, state.trick.tobytes(), state.leader, state.trump),
        "first": state.first,
        "rows": ids,
        "ranges": [_range_fact(cards, sizes) for cards in rows],
        "peeks": [_peek_fact(*peeks) for peeks in state.peeks.tolist()[:count]],
        "last_trick": _card_facts(tuple(state.last_trick.tolist()[:count]), words),
        "last_bids": _card_facts(tuple(state.last_bids.tolist()[:count]), words),
        "last_won": _listed(*state.last_won.tolist()[:count]) if has_round else _listed(),
        "round_scores": _listed(*state.round_scores.tolist()[:seats]) if has_round else _listed(),
        "words": _board_words(state.trump, words),
    }


@drawn_once
def _automata(seats: int, words: Words) -> dict[str, str]:
    """Return the names of the automata."""
    automata = {row: zone for row, zone in enumerate(zone_ids(seats)) if owner_of(seats, row) == NOBODY}
    return {zone: as_sentence(row_name(seats, row, words, ())) for row, zone in automata.items()}


@drawn_once
def _size_facts(sizes: tuple[int, ...]) -> dict[str, int]:
    return {name: size for name, size in zip(COLOUR_NAMES, sizes, strict=True) if size}


@drawn_once
def _peek_fact(*positions: int) -> list[int]:
    return [position + 1 for position in positions if position != NOWHERE]


@drawn_once
def _listed(*numbers: int) -> list[int]:
    return list(numbers)


@drawn_once
def _board_words(trump: int, words: Words) -> dict[str, str]:
    colour = words.say(f"colours.{COLOUR_NAMES[trump]}")
    return {key: words.say(f"board.{key}", colour=colour) for key in ("trump", "trump_is", "bid", "tricks")}


@drawn_once
def _winning(seats: int, trick: bytes, leader: Row, trump: int) -> str | None:
    """Return the id of the row whose card is winning the trick, given as the bytes of a state."""
    cards, ids = np.frombuffer(trick, np.int8), zone_ids(seats)
    if cards[leader] == NO_CARD:
        return None
    numbers: Any = np.array((leader, trump), np.int32)  # of the types for which the kernel is compiled
    return ids[int(winner_of(cards, numbers[0], len(ids), numbers[1]))]


@drawn_once
def _card_facts(cards: tuple[Card, ...], words: Words) -> list[dict[str, Any] | None]:
    return [_card_fact(card, words) for card in cards]


def _card_fact(card: Card, words: Words) -> dict[str, Any] | None:
    if card == NO_CARD:
        return None
    colour = colour_of(card)
    label = card_name(card, words)
    return {"colour": COLOUR_NAMES[colour], "symbol": SYMBOLS[colour], "value": value_of(card), "label": label}


# The round that ended last


def draw_round(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> View:
    """Draw the end of a round: the rows with all cards turned up, announcements, tricks, last trick, and the result."""
    number = int(after.state.rounds_played)
    final = _final_sight(before, after)
    view = draw(final, (), words, names)
    return replace(
        view,
        to_move=NOBODY,
        prompt=_round_result(after, words, names),
        zones=tuple(_round_zones(final.state, words, names)),
        facts=view.facts | _round_facts(final.state),
        round=RoundSummary(number, tuple(_round_score(after.state, seat, words) for seat in range(after.seats))),
    )


def _final_sight(before: Sight, after: Sight) -> Sight:
    """Return what is known when the last trick is over, before the next deal: all cards have been seen."""
    state = copy_state(before.state)
    for row in range(row_count(state)):
        _turn_up(state, row, int(after.state.last_trick[row]), int(after.state.last_bids[row]))
    state.won[:] = after.state.last_won
    for name in ("last_trick", "last_leader", "last_bids", "last_won", "round_scores", "totals", "rounds_played"):
        state[name] = after.state[name]
    state.end_reason = after.state.end_reason
    return Sight(before.game, before.seat, state)


def _turn_up(state: SightState, row: Row, played: Card, bid: Card) -> None:
    """Turn up the last cards of a row: the one it played to the last trick, and its announcement if it had none."""
    last = [] if state.trick[row] != NO_CARD else [played]
    if not has_bid(state, row):
        last.append(bid)
    hidden = [position for position in range(state.row_size) if is_down(state, row, position)]
    last.sort(key=lambda card: (-value_of(card), colour_of(card) != colour_of(card_at(state, row, hidden[0]))))
    for position, card in zip(hidden, last, strict=True):  # rows are in descending order (R4)
        state.cards[row * state.row_size + position] = card
        if card == bid:
            state.bid_at[row] = position
    state.down[row] = 0


def _round_zones(state: SightState, words: Words, names: Sequence[str]) -> Iterator[Zone]:
    seats = int(state.seats)
    for row in range(row_count(state)):
        bars = tuple(_turned_up(state, row, position, words) for position in range(state.row_size))
        bid, tricks = int(state.last_bids[row]), int(state.last_won[row])
        yield from _row_zones(seats, row, bars, bid, tricks, words, names)
    yield _trick_zone(names, seats, int(state.last_leader), tuple(state.last_trick.tolist()), words)


def _turned_up(state: SightState, row: Row, position: int, words: Words) -> Piece:
    """Draw a card that was played in the round, or the gap that the announcement has left."""
    bar_id, card, number = piece_id(state, row, position), card_at(state, row, position), position + 1
    if position == state.bid_at[row]:
        return Piece(bar_id, words.say("cards.gap", position=number, card=card_name(card, words)), marks=("empty",))
    label = words.say("cards.known", position=number, card=card_name(card, words))
    colour, symbol = COLOUR_NAMES[colour_of(card)], SYMBOLS[colour_of(card)]
    return Piece(bar_id, label, str(value_of(card)), colour, symbol, ("known",))


def _round_facts(state: SightState) -> dict[str, Any]:
    """Return the facts that differ at the end of the round."""
    rows = range(int(row_count(state)))
    winner = winner_of(state.last_trick, state.last_leader, len(rows), state.trump)
    return {
        "round": int(state.rounds_played),
        "phase": PHASES[PLAY],
        "leader": zone_id(state, int(state.last_leader)),
        "winning": zone_id(state, int(winner)),
        "ranges": [[] for _ in rows],
        "peeks": [[] for _ in rows],
    }


def _round_result(sight: Sight, words: Words, names: Sequence[str]) -> str:
    """Say who scored most, after what the automata did to the points (R45, R46)."""
    state = sight.state
    rows = range(int(row_count(state)))
    automata = [row for row in rows if seat_of(state, row) == NOBODY and is_met(state, row)]
    number = int(state.rounds_played)
    if len(automata) == 2:
        return f"{words.say('events.round_over', number=number)} {words.say('events.both_automata_met')}"
    points = [int(state.round_scores[seat]) for seat in range(sight.seats)]
    best = [names[seat] for seat in range(sight.seats) if points[seat] == max(points)]
    result = words.say("round.result", number=number, players=_join(best, words), points=max(points), n=len(best))
    if not automata:
        return result
    met = words.say("events.automaton_met", player=row_name(sight.seats, automata[0], words, names))
    return f"{as_sentence(met)} {result}"


def _join(parts: Sequence[str], words: Words) -> str:
    """Join words as a list: "Ana, Ben and Chloé"."""
    *first, last = parts
    return words.say("list", first=", ".join(first), last=last) if first else last


def _round_score(state: SightState, seat: int, words: Words) -> RoundScore:
    row = int(row_of(state, seat))
    points, tricks, bid = int(state.round_scores[seat]), int(state.last_won[row]), value_of(int(state.last_bids[row]))
    has_bonus = is_met(state, row) and points >= BONUS
    note = words.say("round.bonus" if has_bonus else "round.score", bid=bid, tricks=tricks, bonus=BONUS)
    return RoundScore(seat, points, int(state.totals[seat]), note)
