"""Guided rounds at a table: what the learner may do, what follows by itself, and what the coach says."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tablee.core.lessons import Progress, lesson_of, text_in
from tablee.core.registry import find_game
from tablee.core.words import common
from tablee.protocol.shown import LessonShown
from tablee.tables.commands import Advance, Command, Leave, Lock, Pause, Ready, Rematch, Retry, Undo
from tablee.tables.events import LESSON, Advanced, Ended, Retried, TableEvent
from tablee.tables.refusals import Refused
from tablee.tables.table import OVER, Table

NEEDLESS = (Leave, Lock, Pause, Ready, Rematch, Undo)  # a lesson waits for its only person, and has its own way back

UNHURRIED_MOVES = 4  # that a lesson makes by itself, at the usual pace
QUICK_PACE = 0.25  # of the usual pause, for those before them


def check_in_lesson(command: Command) -> None:
    """Refuse commands that make no sense in a lesson."""
    if isinstance(command, NEEDLESS):
        raise Refused("nothing_to_do", "lesson_waits")


def may_move(table: Table) -> bool:
    """Whether the players of a table may move; in a lesson, the learner when the coach expects a move."""
    if not table.is_lesson:
        return True
    progress = table.progress()
    return progress is not None and progress.task == "move"


def check_may_move(table: Table) -> None:
    """Refuse a move of the learner when the coach expects something else."""
    progress = _progress(table)
    if progress.task != "move":
        raise Refused("not_playing", f"lesson_{progress.task}")


def scripted_move(table: Table) -> str:
    """Return the move that a lesson makes by itself now, of any seat; empty if it makes none."""
    progress = table.progress()
    return progress.next_move if progress is not None else ""


def pace(table: Table) -> float:
    """Return by how much the pause before a bot's move is shortened: most moves of a long run go by quickly."""
    progress = table.progress()
    return QUICK_PACE if progress is not None and progress.moves_left > UNHURRIED_MOVES else 1.0


def lesson_consequence(table: Table, at: float) -> TableEvent | None:
    """Return what follows by itself: the next step after the expected move, the end after the last step."""
    progress = table.progress()
    if progress is None:
        return None
    lesson = lesson_of(find_game(table.created.game))
    assert lesson is not None
    assert table.match is not None
    if not lesson.is_step_done(progress.index, [table.match.text(move) for move in table.match.moves]):
        return None
    return Advanced(at, step=progress.index + 1)


def _advance(table: Table, seat: int, at: float) -> Sequence[TableEvent]:
    progress = _progress(table)
    if progress.task != "advance":
        raise Refused("nothing_to_do", f"lesson_{progress.task}")
    advanced = Advanced(at, step=progress.index + 1)
    return [advanced, Ended(at, reason=_end_reason(table))] if advanced.step == _steps(table) else [advanced]


def _end_reason(table: Table) -> str:
    assert table.match is not None
    return table.match.outcome.reason if table.match.outcome is not None else LESSON


def _retry(table: Table, seat: int, at: float) -> Sequence[TableEvent]:
    progress = _progress(table)
    if progress.task != "retry" or progress.next_move:
        raise Refused("nothing_to_do", f"lesson_{'wait' if progress.next_move else progress.task}")
    return [Retried(at, seat=seat, moves=progress.step.begins)]


def _progress(table: Table) -> Progress:
    """Return where the learner is, or refuse."""
    if not table.is_lesson:
        raise Refused("nothing_to_do", "no_lesson")
    if table.phase == OVER:
        raise Refused("not_playing", "while_over")
    progress = table.progress()
    if progress is None:
        raise Refused("outdated", "lesson_changed")
    return progress


def _steps(table: Table) -> int:
    lesson = lesson_of(find_game(table.created.game))
    return len(lesson.steps) if lesson is not None else 0


LESSON_DECISIONS: dict[type, Callable[[Table, int, float], Sequence[TableEvent]]] = {Advance: _advance, Retry: _retry}


# What is shown


def lesson_shown(table: Table, language: str) -> LessonShown | None:
    """Return what the coach says to the learner; None at other tables, and after the end."""
    if not table.is_lesson or table.phase == OVER or table.match is None:
        return None
    progress, steps = table.progress(), _steps(table)
    if progress is None:
        return LessonShown(table.step + 1, steps, "wait", common(language).say("refused.lesson_changed"))
    text = text_in(progress.text, language, table.match.names(language))
    task = "wait" if progress.next_move else progress.task
    return LessonShown(progress.index + 1, steps, task, text, progress.step.points if text else ())
