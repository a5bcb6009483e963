"""What a front end draws of a Lexio table, and the events of each move, made from sights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from tablee.core.sight import Sight
from tablee.core.state import NOBODY, copy_state
from tablee.core.types import SightState
from tablee.core.view import Choice, Event, Piece, RoundScore, RoundSummary, View, Zone, drawn_once
from tablee.core.words import Words
from tablee.games.lexio.catalogue import NUMBERS, PASS, SUITS, size_of, tiles_of
from tablee.games.lexio.moves import TILE_NAMES, move_text, tiles_in, tiles_in_order
from tablee.games.lexio.rules import EndReason, doubling, legal_moves
from tablee.games.lexio.state import MAX_NUMBER, NOTHING, ROUNDS, UNKNOWN
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
    state = sight.state
    return View(
        game=sight.game.name,
        viewer=sight.seat,
        seats=sight.seats,
        to_move=sight.to_move,
        prompt=_prompt(sight, moves, words, names),
        zones=tuple(_zones(sight, words, names)),
        scores=tuple(state.balances[: sight.seats].tolist()),
        choices=tuple(_choices(sight, moves, words)),
        end=words.say(f"reasons.{EndReason(int(state.end_reason)).key}") if state.end_reason else None,
        winners=_winners(sight) if state.end_reason else (),
        facts=_facts(sight, moves, words),
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


def _zones(sight: Sight, words: Words, names: Sequence[str]) -> Iterator[Zone]:
    state = sight.state
    for seat in range(sight.seats):
        pieces = _rack(seat, int(state.hands[seat]), int(state.hand_counts[seat]), words)
        yield Zone(f"seat{seat}", "fan", words.say("zones.rack", player=names[seat]), pieces, seat, count=len(pieces))
    yield _table(state, words, names)
    played = sum(tiles.bit_count() for tiles in state.played.tolist())
    yield Zone("played", "stack", words.say("zones.played"), count=played)
    left_out = int(state.deck).bit_count() - int(state.hand_size) * sight.seats
    if left_out > 0:
        yield Zone("left_out", "stack", words.say("zones.left_out"), count=left_out)
    for seat in range(sight.seats):
        yield _purse(state, seat, words, names)


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


def _table(state: SightState, words: Words, names: Sequence[str]) -> Zone:
    if state.table == NOTHING:
        return Zone("table", "row", words.say("zones.table_empty"))
    tiles = enumerate(tiles_in_order(int(state.table)))
    pieces = tuple(draw_tile(f"table.{index + 1}", tile, words, ("last",)) for index, tile in tiles)
    label = words.say("zones.table", player=names[state.holder], combination=_combination(state, state.table, words))
    return Zone("table", "row", label, pieces)


def _purse(state: SightState, seat: int, words: Words, names: Sequence[str]) -> Zone:
    balance = int(state.balances[seat])
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


def _combination(state: SightState, move: int, words: Words, form: str = "combinations") -> str:
    """Name a combination: "full house of 9s", or in the definite form "the full house of 9s"."""
    return _combination_name(_kind(state, move), int(move), words, form)


@drawn_once
def _combination_name(kind: CombinationKind, move: int, words: Words, form: str) -> str:
    tiles = tiles_in_order(move)
    first = tiles[0]
    if kind in (CombinationKind.STRAIGHT, CombinationKind.STRAIGHT_FLUSH):
        numbers = "-".join(str(NUMBERS[tile // SUITS]) for tile in tiles)
        suit = words.say(f"suits.{SUIT_NAMES[first % SUITS]}")
        return words.say(f"{form}.{kind.key}", numbers=numbers, suit=suit)
    top = _tile_name(tiles[-1], words)
    return words.say(f"{form}.{kind.key}", number=NUMBERS[first // SUITS], tile=top)


def _kind(state: SightState, move: int) -> CombinationKind:
    return CombinationKind(int(kind_of(state, int(move))))


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


def _prompt(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> str:
    state = sight.state
    if state.end_reason:
        return words.say("prompt.over")
    waits = "wait_" if sight.to_move != sight.seat else ""
    player = names[sight.to_move]
    if not state.played.any():
        return words.say(f"prompt.{waits}first_lead", player=player, tile=_tile_name(int(state.lead_tile), words))
    if state.table == NOTHING:
        return words.say(f"prompt.{waits}lead", player=player)
    combination = _combination(state, state.table, words, "definite")
    if waits:
        return words.say("prompt.wait_beat", player=player, combination=combination)
    if PASS not in moves:
        return words.say("prompt.must_beat", combination=combination)
    return words.say("prompt.beat" if len(moves) > 1 else "prompt.only_pass", combination=combination)


def _facts(sight: Sight, moves: Sequence[int], words: Words) -> dict[str, Any]:
    state = sight.state
    return {
        "round": int(state.rounds_played) + (0 if state.end_reason else 1),
        "rounds": int(state.options[ROUNDS]),
        "leader": int(state.leader),
        "lead_tile": _tile_text(int(state.lead_tile), words),
        "highest_number": MAX_NUMBER[sight.seats],
        "kind": _kind(state, state.table).key,
        "holder": int(state.holder),
        "passed": [(int(state.holder) + 1 + index) % sight.seats for index in range(int(state.passes))],
        "counts": state.hand_counts[: sight.seats].tolist(),
        "plays": [
            [_tile_texts(move, words) for move in moves if move != PASS]
            for moves in state.plays[: sight.seats].tolist()
        ],
        "chips": [list(chips_of(balance).values()) for balance in state.balances[: sight.seats].tolist()],
        "last_round": _last_round(sight, words) if state.rounds_played else None,
        "too_weak": _too_weak(sight, moves, words),
        "suits": list(SUIT_NAMES),
        "words": _board_words(words),
    }


@drawn_once
def _board_words(words: Words) -> dict[str, str]:
    return {name: words.say(f"board.{name}") for name in BOARD_WORDS}


def _too_weak(sight: Sight, moves: Sequence[int], words: Words) -> dict[str, str]:
    """Name the viewer's combinations that have the right size but do not beat the table (R14), by their pieces."""
    if not moves or sight.state.table == NOTHING:
        return {}
    leading = copy_state(sight.state)
    leading.table = NOTHING
    held = np.zeros(sight.game.max_legal_moves, np.int32)
    count = legal_moves(leading, held)
    size, possible = size_of(int(sight.state.table)), set(moves)
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
    state = sight.state
    seats = range(sight.seats)
    return {
        "winner": int(state.last_winner),
        "left": [[_tile_text(tile, words) for tile in tiles_in(state.last_hands[seat])] for seat in seats],
        "paid": [[int(amount) for amount in state.paid[seat][: sight.seats]] for seat in seats],
        "changes": [_change(state, seat) for seat in seats],
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

    old, new = before.state, after.state
    if move == PASS:
        events = [event("passed")]
        if new.table == NOTHING:
            events.append(event("took_lead", after.to_move, ("table", "played")))
    else:
        code = "played_one" if size_of(move) == 1 else "played"
        combination = _combination(old, move, words)
        events = [event(code, path=(f"seat{mover}", "table"), tiles=_tile_texts(move, words), combination=combination)]
    if new.rounds_played > old.rounds_played:
        events += _tell_round(after, event, words, names)
    elif 0 < new.hand_counts[mover] <= 2 and move != PASS:
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
