"""What a front end draws of a Xe Queo! table, and the events of each move, both from a sight."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any, TypeAlias

from tablee.core.sight import Sight
from tablee.core.state import NOBODY
from tablee.core.types import SightState
from tablee.core.view import (
    SECRET,
    Choice,
    Event,
    Piece,
    RoundScore,
    RoundSummary,
    View,
    Zone,
    drawn_once,
    drawn_with_names,
)
from tablee.core.words import Words
from tablee.games.xe_queo import GAME
from tablee.games.xe_queo.board import FIELD_NAMES, FIELDS, SIZE
from tablee.games.xe_queo.moves import (
    ACCUSE_FIRST,
    CHOOSE_FIRST,
    COLOURS,
    PASS,
    PAWN_FIRST,
    PAWNS,
    field_of,
    is_pawn_move,
    move_text,
    pawn_of,
)
from tablee.games.xe_queo.rules import MAX_PASSES, EndReason
from tablee.games.xe_queo.state import (
    CHOOSE,
    ENDINGS,
    METRIC,
    NO_FIELD,
    NO_PAWN,
    PHASES,
    PLACE_PAWNS,
    RINGS,
    RINGS_TO_WIN,
    TURN,
    UNKNOWN,
    pawns_placed,
)

METRICS = GAME.option("metric").choices
SYMBOLS = ("triangle", "diamond", "star", "square", "circle", "cross", "heart")  # on the pawns, by colour
DRAWN_ORDER = tuple(row * SIZE + column for row in reversed(range(SIZE)) for column in range(SIZE))  # a1 bottom left
PAWN_MOVES = {move: (pawn_of(move), field_of(move)) for move in range(PAWN_FIRST, ACCUSE_FIRST)}


def draw(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> View:
    """Lay out the table for one viewer."""
    state = sight.values
    is_over = bool(state.end_reason)
    rings = state.rings.tolist()
    return View(
        game=sight.game.name,
        viewer=sight.seat,
        seats=sight.seats,
        to_move=sight.to_move,
        prompt=_prompt(sight, moves, words, names),
        zones=tuple(_zones(sight, words, names)),
        scores=tuple(rings),
        choices=tuple(_choices(sight, moves, words, names)),
        end=words.say(f"reasons.{EndReason(state.end_reason).key}") if is_over else None,
        winners=tuple(seat for seat in range(sight.seats) if rings[seat] == RINGS_TO_WIN),
        facts=_facts(sight, moves, words),
    )


# Zones


def _zones(sight: Sight, words: Words, names: Sequence[str]) -> Iterator[Zone]:
    state = sight.values
    yield _board(tuple(state.pawns.tolist()), state.ring, words)
    yield _rings_left(state.rounds_played, words)
    if state.phase == PLACE_PAWNS:
        yield _supply(int(pawns_placed(sight.state)), words)
    rings, chosen = state.rings.tolist(), state.chosen.tolist()
    for seat in range(sight.seats):
        yield _rings_won(names, seat, rings[seat], words)
        yield _secret(names, seat, chosen[seat], words)
    if state.phase == CHOOSE and sight.to_move == sight.seat:
        yield _discs(sight.seat, words)


@drawn_once
def _supply(placed: int, words: Words) -> Zone:
    waiting = tuple(_pawn(f"supply.{COLOURS[pawn]}", pawn, words) for pawn in range(placed, PAWNS))
    return Zone("supply", "row", words.say("zones.supply"), waiting)


@drawn_once
def _discs(seat: int, words: Words) -> Zone:
    discs = tuple(draw_disc(f"seat{seat}.{COLOURS[pawn]}", pawn, words) for pawn in range(PAWNS))
    return Zone("discs", "fan", words.say("zones.discs"), discs, owner=seat)


@drawn_once
def _board(pawns: tuple[int, ...], ring: int, words: Words) -> Zone:
    return Zone("board", "board", words.say("zones.board"), _fields(pawns, ring, words), columns=SIZE)


@drawn_once
def _fields(pawns: tuple[int, ...], ring: int, words: Words) -> tuple[Piece, ...]:
    """Draw all fields; `pawns` are the fields on which the pawns stand."""
    on_field = {field: pawn for pawn, field in enumerate(pawns) if field != NO_FIELD}
    return tuple(_field(field, on_field.get(field), field == ring, words) for field in DRAWN_ORDER)


@drawn_once
def _rings_left(rounds_played: int, words: Words) -> Zone:
    return Zone("rings", "stack", words.say("zones.rings"), count=RINGS - rounds_played)


@drawn_with_names
def _rings_won(names: Sequence[str], seat: int, rings: int, words: Words) -> Zone:
    label = words.say("zones.won", player=names[seat])
    return Zone(f"seat{seat}.rings", "counter", label, owner=seat, count=rings)


@drawn_once
def _field(field: int, pawn: int | None, has_ring: bool, words: Words) -> Piece:
    """Draw a field with its pawn or ring."""
    name = FIELD_NAMES[field]
    marks = ("ring",) if has_ring else ()
    if pawn is not None:
        label = words.say("fields.pawn_on_ring" if marks else "fields.pawn", field=name, pawn=_pawn_name(pawn, words))
        return Piece(name, label, _letter(pawn, words), COLOURS[pawn], SYMBOLS[pawn], marks)
    if has_ring:
        return Piece(name, words.say("fields.ring", field=name), "o", symbol="ring", marks=marks)
    return Piece(name, words.say("fields.empty", field=name), marks=("empty",))


def _pawn(piece_id: str, pawn: int, words: Words) -> Piece:
    return Piece(piece_id, _pawn_name(pawn, words), _letter(pawn, words), COLOURS[pawn], SYMBOLS[pawn])


def draw_disc(piece_id: str, pawn: int, words: Words) -> Piece:
    """Draw a disc face up."""
    label = words.say("discs.open", disc=words.say(f"discs.{COLOURS[pawn]}"))
    return Piece(piece_id, label, _letter(pawn, words), COLOURS[pawn], SYMBOLS[pawn])


@drawn_with_names
def _secret(names: Sequence[str], seat: int, pawn: int, words: Words) -> Zone:
    """Draw a seat's secret disc: nothing before it is chosen, face down if it is UNKNOWN."""
    discs: tuple[Piece, ...] = ()
    if pawn != NO_PAWN:
        disc_id = f"seat{seat}.secret"
        discs = (draw_disc(disc_id, pawn, words) if pawn >= 0 else Piece(disc_id, words.say("discs.secret")),)
    return Zone(f"seat{seat}", "row", words.say("zones.secret", player=names[seat]), discs, owner=seat)


def _pawn_name(pawn: int, words: Words) -> str:
    return words.say(f"pawns.{COLOURS[pawn]}")


def _letter(pawn: int, words: Words) -> str:
    return words.say(f"letters.{COLOURS[pawn]}")


# Choices and the prompt


def _choices(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> Iterator[Choice]:
    if not moves:
        return
    state, seat = sight.values, sight.seat
    fields, is_placed = state.pawns.tolist(), state.phase != PLACE_PAWNS
    for move in moves:
        if move in PAWN_MOVES:
            pawn, field = PAWN_MOVES[move]
            start = FIELD_NAMES[fields[pawn]] if is_placed else ""
            yield _pawn_choice(move, start, is_placed and field == state.ring, words)
        elif move >= ACCUSE_FIRST and move != PASS:
            label = _accusation(names, 1 - seat, pawn_of(move), words)
            targets = (f"seat{1 - seat}.secret", FIELD_NAMES[fields[pawn_of(move)]])
            yield Choice(move, move_text(move), label, targets, "accuse")
        else:
            yield _other_choice(seat, move, words)


@drawn_once
def _other_choice(seat: int, move: int, words: Words) -> Choice:
    """Draw a pass, a field for the ring or the choice of a secret pawn."""
    if move == PASS:
        return Choice(move, move_text(move), words.say("moves.pass"), (f"seat{seat}",), "pass")
    if move < CHOOSE_FIRST:
        name = FIELD_NAMES[field_of(move)]
        return Choice(move, move_text(move), words.say("moves.ring", field=name), (name,), "ring")
    label = words.say("moves.choose", pawn=_pawn_name(pawn_of(move), words))
    return Choice(move, move_text(move), label, (f"seat{seat}.{COLOURS[pawn_of(move)]}",), SECRET)


@drawn_with_names
def _accusation(names: Sequence[str], seat: int, pawn: int, words: Words) -> str:
    return words.say("moves.accuse", player=names[seat], pawn=_pawn_name(pawn, words))


@drawn_once
def _pawn_choice(move: int, start: str, is_onto_ring: bool, words: Words) -> Choice:
    """Draw the move of a pawn from a field, or (an empty `start`) from the supply."""
    pawn, field = PAWN_MOVES[move]
    name = FIELD_NAMES[field]
    values = {"pawn": _pawn_name(pawn, words), "field": name}
    if not start:
        targets = (f"supply.{COLOURS[pawn]}", name)
        return Choice(move, move_text(move), words.say("moves.place", **values), targets, "pawn")
    key = "moves.onto_ring" if is_onto_ring else "moves.pawn"  # own or not: the disc lies face down
    return Choice(move, move_text(move), words.say(key, start=start, **values), (start, name), "pawn")


def _prompt(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> str:
    state = sight.values
    if state.end_reason:
        return words.say("prompt.over")
    if sight.to_move != sight.seat:
        return words.say(f"prompt.wait_{PHASES[state.phase]}", player=names[sight.to_move])
    if state.phase == PLACE_PAWNS:
        pawn = int(pawns_placed(sight.state))
        return words.say("prompt.place_pawns", pawn=_pawn_name(pawn, words), n=PAWNS - pawn)
    if state.phase != TURN:
        return words.say(f"prompt.{PHASES[state.phase]}")
    return words.say(f"prompt.{_turn_prompt(sight, moves)}", player=names[1 - sight.seat])


def _turn_prompt(sight: Sight, moves: Sequence[int]) -> str:
    """Return the key of the prompt for a turn."""
    state = sight.values
    if state.passes >= MAX_PASSES:
        return "two_passes"
    pawn_moves = [PAWN_MOVES[move] for move in moves if move in PAWN_MOVES]
    if not pawn_moves:
        return "stuck_or_pass" if PASS in moves else "stuck"
    if (int(state.chosen[sight.seat]), state.ring) in pawn_moves:
        return "can_enter"
    return "turn_or_pass" if PASS in moves else "turn"


# Facts for the game's own board


def _facts(sight: Sight, moves: Sequence[int], words: Words) -> dict[str, Any]:
    state = sight.values
    pawn_moves = [move for move in moves if move in PAWN_MOVES] if state.phase == TURN else []
    pawns, ring = tuple(state.pawns.tolist()), state.ring
    return {
        "phase": PHASES[state.phase],
        "metric": METRICS[state.options[METRIC]],
        "starter": state.starter,
        "ring": FIELD_NAMES[ring] if ring != NO_FIELD else None,
        "pawns": _pawn_fields(pawns),
        "paths": {move_text(move): _path(pawns, ring, *PAWN_MOVES[move]) for move in pawn_moves},
        "words": _board_words(words),
        "rounds": _rounds(sight),
    }


@drawn_once
def _pawn_fields(pawns: tuple[int, ...]) -> dict[str, str | None]:
    """Return the field of each pawn by colour, None if it is not placed."""
    fields = (FIELD_NAMES[field] if field != NO_FIELD else None for field in pawns)
    return dict(zip(COLOURS, fields, strict=True))


@drawn_once
def _board_words(words: Words) -> dict[str, str]:
    return {"accuse": words.say("board.accuse")}


def _rounds(sight: Sight) -> list[dict[str, Any]]:
    """Return how each finished round ended."""
    state = sight.values
    parts = (state.winners, state.endings, state.named, state.shown)
    finished = zip(*(part.tolist()[: state.rounds_played] for part in parts), strict=True)
    return [_round(winner, ending, named, tuple(shown)) for winner, ending, named, shown in finished]


@drawn_once
def _round(winner: int, ending: int, named: int, shown: tuple[int, ...]) -> dict[str, Any]:
    return {
        "winner": winner,
        "ending": ENDINGS[ending],
        "pawn": COLOURS[named],
        "shown": [COLOURS[pawn] if pawn != NO_PAWN else None for pawn in shown],
    }


@drawn_once
def _path(pawns: tuple[int, ...], ring: int, pawn: int, field: int) -> list[str]:
    """Return the fields of a pawn's move, both ends included: one step, or the fewest jumps."""
    start = pawns[pawn]
    path = [field]
    if _is_beside(start, field):
        path.append(start)
    while path[-1] != start:
        path.append(_jumps(pawns, ring, pawn)[path[-1]])
    return [FIELD_NAMES[visited] for visited in reversed(path)]


@drawn_once
def _jumps(pawns: tuple[int, ...], ring: int, pawn: int) -> dict[int, int]:
    """Return the fields that a pawn can reach by jumps, each with the one before it."""
    start = pawns[pawn]
    before: dict[int, int] = {}
    others = {other for other in pawns if other not in (start, NO_FIELD)}
    waiting = [start]
    while waiting:
        reached = waiting.pop(0)
        for landing in _landings(reached, others):
            if landing not in before and landing != start:
                before[landing] = reached
                if landing != ring:  # the ring ends a chain (C7)
                    waiting.append(landing)
    return before


def _is_beside(one: int, other: int) -> bool:
    """Whether two fields are neighbours, diagonals included."""
    return max(abs(one % SIZE - other % SIZE), abs(one // SIZE - other // SIZE)) == 1


def _landings(field: int, others: AbstractSet[int]) -> Iterator[int]:
    """Yield the fields that one jump over another pawn reaches."""
    for over in sorted(others):
        landing = 2 * over - field
        is_straight = 0 <= landing < FIELDS and _is_beside(field, over) and _is_beside(over, landing)
        if is_straight and landing not in others:
            yield landing


# The round that ended last


def draw_round(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> View:
    """Draw the end of a round: the board with the ring, the discs that were shown, and the result."""
    state, number = after.state, int(after.state.rounds_played) - 1
    ring = int(before.state.ring)
    zones = [_board(tuple(state.pawns.tolist()), ring, words), _rings_left(int(state.rounds_played), words)]
    for seat in range(after.seats):
        zones.append(_rings_won(names, seat, int(state.rings[seat]), words))
        shown = int(state.shown[number, seat])
        zones.append(_secret(names, seat, shown if shown != NO_PAWN else UNKNOWN, words))
    return replace(
        draw(after, (), words, names),
        to_move=NOBODY,
        prompt=_round_result(after, words, names),
        zones=tuple(zones),
        facts=_facts(after, (), words) | {"phase": PHASES[TURN], "ring": FIELD_NAMES[ring]},
        round=RoundSummary(
            number=number + 1,
            scores=tuple(_round_score(state, seat, words) for seat in range(after.seats)),
        ),
    )


def _round_result(sight: Sight, words: Words, names: Sequence[str]) -> str:
    state, number = sight.state, int(sight.state.rounds_played) - 1
    winner = int(state.winners[number])
    return words.say(
        f"round.{ENDINGS[state.endings[number]]}",
        number=number + 1,
        player=names[winner],
        other=names[1 - winner],
        pawn=_pawn_name(int(state.named[number]), words),
    )


def _round_score(state: SightState, seat: int, words: Words) -> RoundScore:
    """Return the result of a seat; the note says how the winner got the ring."""
    number = int(state.rounds_played) - 1
    is_winner = seat == state.winners[number]
    note = words.say(f"round.notes.{ENDINGS[state.endings[number]]}") if is_winner else ""
    return RoundScore(seat, int(is_winner), int(state.rings[seat]), note)


# The events of a move

EventMaker: TypeAlias = Callable[..., Event]  # (code, seat = the mover, path = (), **parameters of the sentence)


def tell(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> list[Event]:
    """Return what happened, as far as the viewer may know."""
    mover = before.to_move

    def event(code: str, seat: int = mover, path: Sequence[str] = (), **values: Any) -> Event:
        sentence = words.say(f"events.{code}", player=names[seat], other=names[1 - seat], **values)
        return Event(code, sentence, seat, tuple(path))

    events = list(_tell_move(before, move, words, event))
    if after.values.rounds_played > before.values.rounds_played:
        events += _tell_round(after, words, event)
    elif before.values.phase == CHOOSE and after.values.phase == TURN:
        events.append(event("begins", after.to_move))
    elif events[0].code == "entered_ring":
        events.append(event("blocked"))
    return events


def _tell_move(before: Sight, move: int | None, words: Words, event: EventMaker) -> Iterator[Event]:
    state, mover = before.values, before.to_move
    if move is None:
        yield event("chose_unseen")
    elif move == PASS:
        yield event("passed")
    elif move < CHOOSE_FIRST:
        name = FIELD_NAMES[field_of(move)]
        yield event("placed_ring", path=("rings", name), field=name)
    elif is_pawn_move(move):
        yield _tell_pawn(state, move, words, event)
    elif move >= ACCUSE_FIRST:
        yield event("accused", pawn=_pawn_name(pawn_of(move), words))
    else:
        path = (f"seat{mover}.{COLOURS[pawn_of(move)]}", f"seat{mover}.secret")
        yield event("chose", path=path, pawn=_pawn_name(pawn_of(move), words))


def _tell_pawn(state: Any, move: int, words: Words, event: EventMaker) -> Event:
    pawn, field = PAWN_MOVES[move]
    values = {"pawn": _pawn_name(pawn, words), "field": FIELD_NAMES[field]}
    if state.phase == PLACE_PAWNS:
        return event("placed_pawn", path=(f"supply.{COLOURS[pawn]}", FIELD_NAMES[field]), **values)
    path = _path(tuple(state.pawns.tolist()), state.ring, pawn, field)
    if field == state.ring:
        code = "entered_ring"
    else:
        code = "stepped" if _is_beside(int(state.pawns[pawn]), field) else "jumped"
    return event(code, path=path, start=path[0], **values)


def _tell_round(after: Sight, words: Words, event: EventMaker) -> Iterator[Event]:
    """Tell which discs are shown, who gets the ring, and what follows."""
    state = after.state
    number = int(state.rounds_played) - 1
    winner = int(state.winners[number])
    for seat in range(after.seats):
        pawn = int(state.shown[number, seat])
        if pawn != NO_PAWN:
            yield event("showed", seat, (f"seat{seat}.secret",), disc=words.say(f"discs.{COLOURS[pawn]}"))
    yield event(ENDINGS[state.endings[number]], winner, pawn=_pawn_name(int(state.named[number]), words))
    yield event("ring_won", winner, ("rings", f"seat{winner}.rings"), n=int(state.rings[winner]))
    if state.end_reason:
        yield event("won", winner)
    else:
        yield replace(event("next_round", 1 - winner, number=number + 2), begins_round=True)
