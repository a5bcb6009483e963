"""Tables as pure functions: who may do what and when, what follows by itself, and rebuilding from events."""

import random
from contextlib import suppress

import pytest

from played_tables import ANA, BEN, EVE, Played, hidden_cell, skyjo
from tablee import all_games
from tablee.protocol.shown import CommandShown
from tablee.tables.available_commands import available_commands
from tablee.tables.commands import (
    TABLE_ITSELF,
    Actor,
    AnswerEnd,
    BotPlay,
    ChangeSetup,
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
from tablee.tables.creation import Secrets, TableRequest, rematch_table
from tablee.tables.decisions import decide
from tablee.tables.early_choices import position_at_own_turn
from tablee.tables.events import Moved, decode_event, encode_event, kind_of
from tablee.tables.evolution import rebuild_table
from tablee.tables.log import event_lines
from tablee.tables.presentation import event_shown, table_record, table_shown
from tablee.tables.refusals import Refused
from tablee.tables.table import STAND_IN, Step


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


def test_a_table_that_nobody_joins_for_a_week_is_closed_and_is_nobodys_any_longer():
    played = Played(TableRequest("skyjo", seats=3, is_open=True))
    played.do(Claim(1), BEN, later=86_400)
    assert played.refuses(Expire(), TABLE_ITSELF, later=7 * 86_400 - 1).code == "nothing_to_do"
    assert played.do(Expire(), TABLE_ITSELF, later=7 * 86_400) == ["ended"]
    assert (played.table.phase, played.table.end, played.table.host) == ("over", "expired", None)
    assert (played.table.seat_of(ANA.person), played.table.seat_of(BEN.person)) == (None, None)
    assert played.refuses(Claim(1), EVE).code == "not_playing"
    for language, words in (("en", "closed"), ("fr", "fermée")):
        shown = table_shown(played.table, -1, language)
        assert (shown.view, shown.result.scores, [each.type for each in shown.commands]) == (None, (), ["chat"])
        assert words in shown.result.text
        (line,) = event_lines(Step(played.events[-1], played.table), -1, language)
        assert line.text == shown.result.text
    assert rebuild_table("t", played.events) == played.table


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
