"""The rest between two rounds."""

import random
from functools import cache

import pytest

from played_tables import SECRETS, Played, log_of
from tablee import Match, all_games, find_game
from tablee.tables.commands import (
    TABLE_ITSELF,
    Actor,
    AnswerEnd,
    Expire,
    Leave,
    Pause,
    Play,
    ProposeEnd,
    Ready,
    Resume,
    Undo,
)
from tablee.tables.creation import TableRequest
from tablee.tables.events import decode_event, encode_event
from tablee.tables.evolution import rebuild_table
from tablee.tables.forks import continue_match
from tablee.tables.log import build_log
from tablee.tables.presentation import table_shown
from tablee.tables.refusals import Refused
from test_table_commands import check_commands


@cache
def before_a_round_ends(game):
    """Return a match, and the move that ends its first round, after which the game goes on."""
    for seed in range(20):
        match = Match(game, seats=3 if 3 in game.seats else game.usual_seats, seed=seed)
        generator = random.Random(seed)
        while not match.is_over:
            move = generator.choice(match.legal_moves())
            before = match.copy()
            match.push(move)
            if match.finished_rounds() and not match.is_over:
                return before, move
    raise AssertionError(f"no random game of {game.name} has a second round")


class Resting(Played):
    """A table of people at which the next move ends a round."""

    def __init__(self, game, rest, programs=()):
        match, self.move = before_a_round_ends(game)
        self.people = [Actor(f"p{seat + 1}", f"Person {seat}", seat in programs) for seat in range(match.seats)]
        self.at = 100.0
        self.events, self.table = continue_match("t", match, enumerate(self.people), SECRETS, self.at, rest)

    def end_round(self):
        actor = self.people[self.table.on_turn]
        return self.do(Play(self.table.match.text(self.move), self.table.number), actor)


each_game = pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)


@each_game
def test_a_table_rests_after_a_round_until_all_are_ready(game):
    played = Resting(game, rest=0)
    assert played.end_round() == ["moved", "round_ended"]
    table, first, others = played.table, played.people[0], played.people[1:]
    assert (table.phase, table.on_turn, table.deadline, table.rest_deadline) == ("resting", None, None, None)
    assert played.refuses(Play(played.first_move(), table.number), first).code == "not_playing"
    assert "ready" in played.refuses(Undo(), first).text("en")
    shown = table_shown(table, 0, "en")
    assert shown.round_view == table.match.round_view(0)
    assert shown.round_view.round.number == 1
    assert shown.view.choices == ()
    assert (shown.resting.ready, shown.resting.waiting) == ((), tuple(range(len(played.people))))
    assert played.do(Ready(), first) == ["ready"]
    assert played.refuses(Ready(), first).code == "nothing_to_do"
    assert played.refuses(Expire(), TABLE_ITSELF, later=9e9).code == "nothing_to_do"
    for other in others[:-1]:
        assert played.do(Ready(), other) == ["ready"]
    assert table_shown(played.table, 0, "en").resting.waiting == (len(others),)
    assert played.do(Ready(), others[-1]) == ["ready", "rest_ended"]
    assert played.table.phase == "playing"
    shown = table_shown(played.table, played.table.on_turn, "en")
    assert (shown.round_view, shown.resting) == (None, None)
    assert shown.view.choices
    again = rebuild_table("t", [decode_event(encode_event(event)) for event in played.events])
    assert (again.phase, again.number, again.match.digest()) == ("playing", played.table.number, table.match.digest())
    played.do(Play(played.first_move(), played.table.number), played.people[played.table.on_turn])
    assert played.table.phase in ("playing", "over")


@each_game
def test_commands_during_a_rest(game):
    played = Resting(game, rest=30)
    seen = set()
    played.end_round()
    check_commands(played.table, seen)
    played.do(Ready(), played.people[0])
    check_commands(played.table, seen)
    played.do(Pause(), played.people[0])
    check_commands(played.table, seen)
    played.do(Resume(), played.people[1], later=1000.0)
    assert (played.table.phase, played.table.rest_deadline) == ("resting", played.at + 30)
    check_commands(played.table, seen)
    played.do(ProposeEnd(), played.people[0])
    check_commands(played.table, seen)
    assert {"ready", "pause", "resume", "propose_end", "answer_end", "leave"} <= seen
    for person in played.people[1:]:
        played.do(AnswerEnd(True), person)
    assert (played.table.phase, played.table.rest) == ("over", None)


def test_a_rest_ends_at_its_limit_and_bots_and_clock_wait_for_it():
    played = Resting(find_game("skyjo"), rest=10)
    played.end_round()
    assert played.table.rest_deadline == played.at + 10
    assert table_shown(played.table, 0, "en").resting.deadline == played.at + 10
    assert played.refuses(Expire(), TABLE_ITSELF, later=9).code == "nothing_to_do"
    assert played.do(Expire(), TABLE_ITSELF, later=11) == ["rest_ended"]
    assert played.table.turn_since == played.at


def test_a_rest_does_not_wait_for_a_player_who_left():
    played = Resting(find_game("skyjo"), rest=0)
    played.end_round()
    for person in played.people[1:]:
        played.do(Ready(), person)
    assert played.do(Leave(), played.people[0]) == ["left", "rest_ended"]


def test_tables_without_a_rest_or_without_people_play_on():
    assert Resting(find_game("skyjo"), rest=None).end_round() == ["moved"]
    assert Resting(find_game("skyjo"), rest=0, programs=(0, 1, 2)).end_round() == ["moved"]
    played = Resting(find_game("skyjo"), rest=0, programs=(0, 2))
    assert played.end_round() == ["moved", "round_ended"]
    assert played.do(Ready(), played.people[1]) == ["ready", "rest_ended"]


def test_the_end_of_a_round_is_in_the_log():
    played = Resting(find_game("skyjo"), rest=0)
    played.end_round()
    texts = [line.text for line in log_of(played)]
    assert texts.index("Round 1 is over; all cards are turned up.") < texts.index("Rest after round 1.")
    assert log_of(played)[-1].move == played.table.moves


@each_game
def test_the_next_deal_is_told_after_the_rest(game):
    played = Resting(game, rest=0)
    played.end_round()
    events = played.table.match.events(0)
    assert log_of(played)[-1].text == "Rest after round 1."
    first_of_next = next((index for index, event in enumerate(events) if event.begins_round), len(events))
    told, later = events[:first_of_next], events[first_of_next:]
    assert [line.text for line in log_of(played)][-1 - len(told) : -1] == [event.text for event in told]
    for person in played.people:
        played.do(Ready(), person)
    assert [line.text for line in log_of(played)][len(log_of(played)) - len(later) :] == [event.text for event in later]
    without_rest = Resting(game, rest=None)
    without_rest.end_round()
    assert [line.text for line in log_of(without_rest)][-len(events) :] == [event.text for event in events]


@each_game
def test_the_score_sheet_has_every_round_with_the_move_that_ended_it(game):
    played = Resting(game, rest=0)
    played.end_round()
    (ended,) = build_log("t", played.events, 0, "fr").rounds
    view = played.table.match.round_view(0, "fr")
    assert (ended.number, ended.moves, ended.text) == (1, played.table.moves, view.prompt)
    assert ended.scores == view.round.scores
    assert build_log("t", played.events[:-2], 0, "fr").rounds == []


def test_the_longest_rest_is_limited():
    with pytest.raises(Refused) as refused:
        Played(TableRequest("skyjo", rest=10**6))
    assert refused.value.code == "bad_setup"
    assert Played(TableRequest("skyjo", rest=30)).table.created.rest == 30
