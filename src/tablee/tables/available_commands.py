"""The commands that a viewer may issue now, found by asking the functions that decide: the list cannot drift."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import lru_cache
from typing import get_args

from tablee.core.state import SPECTATOR
from tablee.core.words import common
from tablee.protocol.shown import CommandName, CommandShown
from tablee.tables.coaching import is_helped
from tablee.tables.commands import (
    COMMANDS,
    Actor,
    AnswerEnd,
    ChangeBot,
    ChangeSetup,
    Claim,
    Command,
    HandOver,
    Rematch,
    RemoveBot,
    RemovePlayer,
    SeatBot,
)
from tablee.tables.decisions import decide_events
from tablee.tables.lessons import may_move
from tablee.tables.refusals import Refused
from tablee.tables.table import PLAYING, STAND_IN, Table
from tablee.tables.undo import reveals_nothing

ANY_SPECTATOR = Actor("spectator", "")  # people's ids never look like this

_WITH_SEAT: dict[CommandName, Callable[[Table, int], Command]] = {
    # Who sees a private table without sitting there has its invite.
    "claim": lambda table, seat: Claim(seat, table.created.invite),
    "seat_bot": lambda table, seat: SeatBot(seat, STAND_IN),
    "remove_bot": lambda table, seat: RemoveBot(seat),
    "change_bot": lambda table, seat: ChangeBot(seat, STAND_IN),
    "remove_player": lambda table, seat: RemovePlayer(seat, ""),
    "hand_over": lambda table, seat: HandOver(seat),
}
_WITHOUT_SEAT: dict[CommandName, Command] = {
    # Every command without arguments, and two whose argument does not decide whether they are refused.
    **{name: COMMANDS[name]() for name in get_args(CommandName) if name in COMMANDS and not fields(COMMANDS[name])},
    "answer_end": AnswerEnd(False),
    "rematch": Rematch(""),
}
_OF_LESSON: tuple[CommandName, ...] = ("advance", "retry")
_OF_POSITION: tuple[CommandName, ...] = ("withdraw", "undo", *_OF_LESSON)  # what a move makes possible or impossible


def available_commands(table: Table, viewer: int, language: str, former: str = "") -> tuple[CommandShown, ...]:
    """Return what a viewer may do: a seated player, or (-1) a spectator, who sees the table and so may chat.

    `former`: the id of a spectator who has given up a seat of this game, and may return to no other.
    """
    of_position = tuple(_position_commands(table, viewer))
    known, key = table.steady.shown_commands, (viewer, former, language, of_position)
    shown = known.get(key)
    if shown is None:
        found = _known_steady_commands(table, viewer, former) | dict.fromkeys(of_position, ())
        shown = tuple(_shown(name, found[name], language) for name in get_args(CommandName) if name in found)
        known[key] = shown
    return shown


def _known_steady_commands(table: Table, viewer: int, former: str) -> dict[CommandName, tuple[int, ...]]:
    known = table.steady.commands
    if (viewer, former) not in known:
        known[viewer, former] = dict(_steady_commands(table, _actor(table, viewer, former)))
    return known[viewer, former]


def _steady_commands(table: Table, actor: Actor) -> Iterator[tuple[CommandName, tuple[int, ...]]]:
    """Yield the commands that no move makes possible or impossible, each with the seats that it may name."""
    for name, command_for in _WITH_SEAT.items():
        seats = tuple(seat for seat in range(len(table.seats)) if _is_possible(table, command_for(table, seat), actor))
        if seats:
            yield name, seats
    for name, command in _WITHOUT_SEAT.items():
        if name not in _OF_POSITION and _is_possible(table, command, actor):
            yield name, ()
    if _is_possible(table, ChangeSetup(len(table.seats), table.created.options), actor):
        yield "change_setup", ()
    if is_helped(table, table.viewer_of(actor.person)):
        yield "beliefs", ()
    yield "chat", ()


def _position_commands(table: Table, viewer: int) -> Iterator[CommandName]:
    """Yield the commands that depend on the position; only who sits there has any.

    They are asked for after every move, so what is usually possible or impossible is found without a refusal.
    """
    if viewer == SPECTATOR or not table.seats[viewer].is_persons:
        return
    if table.phase == PLAYING and may_move(table) and table.position_of(viewer) is not None:
        yield "play"
        if is_helped(table, viewer):
            yield "hint"
    if viewer in table.queued:
        yield "withdraw"
    if table.last_mover == viewer and _can_undo(table, viewer):
        yield "undo"
    if table.is_lesson:
        yield from (name for name in _OF_LESSON if _is_possible(table, _WITHOUT_SEAT[name], _actor(table, viewer)))


def _can_undo(table: Table, seat: int) -> bool:
    """Whether a seat may take back its move, the last one."""
    if table.match is None or table.before is None or table.phase != PLAYING or table.is_lesson or table.is_daily:
        return False
    return reveals_nothing(table.sight_before(seat), table.match.moves[-1])


def _actor(table: Table, viewer: int, former: str = "") -> Actor:
    if viewer != SPECTATOR:
        return Actor(table.seats[viewer].person, table.seats[viewer].name)
    return Actor(former, "") if former else ANY_SPECTATOR


@lru_cache(maxsize=4096)
def _shown(name: CommandName, seats: tuple[int, ...], language: str) -> CommandShown:
    words = common(language)
    label, question = (
        words.say(key, name="{name}") if key in words else ""
        for key in (f"command_menu.{name}", f"command_questions.{name}")
    )
    return CommandShown(name, seats, label, question)


def _is_possible(table: Table, command: Command, actor: Actor) -> bool:
    try:
        decide_events(table, command, actor, table.at, (STAND_IN,))
    except Refused:
        return False
    return True
