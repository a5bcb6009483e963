"""The commands that a viewer may issue now, found by asking the functions that decide: the list cannot drift."""

from __future__ import annotations

from collections.abc import Callable

from tablee.core.state import SPECTATOR
from tablee.protocol.shown import CommandName, CommandShown
from tablee.tables.commands import (
    Actor,
    AnswerEnd,
    Claim,
    Command,
    Leave,
    Pause,
    ProposeEnd,
    Ready,
    Rematch,
    RemoveBot,
    Resume,
    Return,
    SeatBot,
    Undo,
    Withdraw,
)
from tablee.tables.decisions import decide_events, position_to_play
from tablee.tables.refusals import Refused
from tablee.tables.table import STAND_IN, Table

ANY_SPECTATOR = Actor("spectator", "")  # people's ids never look like this

_WITH_SEAT: dict[CommandName, Callable[[Table, int], Command]] = {
    # Who sees a private table without sitting there has its invite.
    "claim": lambda table, seat: Claim(seat, table.created.invite),
    "seat_bot": lambda table, seat: SeatBot(seat, STAND_IN),
    "remove_bot": lambda table, seat: RemoveBot(seat),
}
_WITHOUT_SEAT: dict[CommandName, Command] = {
    "leave": Leave(),
    "withdraw": Withdraw(),
    "undo": Undo(),
    "ready": Ready(),
    "pause": Pause(),
    "resume": Resume(),
    "return": Return(),
    "propose_end": ProposeEnd(),
    "answer_end": AnswerEnd(False),
    "rematch": Rematch(""),
}


def available_commands(table: Table, viewer: int) -> tuple[CommandShown, ...]:
    """Return what a viewer may do: a seated player, or (-1) a spectator, who sees the table and so may chat."""
    actor = ANY_SPECTATOR if viewer == SPECTATOR else Actor(table.seats[viewer].person, table.seats[viewer].name)
    found: list[CommandShown] = []
    for name, command_for in _WITH_SEAT.items():
        seats = tuple(seat for seat in range(len(table.seats)) if _is_possible(table, command_for(table, seat), actor))
        if seats:
            found.append(CommandShown(name, seats))
    if _can_play(table, actor):
        found.append(CommandShown("play"))
    found += [CommandShown(name) for name, command in _WITHOUT_SEAT.items() if _is_possible(table, command, actor)]
    return (*found, CommandShown("chat"))


def _is_possible(table: Table, command: Command, actor: Actor) -> bool:
    try:
        decide_events(table, command, actor, table.at, (STAND_IN,))
    except Refused:
        return False
    return True


def _can_play(table: Table, actor: Actor) -> bool:
    seat = table.seat_of(actor.person)
    if seat is None:
        return False
    try:
        position_to_play(table, seat)
    except Refused:
        return False
    return True
