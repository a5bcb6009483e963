"""What a front end draws of a Xylo table, and the story of each move, both from a sight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tablee.core.sight import Sight
from tablee.core.state import NOBODY
from tablee.core.view import Choice, Event, Piece, View, Zone
from tablee.core.words import Words
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
from tablee.games.xylo.rules import (
    REASONS,
    arranged_position,
    arranged_row,
    is_met,
    of_colour,
    ranks,
    winner_of,
)
from tablee.games.xylo.state import (
    ARRANGE,
    NO_CARD,
    NOWHERE,
    UNKNOWN_VALUE,
    card_at,
    colour_of,
    has_bid,
    is_down,
    is_peeked,
    is_trick_empty,
    row_count,
    row_of,
    seat_of,
    tricks_played,
    value_of,
)

PHASES = ("arrange", "play", "window", "bid")
SYMBOLS = ("triangle", "diamond", "star", "square", "drop", "circle", "cross", "heart")  # by colour, on every bar


def draw(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> View:
    """Lay out the table for one viewer."""
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
        end=words.say(f"reasons.{REASONS[int(state.end_reason)]}") if is_over else None,
        winners=winners_of(sight) if is_over else (),
        facts=_facts(sight, words),
    )


def winners_of(sight: Sight) -> tuple[int, ...]:
    """Return the seats in first place."""
    out = np.zeros(sight.seats, np.int64)
    ranks(sight.state, out)
    return tuple(seat for seat in range(sight.seats) if out[seat] == 1)


# Names of things


def zone_id(state: Any, row: int) -> str:
    """Name a row: `seat1`, or `automaton1` for the one to the left of that seat."""
    seat = int(seat_of(state, row))
    return f"automaton{row // 2}" if seat == NOBODY else f"seat{seat}"


def piece_id(state: Any, row: int, position: int) -> str:
    """Name a place in a row; the leftmost is 1."""
    return f"{zone_id(state, row)}.{position + 1}"


def _row_name(state: Any, row: int, words: Words, names: Sequence[str]) -> str:
    seat = int(seat_of(state, row))
    return words.say("automaton", number=row // 2 + 1) if seat == NOBODY else names[seat]


def _sentence(text: str) -> str:
    """Write the first letter large; an automaton's name begins with a small one."""
    return text[0].upper() + text[1:]


def _card_name(card: int, words: Words) -> str:
    return words.say("card", colour=_colour_word(card, words), value=value_of(card))


def _colour_word(card: int, words: Words) -> str:
    return words.say(f"colours.{COLOUR_NAMES[colour_of(card)]}")


# Zones


def _zones(sight: Sight, words: Words, names: Sequence[str]) -> Iterator[Zone]:
    state = sight.state
    for row in range(row_count(state)):
        zone, name = zone_id(state, row), _row_name(state, row, words, names)
        owner = None if seat_of(state, row) == NOBODY else int(seat_of(state, row))
        ranges = possible_values(state, row)
        pieces = tuple(_bar(state, row, position, ranges, words) for position in range(state.row_size))
        yield Zone(zone, "row", _sentence(words.say("zones.row", player=name)), pieces, owner)
        bid = (_announced(state, row, words),) if has_bid(state, row) else ()
        yield Zone(f"{zone}.bid", "row", _sentence(words.say("zones.bid", player=name)), bid, owner)
        label = _sentence(words.say("zones.tricks", player=name))
        yield Zone(f"{zone}.tricks", "counter", label, owner=owner, count=int(state.won[row]))
    yield Zone("trick", "row", words.say("zones.trick"), tuple(_trick(state, words, names)))


def _bar(state: Any, row: int, position: int, ranges: Sequence[tuple[int, int]], words: Words) -> Piece:
    """Draw one place of a row: a gap, a card the viewer knows though it lies face down, or the back of one."""
    identity, card, number = piece_id(state, row, position), card_at(state, row, position), position + 1
    if not is_down(state, row, position):
        return Piece(identity, words.say("cards.gap", position=number, card=_card_name(card, words)), marks=("empty",))
    if card < 0:
        return Piece(identity, words.say("cards.unknown", position=number))
    colour = COLOUR_NAMES[colour_of(card)]
    marks = ("peeked",) if is_peeked(state, row, position) else ()
    if value_of(card) != UNKNOWN_VALUE:
        label = words.say("cards.known", position=number, card=_card_name(card, words))
        return Piece(identity, label, str(value_of(card)), colour, SYMBOLS[colour_of(card)], ("known", *marks))
    low, high = ranges[position]
    colour_word = _colour_word(card, words)
    if low == high:
        label = words.say("cards.certain", position=number, colour=colour_word, value=low)
    else:
        label = words.say("cards.back", position=number, colour=colour_word, low=low, high=high)
    return Piece(identity, label, None, colour, SYMBOLS[colour_of(card)], marks)


def _announced(state: Any, row: int, words: Words) -> Piece:
    card = card_at(state, row, int(state.bid_at[row]))
    label = words.say("cards.bid", card=_card_name(card, words))
    colour, symbol = COLOUR_NAMES[colour_of(card)], SYMBOLS[colour_of(card)]
    return Piece(f"{zone_id(state, row)}.bid.card", label, str(value_of(card)), colour, symbol, ("bid",))


def _trick(state: Any, words: Words, names: Sequence[str]) -> Iterator[Piece]:
    for row in _order(state, state.leader):
        card = int(state.trick[row])
        if card != NO_CARD:
            name = _row_name(state, row, words, names)
            label = words.say("cards.played", player=name, card=_card_name(card, words))
            colour, symbol = COLOUR_NAMES[colour_of(card)], SYMBOLS[colour_of(card)]
            yield Piece(f"trick.{zone_id(state, row)}", label, str(value_of(card)), colour, symbol)


def _order(state: Any, leader: int) -> Iterator[int]:
    """Yield the rows in the order in which they play."""
    rows = int(row_count(state))
    for step in range(rows):
        yield (int(leader) + step) % rows


def possible_values(state: Any, row: int) -> list[tuple[int, int]]:
    """Return the lowest and highest value each card can have, from what is known of this row alone."""
    size = int(state.row_size)
    ranges = [_own_range(state, int(card_at(state, row, position))) for position in range(size)]
    highest, lowest = [high for _, high in ranges], [low for low, _ in ranges]
    for position in range(1, size):
        highest[position] = min(highest[position], highest[position - 1])
    for position in range(size - 2, -1, -1):
        lowest[position] = max(lowest[position], lowest[position + 1])
    return list(zip(lowest, highest, strict=True))


def _own_range(state: Any, card: int) -> tuple[int, int]:
    if card < 0:
        return 0, int(max(state.sizes)) - 1
    if value_of(card) != UNKNOWN_VALUE:
        return value_of(card), value_of(card)
    return 0, int(state.sizes[colour_of(card)]) - 1


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
        label = words.say("moves.bid", n=value_of(card), card=_card_name(card, words))
        return Choice(move, text, label, (piece_id(state, row, position),), "bid")
    position = position_of_move(move) or 0
    colour = _colour_word(card_at(state, row, position), words)
    if move < PEEK_FIRST:
        label = words.say("moves.play", colour=colour, position=position + 1)
        return Choice(move, text, label, (piece_id(state, row, position),), "play")
    right = _right_neighbour(state, row, position)
    label = words.say("moves.peek", left=position + 1, right=right + 1)
    return Choice(move, text, label, (piece_id(state, row, position), piece_id(state, row, right)), "peek")


def _arranging_choice(state: Any, move: int, text: str, words: Words) -> Choice:
    row, position = int(arranged_row(state)), int(arranged_position(state))
    if move == KEEP:
        return Choice(move, text, words.say("moves.keep"), (zone_id(state, row),), "keep")
    while colour_of(card_at(state, row, position)) != colour_of_move(move):
        position += 1
    label = words.say("moves.next", card=_card_name(card_at(state, row, position), words))
    return Choice(move, text, label, (piece_id(state, row, position),), "next")


def _right_neighbour(state: Any, row: int, position: int) -> int:
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
    if PHASES[state.phase] == "bid":
        values = [value_of(card_at(state, row, int(position))) for position in state.peeks[row]]
        return words.say("prompt.bid", left=values[0], right=values[1])
    if PHASES[state.phase] == "window":
        return words.say("prompt.window_lead" if state.leader == row and is_trick_empty(state) else "prompt.window")
    prompt = _prompt_in_play(state, row, words)
    is_last_choice = not has_bid(state, row) and _count_down(state, row) == 2
    return f"{prompt} {words.say('prompt.last_card')}" if is_last_choice else prompt


def _prompt_in_arrange(state: Any, words: Words, names: Sequence[str]) -> str:
    row, position = int(arranged_row(state)), int(arranged_position(state))
    player = _row_name(state, row, words, names)
    if position == state.row_size - 1:
        return words.say("prompt.arrange_nothing", player=player)
    return words.say("prompt.arrange", player=player, value=value_of(card_at(state, row, position)))


def _prompt_in_play(state: Any, row: int, words: Words) -> str:
    if is_trick_empty(state):
        return words.say("prompt.lead_last" if _count_down(state, row) == 1 else "prompt.lead")
    led = int(state.trick[state.leader])
    can_follow = of_colour(state, row, colour_of(led)) != 0
    return words.say("prompt.follow" if can_follow else "prompt.cannot_follow", colour=_colour_word(led, words))


def _count_down(state: Any, row: int) -> int:
    return int(state.down[row]).bit_count()


def _facts(sight: Sight, words: Words) -> dict[str, Any]:
    state = sight.state
    rows = range(int(row_count(state)))
    automata = [row for row in rows if seat_of(state, row) == NOBODY]
    has_round = state.rounds_played > 0
    return {
        "round": int(state.rounds_played) + (0 if state.end_reason else 1),
        "phase": PHASES[state.phase],
        "trump": COLOUR_NAMES[state.trump],
        "trump_symbol": SYMBOLS[state.trump],
        "automata": {zone_id(state, row): _sentence(_row_name(state, row, words, ())) for row in automata},
        "sizes": {name: int(size) for name, size in zip(COLOUR_NAMES, state.sizes, strict=True) if size},
        "leader": zone_id(state, int(state.leader)),
        "winning": _winning(state),
        "first": int(state.first),
        "rows": [zone_id(state, row) for row in rows],
        "ranges": [[list(ends) for ends in possible_values(state, row)] for row in rows],
        "peeks": [[int(p) + 1 for p in state.peeks[row] if p != NOWHERE] for row in rows],
        "last_trick": [_card_fact(int(state.last_trick[row]), words) for row in rows],
        "last_bids": [_card_fact(int(state.last_bids[row]), words) for row in rows],
        "last_won": [int(state.last_won[row]) for row in rows] if has_round else [],
        "round_scores": [int(state.round_scores[seat]) for seat in range(sight.seats)] if has_round else [],
        "words": _board_words(state, words),
    }


def _board_words(state: Any, words: Words) -> dict[str, str]:
    colour = words.say(f"colours.{COLOUR_NAMES[state.trump]}")
    return {key: words.say(f"board.{key}", colour=colour) for key in ("trump", "trump_is", "bid", "tricks")}


def _winning(state: Any) -> str | None:
    """Name the row whose card would take the trick as it lies."""
    if is_trick_empty(state):
        return None
    return zone_id(state, int(winner_of(state.trick, state.leader, row_count(state), state.trump)))


def _card_fact(card: int, words: Words) -> dict[str, Any] | None:
    if card == NO_CARD:
        return None
    colour = colour_of(card)
    label = _card_name(card, words)
    return {"colour": COLOUR_NAMES[colour], "symbol": SYMBOLS[colour], "value": value_of(card), "label": label}


# The story of a move


def tell(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> list[Event]:
    """Say what happened, as far as the viewer may know."""
    return list(_Story(before, move, after, words, names).events())


class _Story:
    """What one move brought about, told in order."""

    def __init__(self, before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> None:
        self.before, self.move, self.after, self.words, self.names = before, move, after, words, names
        self.old, self.new = before.state, after.state
        self.is_new_round = bool(self.new.rounds_played > self.old.rounds_played)
        self.has_trick = self.is_new_round or tricks_played(self.new) > tricks_played(self.old)

    def events(self) -> Iterator[Event]:
        """Yield everything that happened."""
        if self.old.phase == ARRANGE:
            yield from self.arranging()
        else:
            yield from self.announcing()
            yield from self.cards()
        if self.is_new_round:
            yield from self.scoring()
        if self.new.phase != ARRANGE and not self.new.end_reason and (self.is_new_round or self.old.phase == ARRANGE):
            yield from self.spreading()

    def event(self, code: str, row: int | None = None, path: tuple[str, ...] = (), **values: Any) -> Event:
        """Make an event; its player is the owner of a row."""
        seat = None
        if row is not None:
            values["player"] = _row_name(self.old, row, self.words, self.names)
            seat = None if seat_of(self.old, row) == NOBODY else int(seat_of(self.old, row))
        return Event(code, _sentence(self.words.say(f"events.{code}", **values)), seat, path)

    @property
    def mover(self) -> int:
        """The row that moved."""
        return int(row_of(self.old, self.before.to_move))

    def arranging(self) -> Iterator[Event]:
        """Tell of a packet being put in order; only its sorter knows how (A16, A24)."""
        if self.move is None:
            yield self.event("arranged_unseen", self.mover)
            return
        row, position = int(arranged_row(self.old)), int(arranged_position(self.old))
        whose = _row_name(self.old, row, self.words, self.names)
        if self.move == KEEP:
            yield self.event("kept", self.mover, whose=whose)
            return
        while colour_of(card_at(self.old, row, position)) != colour_of_move(self.move):
            position += 1
        card = _card_name(card_at(self.old, row, position), self.words)
        path = (piece_id(self.old, row, position), piece_id(self.old, row, int(arranged_position(self.old))))
        yield self.event("arranged", self.mover, path, card=card, whose=whose)

    def spreading(self) -> Iterator[Event]:
        """Tell of the rows, what automata announce, and who leads."""
        yield self.event("spread")
        for row in range(row_count(self.new)):
            if seat_of(self.new, row) == NOBODY:
                card = card_at(self.new, row, int(self.new.bid_at[row]))
                yield self.event("automaton_bid", row, n=value_of(card), card=_card_name(card, self.words))
        yield self.event("begins", int(row_of(self.new, self.new.first)))

    def announcing(self) -> Iterator[Event]:
        """Tell who looks at two cards, chooses one, or does not announce."""
        row = self.mover
        if self.move == PASS:
            yield self.event("passed", row)
        elif self.move in (BID_LEFT, BID_RIGHT):
            position = int(self.old.peeks[row, int(self.move) - BID_LEFT])
            path = (piece_id(self.old, row, position), f"{zone_id(self.old, row)}.bid")
            card = self.announced(row)
            yield self.event("bid", row, path, n=value_of(card), card=_card_name(card, self.words))
        elif self.move is not None and self.move >= PEEK_FIRST:
            left, right = (int(position) for position in self.new.peeks[row])
            yield self.event("peeked", row, left=left + 1, right=right + 1)
            cards = [card_at(self.new, row, position) for position in (left, right)]
            if all(value_of(card) != UNKNOWN_VALUE for card in cards):
                shown = [_card_name(card, self.words) for card in cards]
                yield self.event("saw", row, left=shown[0], right=shown[1])

    def announced(self, row: int) -> int:
        """Return a row's announcement card, also where a new deal has covered it."""
        if self.is_new_round:
            return int(self.new.last_bids[row])
        return int(card_at(self.new, row, int(self.new.bid_at[row])))

    def cards(self) -> Iterator[Event]:
        """Tell of the cards played, by the mover and then by automata; a trick may end, and the next begin."""
        trick = self.new.last_trick if self.has_trick else self.new.trick
        for row in _order(self.old, self.old.leader):
            if self.old.trick[row] == NO_CARD and trick[row] != NO_CARD:
                yield from self.card(row, int(trick[row]))
        if not self.has_trick:
            return
        winner = int(winner_of(trick, self.old.leader, row_count(self.old), self.old.trump))
        yield self.event("won_trick", winner, ("trick", f"{zone_id(self.old, winner)}.tricks"))
        for row in _order(self.new, self.new.leader):
            if self.new.trick[row] != NO_CARD:
                yield from self.card(row, int(self.new.trick[row]))

    def card(self, row: int, card: int) -> Iterator[Event]:
        """Tell of a card played, after which the last one left may become the announcement (R30)."""
        path = (self.origin(row, card), "trick")
        yield self.event("played", row, path, card=_card_name(card, self.words))
        is_forced = not has_bid(self.old, row) and (self.is_new_round or has_bid(self.new, row))
        if is_forced:
            bid = self.announced(row)
            path = (zone_id(self.old, row), f"{zone_id(self.old, row)}.bid")
            yield self.event("last_card_bid", row, path, n=value_of(bid), card=_card_name(bid, self.words))

    def origin(self, row: int, card: int) -> str:
        """Return where a card lay, as nearly as the viewer can tell."""
        if self.move is not None and row == self.mover:
            return piece_id(self.old, row, position_of_move(self.move) or 0)
        for position in range(self.new.row_size):
            if not self.is_new_round and card_at(self.new, row, position) == card:
                return piece_id(self.new, row, position)
        return zone_id(self.old, row)

    def scoring(self) -> Iterator[Event]:
        """Tell how the round is counted, and of the next deal or the victory."""
        new = self.new
        yield self.event("round_over", number=int(new.rounds_played))
        rows = range(int(row_count(new)))
        automata = [row for row in rows if seat_of(new, row) == NOBODY and is_met(new, row)]
        if automata:
            yield self.event("both_automata_met" if len(automata) == 2 else "automaton_met", automata[0])
        for row in rows:
            if seat_of(new, row) != NOBODY:
                yield self.event("met" if is_met(new, row) else "missed", row, **self.result(row))
        if new.end_reason:
            winners = " & ".join(self.names[seat] for seat in winners_of(self.after))
            yield self.event("won", winners=winners)
        else:
            yield self.event("dealt", number=int(new.rounds_played) + 1)

    def result(self, row: int) -> dict[str, Any]:
        """Return what is said of a player's round."""
        new, seat = self.new, int(seat_of(self.new, row))
        return {
            "tricks": int(new.last_won[row]),
            "bid": value_of(int(new.last_bids[row])),
            "n": int(new.round_scores[seat]),
            "total": int(new.totals[seat]),
        }
