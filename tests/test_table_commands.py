"""The commands that a viewer is shown are those that are not refused."""

import random
from contextlib import suppress

import pytest

from played_tables import ANA, BEN, EVE, Played
from tablee import all_games
from tablee.bots.roster import NAMES
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
    Resume,
    Return,
    SeatBot,
    Undo,
    Unlock,
    Withdraw,
)
from tablee.tables.creation import TableRequest
from tablee.tables.decisions import decide
from tablee.tables.presentation import view_shown
from tablee.tables.refusals import Refused

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
