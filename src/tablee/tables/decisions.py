"""What a command leads to: the events, or a refusal. Pure: nothing is stored, read or sent here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import msgspec

from tablee.core.errors import BadMove
from tablee.core.match import Match
from tablee.records.moves import MAX_TEXT_LENGTH
from tablee.tables.checks import check_bot, check_seat, own_seat
from tablee.tables.coaching import COACH_DECISIONS
from tablee.tables.commands import (
    Actor,
    AnswerEnd,
    BotPlay,
    ChangeBot,
    Claim,
    Command,
    Expire,
    Forget,
    Leave,
    Pause,
    Play,
    ProposeEnd,
    Ready,
    Rematch,
    RemoveBot,
    Rename,
    Resume,
    Return,
    SeatBot,
    Undo,
    Withdraw,
)
from tablee.tables.daily import check_on_daily_deal
from tablee.tables.events import (
    AGREEMENT,
    EXPIRED,
    BecameReady,
    BotChanged,
    BotRemoved,
    BotSeated,
    Claimed,
    Covered,
    EndAnswered,
    Ended,
    EndProposed,
    Forgotten,
    Left,
    Moved,
    Paused,
    Queued,
    Rematched,
    Renamed,
    RestEnded,
    Resumed,
    Returned,
    RoundEnded,
    Started,
    TableEvent,
    Undone,
    Withdrawn,
)
from tablee.tables.evolution import evolve
from tablee.tables.host_rights import HOST_DECISIONS
from tablee.tables.lessons import LESSON_DECISIONS, check_in_lesson, check_may_move, lesson_consequence
from tablee.tables.refusals import Refused, RefusedMove
from tablee.tables.seats import BOT, EMPTY
from tablee.tables.table import GATHERING, OVER, PAUSED, PLAYING, RESTING, Step, Table
from tablee.tables.undo import reveals_nothing

BOT_NAMES = ("Robin", "Camille", "Sacha", "Charlie", "Noa", "Eden", "Andrea", "Dominique", "Lou", "Sam")


class CheckedMove(NamedTuple):
    """A legal move: its number, and its text as it is stored."""

    number: int
    text: str


class PlayedMove(NamedTuple):
    """A `Moved` event with its move, so that the text is parsed once."""

    event: Moved
    move: int


Decision = list[TableEvent | PlayedMove]


def decide(table: Table, command: Command, actor: Actor, at: float, bots: Collection[str] = ()) -> list[Step]:
    """Return the steps that a command leads to, with what follows by itself; `bots` are the names of known bots.

    Only commands in `NAMING_BOTS` need these. Raises `Refused` if the command cannot be executed.
    """
    first, *others = decide_events(table, command, actor, at, bots)
    steps = [_step(table, _with_key(first, actor.key))]
    for event in others:
        steps.append(_step(steps[-1].table, event))
    while (consequence := _consequence(steps[-1].table, at)) is not None:
        steps.append(_step(steps[-1].table, consequence))
    return steps


def decide_events(table: Table, command: Command, actor: Actor, at: float, bots: Collection[str]) -> Decision:
    """Return the events of a command, without what follows by itself; raises `Refused`."""
    if table.is_lesson:
        check_in_lesson(command)
    if table.created.day:
        check_on_daily_deal(table, command, actor)
    decision = _DECISIONS.get(type(command))
    if decision is not None:
        return decision(table, command, actor, at)
    if isinstance(command, SeatBot):
        return _seat_bot(table, command, actor, at, bots)
    if isinstance(command, ChangeBot):
        return _change_bot(table, command, actor, at, bots)
    if type(command) in LESSON_DECISIONS:
        return [*LESSON_DECISIONS[type(command)](table, own_seat(table, actor), at)]
    if type(command) in COACH_DECISIONS:
        return [COACH_DECISIONS[type(command)](table, own_seat(table, actor), at)]
    return [HOST_DECISIONS[type(command)](table, command, actor, at)]


def _step(table: Table, event: TableEvent | PlayedMove) -> Step:
    if isinstance(event, PlayedMove):
        return Step(event.event, evolve(table, event.event, event.move))
    return Step(event, evolve(table, event))


def _with_key(event: TableEvent | PlayedMove, key: str) -> TableEvent | PlayedMove:
    """Put the command's key into its first event, so that the command is recognised when it is sent again."""
    if isinstance(event, PlayedMove):
        return PlayedMove(msgspec.structs.replace(event.event, key=key), event.move)
    return msgspec.structs.replace(event, key=key)


def _consequence(table: Table, at: float) -> TableEvent | PlayedMove | None:
    """Return what happens by itself: the start, the end of a rest or of the game, a rest, a move chosen early."""
    if table.phase == GATHERING and all(seat.kind != EMPTY for seat in table.seats):
        return Started(at)
    if table.phase == RESTING and not table.not_ready():
        return RestEnded(at)
    if table.phase != PLAYING or table.match is None:
        return None
    if table.is_lesson and (followed := lesson_consequence(table, at)) is not None:
        return followed
    if table.match.outcome is not None and not table.is_lesson:
        return Ended(at, reason=table.match.outcome.reason)
    if is_rest_due(table):
        return RoundEnded(at, round=table.match.finished_rounds())
    seat = table.match.to_move
    if seat not in table.queued:
        return None
    try:
        return _played(seat, check_move(table.match, table.queued[seat]), at)
    except Refused:
        return Withdrawn(at, seat=seat)


def is_rest_due(table: Table) -> bool:
    """Whether the last move ended a round after which the table rests: it has a rest, and people are present."""
    if table.created.rest is None or table.before is None or table.match is None or table.rested_at == table.moves:
        return False
    return table.match.has_just_finished_round and bool(table.not_ready())


# Checks that several commands share


def _running_match(table: Table) -> Match:
    if table.match is None or table.phase != PLAYING:
        raise Refused("not_playing", f"while_{table.phase}")
    return table.match


def _check_not_over(table: Table) -> None:
    if table.phase == OVER:
        raise Refused("not_playing", "while_over")


# Seats


def _claim(table: Table, command: Claim, actor: Actor, at: float) -> Decision:
    _check_not_over(table)
    if table.seat_of(actor.person) is not None:
        raise Refused("already_seated")
    if actor.person in table.removed:
        raise Refused("removed")
    is_invited = table.created.is_open or command.invite == table.created.invite
    if not is_invited and table.seat_kept_for(actor.person) is None:
        raise Refused("not_invited")
    if table.is_locked:
        raise Refused("locked")
    seat = _free_seat(table, _seat_to_claim(table, command, actor))
    name = _unused_name(table, actor.name)
    return [Claimed(at, seat=seat, person=actor.person, name=name, is_program=actor.is_program)]


def _seat_to_claim(table: Table, command: Claim, actor: Actor) -> int | None:
    """Return the wanted seat; who has seen a hand of this game may only return to its seat, or would see two."""
    held = table.held.get(actor.person)
    if held is not None and command.seat not in (None, held):
        raise Refused("other_hand_seen", seat=held + 1)
    if held is not None:
        return held
    return table.seat_kept_for(actor.person) if command.seat is None else command.seat


def _free_seat(table: Table, wanted: int | None) -> int:
    free = [index for index, seat in enumerate(table.seats) if seat.kind == EMPTY]
    if wanted is None:
        if not free:
            raise Refused("table_full")
        return min(free, key=lambda index: table.seats[index].kept_for != "")
    if check_seat(table, wanted) not in free:
        raise Refused("seat_taken", name=table.seats[wanted].name)
    return wanted


def _unused_name(table: Table, name: str, besides: int | None = None) -> str:
    """Return a name that no other player has here, besides one seat: the second Ana is `Ana 2`."""
    taken = {seat.name.casefold() for index, seat in enumerate(table.seats) if seat.kind != EMPTY and index != besides}
    number, unused = 1, name
    while unused.casefold() in taken:
        number += 1
        unused = f"{name} {number}"
    return unused


def _leave(table: Table, command: Leave, actor: Actor, at: float) -> Decision:
    _check_not_over(table)
    seat = own_seat(table, actor)
    return [Left(at, seat=seat, name=table.seats[seat].name)]


def _rename(table: Table, command: Rename, actor: Actor, at: float) -> Decision:
    _check_not_over(table)
    seat = own_seat(table, actor)
    name = _unused_name(table, actor.name, besides=seat)
    if name == table.seats[seat].name:
        raise Refused("nothing_to_do", "same_name")
    return [Renamed(at, seat=seat, name=name)]


def _forget(table: Table, command: Forget, actor: Actor, at: float) -> Decision:
    seat = table.seat_of(actor.person)
    left: Decision = [] if seat is None or table.phase == OVER else [Left(at, seat=seat)]
    if seat is not None and table.phase == GATHERING:
        return left
    seat = table.seat_kept_for(actor.person) if seat is None else seat
    if seat is None:
        raise Refused("not_seated")
    return [*left, Forgotten(at, seat=seat)]


def _seat_bot(table: Table, command: SeatBot, actor: Actor, at: float, bots: Collection[str]) -> Decision:
    own_seat(table, actor)
    check_bot(command.bot, bots, table.created.game)
    _check_not_over(table)
    return [bot_seated(table, _free_seat(table, command.seat), command.bot, at)]


def bot_seated(table: Table, seat: int, bot: str, at: float) -> BotSeated:
    """Return the event of a bot that takes a seat, under a name of its own."""
    return BotSeated(at, seat=seat, bot=bot, name=_unused_name(table, BOT_NAMES[seat % len(BOT_NAMES)]))


def _remove_bot(table: Table, command: RemoveBot, actor: Actor, at: float) -> Decision:
    own_seat(table, actor)
    _check_waiting_bot(table, command.seat)
    return [BotRemoved(at, seat=command.seat)]


def _change_bot(table: Table, command: ChangeBot, actor: Actor, at: float, bots: Collection[str]) -> Decision:
    own_seat(table, actor)
    check_bot(command.bot, bots, table.created.game)
    _check_waiting_bot(table, command.seat)
    return [BotChanged(at, seat=command.seat, bot=command.bot)]


def _check_waiting_bot(table: Table, seat: int) -> None:
    """Refuse a seat without a bot, and any once the game has begun."""
    if table.phase != GATHERING:
        raise Refused("not_playing", "while_playing")
    if table.seats[check_seat(table, seat)].kind != BOT:
        raise Refused("nothing_to_do", "no_bot_there")


# Moves


def _play(table: Table, command: Play, actor: Actor, at: float) -> Decision:
    seat = own_seat(table, actor)
    position = position_to_play(table, seat)
    if command.number < table.moved[seat]:
        raise Refused("stale")
    back: Decision = [Returned(at, seat=seat)] if table.seats[seat].is_covered else []
    move = check_move(position, command.move)
    is_early = position is not table.match
    return [*back, Queued(at, seat=seat, move=move.text) if is_early else _played(seat, move, at)]


def position_to_play(table: Table, seat: int) -> Match:
    """Return the position in which a seat may choose a move now: the match, or ahead of its turn an early position.

    Raises `Refused` if it has to wait.
    """
    match = _running_match(table)
    if table.is_lesson:
        check_may_move(table)
    position = table.position_of(seat)
    if position is None:
        raise Refused("not_your_turn", name=match.names()[match.to_move])
    return position


def check_move(match: Match, text: str) -> CheckedMove:
    """Parse a move; raises `Refused` if the text means nothing, or if the rules refuse the move."""
    if len(text) > MAX_TEXT_LENGTH:
        raise Refused("bad_move", text=text[:40])
    try:
        move = match.parse(text)
    except BadMove:
        raise Refused("bad_move", text=text[:40]) from None
    code = int(match.game.kernels.refusal(match.state, move))
    if code:
        raise RefusedMove(match, move, match.game.kernels.refusal_codes.of(code).clause)
    return CheckedMove(move, match.text(move))


def _played(seat: int, move: CheckedMove, at: float) -> PlayedMove:
    return PlayedMove(Moved(at, seat=seat, move=move.text), move.number)


def _bot_play(table: Table, command: BotPlay, actor: Actor, at: float) -> Decision:
    match = _running_match(table)
    is_bots = table.is_lesson or table.seats[command.seat].bot is not None
    if command.number != table.number or command.seat != match.to_move or not is_bots:
        raise Refused("stale")
    return [_played(command.seat, check_move(match, command.move), at)]


def _withdraw(table: Table, command: Withdraw, actor: Actor, at: float) -> Decision:
    seat = own_seat(table, actor)
    if seat not in table.queued:
        raise Refused("nothing_to_do", "nothing_queued")
    return [Withdrawn(at, seat=seat)]


def _undo(table: Table, command: Undo, actor: Actor, at: float) -> Decision:
    seat = own_seat(table, actor)
    match = _running_match(table)
    if table.last_mover != seat or table.before is None:
        raise Refused("cannot_undo", "undo_not_yours")
    if not reveals_nothing(table.sight_before(seat), match.moves[-1]):
        raise Refused("cannot_undo", "undo_learnt")
    return [Undone(at, seat=seat)]


# Time


def _ready(table: Table, command: Ready, actor: Actor, at: float) -> Decision:
    seat = own_seat(table, actor)
    if table.phase != RESTING:
        raise Refused("nothing_to_do", "not_resting")
    if seat not in table.not_ready():
        raise Refused("nothing_to_do", "ready_already")
    return [BecameReady(at, seat=seat)]


def _pause(table: Table, command: Pause, actor: Actor, at: float) -> Decision:
    seat = own_seat(table, actor)
    if table.phase != RESTING:
        _running_match(table)
    return [Paused(at, seat=seat)]


def _resume(table: Table, command: Resume, actor: Actor, at: float) -> Decision:
    seat = own_seat(table, actor)
    if table.phase != PAUSED:
        raise Refused("nothing_to_do", "not_paused")
    return [Resumed(at, seat=seat)]


def _return(table: Table, command: Return, actor: Actor, at: float) -> Decision:
    seat = own_seat(table, actor)
    if not table.seats[seat].is_covered:
        raise Refused("nothing_to_do", "not_covered")
    return [Returned(at, seat=seat)]


def _expire(table: Table, command: Expire, actor: Actor, at: float) -> Decision:
    if table.rest_deadline is not None and at >= table.rest_deadline:
        return [RestEnded(at)]
    if table.gathering_deadline is not None and at >= table.gathering_deadline:
        return [Ended(at, reason=EXPIRED)]
    if table.deadline is None or table.on_turn is None or at < table.deadline:
        raise Refused("nothing_to_do", "time_left")
    return [Covered(at, seat=table.on_turn)]


# The end, and a rematch


def _propose_end(table: Table, command: ProposeEnd, actor: Actor, at: float) -> Decision:
    seat = own_seat(table, actor)
    if table.phase not in (PLAYING, RESTING, PAUSED):
        raise Refused("not_playing", f"while_{table.phase}")
    if table.proposal is not None:
        raise Refused("nothing_to_do", "end_proposed_already")
    proposed = EndProposed(at, seat=seat)
    return [proposed, Ended(at, reason=AGREEMENT)] if table.people() == [seat] else [proposed]


def _answer_end(table: Table, command: AnswerEnd, actor: Actor, at: float) -> Decision:
    seat = own_seat(table, actor)
    if table.proposal is None or seat in table.proposal.agreed:
        raise Refused("nothing_to_do", "no_question")
    answered = EndAnswered(at, seat=seat, agrees=command.agrees)
    is_agreed = command.agrees and set(table.people()) <= {*table.proposal.agreed, seat}
    return [answered, Ended(at, reason=AGREEMENT)] if is_agreed else [answered]


def _rematch(table: Table, command: Rematch, actor: Actor, at: float) -> Decision:
    seat = own_seat(table, actor)
    if table.phase != OVER:
        raise Refused("not_over")
    if table.rematch is not None:
        raise Refused("nothing_to_do", "rematch_exists")
    return [Rematched(at, seat=seat, table=command.table)]


_DECISIONS: dict[type, Callable[[Table, Any, Actor, float], Decision]] = {
    Claim: _claim,
    Leave: _leave,
    Rename: _rename,
    Forget: _forget,
    RemoveBot: _remove_bot,
    Play: _play,
    BotPlay: _bot_play,
    Withdraw: _withdraw,
    Undo: _undo,
    Ready: _ready,
    Pause: _pause,
    Resume: _resume,
    Return: _return,
    Expire: _expire,
    ProposeEnd: _propose_end,
    AnswerEnd: _answer_end,
    Rematch: _rematch,
}
