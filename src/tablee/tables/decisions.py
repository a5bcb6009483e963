"""What a table answers to a command: the events it leads to, or a refusal. Nothing else happens here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from tablee.bots.roster import known_names
from tablee.core.errors import BadMove
from tablee.core.match import Match
from tablee.records.moves import MAX_TEXT_LENGTH
from tablee.tables.commands import (
    Actor,
    AnswerEnd,
    BotPlay,
    Claim,
    Command,
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
from tablee.tables.early_choices import position_at_own_turn
from tablee.tables.events import (
    AGREEMENT,
    BotRemoved,
    BotSeated,
    Claimed,
    Covered,
    EndAnswered,
    Ended,
    EndProposed,
    Left,
    Moved,
    Paused,
    Queued,
    Rematched,
    Resumed,
    Returned,
    Started,
    TableEvent,
    Undone,
    Withdrawn,
)
from tablee.tables.refusals import Refused, RefusedMove
from tablee.tables.table import BOT, EMPTY, GATHERING, OVER, PAUSED, PLAYING, Table, evolve
from tablee.tables.undo import reveals_nothing

BOT_NAMES = ("Robin", "Camille", "Sacha", "Charlie", "Noa", "Eden", "Andrea", "Dominique", "Lou", "Sam")


class Step(NamedTuple):
    """An event, and the table after it."""

    event: TableEvent
    table: Table


def decide(table: Table, command: Command, actor: Actor, at: float) -> list[TableEvent]:
    """Return what a command leads to; `Refused` if it changes nothing."""
    return [step.event for step in carry_out(table, command, actor, at)]


def carry_out(table: Table, command: Command, actor: Actor, at: float) -> list[Step]:
    """Return what a command leads to, step by step, with what follows by itself."""
    events = _DECISIONS[type(command)](table, command, actor, at)
    events[0] = _signed(events[0], actor.key)
    steps: list[Step] = []
    for event in events:
        table = evolve(table, event)
        steps.append(Step(event, table))
    while (consequence := _consequence(table, at)) is not None:
        table = evolve(table, consequence)
        steps.append(Step(consequence, table))
    return steps


def _signed(event: TableEvent, key: str) -> TableEvent:
    """Put the command's key into its first event, so that the command is known when it is sent again."""
    return msgspec.structs.replace(event, key=key)


def _consequence(table: Table, at: float) -> TableEvent | None:
    """Return what happens by itself: the start, a choice that was made early, the end."""
    if table.phase == GATHERING and all(seat.kind != EMPTY for seat in table.seats):
        return Started(at)
    if table.phase != PLAYING or table.match is None:
        return None
    if table.match.outcome is not None:
        return Ended(at, reason=table.match.outcome.reason)
    seat = table.match.to_move
    if seat not in table.queued:
        return None
    move = table.match.parse(table.queued[seat])
    if table.match.why_not(move) is not None:
        return Withdrawn(at, seat=seat)
    return Moved(at, seat=seat, move=table.queued[seat])


# What several commands ask for


def _own_seat(table: Table, actor: Actor) -> int:
    seat = table.seat_of(actor.person)
    if seat is None:
        raise Refused("not_seated")
    return seat


def _running_match(table: Table) -> Match:
    if table.match is None or table.phase != PLAYING:
        raise Refused("not_playing", f"while_{table.phase}")
    return table.match


def _checked_seat(table: Table, seat: int) -> int:
    if not 0 <= seat < len(table.seats):
        raise Refused("no_such_seat", seat=seat + 1)
    return seat


# PlaySettings down and standing up


def _claim(table: Table, command: Claim, actor: Actor, at: float) -> list[TableEvent]:
    if table.phase == OVER:
        raise Refused("not_playing", "while_over")
    if table.seat_of(actor.person) is not None:
        raise Refused("already_seated")
    if not table.created.is_open and command.invite != table.created.invite:
        raise Refused("not_invited")
    seat = _free_seat(table, command.seat)
    name = _unused_name(table, actor.name)
    return [Claimed(at, seat=seat, person=actor.person, name=name, is_program=actor.is_program)]


def _free_seat(table: Table, wanted: int | None) -> int:
    free = [index for index, seat in enumerate(table.seats) if seat.kind == EMPTY]
    if wanted is None:
        if not free:
            raise Refused("table_full")
        return free[0]
    if _checked_seat(table, wanted) not in free:
        raise Refused("seat_taken", name=table.seats[wanted].name)
    return wanted


def _unused_name(table: Table, name: str) -> str:
    """Return a name that nobody else has here: the second Ana is `Ana 2`."""
    taken = {seat.name.casefold() for seat in table.seats if seat.kind != EMPTY}
    number, unused = 1, name
    while unused.casefold() in taken:
        number += 1
        unused = f"{name} {number}"
    return unused


def _leave(table: Table, command: Leave, actor: Actor, at: float) -> list[TableEvent]:
    if table.phase == OVER:
        raise Refused("not_playing", "while_over")
    return [Left(at, seat=_own_seat(table, actor))]


def _seat_bot(table: Table, command: SeatBot, actor: Actor, at: float) -> list[TableEvent]:
    _own_seat(table, actor)
    if command.bot not in known_names():
        raise Refused("unknown_bot", bot=command.bot[:40])
    if table.phase == OVER:
        raise Refused("not_playing", "while_over")
    seat = _free_seat(table, command.seat)
    return [bot_seated(table, seat, command.bot, at)]


def bot_seated(table: Table, seat: int, bot: str, at: float) -> BotSeated:
    """Return the event of a bot that sits down, under a name of its own."""
    return BotSeated(at, seat=seat, bot=bot, name=_unused_name(table, BOT_NAMES[seat % len(BOT_NAMES)]))


def _remove_bot(table: Table, command: RemoveBot, actor: Actor, at: float) -> list[TableEvent]:
    _own_seat(table, actor)
    if table.phase != GATHERING:
        raise Refused("not_playing", "while_playing")
    if table.seats[_checked_seat(table, command.seat)].kind != BOT:
        raise Refused("nothing_to_do", "no_bot_there")
    return [BotRemoved(at, seat=command.seat)]


# Moves


def _play(table: Table, command: Play, actor: Actor, at: float) -> list[TableEvent]:
    seat = _own_seat(table, actor)
    match = _running_match(table)
    if command.number < table.moved[seat]:
        raise Refused("stale")
    back: list[TableEvent] = [Returned(at, seat=seat)] if table.seats[seat].is_covered else []
    if seat == match.to_move:
        return [*back, Moved(at, seat=seat, move=checked_move(match, command.move))]
    ahead = position_at_own_turn(match, table.sight(seat))
    if ahead is None:
        raise Refused("not_your_turn", name=match.names()[match.to_move])
    return [*back, Queued(at, seat=seat, move=checked_move(ahead, command.move))]


def checked_move(match: Match, text: str) -> str:
    """Return a legal move as it is written, or say why it is not one."""
    if len(text) > MAX_TEXT_LENGTH:
        raise Refused("bad_move", text=text[:40])
    try:
        move = match.parse(text)
    except BadMove:
        raise Refused("bad_move", text=text[:40]) from None
    code = int(match.game.kernels.refusal(match.state, move))
    if code:
        raise RefusedMove(match, move, match.game.kernels.refusal_codes.of(code).clause)
    return match.text(move)


def _bot_play(table: Table, command: BotPlay, actor: Actor, at: float) -> list[TableEvent]:
    match = _running_match(table)
    if command.number != table.number or command.seat != match.to_move or table.seats[command.seat].bot is None:
        raise Refused("stale")
    return [Moved(at, seat=command.seat, move=checked_move(match, command.move))]


def _withdraw(table: Table, command: Withdraw, actor: Actor, at: float) -> list[TableEvent]:
    seat = _own_seat(table, actor)
    if seat not in table.queued:
        raise Refused("nothing_to_do", "nothing_queued")
    return [Withdrawn(at, seat=seat)]


def _undo(table: Table, command: Undo, actor: Actor, at: float) -> list[TableEvent]:
    seat = _own_seat(table, actor)
    _running_match(table)
    if table.last_mover != seat or table.before is None or table.match is None:
        raise Refused("cannot_undo", "undo_not_yours")
    if not reveals_nothing(table.sight_before(seat), table.match.moves[-1]):
        raise Refused("cannot_undo", "undo_learnt")
    return [Undone(at, seat=seat)]


def can_undo(table: Table, seat: int) -> bool:
    """Whether a seat may take the last move back: it was its own, and nobody learnt anything hidden by it."""
    if table.phase != PLAYING or table.last_mover != seat or table.before is None or table.match is None:
        return False
    return table.seats[seat].is_persons and reveals_nothing(table.sight_before(seat), table.match.moves[-1])


# Time


def _pause(table: Table, command: Pause, actor: Actor, at: float) -> list[TableEvent]:
    seat = _own_seat(table, actor)
    _running_match(table)
    return [Paused(at, seat=seat)]


def _resume(table: Table, command: Resume, actor: Actor, at: float) -> list[TableEvent]:
    seat = _own_seat(table, actor)
    if table.phase != PAUSED:
        raise Refused("nothing_to_do", "not_paused")
    return [Resumed(at, seat=seat)]


def _return(table: Table, command: Return, actor: Actor, at: float) -> list[TableEvent]:
    seat = _own_seat(table, actor)
    if not table.seats[seat].is_covered:
        raise Refused("nothing_to_do", "not_covered")
    return [Returned(at, seat=seat)]


def _expire(table: Table, command: Expire, actor: Actor, at: float) -> list[TableEvent]:
    if table.deadline is None or table.on_turn is None or at < table.deadline:
        raise Refused("nothing_to_do", "time_left")
    return [Covered(at, seat=table.on_turn)]


# The end, and again


def _propose_end(table: Table, command: ProposeEnd, actor: Actor, at: float) -> list[TableEvent]:
    seat = _own_seat(table, actor)
    if table.phase not in (PLAYING, PAUSED):
        raise Refused("not_playing", f"while_{table.phase}")
    if table.proposal is not None:
        raise Refused("nothing_to_do", "end_proposed_already")
    proposed = EndProposed(at, seat=seat)
    return [proposed, Ended(at, reason=AGREEMENT)] if table.people() == [seat] else [proposed]


def _answer_end(table: Table, command: AnswerEnd, actor: Actor, at: float) -> list[TableEvent]:
    seat = _own_seat(table, actor)
    if table.proposal is None or seat in table.proposal.agreed:
        raise Refused("nothing_to_do", "no_question")
    answered = EndAnswered(at, seat=seat, agrees=command.agrees)
    is_agreed = command.agrees and set(table.people()) <= {*table.proposal.agreed, seat}
    return [answered, Ended(at, reason=AGREEMENT)] if is_agreed else [answered]


def _rematch(table: Table, command: Rematch, actor: Actor, at: float) -> list[TableEvent]:
    seat = _own_seat(table, actor)
    if table.phase != OVER:
        raise Refused("not_over")
    if table.rematch is not None:
        raise Refused("nothing_to_do", "rematch_exists")
    return [Rematched(at, seat=seat, table=command.table)]


_DECISIONS: dict[type, Callable[[Table, Any, Actor, float], list[TableEvent]]] = {
    Claim: _claim,
    Leave: _leave,
    SeatBot: _seat_bot,
    RemoveBot: _remove_bot,
    Play: _play,
    BotPlay: _bot_play,
    Withdraw: _withdraw,
    Undo: _undo,
    Pause: _pause,
    Resume: _resume,
    Return: _return,
    Expire: _expire,
    ProposeEnd: _propose_end,
    AnswerEnd: _answer_end,
    Rematch: _rematch,
}
