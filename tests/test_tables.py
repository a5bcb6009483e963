"""Tables as pure functions: who may do what and when, what follows by itself, and rebuilding from events."""

import random
from contextlib import suppress
from dataclasses import replace
from functools import cache

import pytest

from tablee import Match, all_games, find_game
from tablee.bots.roster import NAMES
from tablee.core.languages import languages
from tablee.core.view import Choice, Piece, View, Zone
from tablee.protocol.shown import CommandShown
from tablee.tables.available_commands import available_commands
from tablee.tables.commands import (
    TABLE_ITSELF,
    Actor,
    AnswerEnd,
    BotPlay,
    ChangeBot,
    ChangeSetup,
    Claim,
    Expire,
    HandOver,
    Leave,
    Lock,
    Pause,
    Play,
    ProposeEnd,
    Ready,
    Rematch,
    RemoveBot,
    RemovePlayer,
    Rename,
    Resume,
    Return,
    SeatBot,
    Undo,
    Unlock,
    Withdraw,
)
from tablee.tables.creation import SeatedBot, Secrets, TableRequest, new_table, rematch_table
from tablee.tables.decisions import decide
from tablee.tables.early_choices import position_at_own_turn
from tablee.tables.events import Moved, decode_event, encode_event, kind_of
from tablee.tables.evolution import rebuild_table
from tablee.tables.explanations import explain, meant_move
from tablee.tables.forks import continue_match
from tablee.tables.log import build_log, event_lines
from tablee.tables.presentation import event_shown, table_record, table_shown, view_shown
from tablee.tables.refusals import Refused
from tablee.tables.table import STAND_IN, Step

ANA, BEN, EVE = Actor("p1", "Ana"), Actor("p2", "Ben"), Actor("p3", "Eve")
SECRETS = Secrets(7, "invite")


class Played:
    """A table, with all its events."""

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
        """Let the seat on turn play, person or bot."""
        move = move or self.first_move()
        seat = self.table.on_turn
        if self.table.seats[seat].bot:
            return self.do(BotPlay(seat, move, self.table.number), TABLE_ITSELF)
        return self.do(Play(move, self.table.number), self.on_turn())


def skyjo(people=2, **request):
    """Return a table of Skyjo without simultaneous choices at which all people sit."""
    played = Played(TableRequest("skyjo", **{"seats": people, "options": {"opening": "auto"}, **request}))
    for actor in (BEN, EVE)[: people - 1]:
        played.do(Claim(None, "invite"), actor)
    return played


def hidden_cell(table):
    """Return the name of a cell where the seat on turn has a card face down."""
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


def test_requested_bots_take_the_last_seats_and_invalid_requests_are_refused():
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


def test_two_people_of_one_name_get_different_names():
    played = Played(TableRequest("skyjo", seats=3))
    played.do(Claim(None, "invite"), Actor("p9", "ana"))
    assert [seat.name for seat in played.table.seats] == ["Ana", "ana 2", ""]


def test_bots_can_be_removed_only_before_the_game():
    played = Played(TableRequest("skyjo", seats=3, bots=["random"]))
    assert played.refuses(RemoveBot(2), BEN).code == "not_seated"
    assert played.refuses(RemoveBot(0)).code == "nothing_to_do"
    assert CommandShown("remove_bot", (2,)) in available_commands(played.table, 0, "en")
    assert CommandShown("seat_bot", (1,)) in available_commands(played.table, 0, "en")
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


def test_a_bots_move_is_stale_at_any_other_number():
    played = Played(TableRequest("skyjo", seats=2, bots=["random"], options={"opening": "auto"}))
    while played.table.on_turn != 1:
        played.play()
    stale = BotPlay(1, played.first_move(), played.table.number - 1)
    assert played.refuses(stale, TABLE_ITSELF).code == "stale"
    assert played.do(BotPlay(1, played.first_move(), played.table.number), TABLE_ITSELF) == ["moved"]


def test_a_simultaneous_choice_may_be_made_early_and_is_played_in_turn():
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


def test_a_seat_that_learns_from_other_moves_cannot_choose_early():
    played = skyjo()
    waiting = 1 - played.table.on_turn
    assert position_at_own_turn(played.table.match, played.table.sight(waiting)) is None


def test_a_move_that_revealed_nothing_can_be_undone():
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


def test_cached_sights_are_those_of_the_current_match():
    played = skyjo()
    actor = played.on_turn()
    for command in (Play("take", played.table.number), Undo(), Play("take", played.table.number + 2)):
        played.do(command, actor)
        table = played.table
        for viewer in (-1, 0, 1):
            assert table.sight(viewer) == table.match.sight(viewer)
            assert table.sight(viewer) is table.sight(viewer)
            assert table.before is None or table.sight_before(viewer) == table.before.sight(viewer)


def test_undo_is_refused_after_a_card_was_revealed_or_another_player_moved():
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


def test_a_pause_stops_moves_and_clock():
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


def test_a_bot_takes_over_when_the_clock_runs_out_until_the_player_returns():
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


def test_playing_a_move_takes_over_from_the_bot():
    played = skyjo(clock=60)
    absent = played.on_turn()
    played.do(Expire(), TABLE_ITSELF, later=61)
    assert played.do(Play("draw", played.table.number), absent) == ["returned", "moved"]


def test_a_time_bank_is_charged_while_its_person_is_on_turn_and_each_move_adds_to_it():
    played = skyjo(bank=100, increment=5)
    first = played.table.on_turn
    assert played.table.time_left == (100.0, 100.0)
    assert played.table.deadline == played.at + 100
    assert played.do(Play("draw", played.table.number), played.on_turn(), later=30) == ["moved"]
    assert played.table.time_left[first] == 75.0
    assert played.table.deadline == played.at + 75
    played.do(Play(f"swap {hidden_cell(played.table)}", played.table.number), played.on_turn(), later=10)
    assert (played.table.time_left[first], played.table.time_left[1 - first]) == (70.0, 100.0)
    assert played.table.deadline == played.at + 100, "the other's"
    shown = table_shown(played.table, -1, "en")
    assert (shown.bank, shown.increment, shown.seats[first].time_left) == (100, 5, 70.0)
    assert rebuild_table("t", played.events).time_left == played.table.time_left


def test_a_time_bank_is_not_charged_while_the_game_is_paused_or_another_player_leaves_a_third():
    played = skyjo(people=3, bank=100)
    first = played.table.on_turn
    played.do(Pause(), played.on_turn(), later=20)
    assert (played.table.time_left[first], played.table.deadline) == (80.0, None)
    played.do(Resume(), later=5000)
    assert played.table.deadline == played.at + 80
    other = next(actor for actor in (ANA, BEN, EVE) if actor.person != played.table.seats[first].person)
    played.do(Leave(), other, later=10)
    assert played.table.deadline == played.at + 70, "what happens elsewhere gives no time back"


def test_a_bot_takes_over_when_the_time_bank_is_empty_and_who_returns_has_a_little_time():
    played = skyjo(bank=60)
    absent, seat = played.on_turn(), played.table.on_turn
    assert played.refuses(Expire(), TABLE_ITSELF, later=59).code == "nothing_to_do"
    assert played.do(Expire(), TABLE_ITSELF, later=61) == ["covered"]
    assert (played.table.time_left[seat], played.table.deadline) == (0.0, None)
    played.do(BotPlay(seat, "draw", played.table.number), TABLE_ITSELF, later=400)
    assert played.table.time_left[seat] == 0.0, "bots have no clock"
    assert played.do(Return(), absent) == ["returned"]
    assert played.table.deadline == played.at + 30


def test_time_banks_are_limited_and_exclude_a_clock():
    for times in ({"bank": 1}, {"bank": 10**8}, {"bank": 60, "increment": -1}, {"bank": 60, "clock": 60}):
        with pytest.raises(Refused) as refused:
            Played(TableRequest("skyjo", **times))
        assert refused.value.code == "bad_setup"
        assert refused.value.text("fr")
    gathering = Played(TableRequest("skyjo", seats=3))
    assert gathering.do(ChangeSetup(3, bank=300, increment=5)) == ["setup_changed"]
    assert gathering.refuses(ChangeSetup(3, bank=300, clock=20)).code == "bad_setup"
    gathering.do(ChangeSetup(2))
    assert gathering.table.created.bank is None


def test_leaving_empties_the_seat_before_the_game_and_leaves_it_to_a_bot_during_it():
    gathering = Played(TableRequest("skyjo", seats=2))
    gathering.do(Leave())
    assert gathering.table.seats[0].kind == "empty"
    played = skyjo()
    played.do(Leave(), BEN)
    assert (played.table.seats[1].kind, played.table.seats[1].bot) == ("empty", STAND_IN)
    assert played.table.phase == "playing"
    assert played.do(Claim(1, "invite"), EVE) == ["claimed"]
    assert played.table.match.names() == ["Ana", "Eve"]


def test_who_has_seen_a_hand_sits_in_no_other_seat_of_that_game():
    played = skyjo(people=3)
    played.do(Leave(), BEN)
    played.do(Leave())
    refused = played.refuses(Claim(1, "invite"))
    assert (refused.code, refused.text("en").count("seat 1")) == ("other_hand_seen", 1)
    [claim] = [each for each in available_commands(played.table, -1, "en", ANA.person) if each.type == "claim"]
    assert claim.seats == (0,)
    assert played.do(Claim(None, "invite"), BEN) == ["claimed"]
    assert played.table.seat_of(BEN.person) == 1
    played.do(Claim(0, "invite"), Actor("p4", "Dan"))
    assert played.refuses(Claim(None, "invite")).code == "seat_taken"
    assert rebuild_table("t", played.events).held == played.table.held


def test_seats_may_be_exchanged_before_the_deal():
    played = Played(TableRequest("skyjo", seats=2))
    played.do(Leave())
    assert played.do(Claim(1, "invite")) == ["claimed"]


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


def test_a_player_alone_with_bots_ends_the_game_at_once():
    played = Played(TableRequest("skyjo", seats=2, bots=["random"]))
    assert played.do(ProposeEnd()) == ["end_proposed", "ended"]


def test_a_rematch_keeps_a_seat_for_everybody_one_seat_further_on():
    played = Played(TableRequest("skyjo", seats=3, bots=["greedy"], clock=30))
    played.do(Claim(None, "invite"), BEN)
    assert played.refuses(Rematch("new")).code == "not_over"
    played.do(ProposeEnd())
    played.do(AnswerEnd(True), BEN)
    assert played.do(Rematch("new"), BEN) == ["rematched"]
    assert played.refuses(Rematch("newer")).code == "nothing_to_do"
    assert table_shown(played.table, 0, "en").rematch == "new"
    _, table = rematch_table("new", played.table, Secrets(8, "other"), "p2", 5.0)
    assert [seat.bot or seat.person or seat.kept_for for seat in table.seats] == ["greedy", "p1", "p2"]
    assert (table.created.clock, table.phase, table.host) == (30, "gathering", 2)
    steps = decide(table, Claim(), ANA, 6.0)
    assert [kind_of(step.event) for step in steps] == ["claimed", "started"]
    assert steps[-1].table.seat_of("p1") == 1


def test_a_rematch_with_bots_alone_begins_at_once():
    played = Played(TableRequest("skyjo", seats=3, bots=["greedy", "random"]))
    played.do(ProposeEnd())
    events, table = rematch_table("new", played.table, Secrets(8, "other"), "p1", 5.0)
    assert [seat.bot or seat.person for seat in table.seats] == ["random", "p1", "greedy"]
    assert kind_of(events[-1]) == "started"


def test_a_kept_seat_can_be_taken_by_others_and_then_its_person_needs_the_invite():
    played = skyjo(people=3)
    played.do(Leave(), EVE)
    assert played.refuses(Claim(None, ""), BEN).code == "already_seated"
    dan = Actor("p4", "Dan")
    assert played.refuses(Claim(None, ""), dan).code == "not_invited"
    assert played.do(Claim(None, ""), EVE) == ["claimed"]
    assert played.table.seat_of("p3") == 2
    played.do(Leave(), EVE)
    played.do(Claim(2, "invite"), dan)
    assert played.refuses(Claim(None, ""), EVE).code == "not_invited"


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
def test_a_table_rebuilt_from_its_stored_events_is_the_same(game):
    """Random games with early choices and undo."""
    seats = min(3, max(game.seats)) if 3 in game.seats else game.usual_seats
    played = Played(TableRequest(game.name, seats=seats, bots=["random"] * (seats - 2)))
    played.do(Claim(None, "invite"), BEN)
    generator = random.Random(game.name)
    for _ in range(25):
        if played.table.phase != "playing":
            break
        match = played.table.match
        waiting = [a for a in (ANA, BEN) if played.table.seat_of(a.person) != played.table.on_turn]
        for actor in waiting:
            ahead = position_at_own_turn(match, match.sight(played.table.seat_of(actor.person)))
            if ahead is not None and generator.random() < 0.5:
                move = ahead.text(generator.choice(ahead.legal_moves()))
                played.do(Play(move, played.table.number), actor)
        mover = played.table.on_turn
        played.play(match.text(generator.choice(match.legal_moves())))
        undoer = next((a for a in (ANA, BEN) if played.table.seat_of(a.person) == mover), None)
        if undoer and generator.random() < 0.2:
            with suppress(Refused):
                played.do(Undo(), undoer)
    stored = [decode_event(encode_event(event)) for event in played.events]
    again = rebuild_table("t", stored)
    assert stored == played.events
    assert any(isinstance(event, Moved) for event in stored)
    assert again.match.digest() == played.table.match.digest()
    assert (again.number, again.phase, again.queued) == (played.table.number, played.table.phase, played.table.queued)
    assert again.number == len(stored)


# The host


def test_the_first_person_at_a_table_is_its_host_until_they_leave():
    played = Played(TableRequest("skyjo", seats=4))
    assert [seat.is_host for seat in table_shown(played.table, 0, "en").seats] == [True, False, False, False]
    played.do(Claim(2, "invite"), Actor("p8", "Program", is_program=True))
    played.do(Claim(1, "invite"), BEN)
    assert played.table.host == 0
    played.do(Leave())
    assert played.table.host == 1, "a person before a program, though that one sits nearer or came first"
    played.do(Leave(), BEN)
    assert played.table.host == 2
    played.do(Leave(), Actor("p8", "Program"))
    assert played.table.host is None
    played.do(Claim(3, "invite"), EVE)
    assert played.table.host == 3


def test_the_hosts_role_is_handed_over_to_a_person():
    played = Played(TableRequest("skyjo", seats=4, bots=["random"]))
    played.do(Claim(1, "invite"), BEN)
    assert played.refuses(HandOver(0), BEN).code == "not_host"
    for seat in (0, 2, 3):  # oneself, nobody, a bot
        assert played.refuses(HandOver(seat)).code == "nothing_to_do"
    assert played.refuses(HandOver(4)).code == "no_such_seat"
    assert played.do(HandOver(1)) == ["host_changed"]
    assert played.refuses(Lock()).code == "not_host"
    assert played.do(Lock(), BEN) == ["locked"]
    assert "Ben" in played.refuses(Unlock()).text("en")


@pytest.mark.parametrize("is_open", [False, True])
def test_a_removed_person_does_not_come_back(is_open):
    played = Played(TableRequest("skyjo", seats=3, is_open=is_open))
    played.do(Claim(1, "invite"), BEN)
    assert played.refuses(RemovePlayer(0), BEN).code == "not_host"
    for seat in (0, 2):
        assert played.refuses(RemovePlayer(seat)).code == "nothing_to_do"
    assert played.refuses(RemovePlayer(1), EVE).code == "not_seated"
    assert played.do(RemovePlayer(1)) == ["player_removed"]
    assert played.table.seats[1].kind == "empty"
    assert played.table.created.invite != "invite"
    assert "removed you" in played.refuses(Claim(1, played.table.created.invite), BEN).text("en")
    if not is_open:
        assert played.refuses(Claim(1, "invite"), EVE).code == "not_invited", "the invite that Ben knows is void"
    assert played.do(Claim(1, played.table.created.invite), EVE) == ["claimed"]
    assert rebuild_table("t", played.events).removed == {"p2"}


def test_a_bot_plays_on_for_a_person_who_was_removed_during_the_game():
    played = skyjo(people=3)
    played.do(ProposeEnd(), BEN)
    assert played.do(RemovePlayer(1, "new")) == ["player_removed"]
    seat = played.table.seats[1]
    assert (seat.kind, seat.bot, seat.kept_for) == ("empty", STAND_IN, "")
    assert played.table.proposal is None
    assert played.refuses(Claim(1, "new"), BEN).code == "removed"
    assert [line.text for line in log_of(played)][-1] == "The host removes Ben."


def test_nobody_else_sits_down_at_a_locked_table():
    played = Played(TableRequest("skyjo", seats=3, is_open=True))
    assert played.refuses(Unlock()).code == "nothing_to_do"
    played.do(Lock())
    assert played.refuses(Lock()).code == "nothing_to_do"
    assert played.refuses(Claim(1), BEN).code == "locked"
    assert played.do(SeatBot(1, "random")) == ["bot_seated"]
    played.do(Unlock())
    assert played.do(Claim(2), BEN) == ["claimed", "started"]


def test_the_host_changes_the_setup_while_the_table_gathers():
    played = Played(TableRequest("skyjo", seats=4, rest=30))
    played.do(Claim(3, "invite"), BEN)
    change = ChangeSetup(3, {"opening": "auto"}, clock=60, rest=None)
    assert played.refuses(change, BEN).code == "not_host"
    assert played.do(change) == ["setup_changed"]
    created = played.table.created
    assert (created.seats, created.options["opening"], created.clock, created.rest) == (3, "auto", 60, None)
    assert [seat.name for seat in played.table.seats] == ["Ana", "", "Ben"]
    assert played.refuses(ChangeSetup(99)).code == "bad_setup"
    assert played.refuses(ChangeSetup(3, {"opening": "never"})).code == "bad_setup"
    assert played.refuses(ChangeSetup(3, clock=1)).code == "bad_setup"
    played.do(ChangeSetup(5))
    played.do(HandOver(2))
    played.do(ChangeSetup(2), BEN)
    assert (played.table.phase, played.table.host) == ("playing", 1), "all seats are taken"
    assert played.refuses(ChangeSetup(3), BEN).code == "not_playing"
    again = rebuild_table("t", played.events)
    assert (again.created, again.seats, again.host) == (played.table.created, played.table.seats, 1)


def test_no_seat_is_taken_away_from_a_player():
    played = Played(TableRequest("skyjo", seats=4, bots=["random"]))
    played.do(Claim(1, "invite"), BEN)
    assert "3" in played.refuses(ChangeSetup(2)).text("en")
    assert played.do(ChangeSetup(3)) == ["setup_changed", "started"]


def test_the_level_of_a_bot_is_changed_before_the_game_and_shown():
    played = Played(TableRequest("skyjo", seats=3, bots=["random"]))
    assert table_shown(played.table, 0, "fr").seats[2].level == "Hasard"
    assert played.refuses(ChangeBot(0, "club")).code == "nothing_to_do"
    assert played.refuses(ChangeBot(2, "nobody")).code == "unknown_bot"
    assert played.refuses(ChangeBot(2, "club"), EVE).code == "not_seated"
    name = played.table.seats[2].name
    assert played.do(ChangeBot(2, "club")) == ["bot_changed"]
    assert (played.table.seats[2].bot, played.table.seats[2].name) == ("club", name)
    assert log_of(played)[-1].text == f"{name} (bot) has another level: Club player."
    played.do(Claim(None, "invite"), BEN)
    assert played.refuses(ChangeBot(2, "random")).code == "not_playing"


def test_who_leaves_before_the_game_is_named_in_the_log():
    played = Played(TableRequest("skyjo", seats=3))
    played.do(Claim(1, "invite"), BEN)
    played.do(Leave(), BEN)
    assert log_of(played)[-1].text == "Ben leaves."


# Commands that a viewer is shown


ACTORS = (ANA, BEN, EVE)
RARE = ("leave", "propose_end", "remove_player", "lock")  # at random: they end much, or keep people away


def every_command(table, viewer, choices):
    """Yield all commands a client may send with each seat they can name, as (name, seat or None, command)."""
    for seat in range(len(table.seats)):
        yield "claim", seat, Claim(seat, "invite")
        yield "seat_bot", seat, SeatBot(seat, "random")
        yield "remove_bot", seat, RemoveBot(seat)
        yield "change_bot", seat, ChangeBot(seat, "random")
        yield "remove_player", seat, RemovePlayer(seat, "invite")
        yield "hand_over", seat, HandOver(seat)
    yield "leave", None, Leave()
    yield "play", None, Play(choices[0] if choices else "draw", table.number)
    yield "withdraw", None, Withdraw()
    yield "undo", None, Undo()
    yield "ready", None, Ready()
    yield "pause", None, Pause()
    yield "resume", None, Resume()
    yield "return", None, Return()
    yield "propose_end", None, ProposeEnd()
    yield "answer_end", None, AnswerEnd(True)
    yield "answer_end", None, AnswerEnd(False)
    yield "rematch", None, Rematch("new")
    yield "lock", None, Lock()
    yield "unlock", None, Unlock()
    yield "change_setup", None, ChangeSetup(len(table.seats), table.created.options, rest=0)


def choices_of(table, viewer):
    """Return the texts of the choices in a viewer's view."""
    view, _ = view_shown(table, viewer, "en")
    return [choice.text for choice in view.choices] if view is not None else []


def is_refused(table, command, actor):
    try:
        decide(table, command, actor, table.at, NAMES)
    except Refused:
        return True
    return False


def random_command(table, generator):
    """Return something that a player or the table might do, and who does it; sometimes it is refused."""
    if table.on_turn is not None and generator.random() < 0.6:
        seat, move = table.on_turn, table.match.text(generator.choice(table.match.legal_moves()))
        if table.seats[seat].bot is not None:
            return BotPlay(seat, move, table.number), TABLE_ITSELF
        actor = next(each for each in ACTORS if each.person == table.seats[seat].person)
        return Play(move, table.number), actor
    if generator.random() < 0.1:
        return Expire(), TABLE_ITSELF
    actor = generator.choice(ACTORS)
    viewer = table.viewer_of(actor.person)
    commands = [
        command
        for name, _, command in every_command(table, viewer, choices_of(table, viewer))
        if generator.random() < {"answer_end": 0.3, "seat_bot": 0.3}.get(name, 0.1 if name in RARE else 1.0)
    ]
    return generator.choice(commands), actor


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_a_command_is_shown_exactly_when_it_is_not_refused(game):
    """Random tables: at every step, each viewer is shown exactly the commands, with seats, that are not refused."""
    generator = random.Random(game.name)
    seats = 3 if 3 in game.seats else game.usual_seats
    seen = set()
    for is_open, bots, guests in ((False, [], ()), (True, ["random"], (BEN,)), (False, [], (BEN, EVE))):
        played = Played(TableRequest(game.name, seats=seats, is_open=is_open, clock=20, bots=bots))
        for guest in guests[: seats - 1 - len(bots)]:
            played.do(Claim(None, "invite"), guest)
        for _ in range(20):
            check_commands(played.table, seen)
            command, actor = random_command(played.table, generator)
            with suppress(Refused):
                played.do(command, actor, later=generator.choice((1.0, 1.0, 30.0)))
        check_commands(played.table, seen)
    assert {"claim", "leave", "play", "pause", "propose_end"} <= seen


def check_commands(table, seen):
    for actor in (*ACTORS, Actor("p4", "Dan"), Actor("p9", "Another person")):
        viewer = table.viewer_of(actor.person)
        if actor.person in table.removed:
            assert is_refused(table, Claim(None, table.created.invite), actor)
            continue  # who was removed is shown nothing
        choices = choices_of(table, viewer)
        former = actor.person if table.seat_given_up(actor.person) is not None else ""
        shown = available_commands(table, viewer, "en", former)
        listed = {(command.type, seat) for command in shown for seat in command.seats or (None,)}
        possible = {
            (name, seat)
            for name, seat, command in every_command(table, viewer, choices)
            if not is_refused(table, command, actor)
        }
        assert listed == {*possible, ("chat", None)}
        assert (("play", None) in listed) == bool(choices)
        seen |= {name for name, _ in possible}


# Names


def test_a_rename_changes_the_name_and_nothing_else():
    played = skyjo(clock=60)
    actor = played.on_turn()
    played.do(Play(played.first_move(), played.table.number), actor)
    before = played.table
    zoe = replace(actor, name="Zoé")
    assert played.do(Rename(), zoe) == ["renamed"]
    seat = before.seat_of(actor.person)
    assert played.table.seats[seat].name == played.table.match.names()[seat] == "Zoé"
    assert (played.table.deadline, played.table.on_turn) == (before.deadline, before.on_turn)
    assert played.table.match.digest() == before.match.digest()
    assert played.table.before.names()[seat] == "Zoé"  # the last move can still be undone
    assert played.refuses(Rename(), zoe).code == "nothing_to_do"
    assert played.refuses(Rename(), EVE).code == "not_seated"


def test_a_renamed_player_has_one_name_in_the_whole_log_and_no_name_twice():
    played = skyjo()
    for _ in range(4):
        actor = played.on_turn()
        played.do(Play(played.first_move(), played.table.number), actor)
    assert played.do(Rename(), replace(ANA, name="Ben")) == ["renamed"]
    text = " ".join(line.text for line in log_of(played))
    assert "Ben 2" in text
    assert "Ana" not in text
    assert rebuild_table("t", played.events).seats == played.table.seats


# The log


def log_of(played, viewer=0, language="en"):
    return build_log("t", played.events, viewer, language).page(1000).lines


def test_the_log_has_every_event_once_and_loses_undone_moves():
    played = skyjo()
    actor = played.on_turn()
    played.play("take")
    kept = log_of(played)
    assert [line.number for line in kept] == sorted(line.number for line in kept)
    assert [line.move for line in kept if line.number == played.table.number] == [1]
    played.do(Undo(), actor)
    undone = log_of(played)
    assert all(line.move is None for line in undone)
    assert undone[-1].code == "table.undone"
    played.play("draw")
    assert log_of(played)[-1].move == 1
    assert {line.text for line in log_of(played, language="fr")}.isdisjoint(line.text for line in log_of(played))


def test_log_pages_join_without_gaps():
    played = skyjo()
    for _ in range(12):
        played.play()
    log = build_log("t", played.events, 0, "en")
    whole, pages, before = log.page(1000), [], None
    while before != 0:
        page = log.page(5, before)
        assert page.total == whole.total
        pages, before = [*page.lines, *pages], page.first
    assert tuple(pages) == whole.lines
    assert log.page(5, 0).lines == ()


def test_an_early_choice_is_in_the_log_of_its_player_only():
    played = Played(TableRequest("skyjo", seats=2))
    played.do(Claim(None, "invite"), BEN)
    waiting = BEN if played.on_turn() == ANA else ANA
    seat = played.table.seat_of(waiting.person)
    played.do(Play("flip a1", played.table.number), waiting)
    assert [log_of(played, viewer)[-1].code for viewer in (seat, 1 - seat, -1)] == [
        "table.queued",
        "table.started",
        "table.started",
    ]


# Explanations


def test_an_explanation_of_a_move_says_what_playing_it_would():
    played = skyjo()
    seat = played.table.on_turn
    refused = played.refuses(Play("swap b3", played.table.number), played.on_turn())
    for language in languages():
        explained = explain(played.table, seat, [], "swap b3", language)
        assert explained == (refused.text(language), refused.clause)
    assert explain(played.table, seat, [], "draw", "en").clause is None
    assert "possible" in explain(played.table, seat, [], "draw", "en").text
    assert "fly" in explain(played.table, seat, [], "fly away", "en").text
    assert explain(played.table, 1 - seat, [], "draw", "en").text == "It is Ana's turn." or seat == 1
    assert explain(played.table, -1, [], "draw", "en").text
    played.do(Pause())
    assert explain(played.table, seat, [], "draw", "en").text == "The game is paused."


def test_an_explanation_of_what_was_touched_finds_the_move_that_was_meant():
    played = skyjo()
    seat = played.table.on_turn
    view = table_shown(played.table, seat, "en").view
    pile = next(choice.targets[0] for choice in view.choices if choice.text == "draw")
    played.play("draw")
    view = table_shown(played.table, seat, "en").view
    assert meant_move(view, [pile]) is None  # nothing like it is possible now, but it was before
    explained = explain(played.table, seat, [pile], "", "en")
    assert explained.clause == played.refuses(Play("draw", played.table.number), played.on_turn()).clause
    assert view.prompt in explain(played.table, seat, ["nowhere"], "", "en").text
    assert view.prompt in explain(played.table, seat, [], "", "en").text


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_touching_anything_is_explained_and_plays_nothing(game):
    seats = 3 if 3 in game.seats else game.usual_seats
    played = Played(TableRequest(game.name, seats=seats, bots=["random"] * (seats - 2)))
    played.do(Claim(None, "invite"), BEN)
    generator = random.Random(game.name)
    clauses = set()
    for _ in range(12):
        if played.table.phase != "playing":
            break
        digest, number = played.table.match.digest(), played.table.number
        for seat in (0, 1):
            view = table_shown(played.table, seat, "en").view
            ids = [identity for zone in view.zones for identity in (zone.id, *(piece.id for piece in zone.pieces))]
            for targets in ([generator.choice(ids)] for _ in range(4)):
                explained = explain(played.table, seat, targets, "", "en")
                assert explained.text
                clauses.add(explained.clause)
        assert (played.table.match.digest(), played.table.number) == (digest, number)
        played.play(played.table.match.text(generator.choice(played.table.match.legal_moves())))


def test_meant_moves_put_the_touched_name_into_a_similar_choice():
    grid = Zone("seat0", "grid", "", (Piece("seat0.a1", ""), Piece("seat0.a2", ""), Piece("seat0.a3", "")))
    hand = Zone("hand", "fan", "", (Piece("hand.5", ""), Piece("hand.6", "")))
    choices = (Choice(1, "flip a1", "", ("seat0.a1",)), Choice(2, "swap 5 a2", "", ("hand.5", "seat0.a2")))
    view = View("game", 0, 2, 0, "", (grid, hand), (0, 0), choices)
    assert meant_move(view, ["seat0.a3"]) == "flip a3"
    assert meant_move(view, ["hand.5", "seat0.a3"]) == "swap 5 a3"
    assert meant_move(view, ["hand.6"]) is None  # a card in a hand has no name of its own
    assert meant_move(view, ["hand.6", "seat0.a3"]) is None
    assert meant_move(view, ["seat0"]) is None
    assert meant_move(view, []) is None


# Continuing a match


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_a_match_continues_at_a_table(game):
    match = Match(game, seed=3)
    for _ in range(3):
        match.play(match.legal_moves()[0])
    players = [(seat, ANA if seat == 0 else SeatedBot("random", f"Bot {seat}")) for seat in range(match.seats)]
    for given in (match, Match.from_state(game, match.state)):
        events, table = continue_match("t", given, players, SECRETS, 1.0)
        assert table.match.digest() == match.digest()
        assert table.phase == "playing"
        assert rebuild_table("t", events).match.digest() == match.digest()
        assert len([line for line in build_log("t", events, 0, "en").page(99).lines if line.move]) >= len(given.moves)


# Rest between rounds


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
