"""The error that the conformance suite raises for a game that breaks the contract."""

from __future__ import annotations

import traceback
from types import FrameType
from typing import Any

from tablee.core.compilation import is_interpreted
from tablee.core.errors import TableeError
from tablee.core.game import Game, Setup
from tablee.core.match import Match


class Nonconformity(TableeError):
    """A game breaks the contract; the message says what is wrong, in which check, setup, deal and move.

    `command` finds it again. `location` is the file and line of the game that raised an exception, if one did.
    """

    def __init__(
        self,
        game: Game,
        what: str,
        *,
        setup: Setup | None = None,
        seed: int | None = None,
        stream: int | None = None,
        move: int | None = None,
        location: str = "",
    ) -> None:
        super().__init__(what)
        self.game = game
        self.what = what
        self.setup = setup
        self.seed = seed
        self.stream = stream
        self.move = move
        self.location = location
        self.check = ""  # the name of the check that found it
        self.budget = ""  # the name of its budget, unless that was the usual one

    def __str__(self) -> str:
        parts = [("", self.setup), ("seed ", self.seed), ("stream ", self.stream), ("after move ", self.move)]
        where = ", ".join(f"{name}{part}" for name, part in parts if part is not None)
        check = f"{self.check}: " if self.check else ""
        location = f" ({self.location})" if self.location else ""
        return f"{check}{self.game.name}{f' ({where})' if where else ''}: {self.what}{location}"

    @property
    def command(self) -> str:
        """A line for the shell that runs the check again on the same random games, and nothing else."""
        return " ".join(
            [
                *(["NUMBA_DISABLE_JIT=1"] if is_interpreted() else []),
                f"tablee check {self.game.name}",
                *([f"--only {self.check}"] if self.check else []),
                *([f"--{self.budget}"] if self.budget else []),
                *([f"--seed {self.seed}"] if self.seed is not None else []),
                *([f'--setup "{self.setup}"'] if self.setup is not None else []),
            ]
        )


def raised_by_game(game: Game, error: Exception, **where: Any) -> Nonconformity:
    """Return the nonconformity of a game that raised an exception, with the line of its code that raised it.

    Compiled kernels have no lines: the message says how to run them interpreted. Without `where`, the position is that
    of the match which the suite was looking at.
    """
    frames = [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    own = [(frame, line) for frame, line in frames if frame.f_code.co_filename.startswith(f"{game.folder}/")]
    location = ""
    if own:
        frame, line = own[-1]
        location = f"{frame.f_code.co_filename.removeprefix(f'{game.folder}/')}, line {line}"
    elif not is_interpreted():
        location = "set NUMBA_DISABLE_JIT=1 to see the line, if it is one of a kernel"
    where = where or _position_of([frame for frame, _ in frames])
    return Nonconformity(game, ": ".join(filter(None, (type(error).__name__, str(error)))), location=location, **where)


def _position_of(frames: list[FrameType]) -> dict[str, Any]:
    """Return the position of the innermost match among the variables of some frames."""
    for frame in reversed(frames):
        match = frame.f_locals.get("match")
        if isinstance(match, Match):
            return {"setup": match.setup, "seed": match.seed, "move": len(match.moves)}
    return {}


def viewer_name(viewer: int) -> str:
    """Return the name of a viewer in messages."""
    return "a spectator" if viewer < 0 else f"seat {viewer}"


def move_name(game: Game, move: int) -> str:
    """Return a move in messages: its number and text."""
    try:
        return f"{move} ({game.module('moves').move_text(move)!r})"
    except Exception:  # the text of moves has checks of its own
        return str(move)
