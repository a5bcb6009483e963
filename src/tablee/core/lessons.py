"""A guided first round of a game, from `lesson.toml` in its folder: what the coach says, where, and which move follows.

A lesson is a line of moves from a chosen deal, divided into steps. Each step says something about the position it
begins in, and ends with a move of the learner or, without one, when the learner goes on. Other legal moves may be
tried: the coach says what follows, and the step is set up again.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tablee.core.elision import fill
from tablee.core.errors import TableeError
from tablee.core.game import Game, Value
from tablee.core.languages import DEFAULT, find_language, languages

if TYPE_CHECKING:
    from tablee.core.match import Match
    from tablee.core.view import View

FILE = "lesson.toml"
Texts = Mapping[str, str]  # by language; {seat0} stands for the name of the player in seat 0
Task = Literal["move", "advance", "retry", "wait"]


@dataclass(frozen=True)
class Claims:
    """What a text says about a position, so that it can be checked."""

    claims: Mapping[str, Value] = field(default_factory=dict)  # see `find_claimed`
    refused: Mapping[str, str] = field(default_factory=dict)  # text of a move that the rules refuse -> the clause


@dataclass(frozen=True)
class WrongTurn:
    """What follows a move other than the expected one."""

    moves: tuple[str, ...]  # patterns: `flip *` is any move that begins so
    text: Texts
    replies: tuple[str, ...] = ()  # moves of others that show it
    said: Claims = Claims()  # after them

    def fits(self, move: str) -> bool:
        """Whether this is about a move."""
        return any(fnmatchcase(move, pattern) for pattern in self.moves)


@dataclass(frozen=True)
class LessonStep:
    """One thing that the coach explains."""

    name: str
    text: Texts
    begins: int  # moves made when it begins
    points: tuple[str, ...] = ()  # ids of the pieces or zones it is about
    move: str = ""  # the move it ends with; empty: the learner goes on by themselves
    otherwise: Texts = field(default_factory=dict)  # said after any move that is neither expected nor in `turns`
    turns: tuple[WrongTurn, ...] = ()
    said: Claims = Claims()

    def turn_after(self, move: str) -> WrongTurn:
        """Return what follows a move that is not the expected one."""
        return next((turn for turn in self.turns if turn.fits(move)), WrongTurn((), self.otherwise))


@dataclass(frozen=True)
class Progress:
    """Where a learner is: the step, what is expected of them, and what the coach says."""

    index: int  # of the step
    task: Task  # "retry": after another move than the expected one; "wait": the table moves first
    step: LessonStep
    text: Texts = field(default_factory=dict)  # empty while the table moves to the beginning of a step
    next_move: str = ""  # that the table makes by itself
    moves_left: int = 0  # that the table makes by itself, the next one included


@dataclass(frozen=True)
class Lesson:
    """A guided first round."""

    seats: int
    seed: int
    line: tuple[str, ...]  # all moves of the lesson, of all seats
    steps: tuple[LessonStep, ...]
    options: Mapping[str, Value] = field(default_factory=dict)
    seat: int = 0  # the learner's

    @property
    def digest(self) -> str:
        """A digest of everything but the texts: a table of another lesson cannot be continued by this one."""
        steps = [(step.begins, step.move) for step in self.steps]
        return sha256(
            repr((self.seats, self.seed, self.line, steps, sorted(self.options.items()))).encode()
        ).hexdigest()[:16]

    def deal(self, game: Game, players: Sequence[str] | None = None) -> Match:
        """Return the match as the lesson deals it."""
        from tablee.core.match import Match  # a lobby asks for lessons before anything slow is imported

        return Match(game, seats=self.seats, seed=self.seed, options=self.options, players=players)

    def progress(self, index: int, played: Sequence[str]) -> Progress | None:
        """Return where a learner is at step `index`, after these moves; None at the end of the lesson."""
        if index >= len(self.steps):
            return None
        step = self.steps[index]
        if len(played) < step.begins:
            moves_left = step.begins - len(played)
            return Progress(index, "wait", step, next_move=self.line[len(played)], moves_left=moves_left)
        if len(played) == step.begins:
            return Progress(index, "move" if step.move else "advance", step, step.text)
        turn = step.turn_after(played[step.begins])
        replies = turn.replies[len(played) - step.begins - 1 :]
        return Progress(index, "retry", step, turn.text, replies[0] if replies else "", len(replies))

    def is_step_done(self, index: int, played: Sequence[str]) -> bool:
        """Whether the last of these moves is the one that step `index` expects."""
        step = self.steps[index]
        return bool(step.move) and tuple(played) == (*self.line[: step.begins], step.move)


def text_in(texts: Texts, language: str, names: Sequence[str]) -> str:
    """Return a text of the coach in a language, with the names of the players by seat."""
    code = language if texts.get(language) else DEFAULT
    return fill(texts.get(code, ""), find_language(code), {f"seat{seat}": name for seat, name in enumerate(names)})


def view_of(match: Match, seat: int, language: str = DEFAULT) -> View:
    """Return the view that a lesson speaks of: of the round that has just ended, or of the position."""
    return match.round_view(seat, language) if match.has_just_finished_round else match.view(seat, language)


def find_claimed(view: View, key: str) -> Value | None:
    """Return what a view shows under the key of a claim; None if there is no such thing.

    The id of a piece stands for its face (`face down` if it has none, `empty` if there is no piece), `colour a1` for
    the colour of piece a1, the id of a zone for its count or the number of its pieces, `score 1` for the points of seat
    1, `points 1` for those of the round, `turn` for the seat on turn, `facts.name.0` for an entry of the view's facts.
    """
    for zone in view.zones:
        if zone.id == key:
            return len(zone.pieces) if zone.count is None else zone.count
        for piece in zone.pieces:
            if piece.id == key:
                return "empty" if "empty" in piece.marks else "face down" if piece.face is None else piece.face
    kind, _, name = key.partition(" ")
    if kind == "colour":
        return next((piece.colour for zone in view.zones for piece in zone.pieces if piece.id == name), None)
    if kind == "turn":
        return view.to_move
    if kind == "score":
        return view.scores[int(name)]
    if kind == "points" and view.round is not None:
        return view.round.scores[int(name)].points
    return _fact(view.facts, key.split(".")[1:]) if key.startswith("facts.") else None


def _fact(facts: Any, path: Sequence[str]) -> Value | None:
    for name in path:
        facts = facts[int(name)] if isinstance(facts, list | tuple) else facts.get(name)
    return facts if isinstance(facts, bool | int | str) else None


# The file


def lesson_of(game: Game) -> Lesson | None:
    """Return a game's lesson, None if it has none; again if its file has changed. Raises TableeError for a bad file."""
    path = game.folder / FILE
    try:
        modified = path.stat().st_mtime_ns
    except OSError:
        return None
    return _read(game.name, path, modified)


@lru_cache(maxsize=64)
def _read(name: str, path: Path, _modified_ns: int) -> Lesson:
    try:
        return _lesson(tomllib.loads(path.read_text(encoding="utf-8")), _translations(name))
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError) as why:
        raise TableeError(f"{path}: {type(why).__name__}: {why}") from None


def _translations(name: str) -> dict[str, dict[str, Any]]:
    """Return the texts that language folders bring for a game's lesson, by language and step."""
    found = {}
    for code, language in languages().items():
        path = language.folder / "games" / name / FILE
        if path.is_file():
            found[code] = tomllib.loads(path.read_text(encoding="utf-8"))
    return found


def _lesson(declared: Mapping[str, Any], translations: Mapping[str, Mapping[str, Any]]) -> Lesson:
    line: list[str] = []
    steps: list[LessonStep] = []
    for entry in declared["step"]:
        line += entry.get("before", ())
        translated = {code: texts[entry["name"]] for code, texts in translations.items() if entry["name"] in texts}
        steps.append(_step(entry, len(line), translated))
        line += [entry["move"]] if entry.get("move") else []
    return Lesson(
        seats=declared["seats"],
        seed=declared["seed"],
        line=tuple(line),
        steps=tuple(steps),
        options=dict(declared.get("options", {})),
        seat=declared.get("seat", 0),
    )


def _step(entry: Mapping[str, Any], begins: int, translated: Mapping[str, Mapping[str, Any]]) -> LessonStep:
    def texts(key: str) -> Texts:
        return {**{code: step[key] for code, step in translated.items() if key in step}, **entry.get(key, {})}

    return LessonStep(
        name=entry["name"],
        text=texts("text"),
        begins=begins,
        points=tuple(entry.get("points", ())),
        move=entry.get("move", ""),
        otherwise=texts("otherwise"),
        turns=tuple(_turn(turn, index, translated) for index, turn in enumerate(entry.get("turn", ()))),
        said=_claims(entry),
    )


def _turn(entry: Mapping[str, Any], index: int, translated: Mapping[str, Mapping[str, Any]]) -> WrongTurn:
    others = {code: step["turns"][index] for code, step in translated.items() if index < len(step.get("turns", ()))}
    return WrongTurn(
        tuple(entry["moves"]), {**others, **entry["text"]}, tuple(entry.get("replies", ())), _claims(entry)
    )


def _claims(entry: Mapping[str, Any]) -> Claims:
    return Claims(dict(entry.get("claims", {})), dict(entry.get("refused", {})))
