"""What a front end draws of a Skyjo table, and the story of each move, both from a sight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tablee.core.sight import Sight
from tablee.core.state import NOBODY, copy_state
from tablee.core.view import Choice, Event, Piece, View, Zone
from tablee.core.words import Words
from tablee.games.skyjo.moves import CELL_NAMES, DISCARD, DRAW, SWAP_FIRST, TAKE, cell_of, move_text
from tablee.games.skyjo.rules import REASONS, all_equal_lines
from tablee.games.skyjo.state import (
    CELLS,
    COLUMNS,
    DECK,
    LOWEST,
    NO_CARD,
    OPEN_SECOND,
    UNKNOWN,
    is_gone,
    is_open,
    top_discard,
)

BOARD_WORDS = ("ender", "last_turn", "open_sum", "doubled", "round", "total", "round_over")
PHASES = ("open_first", "open_second", "choose", "taken", "drawn", "flip")


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
        pieces = tuple(_card(seat, cell, value, words) for cell, value in enumerate(state.grid[seat].tolist()))
        label = words.say("zones.tableau", player=names[seat])
        yield Zone(f"seat{seat}", "grid", label, pieces, owner=seat, columns=COLUMNS)
    yield Zone("draw", "stack", words.say("zones.draw"), count=int(state.draw_count))
    yield Zone("discard", "stack", words.say("zones.discard"), _top(state, words), count=int(state.discard_count))
    if state.held != NO_CARD:
        yield Zone("hand", "row", words.say("zones.hand"), (_held(state, words),), owner=sight.to_move)


def _card(seat: int, cell: int, value: int, words: Words) -> Piece:
    name = CELL_NAMES[cell]
    identity = f"seat{seat}.{name}"
    if value == NO_CARD:
        return Piece(identity, words.say("cards.gone", cell=name), marks=("empty",))
    if value == UNKNOWN:
        return Piece(identity, words.say("cards.hidden", cell=name))
    return Piece(identity, words.say("cards.open", cell=name, value=value), str(value), card_colour(value))


def _top(state: Any, words: Words) -> tuple[Piece, ...]:
    if state.discard_count == 0:
        return ()
    value = int(top_discard(state))
    return (Piece("discard.top", words.say("cards.top", value=value), str(value), card_colour(value)),)


def _held(state: Any, words: Words) -> Piece:
    value = int(state.held)
    if value < LOWEST:
        return Piece("hand.card", words.say("cards.held_unseen"), marks=("held",))
    return Piece("hand.card", words.say("cards.held", value=value), str(value), card_colour(value), marks=("held",))


def _choice(sight: Sight, move: int, words: Words) -> Choice:
    state = sight.state
    text = move_text(move)
    if move == DRAW:
        return Choice(move, text, words.say("moves.draw"), ("draw",), "pile")
    if move == TAKE:
        return Choice(move, text, words.say("moves.take", value=int(top_discard(state))), ("discard",), "pile")
    if move == DISCARD:
        return Choice(move, text, words.say("moves.discard", value=int(state.held)), ("discard",), "discard")
    name = CELL_NAMES[cell_of(move) or 0]
    target = (f"seat{sight.seat}.{name}",)
    if move < SWAP_FIRST:
        return Choice(move, text, words.say("moves.flip", cell=name), target, "flip")
    return Choice(move, text, _swap_label(sight, cell_of(move) or 0, words), target, "swap")


def _swap_label(sight: Sight, cell: int, words: Words) -> str:
    name, value, old = CELL_NAMES[cell], int(sight.state.held), int(sight.state.grid[sight.seat, cell])
    if old < LOWEST:
        return words.say("moves.swap_hidden", cell=name, value=value)
    return words.say("moves.swap", cell=name, value=value, old=old)


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
        "round_scores": [int(state.round_scores[seat]) for seat in seats],
        "doubled": int(state.doubled),
        "final": [[int(value) for value in state.final_grid[seat]] for seat in seats] if state.rounds_played else [],
        "words": {name: words.say(f"board.{name}") for name in BOARD_WORDS},
    }


def _last_turns(sight: Sight) -> list[int]:
    """Return who still has a last turn, from the seat on turn to the one before the ender (R16)."""
    ender, mover = int(sight.state.ender), sight.to_move
    if ender == NOBODY or mover == NOBODY:
        return []
    return [(mover + step) % sight.seats for step in range((ender - mover) % sight.seats)]


# The story of a move


def tell(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> list[Event]:
    """Say what happened, as far as the viewer may know."""
    mover = before.to_move

    def event(code: str, seat: int | None = mover, path: tuple[str, ...] = (), **values: Any) -> Event:
        said = {key: _listed(value, words) if isinstance(value, list) else value for key, value in values.items()}
        told = words.say(f"events.{code}", player="" if seat is None else names[seat], **said)
        return Event(code, told, seat, path)

    events = list(_tell_move(before, move, after, event))
    if after.state.rounds_played > before.state.rounds_played:
        events += _tell_round(before, after, event)
    elif before.state.phase <= OPEN_SECOND < after.state.phase:
        events += _tell_start(before, after, event)
    if after.state.end_reason:
        winners = [names[seat] for seat in _winners(after)]
        events.append(event("won", None, winners=winners, n=len(winners)))
    return events


def _listed(parts: Sequence[str], words: Words) -> str:
    *first, last = parts
    return words.say("list", first=", ".join(first), last=last) if first else last


def _tell_move(before: Sight, move: int | None, after: Sight, event: Any) -> Iterator[Event]:
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
            yield event("opened", path=path, cell=CELL_NAMES[cell], value=_laid(before, after, cell))
        else:
            yield _tell_swap(before, after, cell, event)
        yield from _tell_cleared(mover, _cleared(before, after), event)
        if new.ender != NOBODY and old.ender == NOBODY and new.ender == mover:
            yield event("ended_round")


def _tell_swap(before: Sight, after: Sight, cell: int, event: Any) -> Event:
    name = CELL_NAMES[cell]
    index = f"seat{before.to_move}.{name}"
    path = ("hand", index, "discard")
    value, old = _laid(before, after, cell), _replaced(before, after, cell)
    if old is None:
        return event("swapped_unseen", path=path, cell=name, value=value)  # type: ignore[no-any-return]
    return event("swapped", path=path, cell=name, value=value, old=old)  # type: ignore[no-any-return]


def _laid(before: Sight, after: Sight, cell: int) -> str:
    """Return the value that lay open in a cell after the move, also where a cleared line or a new deal took it away."""
    old, new, mover = before.state, after.state, before.to_move
    if old.held >= LOWEST:
        return str(int(old.held))
    has_new_deal = new.rounds_played > old.rounds_played
    value = int(new.final_grid[mover, cell] if has_new_deal else new.grid[mover, cell])
    if value >= LOWEST:
        return str(value)
    if has_new_deal:  # its line left with the card, and all in a line were equal
        return str(next(int(old.grid[mover, other]) for other in _cleared(before, after) if other != cell))
    return str(int(top_discard(new)))


def _replaced(before: Sight, after: Sight, cell: int) -> str | None:
    """Return the card that was exchanged away, None if a new deal has covered it."""
    old, new = before.state, after.state
    if is_open(old, before.to_move, cell):
        return str(int(old.grid[before.to_move, cell]))
    if new.rounds_played > old.rounds_played and not new.end_reason:
        return None
    return str(int(new.piles[DECK - old.discard_count - 1]))


def _cleared(before: Sight, after: Sight) -> list[int]:
    """Return the cells that the mover's turn cleared."""
    old, new, mover = before.state, after.state, before.to_move
    if new.rounds_played > old.rounds_played:
        left = [cell for cell in range(CELLS) if new.final_grid[mover, cell] == NO_CARD]
    else:
        left = [cell for cell in range(CELLS) if is_gone(new, mover, cell)]
    return [cell for cell in left if not is_gone(old, mover, cell)]


def _tell_cleared(seat: int, cells: Sequence[int], event: Any) -> Iterator[Event]:
    if cells:
        names = [CELL_NAMES[cell] for cell in cells]
        yield event("cleared", seat, (f"seat{seat}.{names[0]}", "discard"), cells=names)


def _tell_start(before: Sight, after: Sight, event: Any) -> Iterator[Event]:
    """Everybody's first cards are shown now, and the first discard is turned up."""
    new = after.state
    for seat in range(after.seats):
        if seat != before.seat or before.state.phase > OPEN_SECOND:
            first, second = (cell for cell in range(CELLS) if is_open(new, seat, cell))
            values = {"value": int(new.grid[seat, first]), "second_value": int(new.grid[seat, second])}
            yield event("showed", seat, cell=CELL_NAMES[first], second_cell=CELL_NAMES[second], **values)
    yield event("turned_up", None, ("draw", "discard"), value=int(top_discard(new)))
    yield event("begins", after.to_move)


def _tell_round(before: Sight, after: Sight, event: Any) -> Iterator[Event]:
    """All cards are turned up and counted, and new ones dealt."""
    new = after.state
    if new.last_ender == NOBODY:
        yield event("stalled", None)
    yield event("round_over", None, number=int(new.rounds_played))
    for seat in range(after.seats):
        yield from _tell_cleared(seat, _cleared_at_last(after, seat), event)
    for seat in range(after.seats):
        points, total = int(new.round_scores[seat]), int(new.totals[seat])
        if seat == new.doubled:
            yield event("scored_doubled", seat, n=points // 2, doubled=points, total=total)
        else:
            yield event("scored", seat, n=points, total=total)
    if not new.end_reason:
        yield event("dealt", None, number=int(new.rounds_played) + 1)
        if new.phase > OPEN_SECOND:
            yield from _tell_start(before, after, event)


def _cleared_at_last(after: Sight, seat: int) -> list[int]:
    """Return the cells that left when everything was turned up (R18)."""
    table = copy_state(after.state)
    table.grid[seat] = table.final_grid[seat]
    table.opened[seat] = sum(1 << cell for cell in range(CELLS) if table.grid[seat, cell] != NO_CARD)
    leaving = int(all_equal_lines(table, seat))
    return [cell for cell in range(CELLS) if leaving >> cell & 1]
