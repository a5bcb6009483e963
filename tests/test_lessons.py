"""Guided rounds at a table: every step and every wrong turn of every game, in every language, and what a lesson is not."""

import asyncio
from dataclasses import dataclass

import pytest

from tablee import all_games
from tablee.core.languages import languages
from tablee.core.lessons import lesson_of
from tablee.tables.commands import Actor, Advance, BotPlay, Leave, Play, Ready, Rematch, Retry, Undo
from tablee.tables.creation import Secrets, lesson_table, new_table, TableRequest
from tablee.tables.decisions import decide
from tablee.tables.evolution import rebuild_table
from tablee.tables.events import decode_event, encode_event
from tablee.tables.live import LiveTable, MemoryJournal
from tablee.tables.presentation import table_shown
from tablee.tables.refusals import Refused

ANA = Actor("ana", "Ana")
GAMES = [game for game in all_games() if lesson_of(game) is not None]
NO_BOT = Actor("", "")


@dataclass
class Lesson:
    """A lesson that is walked through, with its events."""

    events: list
    table: object

    @classmethod
    def of(cls, game):
        events, table = lesson_table("t", game.name, Secrets(1, "invite"), ANA, 0.0)
        return cls(list(events), table)

    def do(self, command, actor=ANA):
        """Execute a command, then let the table make its own moves."""
        self._append(decide(self.table, command, actor, 0.0))
        while self.table.is_bots_turn:
            progress = self.table.progress()
            self._append(decide(self.table, BotPlay(self.table.on_turn, progress.next_move, self.table.number), NO_BOT, 0.0))

    def _append(self, steps):
        self.events += [step.event for step in steps]
        self.table = steps[-1].table

    def play(self, move):
        self.do(Play(move, self.table.number))

    def shown(self, language="en"):
        return table_shown(self.table, self.table.seat_of("ana"), language)

    @property
    def legal(self):
        return [choice.text for choice in self.shown().view.choices]


def commands(shown):
    """Return the types of the commands that a viewer may send."""
    return {command.type for command in shown.commands}


def check_said(lesson, task):
    """Check that the coach says something in every language, and expects this."""
    texts = set()
    for language in languages():
        shown = lesson.shown(language)
        assert shown.lesson.task == task
        assert shown.lesson.text
        assert "{" not in shown.lesson.text
        assert bool(shown.view.choices) == (task == "move")
        texts.add(shown.lesson.text)
    assert len(texts) == len(languages())
    assert {"play", "advance", "retry"} & commands(shown) == {{"move": "play"}.get(task, task)}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_lesson_can_be_played_with_every_wrong_turn(game):
    script, lesson = lesson_of(game), Lesson.of(game)
    for step in script.steps:
        check_said(lesson, "move" if step.move else "advance")
        if not step.move:
            lesson.do(Advance())
            continue
        number_of_moves = lesson.table.moves
        digest = lesson.table.match.digest()
        for move in lesson.legal:
            if move != step.move:
                lesson.play(move)
                check_said(lesson, "retry")
                lesson.do(Retry())
                assert (lesson.table.moves, lesson.table.match.digest()) == (number_of_moves, digest)
        lesson.play(step.move)
    assert lesson.table.phase == "over"
    assert lesson.shown().lesson is None
    assert lesson.shown().result.text
    stored = [decode_event(encode_event(event)) for event in lesson.events]
    assert rebuild_table("t", stored).match.digest() == lesson.table.match.digest()
