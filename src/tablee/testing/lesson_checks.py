"""The check of a game's guided round: every step can be played, and what the coach says of positions is true."""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter

from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.core.lessons import FILE, Claims, Lesson, LessonStep, Texts, WrongTurn, find_claimed, lesson_of, view_of
from tablee.core.match import Match
from tablee.core.view import View
from tablee.testing.budget import Budget
from tablee.testing.nonconformity import Nonconformity
from tablee.testing.rulebook import checked_languages


class LessonFault(TableeError):
    """Something is wrong with a step of a lesson."""


def lesson_is_true(game: Game, budget: Budget) -> None:
    """Check that a game's lesson can be played, move by move, and that its claims are true; it need not have one."""
    lesson = _read(game)
    if lesson is None:
        return
    match = lesson.deal(game)
    try:
        _check_steps(lesson)
        for step in lesson.steps:
            _play(match, lesson.line[len(match.moves) : step.begins], step)
            _check_step(match, lesson, step, checked_languages(game))
            _play(match, [step.move] if step.move else [], step)
    except LessonFault as fault:
        raise Nonconformity(
            game, str(fault), setup=match.setup, seed=match.seed, move=len(match.moves), location=FILE
        ) from None


def _read(game: Game) -> Lesson | None:
    try:
        return lesson_of(game)
    except TableeError as broken:
        raise Nonconformity(game, str(broken)) from None


def _check_steps(lesson: Lesson) -> None:
    names = [step.name for step in lesson.steps]
    if len(set(names)) < len(names):
        raise LessonFault(f"two steps of the lesson have one name: {sorted(names)}")
    if lesson.steps[-1].move:
        raise LessonFault(f"the last step, {names[-1]!r}, must not expect a move: the coach has the last word")


def _play(match: Match, moves: tuple[str, ...] | list[str], step: LessonStep) -> None:
    """Play moves of the lesson, which must be legal, written canonically, and within its first round."""
    for text in moves:
        if match.finished_rounds():
            raise LessonFault(f"the move {text!r} before or at step {step.name!r} is not in the first round")
        try:
            match.play(text)
        except TableeError as why:
            raise LessonFault(f"step {step.name!r}: {why}") from None
        if match.text(match.moves[-1]) != text:
            raise LessonFault(f"step {step.name!r}: {text!r} is written {match.text(match.moves[-1])!r}")


def _check_step(match: Match, lesson: Lesson, step: LessonStep, codes: list[str]) -> None:
    where = f"step {step.name!r}"
    _check_texts(step.text, where, lesson, codes)
    view = view_of(match, lesson.seat)
    _check_points(view, step)
    _check_position(match, view, step.said, where)
    if not step.move:
        if step.turns or step.otherwise:
            raise LessonFault(f"{where} expects no move, so there are no other moves to speak of")
        return
    if match.to_move != lesson.seat:
        raise LessonFault(f"{where} expects a move of seat {lesson.seat}, but seat {match.to_move} is on turn")
    others = [text for move in match.legal_moves() if (text := match.text(move)) != step.move]
    _check_turns(step, others, where)
    for text in others:
        turn = step.turn_after(text)
        _check_turn(match, lesson, turn, text, f"{where} after {text!r}", codes)


def _check_turns(step: LessonStep, others: list[str], where: str) -> None:
    """Check that each wrong turn is about a legal move that no turn before it is about."""
    for index, turn in enumerate(step.turns):
        if not any(step.turn_after(text) is turn for text in others):
            raise LessonFault(f"{where}: no other legal move fits turn {index + 1}, {list(turn.moves)}")
    if step.otherwise and all(any(turn.fits(text) for turn in step.turns) for text in others):
        raise LessonFault(f"{where}: `otherwise` is never said, as the expected move and the turns are all there is")


def _check_turn(match: Match, lesson: Lesson, turn: WrongTurn, text: str, where: str, codes: list[str]) -> None:
    _check_texts(turn.text, where, lesson, codes)
    tried = match.copy()
    tried.play(text)
    for reply in turn.replies:
        try:
            tried.play(reply)
        except TableeError as why:
            raise LessonFault(f"{where}: {why}") from None
    _check_position(tried, view_of(tried, lesson.seat), turn.said, where)


def _check_texts(texts: Texts, where: str, lesson: Lesson, codes: list[str]) -> None:
    known = {f"seat{seat}" for seat in range(lesson.seats)}
    for code in codes:
        if not texts.get(code, "").strip():
            raise LessonFault(f"{where}: there is no text in {code!r}")
        unknown = set(_parameters(texts[code])) - known
        if unknown:
            raise LessonFault(f"{where}: the text in {code!r} has the unknown parameters {sorted(unknown)}")


def _parameters(text: str) -> Iterator[str]:
    return (name for _, name, _, _ in Formatter().parse(text) if name is not None)


def _check_points(view: View, step: LessonStep) -> None:
    ids = {identity for zone in view.zones for identity in (zone.id, *(piece.id for piece in zone.pieces))}
    missing = sorted(set(step.points) - ids)
    if missing:
        raise LessonFault(f"step {step.name!r} points at {missing}, which the view does not show")


def _check_position(match: Match, view: View, said: Claims, where: str) -> None:
    for key, value in said.claims.items():
        shown = _claimed(view, key)
        if shown != value:
            raise LessonFault(f"{where} claims that {key!r} is {value!r}, but it is {shown!r}")
    for text, clause in said.refused.items():
        code = match.game.kernels.refusal(match.state, match.parse(text))
        given = match.game.kernels.refusal_codes.of(int(code)).clause if code else None
        if given != clause:
            raise LessonFault(f"{where} claims that {text!r} is refused by {clause}, but it is {given or 'legal'}")


def _claimed(view: View, key: str) -> object:
    try:
        return find_claimed(view, key)
    except (LookupError, ValueError, AttributeError):
        return None
