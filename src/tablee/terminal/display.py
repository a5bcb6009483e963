"""What a front end shows of a table. Nothing slow is imported here: the first screen is drawn from it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tablee.core.words import Words
from tablee.terminal.text import clock_text, score_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tablee.core.view import RoundScore, View
    from tablee.protocol.shown import FinishedRound, LogLine, PresenceShown, SeatShown, TableShown

# The typed commands for each command of the protocol; those left out have the same name.
TYPED_COMMANDS = {
    "play": (),  # a move is typed as it is
    "claim": ("sit",),
    "seat_bot": ("bot",),
    "remove_bot": ("remove",),
    "remove_player": ("remove",),
    "change_bot": ("level",),
    "hand_over": ("host",),
    "change_setup": ("setup",),
    "propose_end": ("stop",),
    "answer_end": ("agree", "decline"),
    "accept_coach": ("coach",),
    "decline_coach": ("coach",),
    "chat": ("say",),
}

WAYS_ON = ("advance", "retry", "ready")


class Snapshot(NamedTuple):
    """A table, its log and its score sheet at one moment."""

    table: TableShown
    log: Sequence[LogLine]
    rounds: Sequence[FinishedRound]


@dataclass(frozen=True)
class PlayerStatus:
    """What is known of a player besides name and points; texts are empty where there is nothing to say."""

    level: str = ""  # of the bot that plays in the seat
    away: str = ""  # that the person is not connected, and since when
    time_left: str = ""  # in the time bank, when the turn began

    @property
    def notes(self) -> str:
        """All of it as one text."""
        return " · ".join(filter(None, [self.level, self.away, self.time_left]))


@dataclass(frozen=True)
class Display:
    """What a front end shows of a table now."""

    title: str
    names: tuple[str, ...] = ()
    view: View | None = None
    notice: str = ""  # shown instead of the view's prompt: a bot is thinking, the game is paused
    moved: frozenset[str] = frozenset()  # ids of what the last move moved
    result: tuple[str, ...] = ()  # how the game ended, in sentences; empty before the end
    commands: tuple[str, ...] = ()  # typed commands that are possible now (keys of `commands` in the words)
    lines: tuple[str, ...] = ()  # shown while there is no view
    rounds: tuple[FinishedRound, ...] = ()  # the score sheet
    last_round: str = ""  # what each seat has scored in the round that is shown, and why
    waits_for_bot: bool = False
    coach: str = ""  # what the coach says, and how to go on in a guided round
    points: tuple[str, ...] = ()  # ids of what they point at
    players: tuple[PlayerStatus, ...] = ()  # by seat


def display_table(
    snapshot: Snapshot, words: Words, notice: str, link: str, presence: Sequence[PresenceShown] = ()
) -> Display:
    """Return what to show of a table; `notice` takes precedence over the table's own, `link` invites other players."""
    table, log, rounds = snapshot
    names = tuple(seat_name(seat, words) for seat in table.seats)
    return Display(
        table.title,
        names,
        table.round_view or table.view,
        notice or _status(table, names, words),
        frozenset(identity for line in log if line.move == table.moves for identity in line.path),
        _result_lines(table, names, words),
        typed_commands(table),
        _waiting_lines(table, names, words, link) if table.view is None else (),
        tuple(rounds),
        _last_round(table, names, words),
        waits_for_bot(table),
        _coach(table, words),
        table.lesson.points if table.lesson is not None else (),
        _players(table, presence, words),
    )


def _players(table: TableShown, presence: Sequence[PresenceShown], words: Words) -> tuple[PlayerStatus, ...]:
    """Return each player's status: a bot has a level, a person may be away, a clock may run."""
    away = {each.seat: each.away_since for each in presence if not each.is_here}
    return tuple(
        PlayerStatus(
            words.say("terminal.level", level=seat.level) if seat.bot is not None else "",
            _away(away[seat.seat], words) if seat.seat in away and seat.bot is None else "",
            "" if seat.time_left is None else clock_text(seat.time_left),
        )
        for seat in table.seats
    )


def _away(since: float | None, words: Words) -> str:
    if since is None:
        return words.say("terminal.away")
    return words.say("terminal.away_since", time=time.strftime("%H:%M", time.localtime(since)))


def seat_name(seat: SeatShown, words: Words) -> str:
    """Return the name of the player in a seat, or that it is free."""
    if seat.kind == "empty" and not seat.bot:
        return words.say("terminal.free_seat")
    name = seat.name or words.say("seat", number=seat.seat + 1)
    return words.say("terminal.bot_stands_in", name=name) if seat.bot and seat.kind != "bot" else name


def typed_commands(table: TableShown) -> tuple[str, ...]:
    """Return the typed commands that are possible now, as the table lists them."""
    typed = [each for command in table.commands for each in TYPED_COMMANDS.get(command.type, (command.type,))]
    names = list(dict.fromkeys(typed))
    # Another player has opened the rematch: all that is left is to go there.
    return (*names, "rematch") if table.rematch is not None and "rematch" not in names else tuple(names)


def waits_for_bot(table: TableShown) -> bool:
    """Whether the next move is a bot's, and the viewer cannot choose early; in a guided round, whether it plays on."""
    if table.lesson is not None:
        return table.lesson.task == "wait"
    if table.phase != "playing" or table.view is None or table.is_early or table.view.to_move < 0:
        return False
    return table.seats[table.view.to_move].bot is not None


def _status(table: TableShown, names: Sequence[str], words: Words) -> str:
    """Return why the game is not running, what was proposed or chosen early, or which bot is on turn."""
    if table.phase == "gathering":
        return words.say("terminal.waiting", n=sum(seat.kind == "empty" for seat in table.seats))
    if table.phase == "paused":
        return words.say("refused.while_paused")
    if table.lesson is not None:
        return words.say("lesson.watch") if table.lesson.task == "wait" else _way_on(table, words)
    if table.phase == "resting":
        return _rest_status(table, names, words)
    if table.proposal is not None:
        return words.say("table.end_proposed", name=names[table.proposal.seat])
    if table.queued is not None:
        return words.say("terminal.queued", move=table.queued)
    if waits_for_bot(table) and table.view is not None:
        return words.say("terminal.thinking", name=names[table.view.to_move])
    return ""


def _coach(table: TableShown, words: Words) -> str:
    """Return what the coach of a guided round says, or that a table's coach waits for people to agree."""
    lesson = table.lesson
    if lesson is None:
        return coach_consent(table, words) if table.viewer >= 0 and table.phase == "playing" else ""
    if not lesson.text:
        return ""
    return f"{words.say('lesson.step', step=lesson.step, steps=lesson.steps)} {lesson.text}"


def _way_on(table: TableShown, words: Words) -> str:
    """Return how to go on in a guided round; empty if a move is expected."""
    way = way_on(typed_commands(table))
    return words.say(f"lesson.{way}") if way else ""


def way_on(commands: Sequence[str]) -> str:
    """Return the command that Enter is short for where no move is possible; empty if there is none."""
    return next((name for name in WAYS_ON if name in commands), "")


def _rest_status(table: TableShown, names: Sequence[str], words: Words) -> str:
    """Return the result of the round that ended, and who is not ready for the next one."""
    waiting = table.resting.waiting if table.resting is not None else ()
    if table.viewer in waiting:
        next_step = words.say("terminal.enter_ready")
    else:
        next_step = words.say("terminal.waiting_for", names=", ".join(names[seat] for seat in waiting))
    return f"{_last_round(table, names, words)} {next_step}"


def _last_round(table: TableShown, names: Sequence[str], words: Words) -> str:
    """Return what each seat has scored in the round that is shown, and why."""
    ended = table.round_view.round if table.round_view is not None else None
    if ended is None:
        return ""
    scores = ", ".join(_round_score(score, names, words) for score in ended.scores)
    return words.say("terminal.round_over", number=ended.number, scores=scores)


def _round_score(score: RoundScore, names: Sequence[str], words: Words) -> str:
    note = f"; {score.note}" if score.note else ""
    return words.say("terminal.round_score", name=names[score.seat], n=score.points, total=score.total, note=note)


def _result_lines(table: TableShown, names: Sequence[str], words: Words) -> tuple[str, ...]:
    """Return the reason of the end, the points and the winners."""
    result = table.result
    if table.phase != "over" or result is None:
        return ()
    winners = f" {words.say('and')} ".join(names[seat] for seat in result.winners)
    won = (words.say("play.won", winners=winners, n=len(result.winners)),) if winners else ()
    scores = (score_line(result.scores, names, words.language),) if result.scores else ()
    return (words.say("play.over", reason=result.text), *scores, *won)


def _waiting_lines(table: TableShown, names: Sequence[str], words: Words, link: str) -> tuple[str, ...]:
    """Return who is seated and the invite link, for a game that has not started."""
    seats = [f"  {seat.seat + 1}. {names[seat.seat]}{_seat_note(seat, words)}" for seat in table.seats]
    locked = words.say("terminal.locked") if table.is_locked else ""
    invite = words.say("terminal.invite", link=link) if link else ""
    return (table.title, *seats, "", invite, locked, coach_consent(table, words))


def coach_consent(table: TableShown, words: Words) -> str:
    """Return who has to agree to the coach of a table; empty if there is none, or everybody agrees."""
    if table.coach is None or table.coach.is_on:
        return ""
    names = ", ".join(table.seats[seat].name for seat in table.coach.waiting)
    return words.say("coach.off", coach=words.say("commands.coach"), names=names)


def _seat_note(seat: SeatShown, words: Words) -> str:
    """Return a bot's level, that a bot plays for a person, or that this is the host."""
    if seat.bot is not None:
        return words.say("terminal.bot_level", level=seat.level)
    if seat.kind == "empty" and seat.name:
        return words.say("terminal.kept_for", name=seat.name)
    return words.say("terminal.is_host") if seat.is_host else ""
