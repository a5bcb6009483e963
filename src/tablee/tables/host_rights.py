"""What the host of a table may decide. The host is the first person who sits down, until they leave or hand over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablee.core.registry import find_game
from tablee.tables.checks import check_seat, check_setup, check_times, own_seat
from tablee.tables.commands import Actor, ChangeSetup, HandOver, Lock, RemovePlayer, Unlock
from tablee.tables.events import HostChanged, Locked, PlayerRemoved, SetupChanged, TableEvent, Unlocked
from tablee.tables.refusals import Refused
from tablee.tables.seats import EMPTY, PERSON
from tablee.tables.table import GATHERING, OVER, Table


def _host_seat(table: Table, actor: Actor) -> int:
    """Return the seat of the host, if it is they who issue the command; refuse others, and all after the end."""
    seat = own_seat(table, actor)
    if table.phase == OVER:
        raise Refused("not_playing", "while_over")
    if seat != table.host:
        name = table.seats[table.host].name if table.host is not None else ""
        raise Refused("not_host", name=name)
    return seat


def _remove_player(table: Table, command: RemovePlayer, actor: Actor, at: float) -> TableEvent:
    own = _host_seat(table, actor)
    seat = table.seats[check_seat(table, command.seat)]
    if command.seat == own or not seat.is_persons:
        raise Refused("nothing_to_do", "nobody_else_there")
    return PlayerRemoved(at, seat=command.seat, person=seat.person, name=seat.name, invite=command.invite)


def _lock(table: Table, command: Lock, actor: Actor, at: float) -> TableEvent:
    seat = _host_seat(table, actor)
    if table.is_locked:
        raise Refused("nothing_to_do", "locked_already")
    if all(each.kind != EMPTY for each in table.seats):
        raise Refused("table_full")
    return Locked(at, seat=seat)


def _unlock(table: Table, command: Unlock, actor: Actor, at: float) -> TableEvent:
    seat = _host_seat(table, actor)
    if not table.is_locked:
        raise Refused("nothing_to_do", "not_locked")
    return Unlocked(at, seat=seat)


def _hand_over(table: Table, command: HandOver, actor: Actor, at: float) -> TableEvent:
    own = _host_seat(table, actor)
    if command.seat == own or table.seats[check_seat(table, command.seat)].kind != PERSON:
        raise Refused("nothing_to_do", "nobody_else_there")
    return HostChanged(at, seat=command.seat)


def _change_setup(table: Table, command: ChangeSetup, actor: Actor, at: float) -> TableEvent:
    own = _host_seat(table, actor)
    if table.phase != GATHERING:
        raise Refused("not_playing", "while_playing")
    game = find_game(table.created.game)
    setup = check_setup(game, command.seats, command.options)
    check_times(command)
    taken = sum(seat.kind != EMPTY for seat in table.seats)
    if taken > setup.seats:
        raise Refused("bad_setup", "too_many_players", n=taken)
    return SetupChanged(
        at,
        seat=own,
        seats=setup.seats,
        options=dict(setup.options),
        clock=command.clock,
        bank=command.bank,
        increment=command.increment,
        rest=command.rest,
        coach=command.coach,
    )


HOST_DECISIONS: dict[type, Callable[[Table, Any, Actor, float], TableEvent]] = {
    RemovePlayer: _remove_player,
    Lock: _lock,
    Unlock: _unlock,
    HandOver: _hand_over,
    ChangeSetup: _change_setup,
}
