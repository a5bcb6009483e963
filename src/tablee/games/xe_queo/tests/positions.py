"""Positions for tests, drawn as text: rows 7 to 1, a letter per pawn, `*` the ring, `.` an empty field."""

from typing import Any

from tablee.core.match import Match
from tablee.core.state import NOBODY, blank_state
from tablee.games.xe_queo import GAME
from tablee.games.xe_queo.board import FIELD_NAMES, SIZE
from tablee.games.xe_queo.moves import COLOURS
from tablee.games.xe_queo.state import ACCUSED_RIGHT, NO_FIELD, NO_PAWN, NOT_ENDED, PLACE_RING, RINGS, TURN, Problem

LETTERS = "ROYGBPK"  # red, orange, yellow, green, blue, purple, pink

# No pawn is beside another or the ring.
APART = """
    R . O . Y . G
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . * . . .
    . . . . . . .
    B . P . . . K
"""

# Seven pawns in a corner: if the own pawn is blue or pink, none can move nearer.
STUCK = """
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    R B . . . . .
    O Y K . . . .
    * G P . . . .
"""


def position(
    drawing: str, chosen: str = "red orange", options: dict[str, Any] | None = None, to_move: int = 0, **fields: Any
) -> Any:
    """Build a state: a turn of a seat, or the placing of the ring if none is drawn."""
    state = blank_state(GAME, GAME.setup(2, options), seed=1)
    state.pawns[:] = NO_FIELD
    state.ring = NO_FIELD
    for row, line in zip(reversed(range(SIZE)), drawing.split("\n")[1:], strict=False):
        for column, sign in enumerate(line.split()):
            if sign == "*":
                state.ring = row * SIZE + column
            elif sign != ".":
                state.pawns[LETTERS.index(sign)] = row * SIZE + column
    has_ring = state.ring != NO_FIELD
    state.phase = TURN if has_ring else PLACE_RING
    state.chosen[:] = [COLOURS.index(colour) for colour in chosen.split()] if has_ring else NO_PAWN
    state.to_move = to_move
    state.starter = to_move if has_ring else 1 - to_move
    state.winners[:] = NOBODY
    state.endings[:] = NOT_ENDED
    state.named[:] = NO_PAWN
    state.shown[:] = NO_PAWN
    for name, value in fields.items():
        state[name] = value
    assert broken(state) == []
    return state


def won(*winners: int) -> dict[str, Any]:
    """Return the fields of a state in which these seats have won the rounds so far, each by a right accusation."""
    rest = RINGS - len(winners)
    return {
        "rings": [winners.count(0), winners.count(1)],
        "rounds_played": len(winners),
        "winners": [*winners, *[NOBODY] * rest],
        "endings": [ACCUSED_RIGHT] * len(winners) + [NOT_ENDED] * rest,
        "named": [0] * len(winners) + [NO_PAWN] * rest,
    }


def drawing(state: Any) -> str:
    """Return the board as text, as `position` reads it."""
    signs = {int(state.ring): "*"} | {int(field): LETTERS[pawn] for pawn, field in enumerate(state.pawns)}
    rows = [" ".join(signs.get(row * SIZE + column, ".") for column in range(SIZE)) for row in reversed(range(SIZE))]
    return "\n" + "".join(f"    {row}\n" for row in rows)


def broken(state: Any) -> list[str]:
    """Return the sentences of the broken invariants."""
    return Problem.sentences(int(GAME.kernels.problems(state)))


def played(state: Any, *moves: str) -> Match:
    """Return a match from a position after these moves."""
    return follow(Match.from_state(GAME, state), *moves)


def follow(match: Match, *moves: str) -> Match:
    """Play more moves."""
    for move in moves:
        match.play(move)
        assert broken(match.state) == []
    return match


def dealt(seed: int = 1, **options: Any) -> Match:
    """Return a new match."""
    return Match(GAME, seed=seed, options=options)


def texts(match: Match) -> list[str]:
    """Return the texts of the legal moves."""
    return [match.text(move) for move in match.legal_moves()]


def goals(match: Match, colour: str) -> list[str]:
    """Return the fields that a pawn may be moved to."""
    return [text.split()[1] for text in texts(match) if text.startswith(colour)]


def field_of(match: Match, colour: str) -> str:
    """Return the name of a pawn's field."""
    return FIELD_NAMES[match.state.pawns[COLOURS.index(colour)]]


def shown(match: Match) -> list[str | None]:
    """Return the discs that were shown at the end of the last round, per seat."""
    pawns = match.state.shown[match.state.rounds_played - 1]
    return [COLOURS[pawn] if pawn != NO_PAWN else None for pawn in pawns]


ACCUSATIONS = [f"accuse {colour}" for colour in COLOURS]
