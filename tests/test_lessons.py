"""Guided rounds at a table: every step and every wrong turn of every game, in every language, what a lesson is not."""

import asyncio
from dataclasses import dataclass

import msgspec
import pytest

from server_process import Guest, serving
from tablee import all_games
from tablee.core.languages import languages
from tablee.core.lessons import lesson_of, text_in
from tablee.core.words import common
from tablee.protocol.shown import TableShown
from tablee.tables.commands import Actor, Advance, BotPlay, Leave, Play, Ready, Rematch, Retry, Undo
from tablee.tables.creation import Secrets, TableRequest, lesson_table, new_table
from tablee.tables.decisions import decide
from tablee.tables.events import decode_event, encode_event
from tablee.tables.evolution import rebuild_table
from tablee.tables.live import LiveTable, MemoryJournal
from tablee.tables.log import build_log
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
            self._append(
                decide(self.table, BotPlay(self.table.on_turn, progress.next_move, self.table.number), NO_BOT, 0.0)
            )

    def _append(self, steps):
        self.events += [step.event for step in steps]
        self.table = steps[-1].table

    def play(self, move):
        self.do(Play(move, self.table.number))

    def shown(self, language="en"):
        return table_shown(self.table, self.table.seat_of("ana"), language)

    def sent(self, language):
        """Return the table as a front end reads it from the wire."""
        return msgspec.json.decode(msgspec.json.encode(self.shown(language)), type=TableShown)

    @property
    def legal(self):
        return [choice.text for choice in self.shown().view.choices]


def commands(shown):
    """Return the types of the commands that a viewer may send."""
    return {command.type for command in shown.commands}


def check_said(lesson, task, said):
    """Check that the coach says the texts of the script, and expects this, as it is sent in every language."""
    texts = set()
    for language in languages():
        shown = lesson.sent(language)
        assert shown.lesson.task == task
        assert shown.lesson.text == text_in(said, language, [seat.name for seat in shown.seats])
        assert "{" not in shown.lesson.text
        assert bool(shown.view.choices) == (task == "move")
        texts.add(shown.lesson.text)
    assert len(texts) == len(languages())
    assert {"play", "advance", "retry"} & commands(shown) == {{"move": "play"}.get(task, task)}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_lesson_can_be_played_with_every_wrong_turn(game):
    script, lesson = lesson_of(game), Lesson.of(game)
    for step in script.steps:
        check_said(lesson, "move" if step.move else "advance", step.text)
        if not step.move:
            lesson.do(Advance())
            continue
        number_of_moves = lesson.table.moves
        digest = lesson.table.match.digest()
        for move in lesson.legal:
            if move != step.move:
                lesson.play(move)
                check_said(lesson, "retry", step.turn_after(move).text)
                lesson.do(Retry())
                assert (lesson.table.moves, lesson.table.match.digest()) == (number_of_moves, digest)
        lesson.play(step.move)
    assert lesson.table.phase == "over"
    assert lesson.shown().lesson is None
    assert lesson.shown().result.text
    stored = [decode_event(encode_event(event)) for event in lesson.events]
    assert rebuild_table("t", stored).match.digest() == lesson.table.match.digest()


@pytest.fixture
def lesson():
    """The first game's lesson, after its welcome."""
    lesson = Lesson.of(GAMES[0])
    while lesson.shown().lesson.task == "advance":
        lesson.do(Advance())
    return lesson


@pytest.mark.parametrize("command", [Leave(), Ready(), Undo(), Rematch("x"), Retry(), Advance()])
def test_a_lesson_refuses_what_is_not_expected(lesson, command):
    with pytest.raises(Refused) as refused:
        lesson.do(command)
    assert all(refused.value.text(language) for language in languages())


def test_nothing_is_played_before_the_step_is_set_up_again(lesson):
    wrong, right = lesson.legal[-1], lesson.table.progress().step.move
    assert wrong != right
    lesson.play(wrong)
    with pytest.raises(Refused) as refused:
        lesson.play(lesson.table.match.text(lesson.table.match.legal_moves()[0]))
    assert refused.value.code == "not_playing"


def test_undone_moves_leave_the_log(lesson):
    before = build_log("t", lesson.events, 0, "en").page(100).lines
    lesson.play(lesson.legal[-1])
    assert build_log("t", lesson.events, 0, "en").page(100).lines != before
    lesson.do(Retry())
    assert build_log("t", lesson.events, 0, "en").page(100).lines == before


def test_other_tables_have_no_coach():
    request = TableRequest(GAMES[0].name, 3, bots=["greedy"] * 2)
    _, ordinary = new_table("t", request, Secrets(1, ""), ANA, 0.0, ["greedy"])
    assert table_shown(ordinary, 0, "en").lesson is None
    for command in (Advance(), Retry()):
        with pytest.raises(Refused):
            decide(ordinary, command, ANA, 0.0)


def test_spectators_have_no_coach(lesson):
    assert table_shown(lesson.table, -1, "en").lesson is None


def test_a_lesson_that_has_changed_says_so(lesson):
    created = msgspec.structs.replace(lesson.events[0], lesson="of an older version")
    table = rebuild_table("t", [created, *lesson.events[1:]])
    shown = table_shown(table, 0, "en")
    assert shown.lesson.text == common("en").say("refused.lesson_changed")
    assert not {"play", "advance", "retry"} & commands(shown)
    assert not table.is_bots_turn


def test_the_table_makes_the_moves_of_bots_by_itself():
    class NoBots:
        def names(self):
            return []

        async def move(self, table, seat):
            raise AssertionError("a lesson asks no bot")

    async def test():
        live = await LiveTable.create(
            lesson_table("t", GAMES[0].name, Secrets(1, ""), ANA, 0.0), MemoryJournal(), NoBots()
        )
        while (progress := live.table.progress()) is not None:
            if progress.task == "advance":
                await live.execute(Advance(), ANA)
            elif progress.task == "move":
                await live.execute(Play(progress.step.move, live.table.number), ANA)
            else:
                await asyncio.sleep(0)
        assert live.table.phase == "over"
        await live.close()

    asyncio.run(test())


# On a server


def test_a_lesson_is_resumed_and_not_counted(tmp_path):
    name = GAMES[0].name
    with serving(tmp_path / "tablee.db") as server:
        ana = Guest(server.url, "Ana")

        def learn(**body):
            answer = ana.http.post(f"/api/games/{name}/lesson", json=body)
            assert answer.status_code == 201, answer.text
            return answer.json()

        first = learn()
        assert (first["source"], first["lesson"]["step"]) == ("lesson", 1)
        assert ana.command("advance", first["id"]).status_code == 200
        resumed = learn()
        assert (resumed["id"], resumed["lesson"]["step"]) == (first["id"], 2)
        assert learn(is_new=True)["id"] != first["id"]
        assert [table["is_lesson"] for table in ana.get("/api/tables").json()["mine"]] == [True, True]
        assert ana.command("propose_end", first["id"]).status_code == 200
        assert ana.get(f"/api/tables/{first['id']}").json()["phase"] == "over"
        assert ana.get("/api/statistics").json() == []
        assert Guest(server.url, "Ben").get(f"/api/tables/{first['id']}").status_code == 404
        assert ana.http.post("/api/games/none/lesson", json={}).status_code == 404
