"""Typed commands of a table's host and players, as requests of the protocol, in both languages."""

import pytest

from tablee.core.words import common
from tablee.protocol import messages
from tablee.tables.commands import Actor, Claim
from tablee.tables.creation import Secrets, TableRequest, new_table
from tablee.tables.decisions import decide
from tablee.tables.presentation import table_shown
from tablee.terminal.display import Snapshot, display_table, typed_commands
from tablee.terminal.typed_commands import BadArgument, request_of


@pytest.fixture
def table():
    """A gathering table as its host is shown it: Ana, Ben, a free seat, a bot."""
    opened = new_table(
        "t", TableRequest("skyjo", 4, bots=["random"]), Secrets(7, "i"), Actor("p1", "Ana"), 1.0, ["random"]
    )
    return table_shown(decide(opened.table, Claim(None, "i"), Actor("p2", "Ben"), 2.0)[-1].table, 0, "en")


@pytest.mark.parametrize(
    ("name", "argument", "expected"),
    [
        ("bot", "", messages.SeatBotRequest("k", "t", 2, "novice")),
        ("bot", "Expert", messages.SeatBotRequest("k", "t", 2, "expert")),
        ("remove", "", messages.RemoveBotRequest("k", "t", 3)),
        ("remove", "4", messages.RemoveBotRequest("k", "t", 3)),
        ("remove", "ben", messages.RemovePlayerRequest("k", "t", 1)),
        ("remove", "2", messages.RemovePlayerRequest("k", "t", 1)),
        ("host", "Ben", messages.HandOverRequest("k", "t", 1)),
        ("level", "expert", messages.ChangeBotRequest("k", "t", 3, "expert")),
        ("level", "4 novice", messages.ChangeBotRequest("k", "t", 3, "novice")),
        ("lock", "", messages.LockRequest("k", "t")),
    ],
)
def test_commands_name_seats_by_number_or_name(table, name, argument, expected):
    assert request_of(name, argument, table, "k", common("en")) == expected


def test_a_setup_changes_what_it_names_and_nothing_else(table):
    request = request_of("setup", "seats=3 rows=on bank=300 increment=5", table, "k", common("en"))
    assert (request.seats, request.options["rows"], request.bank, request.increment) == (3, True, 300, 5)
    assert request.options == {**table.setup.options, "rows": True}
    assert (request.clock, request.rest) == (table.clock, table.rest)
    assert request_of("setup", "clock=none", table, "k", common("en")).clock is None


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize(
    ("name", "argument", "part"),
    [
        ("remove", "Eve", "4"),
        ("host", "", "Ben"),
        ("level", "", "club"),
        ("setup", "", "seats=4"),
        ("setup", "wrong=1", "rest="),
    ],
)
def test_what_cannot_be_understood_is_explained(table, name, argument, part, language):
    with pytest.raises(BadArgument) as why:
        request_of(name, argument, table, "k", common(language))
    assert part in str(why.value)


def test_the_waiting_screen_shows_levels_the_host_and_each_command_once(table):
    names = typed_commands(table)
    assert len(names) == len(set(names))
    assert {"remove", "level", "host", "lock", "setup", "bot"} <= set(names)
    lines = display_table(Snapshot(table, [], []), common("en"), "", "").lines
    assert "  1. Ana (host)" in lines
    assert lines[4].endswith("(bot: Random)")
