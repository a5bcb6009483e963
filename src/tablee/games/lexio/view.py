"""What a front end draws of a Lexio table, and the events of each move, made from sights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from tablee.core.fields import new_state
from tablee.core.sight import Sight
from tablee.core.state import NOBODY, copy_state
from tablee.core.types import SightState
from tablee.core.view import Choice, Event, Piece, RoundScore, RoundSummary, View, Zone, drawn_once, drawn_with_names
from tablee.core.words import Words
from tablee.games.lexio.catalogue import FLUSH_FIRST, FULL_FIRST, NUMBERS, PASS, SUITS, size_of, tiles_of
from tablee.games.lexio.moves import TILE_NAMES, move_text, tiles_in, tiles_in_order
from tablee.games.lexio.rules import EndReason, doubling, legal_moves
from tablee.games.lexio.state import MAX_NUMBER, NOTHING, ROUNDS, STATE, UNKNOWN
from tablee.games.lexio.strength import CombinationKind, kind_of

SUIT_NAMES = ("cloud", "star", "moon", "sun")
SUIT_COLOURS = ("blue", "yellow", "green", "red")
CHIP_VALUES = (25, 5, 1)
CHIP_COLOURS = {25: "red", 5: "green", 1: "yellow"}
BOARD_WORDS = (
    "beats",
    "too_weak",
    "no_combination",
    "more",
    "hint",
    "why",
    "by_number",
    "by_suit",
    "pass",
    "passed",
    "flow",
    "weaker_to_stronger",
)


def draw(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> View:
    """Draw the table for one viewer."""
    state, kind = sight.values, _kind(sight.state, sight.values.table)
    return View(
        game=sight.game.name,
        viewer=sight.seat,
        seats=sight.seats,
        to_move=sight.to_move,
        prompt=_prompt(sight, kind, moves, words, names),
        zones=tuple(_zones(sight, kind, words, names)),
        scores=tuple(state.balances.tolist()[: sight.seats]),
        choices=tuple(_choices(sight, moves, words)),
        end=words.say(f"reasons.{EndReason(state.end_reason).key}") if state.end_reason else None,
        winners=_winners(sight) if state.end_reason else (),
        facts=_facts(sight, kind, moves, words),
    )


def _winners(sight: Sight) -> tuple[int, ...]:
    """Return the seats with the most chips (R21, E15)."""
    balances = sight.state.balances[: sight.seats]
    return tuple(seat for seat in range(sight.seats) if balances[seat] == balances.max())


def chips_of(balance: int) -> dict[int, int]:
    """Return how many chips of 25, 5 and 1 make up a balance; none if it is negative."""
    chips, rest = {}, max(0, balance)
    for value in CHIP_VALUES:
        chips[value], rest = divmod(rest, value)
    return chips


def _zones(sight: Sight, kind: CombinationKind, words: Words, names: Sequence[str]) -> Iterator[Zone]:
    state, seats = sight.values, range(sight.seats)
    hands, counts, balances = state.hands.tolist(), state.hand_counts.tolist(), state.balances.tolist()
    for seat in seats:
        yield _rack_zone(names, seat, hands[seat], counts[seat], words)
    yield _table(names, state.table, kind, state.holder, words)
    yield _counted_zone("played", sum(tiles.bit_count() for tiles in state.played.tolist()), words)
    left_out = state.deck.bit_count() - state.hand_size * sight.seats
    if left_out > 0:
        yield _counted_zone("left_out", left_out, words)
    for seat in seats:
        yield _purse(names, seat, balances[seat], words)


@drawn_with_names
def _rack_zone(names: Sequence[str], seat: int, hand: int, count: int, words: Words) -> Zone:
    pieces = _rack(seat, hand, count, words)
    return Zone(f"seat{seat}", "fan", words.say("zones.rack", player=names[seat]), pieces, seat, count=len(pieces))


@drawn_once
def _counted_zone(name: str, count: int, words: Words) -> Zone:
    return Zone(name, "stack", words.say(f"zones.{name}"), count=count)


@drawn_once
def _rack(seat: int, hand: int, count: int, words: Words) -> tuple[Piece, ...]:
    """Draw the tiles of a hand, weak to strong, or their backs; the id of a tile is its position in the rack."""
    if hand == UNKNOWN:
        return tuple(_hidden_tile(f"seat{seat}.{index + 1}", words) for index in range(count))
    return tuple(draw_tile(f"seat{seat}.{index + 1}", tile, words) for index, tile in enumerate(tiles_in(hand)))


@drawn_once
def draw_tile(piece_id: str, tile: int, words: Words, marks: tuple[str, ...] = ()) -> Piece:
    """Draw a tile face up."""
    suit = tile % SUITS
    return Piece(
        piece_id, _tile_name(tile, words), _tile_text(tile, words), SUIT_COLOURS[suit], SUIT_NAMES[suit], marks
    )


@drawn_once
def _hidden_tile(piece_id: str, words: Words) -> Piece:
    return Piece(piece_id, words.say("tiles.hidden"))


def _tile_name(tile: int, words: Words) -> str:
    return words.say(f"tiles.{SUIT_NAMES[tile % SUITS]}", number=NUMBERS[tile // SUITS])


@drawn_with_names
def _table(names: Sequence[str], move: int, kind: CombinationKind, holder: int, words: Words) -> Zone:
    if move == NOTHING:
        return Zone("table", "row", words.say("zones.table_empty"))
    tiles = enumerate(tiles_in_order(move))
    pieces = tuple(draw_tile(f"table.{index + 1}", tile, words, ("last",)) for index, tile in tiles)
    combination = _combination_name(kind, move, words, "combinations")
    return Zone("table", "row", words.say("zones.table", player=names[holder], combination=combination), pieces)


@drawn_with_names
def _purse(names: Sequence[str], seat: int, balance: int, words: Words) -> Zone:
    label = words.say("zones.chips", player=names[seat])
    return Zone(f"seat{seat}.chips", "counter", label, _chips(seat, balance, words), seat, count=balance)


@drawn_once
def _chips(seat: int, balance: int, words: Words) -> tuple[Piece, ...]:
    return tuple(
        Piece(
            f"seat{seat}.chips{value}", words.say("tiles.chips", n=n, value=value), f"{n}×{value}", CHIP_COLOURS[value]
        )
        for value, n in chips_of(balance).items()
        if n
    )


# Combinations in words


def _combination(state: SightState, move: int, words: Words) -> str:
    """Name a combination: "full house of 9s"."""
    return _combination_name(_kind(state, move), int(move), words, "combinations")


@drawn_once
def _combination_name(kind: CombinationKind, move: int, words: Words, form: str) -> str:
    """Name a combination: "full house of 9s", or in the form "definite" "the full house of 9s"."""
    tiles = tiles_in_order(move)
    first = tiles[0]
    if kind in (CombinationKind.STRAIGHT, CombinationKind.STRAIGHT_FLUSH):
        numbers = "-".join(str(NUMBERS[tile // SUITS]) for tile in tiles)
        suit = words.say(f"suits.{SUIT_NAMES[first % SUITS]}")
        return words.say(f"{form}.{kind.key}", numbers=numbers, suit=suit)
    top = _tile_name(tiles[-1], words)
    return words.say(f"{form}.{kind.key}", number=NUMBERS[first // SUITS], tile=top)


def _kind(state: SightState, move: int) -> CombinationKind:
    """Return the kind of a combination; whether a flush is a straight one depends on the options."""
    if FLUSH_FIRST <= move < FULL_FIRST:
        return CombinationKind(int(kind_of(state, int(move))))
    return _kind_of_others(int(move))


@drawn_once
def _kind_of_others(move: int) -> CombinationKind:
    return CombinationKind(int(kind_of(new_state(STATE), move)))


@drawn_once
def _tile_text(tile: int, words: Words) -> str:
    """Return the number of a tile and the letter of its suit."""
    return f"{NUMBERS[tile // SUITS]}{words.say(f'letters.{SUIT_NAMES[tile % SUITS]}')}"


@drawn_once
def _tile_texts(move: int, words: Words) -> str:
    return " ".join(_tile_text(tile, words) for tile in tiles_in_order(move))


def typed_words(words: Words) -> dict[str, str]:
    """Return the tiles as they are typed, by their canonical names."""
    return {name: _tile_text(tile, words) for tile, name in enumerate(TILE_NAMES)}


def _choices(sight: Sight, moves: Sequence[int], words: Words) -> Iterator[Choice]:
    if not moves:
        return
    rack = _rack_ids(sight)
    for move in moves:
        targets = ("table",) if move == PASS else tuple(rack[tile] for tile in tiles_in_order(move))
        yield _choice(move, _kind(sight.state, move), targets, words)


@drawn_once
def _choice(move: int, kind: CombinationKind, targets: tuple[str, ...], words: Words) -> Choice:
    """Draw a choice; its label has the tiles and the name of the combination, of a single tile only the tile."""
    if move == PASS:
        return Choice(move, move_text(move), words.say("moves.pass"), targets, "pass")
    tiles = _tile_texts(move, words)
    if size_of(move) == 1:
        label = words.say("moves.single", tiles=tiles)
    else:
        label = words.say("moves.play", tiles=tiles, combination=_combination_name(kind, move, words, "combinations"))
    return Choice(move, move_text(move), label, targets, kind.key)


def _prompt(sight: Sight, kind: CombinationKind, moves: Sequence[int], words: Words, names: Sequence[str]) -> str:
    state = sight.values
    if state.end_reason:
        return words.say("prompt.over")
    waits = "wait_" if sight.to_move != sight.seat else ""
    player = names[sight.to_move]
    if not any(state.played.tolist()):
        return words.say(f"prompt.{waits}first_lead", player=player, tile=_tile_name(state.lead_tile, words))
    if state.table == NOTHING:
        return words.say(f"prompt.{waits}lead", player=player)
    combination = _combination_name(kind, state.table, words, "definite")
    if waits:
        return words.say("prompt.wait_beat", player=player, combination=combination)
    if PASS not in moves:
        return words.say("prompt.must_beat", combination=combination)
    return words.say("prompt.beat" if len(moves) > 1 else "prompt.only_pass", combination=combination)


def _facts(sight: Sight, kind: CombinationKind, moves: Sequence[int], words: Words) -> dict[str, Any]:
    state, seats = sight.values, sight.seats
    return {
        "round": state.rounds_played + (0 if state.end_reason else 1),
        "rounds": int(state.options[ROUNDS]),
        "leader": state.leader,
        "lead_tile": _tile_text(state.lead_tile, words),
        "highest_number": MAX_NUMBER[seats],
        "kind": kind.key,
        "holder": state.holder,
        "passed": _passed(state.holder, state.passes, seats),
        "counts": _listed(*state.hand_counts.tolist()[:seats]),
        "plays": [_plays(words, *played) for played in state.plays.tolist()[:seats]],
        "chips": [_chip_counts(balance) for balance in state.balances.tolist()[:seats]],
        "last_round": _last_round(sight, words) if state.rounds_played else None,
        "too_weak": _too_weak(sight, moves, words),
        "suits": _suits(),
        "words": _board_words(words),
    }


@drawn_once
def _passed(holder: int, passes: int, seats: int) -> list[int]:
    return [(holder + 1 + index) % seats for index in range(passes)]


@drawn_once
def _listed(*numbers: int) -> list[int]:
    return list(numbers)


@drawn_once
def _plays(words: Words, *moves: int) -> list[str]:
    return [_tile_texts(move, words) for move in moves if move != PASS]


@drawn_once
def _chip_counts(balance: int) -> list[int]:
    return list(chips_of(balance).values())


@drawn_once
def _suits() -> list[str]:
    return list(SUIT_NAMES)


@drawn_once
def _board_words(words: Words) -> dict[str, str]:
    return {name: words.say(f"board.{name}") for name in BOARD_WORDS}


def _too_weak(sight: Sight, moves: Sequence[int], words: Words) -> dict[str, str]:
    """Name the viewer's combinations that have the right size but do not beat the table (R14), by their pieces."""
    table = sight.values.table
    if not moves or table == NOTHING:
        return {}
    leading = copy_state(sight.state)
    leading.table = NOTHING
    held = np.zeros(sight.game.max_legal_moves, np.int32)
    count = legal_moves(leading, held)
    size, possible = size_of(table), set(moves)
    weak = [move for move in held[:count].tolist() if size_of(move) == size and move not in possible]
    ids = _rack_ids(sight) if weak else {}
    return {
        " ".join(ids[tile] for tile in sorted(tiles_in_order(move))): _combination(sight.state, move, words)
        for move in weak
    }


def _rack_ids(sight: Sight) -> dict[int, str]:
    """Return the id of each tile in the viewer's rack."""
    hand = tiles_in(sight.state.hands[sight.seat])
    return {tile: f"seat{sight.seat}.{index + 1}" for index, tile in enumerate(hand)}


def _last_round(sight: Sight, words: Words) -> dict[str, Any]:
    """Return the winner of the last round, the tiles left, and the payments."""
    state, seats = sight.values, sight.seats
    hands, paid = state.last_hands.tolist()[:seats], [row[:seats] for row in state.paid.tolist()[:seats]]
    return _drawn_last_round(state.last_winner, tuple(hands), tuple(map(tuple, paid)), words)


@drawn_once
def _drawn_last_round(
    winner: int, hands: tuple[int, ...], paid: tuple[tuple[int, ...], ...], words: Words
) -> dict[str, Any]:
    return {
        "winner": winner,
        "left": [[_tile_text(tile, words) for tile in tiles_in(hand)] for hand in hands],
        "paid": [list(amounts) for amounts in paid],
        "changes": [sum(row[seat] for row in paid) - sum(paid[seat]) for seat in range(len(paid))],
    }


def _change(state: SightState, seat: int) -> int:
    """Return the chips that a seat gained or lost in the last settlement."""
    return _received(state, seat) - _paid(state, seat)


def _received(state: SightState, seat: int) -> int:
    return sum(int(amount) for amount in state.paid[:, seat])


def _paid(state: SightState, seat: int) -> int:
    return sum(int(amount) for amount in state.paid[seat])


# The round that ended last


def draw_round(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> View:
    """Draw the end of a round: the last combination, the tiles left, face up (E19), and the chips after settling."""
    assert move is not None  # every move is public
    number = int(after.state.rounds_played)
    view = draw(after if after.state.end_reason else _final_sight(before, move, after), (), words, names)
    return replace(
        view,
        to_move=NOBODY,
        prompt=words.say("events.round_over", player=names[after.state.last_winner], number=number),
        facts=view.facts | {"round": number},
        round=RoundSummary(number, tuple(_round_score(after.state, seat, words) for seat in range(after.seats))),
    )


def _final_sight(before: Sight, move: int, after: Sight) -> Sight:
    """Return what is known when a move has ended the round, before the next deal."""
    state, winner = copy_state(before.state), before.to_move
    state.played[winner] |= tiles_of(move)
    state.plays[winner, state.play_counts[winner]] = move
    state.play_counts[winner] += 1
    state.table = move
    state.holder = winner
    state.passes = 0
    state.hands[:] = after.state.last_hands
    state.hand_counts[:] = [int(hand).bit_count() for hand in after.state.last_hands]
    for name in ("balances", "paid", "last_hands", "last_winner", "rounds_played"):
        state[name] = after.state[name]
    return Sight(before.game, before.seat, state)


def _round_score(state: SightState, seat: int, words: Words) -> RoundScore:
    """Return the chips a seat gained or lost, with the tiles left and its payments as note."""
    hand = int(state.last_hands[seat])
    factor = int(doubling(state, hand))
    key = "round.winner" if seat == state.last_winner else "round.left_with_twos" if factor > 1 else "round.left"
    received, paid = _received(state, seat), _paid(state, seat)
    note = words.say(key, n=hand.bit_count(), factor=factor, received=received, paid=paid)
    return RoundScore(seat, received - paid, int(state.balances[seat]), note)


# The events of a move

EventMaker: TypeAlias = Callable[..., Event]  # (code, seat = the mover, path = (), **parameters of the sentence)


def tell(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> list[Event]:
    """Return what happened; every move of this game is public (`sees_move`), so `move` is never None."""
    assert move is not None
    mover = before.to_move

    def event(code: str, seat: int | None = mover, path: tuple[str, ...] = (), **values: Any) -> Event:
        sentence = words.say(f"events.{code}", player="" if seat is None else names[seat], **values)
        return Event(code, sentence, seat, path)

    old, new = before.state, after.values
    if move == PASS:
        events = [event("passed")]
        if new.table == NOTHING:
            events.append(event("took_lead", after.to_move, ("table", "played")))
    else:
        code = "played_one" if size_of(move) == 1 else "played"
        combination = _combination(old, move, words)
        events = [event(code, path=(f"seat{mover}", "table"), tiles=_tile_texts(move, words), combination=combination)]
    if new.rounds_played > before.values.rounds_played:
        events += _tell_round(after, event, words, names)
    elif move != PASS and 0 < new.hand_counts[mover] <= 2:
        events.append(event("few_left", n=int(new.hand_counts[mover])))
    if new.end_reason:
        events.append(_tell_winners(after, event, words, names))
    return events


def _tell_winners(after: Sight, event: EventMaker, words: Words, names: Sequence[str]) -> Event:
    winners = _winners(after)
    joined = words.say("and").join(names[seat] for seat in winners)
    chips = int(after.state.balances[winners[0]])
    return event("won", None, n=len(winners), winners=joined, chips=chips)


def _tell_round(after: Sight, event: EventMaker, words: Words, names: Sequence[str]) -> Iterator[Event]:
    """Tell the tiles left, the payments, and the next deal."""
    state = after.state
    yield event("round_over", int(state.last_winner), number=int(state.rounds_played))
    for seat in range(after.seats):
        left = tiles_in(state.last_hands[seat])
        if left:
            tiles = " ".join(_tile_text(tile, words) for tile in left)
            factor = int(doubling(state, state.last_hands[seat]))
            yield event("left_with_twos" if factor > 1 else "left", seat, n=len(left), tiles=tiles, factor=factor)
    yield from _tell_payments(after, event, names)
    for seat in range(after.seats):
        yield event("balance", seat, change=f"{_change(state, seat):+d}", n=int(state.balances[seat]))
    if not state.end_reason:
        tile = _tile_name(int(state.lead_tile), words)
        dealt = event("dealt", int(state.leader), number=int(state.rounds_played) + 1, tile=tile)
        yield replace(dealt, begins_round=True)


def _tell_payments(after: Sight, event: EventMaker, names: Sequence[str]) -> Iterator[Event]:
    for payer in range(after.seats):
        for receiver in range(after.seats):
            amount = int(after.state.paid[payer, receiver])
            if amount:
                path = (f"seat{payer}.chips", f"seat{receiver}.chips")
                yield event("paid", payer, path, receiver=names[receiver], n=amount)
