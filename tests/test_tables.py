"""Tables as pure functions: who may do what when, what follows by itself, and that events are the whole truth."""

import random
from contextlib import suppress

import pytest

from tablee import all_games
from tablee.bots.roster import NAMES
from tablee.core.languages import languages
from tablee.protocol.shown import CommandShown
from tablee.tables.commands import (
    TABLE_ITSELF,
    Actor,
    AnswerEnd,
    BotPlay,
    Claim,
    Expire,
    Leave,
    Pause,
    Play,
    ProposeEnd,
    Rematch,
    RemoveBot,
    Resume,
    Return,
    SeatBot,
    Undo,
    Withdraw,
)
from tablee.tables.creation import Secrets, TableRequest, new_table, rematch_table
from tablee.tables.decisions import decide
from tablee.tables.early_choices import position_at_own_turn
from tablee.tables.events import Moved, decode_event, encode_event, kind_of
from tablee.tables.log import event_lines
from tablee.tables.presentation import event_shown, table_record, table_shown
from tablee.tables.refusals import Refused
from tablee.tables.table import STAND_IN, Step, rebuild_table

ANA, BEN, EVE = Actor("p1", "Ana"), Actor("p2", "Ben"), Actor("p3", "Eve")
SECRETS = Secrets(7, "invite")


class Played:
    """A table with all its events, for tests."""

    def __init__(self, request, maker=ANA, at=100.0):
        self.events, self.table = new_table("t", request, SECRETS, maker, at, NAMES)
        self.at = at

    def do(self, command, actor=ANA, later=1.0):
        self.at += later
        steps = decide(self.table, command, actor, self.at, NAMES)
        self.events += [step.event for step in steps]
        self.table = steps[-1].table
        return [kind_of(step.event) for step in steps]

    def refuses(self, command, actor=ANA, later=0.0):
        with pytest.raises(Refused) as refused:
            decide(self.table, command, actor, self.at + later, NAMES)
        for language in list(languages()):
            assert refused.value.text(language)
        return refused.value

    def on_turn(self):
        return next(a for a in (ANA, BEN, EVE) if self.table.seat_of(a.person) == self.table.on_turn)

    def first_move(self):
        match = self.table.match
        return match.text(match.legal_moves()[0])

    def play(self, move=None):
        """Let whoever is on turn play, person or bot."""
        move = move or self.first_move()
        seat = self.table.on_turn
        if self.table.seats[seat].bot:
            return self.do(BotPlay(seat, move, self.table.number), TABLE_ITSELF)
        return self.do(Play(move, self.table.number), self.on_turn())


def skyjo(people=2, **request):
    """A table of Skyjo without simultaneous choices, all present."""
    played = Played(TableRequest("skyjo", **{"seats": people, "options": {"opening": "auto"}, **request}))
    for actor in (BEN, EVE)[: people - 1]:
        played.do(Claim(None, "invite"), actor)
    return played


def hidden_cell(table):
    """Return where a card of the seat on turn lies face down."""
    seat = table.on_turn
    pieces = [piece for zone in table.match.view(seat).zones if zone.owner == seat for piece in zone.pieces]
    return next(piece.id.split(".")[1] for piece in pieces if piece.face is None and "empty" not in piece.marks)


def test_a_table_begins_when_the_last_seat_is_taken():
    played = Played(TableRequest("skyjo", seats=3))
    assert played.table.phase == "gathering"
    assert played.refuses(Play("draw", 9)).code == "not_playing"
    assert played.do(Claim(2, "invite"), BEN) == ["claimed"]
    assert played.do(SeatBot(1, "random")) == ["bot_seated", "started"]
    assert played.table.phase == "playing"
    assert [seat.kind for seat in played.table.seats] == ["person", "bot", "person"]


def test_bots_of_the_wish_sit_in_the_last_seats_and_nobody_may_be_missing():
    played = Played(TableRequest("skyjo", seats=3, bots=["random", "greedy"]))
    assert [seat.bot for seat in played.table.seats] == [None, "random", "greedy"]
    assert played.table.phase == "playing"
    for request, code in [
        (TableRequest("skyjo", seats=2, bots=["random", "random"]), "table_full"),
        (TableRequest("skyjo", bots=["nobody"]), "unknown_bot"),
        (TableRequest("nothing"), "unknown_game"),
        (TableRequest("skyjo", seats=99), "bad_setup"),
        (TableRequest("skyjo", options={"opening": "never"}), "bad_setup"),
        (TableRequest("skyjo", clock=1), "bad_setup"),
    ]:
        with pytest.raises(Refused) as refused:
            Played(request)
        assert refused.value.code == code


def test_a_private_seat_needs_the_invite_and_an_open_one_does_not():
    played = Played(TableRequest("skyjo", seats=3))
    assert played.refuses(Claim(1, "wrong"), BEN).code == "not_invited"
    assert played.refuses(Claim(0, "invite"), BEN).code == "seat_taken"
    assert played.refuses(Claim(3, "invite"), BEN).code == "no_such_seat"
    assert played.refuses(Claim(1, "invite")).code == "already_seated"
    assert Played(TableRequest("skyjo", seats=3, is_open=True)).do(Claim(1), BEN) == ["claimed"]


def test_two_people_of_one_name_are_told_apart():
    played = Played(TableRequest("skyjo", seats=3))
    played.do(Claim(None, "invite"), Actor("p9", "ana"))
    assert [seat.name for seat in played.table.seats] == ["Ana", "ana 2", ""]


def test_bots_can_be_sent_away_before_the_game_only():
    played = Played(TableRequest("skyjo", seats=3, bots=["random"]))
    assert played.refuses(RemoveBot(2), BEN).code == "not_seated"
    assert played.refuses(RemoveBot(0)).code == "nothing_to_do"
    assert played.do(RemoveBot(2)) == ["bot_removed"]
    full = Played(TableRequest("skyjo", seats=2, bots=["random"]))
    assert full.refuses(RemoveBot(1)).code == "not_playing"


def test_moves_are_refused_with_the_reason_and_change_nothing():
    played = skyjo()
    on_turn, other = (ANA, BEN) if played.on_turn() == ANA else (BEN, ANA)
    number = played.table.number
    assert played.refuses(Play("draw", number), other).code == "not_your_turn"
    assert played.refuses(Play("fly away", number), on_turn).code == "bad_move"
    assert played.refuses(Play("x" * 500, number), on_turn).code == "bad_move"
    assert played.refuses(Play("draw", number), EVE).code == "not_seated"
    illegal = played.refuses(Play("swap b3", number), on_turn)
    assert (illegal.code, illegal.clause) == ("illegal", "R8")
    assert "R8" in illegal.text("fr")
    assert played.do(Play("DRAW", number), on_turn) == ["moved"]
    assert played.events[-1].move == "draw"
    assert played.refuses(Play("swap b3", number), on_turn).code == "stale"


def test_a_command_keeps_its_key_in_the_first_event():
    played = skyjo()
    actor = played.on_turn()
    played.do(Play("draw", played.table.number), Actor(actor.person, actor.name, key="p1/7"))
    assert played.table.receipts == {"p1/7": played.table.number}
    assert rebuild_table("t", played.events).receipts == played.table.receipts


def test_a_bot_moves_only_at_the_number_it_thought_about():
    played = Played(TableRequest("skyjo", seats=2, bots=["random"], options={"opening": "auto"}))
    while played.table.on_turn != 1:
        played.play()
    stale = BotPlay(1, played.first_move(), played.table.number - 1)
    assert played.refuses(stale, TABLE_ITSELF).code == "stale"
    assert played.do(BotPlay(1, played.first_move(), played.table.number), TABLE_ITSELF) == ["moved"]


def test_a_simultaneous_choice_may_be_given_early_and_is_played_in_its_turn():
    played = Played(TableRequest("skyjo", seats=2))
    played.do(Claim(None, "invite"), BEN)
    waiting = BEN if played.on_turn() == ANA else ANA
    seat = played.table.seat_of(waiting.person)
    shown = table_shown(played.table, seat, "en")
    assert shown.is_early
    assert {choice.text for choice in shown.view.choices} >= {"flip a1", "flip d3"}
    assert played.do(Play("flip a1", played.table.number), waiting) == ["queued"]
    assert played.do(Play("flip a2", played.table.number), waiting) == ["queued"]
    assert table_shown(played.table, seat, "en").queued == "flip a2"
    assert table_shown(played.table, 1 - seat, "en").queued is None
    assert event_shown(played.table, played.events[-1], 1 - seat) is None
    assert event_lines(Step(played.events[-1], played.table), 1 - seat, "en") == ()
    played.play("flip b1")
    assert played.play("flip b2") == ["moved", "moved"]
    assert (played.events[-1].seat, played.events[-1].move) == (seat, "flip a2")
    assert played.table.queued == {}


def test_an_early_choice_can_be_withdrawn():
    played = Played(TableRequest("skyjo", seats=2))
    played.do(Claim(None, "invite"), BEN)
    waiting = BEN if played.on_turn() == ANA else ANA
    assert played.refuses(Withdraw(), waiting).code == "nothing_to_do"
    played.do(Play("flip a1", played.table.number), waiting)
    assert played.do(Withdraw(), waiting) == ["withdrawn"]
    assert played.table.queued == {}


def test_who_learns_from_the_others_cannot_choose_early():
    played = skyjo()
    waiting = 1 - played.table.on_turn
    assert position_at_own_turn(played.table.match, played.table.sight(waiting)) is None


def test_undo_stands_where_nothing_hidden_was_shown():
    played = skyjo()
    actor = played.on_turn()
    before = played.table.match.digest()
    played.play("take")
    assert played.refuses(Undo(), BEN if actor == ANA else ANA).code == "cannot_undo"
    assert CommandShown("undo") in table_shown(played.table, played.table.seat_of(actor.person), "en").commands
    assert played.do(Undo(), actor) == ["undone"]
    assert played.table.match.digest() == before
    assert played.refuses(Undo(), actor).code == "cannot_undo"
    assert rebuild_table("t", played.events).match.digest() == before


def test_what_a_viewer_has_seen_is_kept_no_longer_than_it_is_true():
    played = skyjo()
    actor = played.on_turn()
    for command in (Play("take", played.table.number), Undo(), Play("take", played.table.number + 2)):
        played.do(command, actor)
        table = played.table
        for viewer in (-1, 0, 1):
            assert table.sight(viewer) == table.match.sight(viewer)
            assert table.sight(viewer) is table.sight(viewer)
            assert table.before is None or table.sight_before(viewer) == table.before.sight(viewer)


def test_undo_is_refused_once_a_card_was_seen_or_another_has_moved():
    played = skyjo()
    actor = played.on_turn()
    played.play("draw")
    assert "hidden" in played.refuses(Undo(), actor).text("en")
    played = skyjo()
    actor = played.on_turn()
    played.play("take")
    played.play(f"swap {hidden_cell(played.table)}")
    assert played.refuses(Undo(), actor).code == "cannot_undo"
    played.play("take")
    assert "anybody else" in played.refuses(Undo(), actor).text("en")


def test_pause_stops_moves_and_clock_for_days():
    played = skyjo(clock=60)
    assert played.table.deadline == played.at + 60
    played.do(Pause())
    assert played.table.deadline is None
    assert played.refuses(Play("draw", played.table.number), BEN).code == "not_playing"
    assert played.refuses(Expire(), TABLE_ITSELF, later=9e5).code == "nothing_to_do"
    played.do(Resume(), BEN, later=3 * 86_400)
    assert played.table.deadline == played.at + 60
    assert played.refuses(Resume()).code == "nothing_to_do"
    assert played.play() == ["moved"]


def test_a_bot_takes_over_when_time_is_up_and_hands_back():
    played = skyjo(clock=60)
    absent = played.on_turn()
    seat = played.table.on_turn
    assert played.refuses(Expire(), TABLE_ITSELF, later=59).code == "nothing_to_do"
    assert played.do(Expire(), TABLE_ITSELF, later=61) == ["covered"]
    assert played.table.seats[seat].bot == STAND_IN
    assert played.table.deadline is None
    assert played.do(BotPlay(seat, "draw", played.table.number), TABLE_ITSELF) == ["moved"]
    assert played.do(Return(), absent) == ["returned"]
    assert played.table.deadline == played.at + 60
    assert played.refuses(Return(), absent).code == "nothing_to_do"


def test_who_plays_is_back():
    played = skyjo(clock=60)
    absent = played.on_turn()
    played.do(Expire(), TABLE_ITSELF, later=61)
    assert played.do(Play("draw", played.table.number), absent) == ["returned", "moved"]


def test_leaving_before_the_game_empties_the_seat_and_in_play_a_bot_goes_on():
    gathering = Played(TableRequest("skyjo", seats=2))
    gathering.do(Leave())
    assert gathering.table.seats[0].kind == "empty"
    played = skyjo()
    played.do(Leave(), BEN)
    assert (played.table.seats[1].kind, played.table.seats[1].bot) == ("empty", STAND_IN)
    assert played.table.phase == "playing"
    assert played.do(Claim(1, "invite"), EVE) == ["claimed"]
    assert played.table.match.names() == ["Ana", "Eve"]


def test_the_game_ends_early_only_when_all_people_agree():
    played = skyjo(people=3)
    assert played.refuses(AnswerEnd(True)).code == "nothing_to_do"
    played.do(ProposeEnd())
    assert played.refuses(ProposeEnd(), BEN).code == "nothing_to_do"
    played.do(AnswerEnd(False), BEN)
    assert played.table.proposal is None
    played.do(ProposeEnd())
    assert played.do(AnswerEnd(True), BEN) == ["end_answered"]
    assert played.do(AnswerEnd(True), EVE) == ["end_answered", "ended"]
    result = table_shown(played.table, 0, "en").result
    assert (result.reason, result.winners) == ("agreement", ())
    assert played.refuses(Play("draw", played.table.number)).code == "not_playing"


def test_alone_with_bots_one_may_stop_at_once():
    played = Played(TableRequest("skyjo", seats=2, bots=["random"]))
    assert played.do(ProposeEnd()) == ["end_proposed", "ended"]


def test_rematch_seats_the_same_players_one_seat_further_on():
    played = Played(TableRequest("skyjo", seats=3, bots=["greedy"], clock=30))
    played.do(Claim(None, "invite"), BEN)
    assert played.refuses(Rematch("new")).code == "not_over"
    played.do(ProposeEnd())
    played.do(AnswerEnd(True), BEN)
    assert played.do(Rematch("new"), BEN) == ["rematched"]
    assert played.refuses(Rematch("newer")).code == "nothing_to_do"
    assert table_shown(played.table, 0, "en").rematch == "new"
    events, table = rematch_table("new", played.table, Secrets(8, "other"), 5.0)
    assert [seat.person or seat.bot for seat in table.seats] == ["greedy", "p1", "p2"]
    assert table.created.clock == 30
    assert kind_of(events[-1]) == "started"


def test_the_seed_is_shown_after_the_end_and_fits_the_commitment():
    from tablee.records import commitment

    played = skyjo()
    assert table_shown(played.table, 0, "en").seed is None
    played.do(ProposeEnd())
    played.do(AnswerEnd(True), BEN)
    shown = table_shown(played.table, -1, "en")
    assert commitment(int(shown.seed, 16)) == shown.commitment
    record = table_record(played.table, {})
    assert record.verify(shown=shown.commitment).commitment == shown.commitment


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_events_are_the_whole_truth(game):
    """A random game with early choices and undoing, rebuilt from its stored events, is the same."""
    seats = min(3, max(game.seats)) if 3 in game.seats else game.usual_seats
    played = Played(TableRequest(game.name, seats=seats, bots=["random"] * (seats - 2)))
    played.do(Claim(None, "invite"), BEN)
    chance = random.Random(game.name)
    for _ in range(25):
        if played.table.phase != "playing":
            break
        match = played.table.match
        waiting = [a for a in (ANA, BEN) if played.table.seat_of(a.person) != played.table.on_turn]
        for actor in waiting:
            ahead = position_at_own_turn(match, match.sight(played.table.seat_of(actor.person)))
            if ahead is not None and chance.random() < 0.5:
                move = ahead.text(chance.choice(ahead.legal_moves()))
                played.do(Play(move, played.table.number), actor)
        mover = played.table.on_turn
        played.play(match.text(chance.choice(match.legal_moves())))
        undoer = next((a for a in (ANA, BEN) if played.table.seat_of(a.person) == mover), None)
        if undoer and chance.random() < 0.2:
            with suppress(Refused):
                played.do(Undo(), undoer)
    stored = [decode_event(encode_event(event)) for event in played.events]
    again = rebuild_table("t", stored)
    assert stored == played.events
    assert any(isinstance(event, Moved) for event in stored)
    assert again.match.digest() == played.table.match.digest()
    assert (again.number, again.phase, again.queued) == (played.table.number, played.table.phase, played.table.queued)
    assert again.number == len(stored)
