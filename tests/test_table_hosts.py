"""What the host of a table may do."""

import pytest

from played_tables import BEN, EVE, Played, log_of, skyjo
from tablee.tables.commands import (
    Actor,
    ChangeBot,
    ChangeSetup,
    Claim,
    HandOver,
    Leave,
    Lock,
    ProposeEnd,
    RemovePlayer,
    SeatBot,
    Unlock,
)
from tablee.tables.creation import TableRequest
from tablee.tables.evolution import rebuild_table
from tablee.tables.presentation import table_shown
from tablee.tables.table import STAND_IN


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
    names = [table_shown(played.table, 0, language).seats[1].name for language in ("en", "fr")]
    assert names == ["Player 2", "Joueur 2"], "a seat in play is never without a name"


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
