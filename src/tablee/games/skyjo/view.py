"""What a front end draws of a Skyjo table, and the events of each move, both from a sight."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from tablee.core.sight import Sight
from tablee.core.state import NOBODY, copy_state
from tablee.core.types import SightState
from tablee.core.view import Choice, Event, Piece, RoundScore, RoundSummary, View, Zone, drawn_once
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
    is_gone,
    is_open,
    top_discard,
)

BOARD_WORDS = ("ender", "last_turn", "open_sum", "doubled", "round", "total", "round_over")


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
        scores=tuple(state.totals[: sight.seats].tolist()),
        choices=tuple(_choices(sight, moves, words)),
        end=words.say(f"reasons.{EndReason(int(state.end_reason)).key}") if is_over else None,
        winners=_winners(sight) if is_over else (),
        facts=_facts(sight, words),
    )


def _winners(sight: Sight) -> tuple[int, ...]:
    totals = [int(sight.state.totals[seat]) for seat in range(sight.seats)]
    return tuple(seat for seat in range(sight.seats) if totals[seat] == min(totals))


def card_colour(value: int) -> str:
    """Return the colour of a card's band."""
    return "blue" if value <= 0 else "green" if value <= 4 else "yellow" if value <= 8 else "red"


def _zones(sight: Sight, words: Words, names: Sequence[str]) -> Iterator[Zone]:
    state = sight.state
    for seat in range(sight.seats):
        yield _tableau(seat, state.grid[seat].tolist(), words, names)
    yield Zone("draw", "stack", words.say("zones.draw"), count=int(state.draw_count))
    yield Zone("discard", "stack", words.say("zones.discard"), _top(state, words), count=int(state.discard_count))
    if state.held != NO_CARD:
        yield Zone("hand", "row", words.say("zones.hand"), (_held(int(state.held), words),), owner=sight.to_move)


def _tableau(seat: int, values: Sequence[int], words: Words, names: Sequence[str], cleared: Sequence[int] = ()) -> Zone:
    """Draw the cards of a seat, with a mark on those of the cells in `cleared`."""
    pieces = _cards(seat, tuple(values), words)
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


def _top(state: SightState, words: Words) -> tuple[Piece, ...]:
    if state.discard_count == 0:
        return ()
    return (_discarded(int(top_discard(state)), words),)


@drawn_once
def _discarded(value: int, words: Words) -> Piece:
    return Piece("discard.top", words.say("cards.top", value=value), str(value), card_colour(value))


@drawn_once
def _held(value: int, words: Words) -> Piece:
    if value < LOWEST:
        return Piece("hand.card", words.say("cards.held_unseen"), marks=("held",))
    return Piece("hand.card", words.say("cards.held", value=value), str(value), card_colour(value), marks=("held",))


def _choices(sight: Sight, moves: Sequence[int], words: Words) -> Iterator[Choice]:
    if not moves:
        return
    state, seat = sight.state, sight.seat
    held, cards = int(state.held), state.grid[seat].tolist()
    for move in moves:
        cell = cell_of(move)
        if cell is not None:
            yield _choice_of_cell(seat, move, cell, held, cards[cell], words)
        else:
            yield _choice_of_pile(move, int(top_discard(state)) if move == TAKE else held, words)


@drawn_once
def _choice_of_pile(move: int, value: int, words: Words) -> Choice:
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
    state = sight.state
    if state.end_reason:
        return words.say("prompt.over")
    phase = PHASES[state.phase]
    if sight.to_move != sight.seat:
        return words.say(f"prompt.wait_{'open' if state.phase <= OPEN_SECOND else 'turn'}", player=names[sight.to_move])
    values = {"value": int(state.held)} if phase in ("taken", "drawn") else {}
    if phase == "choose":
        values = {"value": int(top_discard(state))}
    prompt = words.say(f"prompt.{phase}", **values)
    is_last_turn = state.ender != NOBODY
    return f"{words.say('prompt.last_turn')} {prompt}" if is_last_turn else prompt


def _facts(sight: Sight, words: Words) -> dict[str, Any]:
    state = sight.state
    seats = range(sight.seats)
    return {
        "round": int(state.rounds_played) + (0 if state.end_reason else 1),
        "phase": PHASES[state.phase],
        "ender": int(state.ender),
        "last_turns": _last_turns(sight),
        "open_sums": [sum(value for value in state.grid[seat].tolist() if value >= LOWEST) for seat in seats],
        "round_scores": state.round_scores[: sight.seats].tolist(),
        "doubled": int(state.doubled),
        "final": state.final_grid[: sight.seats].tolist() if state.rounds_played else [],
        "words": _board_words(words),
    }


@drawn_once
def _board_words(words: Words) -> dict[str, str]:
    return {name: words.say(f"board.{name}") for name in BOARD_WORDS}


def _last_turns(sight: Sight) -> list[int]:
    """Return the seats that still have a last turn, from the seat on turn to the one before the ender (R16)."""
    ender, mover = int(sight.state.ender), sight.to_move
    if ender == NOBODY or mover == NOBODY:
        return []
    return [(mover + step) % sight.seats for step in range((ender - mover) % sight.seats)]


# The round that ended last


def draw_round(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> View:
    """Draw the end of a round: the tableaux, all cards turned up, the piles, and the result.

    Cards that left when everything was turned up (R18) are marked `cleared`.
    """
    state = after.state
    cleared = [_cleared_at_end(after, seat) for seat in range(after.seats)]
    tableaux = [
        _tableau(seat, state.final_grid[seat].tolist(), words, names, cleared[seat]) for seat in range(after.seats)
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
    old = before.state
    yield Zone("draw", "stack", words.say("zones.draw"), count=int(old.draw_count))
    cell = cell_of(move) if move is not None and move >= SWAP_FIRST else None
    values = [] if cell is None else [_replaced_value(before, after, cell)]
    values += [_shown_value(before, after, each) for each in _cleared_cells(before, after)]
    pieces = _top(old, words)
    if values:
        pieces = () if values[-1] is None else (_discarded(int(values[-1]), words),)
    yield Zone("discard", "stack", words.say("zones.discard"), pieces, count=int(old.discard_count) + len(values))


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
    return _facts(sight, words) | {
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
        texts = {key: _join(value, words) if isinstance(value, list) else value for key, value in values.items()}
        sentence = words.say(f"events.{code}", player="" if seat is None else names[seat], **texts)
        return Event(code, sentence, seat, path)

    events = list(_tell_move(before, move, after, event))
    if after.state.rounds_played > before.state.rounds_played:
        events += _tell_round(before, after, event)
    elif before.state.phase <= OPEN_SECOND < after.state.phase:
        events += _tell_start(before, after, event)
    if after.state.end_reason:
        winners = [names[seat] for seat in _winners(after)]
        events.append(event("won", None, winners=winners, n=len(winners)))
    return events


def _join(parts: Sequence[str], words: Words) -> str:
    """Join words as a list: "Ana, Ben and Chloé"."""
    *first, last = parts
    return words.say("list", first=", ".join(first), last=last) if first else last


def _tell_move(before: Sight, move: int | None, after: Sight, event: EventMaker) -> Iterator[Event]:
    old, new, mover = before.state, after.state, before.to_move
    if move is None:
        yield event("opened_unseen")
    elif move == DRAW:
        if old.draw_count == 0:
            yield event("reshuffled", None, ("discard", "draw"))
        known = new.held >= LOWEST
        values = {"value": int(new.held)} if known else {}
        yield event("drew" if known else "drew_unseen", path=("draw", "hand"), **values)
    elif move == TAKE:
        yield event("took", path=("discard", "hand"), value=int(new.held))
    elif move == DISCARD:
        yield event("discarded", path=("hand", "discard"), value=int(top_discard(new)))
    else:
        cell = cell_of(move) or 0
        if move < SWAP_FIRST:
            path = (f"seat{mover}.{CELL_NAMES[cell]}",)
            yield event("opened", path=path, cell=CELL_NAMES[cell], value=_shown_value(before, after, cell))
        else:
            yield _tell_swap(before, after, cell, event)
        yield from _tell_cleared(mover, _cleared_cells(before, after), event)
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
    old, new, mover = before.state, after.state, before.to_move
    if old.held >= LOWEST:
        return str(int(old.held))
    has_new_deal = new.rounds_played > old.rounds_played
    value = int(new.final_grid[mover, cell] if has_new_deal else new.grid[mover, cell])
    if value >= LOWEST:
        return str(value)
    if has_new_deal:  # the card left with its line, whose cards were all equal
        return str(next(int(old.grid[mover, other]) for other in _cleared_cells(before, after) if other != cell))
    return str(int(top_discard(new)))


def _replaced_value(before: Sight, after: Sight, cell: int) -> str | None:
    """Return the value of the exchanged card, None if it was hidden and a new deal has covered it."""
    old, new = before.state, after.state
    if is_open(old, before.to_move, cell):
        return str(int(old.grid[before.to_move, cell]))
    if new.rounds_played > old.rounds_played and not new.end_reason:
        return None
    return str(int(new.piles[DECK - old.discard_count - 1]))


def _cleared_cells(before: Sight, after: Sight) -> list[int]:
    """Return the cells that the move cleared."""
    old, new, mover = before.state, after.state, before.to_move
    if new.rounds_played > old.rounds_played:
        gone = [cell for cell, value in enumerate(new.final_grid[mover].tolist()) if value == NO_CARD]
    else:
        gone = _cells_in(int(new.gone[mover]))
    return [cell for cell in gone if not is_gone(old, mover, cell)]


def _cells_in(bits: int) -> list[int]:
    return [cell for cell in range(CELLS) if bits >> cell & 1] if bits else []


def _tell_cleared(seat: int, cells: Sequence[int], event: EventMaker) -> Iterator[Event]:
    if cells:
        names = [CELL_NAMES[cell] for cell in cells]
        yield event("cleared", seat, (f"seat{seat}.{names[0]}", "discard"), cells=names)


def _tell_start(before: Sight, after: Sight, event: EventMaker) -> Iterator[Event]:
    """Tell everybody's first cards, the first discard and who begins."""
    new = after.state
    for seat in range(after.seats):
        if seat != before.seat or before.state.phase > OPEN_SECOND:
            first, second = (cell for cell in range(CELLS) if is_open(new, seat, cell))
            values = {"value": int(new.grid[seat, first]), "second_value": int(new.grid[seat, second])}
            yield event("showed", seat, cell=CELL_NAMES[first], second_cell=CELL_NAMES[second], **values)
    yield event("turned_up", None, ("draw", "discard"), value=int(top_discard(new)))
    yield event("begins", after.to_move)


def _tell_round(before: Sight, after: Sight, event: EventMaker) -> Iterator[Event]:
    """Tell the points of the round that ended, and the next deal."""
    new = after.state
    if new.last_ender == NOBODY:
        yield event("stalled", None)
    yield event("round_over", None, number=int(new.rounds_played))
    for seat in range(after.seats):
        yield from _tell_cleared(seat, _cleared_at_end(after, seat), event)
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
