"""What a coach is asked and answers, as lines of JSON between a server and the process that thinks.

A task carries a sight, never a state: the process cannot know more than the seat.
"""

from __future__ import annotations

import msgspec

from tablee.core.fields import state_over, with_attributes
from tablee.core.game import Game
from tablee.core.registry import find_game
from tablee.core.sight import Sight
from tablee.review.advice import Advice
from tablee.review.beliefs import Beliefs


class CoachTask(msgspec.Struct, frozen=True):
    """A sight to think about."""

    game: str
    seat: int
    sight: bytes

    @classmethod
    def of(cls, sight: Sight) -> CoachTask:
        """Return the task of a sight."""
        return cls(sight.game.name, sight.seat, sight.to_bytes())

    def read(self) -> Sight:
        """Return the sight."""
        game = find_game(self.game)
        return Sight(game, self.seat, state_over(self.sight, with_attributes(game.kernels.state_type)))


class AdviceTask(msgspec.Struct, frozen=True, tag="advice"):
    """Compare the legal moves of the seat that is to move."""

    position: CoachTask
    moves: tuple[int, ...]

    @property
    def game(self) -> Game:
        """The game."""
        return find_game(self.position.game)


class BeliefTask(msgspec.Struct, frozen=True, tag="beliefs"):
    """Find out what hidden pieces can be; labels are in a language, with the players' names."""

    position: CoachTask
    language: str
    names: tuple[str, ...]
    worlds: int

    @property
    def game(self) -> Game:
        """The game."""
        return find_game(self.position.game)


class CoachAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to a task: one of the two, or why there is none."""

    advice: Advice | None = None
    beliefs: Beliefs | None = None
    error: str = ""


Task = AdviceTask | BeliefTask
_tasks: msgspec.json.Decoder[Task] = msgspec.json.Decoder(Task)
_answers: msgspec.json.Decoder[CoachAnswer] = msgspec.json.Decoder(CoachAnswer)


def encode_line(content: Task | CoachAnswer) -> bytes:
    """Return a line, with its end."""
    return msgspec.json.encode(content) + b"\n"


def decode_task(line: bytes) -> Task:
    """Read a task."""
    return _tasks.decode(line)


def decode_answer(line: bytes) -> CoachAnswer:
    """Read an answer."""
    return _answers.decode(line)
