"""What a front end draws of a Xylo table, made from a sight; events are in events.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from tablee.core.sight import Sight
from tablee.core.state import NOBODY, copy_state
from tablee.core.types import SightState
from tablee.core.view import Choice, Piece, RoundScore, RoundSummary, View, Zone, drawn_once
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
from tablee.games.xylo.names import as_sentence, card_name, colour_name, piece_id, row_name, rows_from, zone_id
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
    TrickCards,
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
    state = sight.state
    is_over = bool(state.end_reason)
    return View(
        game=sight.game.name,
        viewer=sight.seat,
        seats=sight.seats,
        to_move=sight.to_move,
        prompt=_prompt(sight, words, names),
        zones=tuple(_zones(sight, words, names)),
        scores=tuple(int(state.totals[seat]) for seat in range(sight.seats)),
        choices=tuple(_choice(sight, move, words) for move in moves),
        end=words.say(f"reasons.{EndReason(int(state.end_reason)).key}") if is_over else None,
        winners=winners_of(sight) if is_over else (),
        facts=_facts(sight, words),
    )


# Zones


def _zones(sight: Sight, words: Words, names: Sequence[str]) -> Iterator[Zone]:
    state = sight.state
    for row in range(row_count(state)):
        bid = card_at(state, row, int(state.bid_at[row])) if has_bid(state, row) else NO_CARD
        yield from _row_zones(state, row, _bars(state, row, words), bid, int(state.won[row]), words, names)
    yield _trick_zone(state, state.trick, state.leader, words, names)


def _row_zones(
    state: SightState,
    row: Row,
    bars: tuple[Piece, ...],
    bid: Card,
    tricks: int,
    words: Words,
    names: Sequence[str],
) -> Iterator[Zone]:
    """Yield the zones of a row: its cards, its announcement (NO_CARD: none) and its tricks."""
    zone, name = zone_id(state, row), row_name(state, row, words, names)
    owner = None if seat_of(state, row) == NOBODY else int(seat_of(state, row))
    yield Zone(zone, "row", as_sentence(words.say("zones.row", player=name)), bars, owner)
    announced = (_announced(f"{zone}.bid.card", bid, words),) if bid != NO_CARD else ()
    yield Zone(f"{zone}.bid", "row", as_sentence(words.say("zones.bid", player=name)), announced, owner)
    label = as_sentence(words.say("zones.tricks", player=name))
    yield Zone(f"{zone}.tricks", "counter", label, owner=owner, count=tricks)


def _bars(state: SightState, row: Row, words: Words) -> tuple[Piece, ...]:
    cards, peeks = _cards_of(state, row), state.peeks[row].tolist()
    peeked = tuple(position in peeks for position in range(len(cards)))
    ranges = _ranges(cards, tuple(state.sizes.tolist()))
    return _drawn_bars(zone_id(state, row), cards, int(state.down[row]), peeked, ranges, words)


def _cards_of(state: SightState, row: Row) -> tuple[Card, ...]:
    """Return the cards of a row, played or not."""
    size = int(state.row_size)
    return tuple(state.cards[row * size : (row + 1) * size].tolist())


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


def _trick_zone(state: SightState, trick: TrickCards, leader: Row, words: Words, names: Sequence[str]) -> Zone:
    rows = [row for row in rows_from(state, leader) if trick[row] != NO_CARD]
    pieces = tuple(_trick_card(state, row, int(trick[row]), words, names) for row in rows)
    return Zone("trick", "row", words.say("zones.trick"), pieces)


def _trick_card(state: SightState, row: Row, card: Card, words: Words, names: Sequence[str]) -> Piece:
    label = words.say("cards.played", player=row_name(state, row, words, names), card=card_name(card, words))
    colour, symbol = COLOUR_NAMES[colour_of(card)], SYMBOLS[colour_of(card)]
    return Piece(f"trick.{zone_id(state, row)}", label, str(value_of(card)), colour, symbol)


def possible_values(state: SightState, row: int) -> list[tuple[int, int]]:
    """Return the lowest and highest value each card can have, given only what is known of this row."""
    return list(_ranges(_cards_of(state, row), tuple(state.sizes.tolist())))


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


def _choice(sight: Sight, move: int, words: Words) -> Choice:
    state = sight.state
    text = move_text(move)
    row = row_of(state, sight.seat)
    if move == KEEP or colour_of_move(move) is not None:
        return _arranging_choice(state, move, text, words)
    if move == PASS:
        return Choice(move, text, words.say("moves.pass"), ("trick",), "pass")
    if move in (BID_LEFT, BID_RIGHT):
        position = int(state.peeks[row, move - BID_LEFT])
        card = card_at(state, row, position)
        label = words.say("moves.bid", n=value_of(card), card=card_name(card, words))
        return Choice(move, text, label, (piece_id(state, row, position),), "bid")
    position = position_of_move(move) or 0
    colour = colour_name(card_at(state, row, position), words)
    if move < PEEK_FIRST:
        label = words.say("moves.play", colour=colour, position=position + 1)
        return Choice(move, text, label, (piece_id(state, row, position),), "play")
    right = _right_neighbour(state, row, position)
    label = words.say("moves.peek", left=position + 1, right=right + 1)
    return Choice(move, text, label, (piece_id(state, row, position), piece_id(state, row, right)), "peek")


def _arranging_choice(state: SightState, move: int, text: str, words: Words) -> Choice:
    row, position = int(arranged_row(state)), int(arranged_position(state))
    if move == KEEP:
        return Choice(move, text, words.say("moves.keep"), (zone_id(state, row),), "keep")
    while colour_of(card_at(state, row, position)) != colour_of_move(move):
        position += 1
    label = words.say("moves.next", card=card_name(card_at(state, row, position), words))
    return Choice(move, text, label, (piece_id(state, row, position),), "next")


def _right_neighbour(state: SightState, row: int, position: int) -> int:
    return next(right for right in range(position + 1, int(state.row_size)) if is_down(state, row, right))


def _prompt(sight: Sight, words: Words, names: Sequence[str]) -> str:
    state = sight.state
    if state.end_reason:
        return words.say("prompt.over")
    if sight.to_move != sight.seat:
        return words.say(f"prompt.wait_{PHASES[state.phase]}", player=names[sight.to_move])
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
    player = row_name(state, row, words, names)
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


def _facts(sight: Sight, words: Words) -> dict[str, Any]:
    state = sight.state
    rows = range(int(row_count(state)))
    automata = [row for row in rows if seat_of(state, row) == NOBODY]
    has_round = state.rounds_played > 0
    sizes = tuple(state.sizes.tolist())
    return {
        "round": int(state.rounds_played) + (0 if state.end_reason else 1),
        "phase": PHASES[state.phase],
        "trump": COLOUR_NAMES[state.trump],
        "trump_symbol": SYMBOLS[state.trump],
        "automata": {zone_id(state, row): as_sentence(row_name(state, row, words, ())) for row in automata},
        "sizes": {name: size for name, size in zip(COLOUR_NAMES, sizes, strict=True) if size},
        "leader": zone_id(state, int(state.leader)),
        "winning": _winning(state),
        "first": int(state.first),
        "rows": [zone_id(state, row) for row in rows],
        "ranges": [_range_fact(_cards_of(state, row), sizes) for row in rows],
        "peeks": [
            [position + 1 for position in peeks if position != NOWHERE] for peeks in state.peeks.tolist()[: len(rows)]
        ],
        "last_trick": [_card_fact(int(state.last_trick[row]), words) for row in rows],
        "last_bids": [_card_fact(int(state.last_bids[row]), words) for row in rows],
        "last_won": [int(state.last_won[row]) for row in rows] if has_round else [],
        "round_scores": [int(state.round_scores[seat]) for seat in range(sight.seats)] if has_round else [],
        "words": _board_words(int(state.trump), words),
    }


@drawn_once
def _board_words(trump: int, words: Words) -> dict[str, str]:
    colour = words.say(f"colours.{COLOUR_NAMES[trump]}")
    return {key: words.say(f"board.{key}", colour=colour) for key in ("trump", "trump_is", "bid", "tricks")}


def _winning(state: SightState) -> str | None:
    """Return the id of the row whose card is winning the trick."""
    if is_trick_empty(state):
        return None
    return zone_id(state, int(winner_of(state.trick, state.leader, row_count(state), state.trump)))


def _card_fact(card: int, words: Words) -> dict[str, Any] | None:
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
    for row in range(row_count(state)):
        bars = tuple(_turned_up(state, row, position, words) for position in range(state.row_size))
        bid, tricks = int(state.last_bids[row]), int(state.last_won[row])
        yield from _row_zones(state, row, bars, bid, tricks, words, names)
    yield _trick_zone(state, state.last_trick, state.last_leader, words, names)


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
    met = words.say("events.automaton_met", player=row_name(state, automata[0], words, names))
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
