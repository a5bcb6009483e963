"""What a front end draws of a Skyjo table, and the events of each move, both from a sight."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from tablee.core.sight import Sight
from tablee.core.state import NOBODY, copy_state
from tablee.core.view import Choice, Event, Piece, RoundScore, RoundSummary, View, Zone, drawn_once, drawn_with_names
from tablee.core.words import Words
from tablee.games.skyjo.moves import CELL_NAMES, DISCARD, DRAW, SWAP_FIRST, TAKE, cell_of, move_text
from tablee.games.skyjo.rules import EndReason, all_equal_lines
from tablee.games.skyjo.state import (
    CELLS,
    CHOOSE,
    COLUMNS,
    DECK,
    LOWEST,
    NO_CARD,
    OPEN_SECOND,
    PHASES,
    UNKNOWN,
)

BOARD_WORDS = ("ender", "last_turn", "open_sum", "doubled", "round", "total", "round_over")


def draw(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> View:
    """Lay out the table for one viewer."""
    state, cards = sight.values, _cards_of_all(sight)
    is_over = bool(state.end_reason)
    return View(
        game=sight.game.name,
        viewer=sight.seat,
        seats=sight.seats,
        to_move=sight.to_move,
        prompt=_prompt(sight, words, names),
        zones=_zones(sight, cards, words, names),
        scores=tuple(state.totals[: sight.seats].tolist()),
        choices=tuple(_choices(sight, moves, words)),
        end=words.say(f"reasons.{EndReason(state.end_reason).key}") if is_over else None,
        winners=_winners(sight) if is_over else (),
        facts=_facts(sight, cards, words),
    )


def _winners(sight: Sight) -> tuple[int, ...]:
    totals = sight.values.totals.tolist()[: sight.seats]
    return tuple(seat for seat in range(sight.seats) if totals[seat] == min(totals))


def card_colour(value: int) -> str:
    """Return the colour of a card's band."""
    return "blue" if value <= 0 else "green" if value <= 4 else "yellow" if value <= 8 else "red"


def _zones(sight: Sight, cards: bytes, words: Words, names: Sequence[str]) -> tuple[Zone, ...]:
    state = sight.values
    tableaux = _tableaux(names, cards, words)
    piles = _draw_pile(state.draw_count, words), _discard_pile(_top_value(state), state.discard_count, words)
    hand = (_hand(state.held, sight.to_move, words),) if state.held != NO_CARD else ()
    return (*tableaux, *piles, *hand)


def _cards_of_all(sight: Sight) -> bytes:
    """Return the cards of all seats as bytes, by which what is drawn of them is found quickly."""
    cards: bytes = sight.values.grid.tobytes()
    return cards[: sight.seats * CELLS]


@drawn_once
def _by_seat(cards: bytes) -> list[list[int]]:
    """Return the values of the cards of each seat."""
    values = memoryview(cards).cast("b").tolist()
    return [values[first : first + CELLS] for first in range(0, len(values), CELLS)]


@drawn_with_names
def _tableaux(names: Sequence[str], cards: bytes, words: Words) -> tuple[Zone, ...]:
    return tuple(_tableau(names, seat, tuple(values), words) for seat, values in enumerate(_by_seat(cards)))


@drawn_with_names
def _tableau(
    names: Sequence[str], seat: int, values: tuple[int, ...], words: Words, cleared: tuple[int, ...] = ()
) -> Zone:
    """Draw the cards of a seat, with a mark on those of the cells in `cleared`."""
    pieces = _cards(seat, values, words)
    if cleared:
        marked = (replace(piece, marks=("cleared",)) if cell in cleared else piece for cell, piece in enumerate(pieces))
        pieces = tuple(marked)
    label = words.say("zones.tableau", player=names[seat])
    return Zone(f"seat{seat}", "grid", label, pieces, owner=seat, columns=COLUMNS)


@drawn_once
def _cards(seat: int, values: tuple[int, ...], words: Words) -> tuple[Piece, ...]:
    return tuple(_card(seat, cell, value, words) for cell, value in enumerate(values))


@drawn_once
def _card(seat: int, cell: int, value: int, words: Words) -> Piece:
    name = CELL_NAMES[cell]
    piece_id = f"seat{seat}.{name}"
    if value == NO_CARD:
        return Piece(piece_id, words.say("cards.gone", cell=name), marks=("empty",))
    if value == UNKNOWN:
        return Piece(piece_id, words.say("cards.hidden", cell=name))
    return Piece(piece_id, words.say("cards.open", cell=name, value=value), str(value), card_colour(value))


@drawn_once
def _draw_pile(count: int, words: Words) -> Zone:
    return Zone("draw", "stack", words.say("zones.draw"), count=count)


def _top_value(state: Any) -> int | None:
    """Return the value on top of the discard pile, None if that is empty."""
    return int(state.piles[DECK - state.discard_count]) if state.discard_count else None


@drawn_once
def _discard_pile(top: int | None, count: int, words: Words) -> Zone:
    """Draw the discard pile; an unknown top card is not drawn."""
    pieces: tuple[Piece, ...] = ()
    if top is not None:
        pieces = (Piece("discard.top", words.say("cards.top", value=top), str(top), card_colour(top)),)
    return Zone("discard", "stack", words.say("zones.discard"), pieces, count=count)


@drawn_once
def _hand(value: int, owner: int, words: Words) -> Zone:
    if value < LOWEST:
        card = Piece("hand.card", words.say("cards.held_unseen"), marks=("held",))
    else:
        label = words.say("cards.held", value=value)
        card = Piece("hand.card", label, str(value), card_colour(value), marks=("held",))
    return Zone("hand", "row", words.say("zones.hand"), (card,), owner=owner)


def _choices(sight: Sight, moves: Sequence[int], words: Words) -> Iterator[Choice]:
    if not moves:
        return
    state, seat = sight.values, sight.seat
    held, cards = state.held, state.grid[seat].tolist()
    for move in moves:
        cell = cell_of(move)
        if cell is not None:
            yield _choice_of_cell(seat, move, cell, held, cards[cell], words)
        else:
            yield _choice_of_pile(move, _top_value(state) if move == TAKE else held, words)


@drawn_once
def _choice_of_pile(move: int, value: int | None, words: Words) -> Choice:
    text = move_text(move)
    if move == DRAW:
        return Choice(move, text, words.say("moves.draw"), ("draw",), "pile")
    if move == TAKE:
        return Choice(move, text, words.say("moves.take", value=value), ("discard",), "pile")
    return Choice(move, text, words.say("moves.discard", value=value), ("discard",), "discard")


@drawn_once
def _choice_of_cell(seat: int, move: int, cell: int, held: int, old: int, words: Words) -> Choice:
    """Draw the choice to turn up a card, or to swap it for the held one."""
    text, name = move_text(move), CELL_NAMES[cell]
    target = (f"seat{seat}.{name}",)
    if move < SWAP_FIRST:
        return Choice(move, text, words.say("moves.flip", cell=name), target, "flip")
    if old < LOWEST:
        return Choice(move, text, words.say("moves.swap_hidden", cell=name, value=held), target, "swap")
    return Choice(move, text, words.say("moves.swap", cell=name, value=held, old=old), target, "swap")


def _prompt(sight: Sight, words: Words, names: Sequence[str]) -> str:
    state = sight.values
    if state.end_reason:
        return words.say("prompt.over")
    if sight.to_move != sight.seat:
        return _waiting(names, sight.to_move, state.phase <= OPEN_SECOND, words)
    value = _top_value(state) if state.phase == CHOOSE else state.held
    return _own_prompt(PHASES[state.phase], value, state.ender != NOBODY, words)


@drawn_with_names
def _waiting(names: Sequence[str], mover: int, is_opening: bool, words: Words) -> str:
    return words.say("prompt.wait_open" if is_opening else "prompt.wait_turn", player=names[mover])


@drawn_once
def _own_prompt(phase: str, value: int | None, is_last_turn: bool, words: Words) -> str:
    prompt = words.say(f"prompt.{phase}", value=value)
    return f"{words.say('prompt.last_turn')} {prompt}" if is_last_turn else prompt


def _facts(sight: Sight, cards: bytes, words: Words) -> dict[str, Any]:
    state, seats = sight.values, sight.seats
    final = state.final_grid.tobytes()[: seats * CELLS] if state.rounds_played else b""
    return {
        "round": state.rounds_played + (0 if state.end_reason else 1),
        "phase": PHASES[state.phase],
        "ender": state.ender,
        "last_turns": _last_turns(state.ender, sight.to_move, seats),
        "open_sums": _open_sums(cards),
        "round_scores": _round_scores(state.round_scores.tobytes(), seats),
        "doubled": state.doubled,
        "final": _by_seat(final),
        "words": _board_words(words),
    }


@drawn_once
def _open_sums(cards: bytes) -> list[int]:
    return [sum(value for value in values if value >= LOWEST) for values in _by_seat(cards)]


@drawn_once
def _round_scores(points: bytes, seats: int) -> list[int]:
    scores: list[int] = np.frombuffer(points, np.int32)[:seats].tolist()
    return scores


@drawn_once
def _board_words(words: Words) -> dict[str, str]:
    return {name: words.say(f"board.{name}") for name in BOARD_WORDS}


@drawn_once
def _last_turns(ender: int, mover: int, seats: int) -> list[int]:
    """Return the seats that still have a last turn, from the seat on turn to the one before the ender (R16)."""
    if NOBODY in (ender, mover):
        return []
    return [(mover + step) % seats for step in range((ender - mover) % seats)]


# The round that ended last


def draw_round(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> View:
    """Draw the end of a round: the tableaux, all cards turned up, the piles, and the result.

    Cards that left when everything was turned up (R18) are marked `cleared`.
    """
    state = after.state
    cleared = [_cleared_at_end(after, seat) for seat in range(after.seats)]
    tableaux = [
        _tableau(names, seat, tuple(state.final_grid[seat].tolist()), words, tuple(cleared[seat]))
        for seat in range(after.seats)
    ]
    return replace(
        draw(after, (), words, names),
        to_move=NOBODY,
        prompt=_round_result(after, words, names),
        zones=(*tableaux, *_final_piles(before, move, after, words)),
        facts=_round_facts(after, cleared, words),
        round=RoundSummary(
            number=int(state.rounds_played),
            scores=tuple(_round_score(after, seat, words) for seat in range(after.seats)),
        ),
    )


def _final_piles(before: Sight, move: int | None, after: Sight, words: Words) -> Iterator[Zone]:
    """Yield the piles after the last move of a round, which discards a card if it is an exchange."""
    old = before.values
    yield _draw_pile(old.draw_count, words)
    cell = cell_of(move) if move is not None and move >= SWAP_FIRST else None
    values = [] if cell is None else [_replaced_value(before, after, cell)]
    values += [_shown_value(before, after, each) for each in _cleared_cells(before, after)]
    top = _top_value(old)
    if values:
        top = None if values[-1] is None else int(values[-1])
    yield _discard_pile(top, old.discard_count + len(values), words)


def _round_result(sight: Sight, words: Words, names: Sequence[str]) -> str:
    points = sight.state.round_scores[: sight.seats].tolist()
    lowest = [names[seat] for seat in range(sight.seats) if points[seat] == min(points)]
    result = words.say(
        "round.result",
        number=int(sight.state.rounds_played),
        players=_join(lowest, words),
        points=min(points),
        n=len(lowest),
    )
    was_stalled = sight.state.last_ender == NOBODY
    return f"{words.say('events.stalled')} {result}" if was_stalled else result


def _round_score(sight: Sight, seat: int, words: Words) -> RoundScore:
    points, total = int(sight.state.round_scores[seat]), int(sight.state.totals[seat])
    is_doubled = seat == sight.state.doubled
    return RoundScore(seat, points, total, words.say("round.doubled", points=points // 2) if is_doubled else "")


def _round_facts(sight: Sight, cleared: Sequence[Sequence[int]], words: Words) -> dict[str, Any]:
    """Return the facts as they were at the end of the round, with the keys that `draw` gives."""
    tableaux = [sight.state.final_grid[seat].tolist() for seat in range(sight.seats)]
    kept = [
        [value for cell, value in enumerate(values) if value != NO_CARD and cell not in cleared[seat]]
        for seat, values in enumerate(tableaux)
    ]
    return _facts(sight, _cards_of_all(sight), words) | {
        "round": int(sight.state.rounds_played),
        "phase": PHASES[CHOOSE],
        "ender": int(sight.state.last_ender),
        "last_turns": [],
        "open_sums": [sum(values) for values in kept],
    }


# The events of a move


EventMaker: TypeAlias = Callable[..., Event]  # (code, seat = the mover, path = (), **parameters of the sentence)


def tell(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> list[Event]:
    """Return what happened, as far as the viewer may know."""
    mover = before.to_move

    def event(code: str, seat: int | None = mover, path: tuple[str, ...] = (), **values: Any) -> Event:
        sentence = words.say(f"events.{code}", player="" if seat is None else names[seat], **values)
        return Event(code, sentence, seat, path)

    old, new = before.values, after.values
    events = list(_tell_move(before, move, after, words, event))
    if new.rounds_played > old.rounds_played:
        events += _tell_round(before, after, words, event)
    elif old.phase <= OPEN_SECOND < new.phase:
        events += _tell_start(before, after, event)
    if new.end_reason:
        winners = [names[seat] for seat in _winners(after)]
        events.append(event("won", None, winners=_join(winners, words), n=len(winners)))
    return events


def _join(parts: Sequence[str], words: Words) -> str:
    """Join words as a list: "Ana, Ben and Chloé"."""
    *first, last = parts
    return words.say("list", first=", ".join(first), last=last) if first else last


def _tell_move(before: Sight, move: int | None, after: Sight, words: Words, event: EventMaker) -> Iterator[Event]:
    old, new, mover = before.values, after.values, before.to_move
    if move is None:
        yield event("opened_unseen")
    elif move == DRAW:
        if old.draw_count == 0:
            yield event("reshuffled", None, ("discard", "draw"))
        known = new.held >= LOWEST
        values = {"value": new.held} if known else {}
        yield event("drew" if known else "drew_unseen", path=("draw", "hand"), **values)
    elif move == TAKE:
        yield event("took", path=("discard", "hand"), value=new.held)
    elif move == DISCARD:
        yield event("discarded", path=("hand", "discard"), value=_top_value(new))
    else:
        cell = cell_of(move) or 0
        if move < SWAP_FIRST:
            path = (f"seat{mover}.{CELL_NAMES[cell]}",)
            yield event("opened", path=path, cell=CELL_NAMES[cell], value=_shown_value(before, after, cell))
        else:
            yield _tell_swap(before, after, cell, event)
        yield from _tell_cleared(mover, _cleared_cells(before, after), words, event)
        if new.ender != NOBODY and old.ender == NOBODY and new.ender == mover:
            yield event("ended_round")


def _tell_swap(before: Sight, after: Sight, cell: int, event: EventMaker) -> Event:
    name = CELL_NAMES[cell]
    path = ("hand", f"seat{before.to_move}.{name}", "discard")
    value, old = _shown_value(before, after, cell), _replaced_value(before, after, cell)
    if old is None:
        return event("swapped_unseen", path=path, cell=name, value=value)
    return event("swapped", path=path, cell=name, value=value, old=old)


def _shown_value(before: Sight, after: Sight, cell: int) -> str:
    """Return the value laid open in a cell by the move, even if a cleared line or a new deal has removed it since."""
    old, new, mover = before.values, after.values, before.to_move
    if old.held >= LOWEST:
        return str(old.held)
    has_new_deal = new.rounds_played > old.rounds_played
    value = int(new.final_grid[mover, cell] if has_new_deal else new.grid[mover, cell])
    if value >= LOWEST:
        return str(value)
    if has_new_deal:  # the card left with its line, whose cards were all equal
        return str(next(int(old.grid[mover, other]) for other in _cleared_cells(before, after) if other != cell))
    return str(_top_value(new))


def _replaced_value(before: Sight, after: Sight, cell: int) -> str | None:
    """Return the value of the exchanged card, None if it was hidden and a new deal has covered it."""
    old, new = before.values, after.values
    if old.opened[before.to_move] >> cell & 1:
        return str(int(old.grid[before.to_move, cell]))
    if new.rounds_played > old.rounds_played and not new.end_reason:
        return None
    return str(int(new.piles[DECK - old.discard_count - 1]))


def _cleared_cells(before: Sight, after: Sight) -> list[int]:
    """Return the cells that the move cleared."""
    old, new, mover = before.values, after.values, before.to_move
    if new.rounds_played > old.rounds_played:
        gone = [cell for cell, value in enumerate(new.final_grid[mover].tolist()) if value == NO_CARD]
    else:
        gone = _cells_in(int(new.gone[mover]))
    return [cell for cell in gone if not old.gone[mover] >> cell & 1]


def _cells_in(bits: int) -> list[int]:
    return [cell for cell in range(CELLS) if bits >> cell & 1] if bits else []


def _tell_cleared(seat: int, cells: Sequence[int], words: Words, event: EventMaker) -> Iterator[Event]:
    if cells:
        names = [CELL_NAMES[cell] for cell in cells]
        yield event("cleared", seat, (f"seat{seat}.{names[0]}", "discard"), cells=_join(names, words))


def _tell_start(before: Sight, after: Sight, event: EventMaker) -> Iterator[Event]:
    """Tell everybody's first cards, the first discard and who begins."""
    new = after.values
    for seat in range(after.seats):
        if seat != before.seat or before.values.phase > OPEN_SECOND:
            first, second = _cells_in(int(new.opened[seat]))
            values = {"value": int(new.grid[seat, first]), "second_value": int(new.grid[seat, second])}
            yield event("showed", seat, cell=CELL_NAMES[first], second_cell=CELL_NAMES[second], **values)
    yield event("turned_up", None, ("draw", "discard"), value=_top_value(new))
    yield event("begins", after.to_move)


def _tell_round(before: Sight, after: Sight, words: Words, event: EventMaker) -> Iterator[Event]:
    """Tell the points of the round that ended, and the next deal."""
    new = after.state
    if new.last_ender == NOBODY:
        yield event("stalled", None)
    yield event("round_over", None, number=int(new.rounds_played))
    for seat in range(after.seats):
        yield from _tell_cleared(seat, _cleared_at_end(after, seat), words, event)
    for seat in range(after.seats):
        points, total = int(new.round_scores[seat]), int(new.totals[seat])
        if seat == new.doubled:
            yield event("scored_doubled", seat, n=points // 2, doubled=points, total=total)
        else:
            yield event("scored", seat, n=points, total=total)
    if not new.end_reason:
        yield replace(event("dealt", None, number=int(new.rounds_played) + 1), begins_round=True)
        if new.phase > OPEN_SECOND:
            yield from _tell_start(before, after, event)


def _cleared_at_end(sight: Sight, seat: int) -> list[int]:
    """Return the cells of a seat that were cleared when all cards were turned up at the end of the round (R18)."""
    state = copy_state(sight.state)
    state.grid[seat] = state.final_grid[seat]
    state.opened[seat] = sum(1 << cell for cell in range(CELLS) if state.grid[seat, cell] != NO_CARD)
    cleared = int(all_equal_lines(state, seat))
    return _cells_in(cleared)
