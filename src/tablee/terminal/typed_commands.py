"""Typed commands as requests of the protocol: `bot club`, `remove Ben`, `level 2 expert`, `setup seats=3 clock=60`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tablee.bots.roster import USUAL_BOT, bot_label, known_names
from tablee.core.words import Words
from tablee.protocol import messages
from tablee.protocol.messages import CommandRequest
from tablee.protocol.shown import TableShown

SIMPLE_REQUESTS: dict[str, Callable[[str, str], CommandRequest]] = {
    "leave": messages.LeaveRequest,
    "lock": messages.LockRequest,
    "unlock": messages.UnlockRequest,
    "withdraw": messages.WithdrawRequest,
    "undo": messages.UndoRequest,
    "advance": messages.AdvanceRequest,
    "retry": messages.RetryRequest,
    "ready": messages.ReadyRequest,
    "pause": messages.PauseRequest,
    "resume": messages.ResumeRequest,
    "return": messages.ReturnRequest,
    "stop": messages.ProposeEndRequest,
    "rematch": messages.RematchRequest,
}
TRUE, FALSE = ("on", "yes", "true"), ("off", "no", "false")


class BadArgument(Exception):
    """The argument of a typed command does not say what it needs to; the text says how to type it."""


def request_of(name: str, argument: str, table: TableShown, key: str, words: Words) -> CommandRequest:
    """Return the request for a typed command that is possible now, other than `sit`; raises `BadArgument`."""
    if name == "bot":
        return messages.SeatBotRequest(key, table.id, _seats(table, "seat_bot")[0], _bot(argument, words) or USUAL_BOT)
    if name == "remove":
        return _remove_request(argument, table, key, words)
    if name == "host":
        seat = _named_seat(argument, _seats(table, "hand_over"), table, name, words)
        return messages.HandOverRequest(key, table.id, seat)
    if name == "level":
        return _level_request(argument, table, key, words)
    if name == "setup":
        return _setup_request(argument, table, key, words)
    if name in ("agree", "decline"):
        return messages.AnswerEndRequest(key, table.id, name == "agree")
    if name == "coach":
        is_offered = any(command.type == "accept_coach" for command in table.commands)
        request = messages.AcceptCoachRequest if is_offered else messages.DeclineCoachRequest
        return request(key, table.id)
    if name == "say":
        return messages.ChatRequest(key, table.id, argument[: messages.MAX_CHAT_LENGTH])
    return SIMPLE_REQUESTS[name](key, table.id)


def _seats(table: TableShown, command_type: str) -> tuple[int, ...]:
    """Return the seats that a command may name."""
    return next((command.seats for command in table.commands if command.type == command_type), ())


def _remove_request(argument: str, table: TableShown, key: str, words: Words) -> CommandRequest:
    """Return the request to remove a bot or a person; without an argument, the first bot if there is one."""
    bots, people = _seats(table, "remove_bot"), _seats(table, "remove_player")
    if not argument and bots:
        return messages.RemoveBotRequest(key, table.id, bots[0])
    seat = _named_seat(argument, (*bots, *people), table, "remove", words)
    if seat in bots:
        return messages.RemoveBotRequest(key, table.id, seat)
    return messages.RemovePlayerRequest(key, table.id, seat)


def _level_request(argument: str, table: TableShown, key: str, words: Words) -> CommandRequest:
    seats = _seats(table, "change_bot")
    first, _, level = argument.rpartition(" ")
    bot = _bot(level, words)
    if not bot:
        command = words.say("commands.level")
        raise BadArgument(words.say("terminal.which_level", command=command, levels=", ".join(known_names())))
    seat = seats[0] if not first and len(seats) == 1 else _named_seat(first, seats, table, "level", words)
    return messages.ChangeBotRequest(key, table.id, seat, bot)


def _bot(text: str, words: Words) -> str:
    """Return the bot of a name or label in the player's language; a text that is neither as it is."""
    labels = {bot_label(name, words).casefold(): name for name in known_names()}
    return labels.get(text.casefold(), text)


def _named_seat(argument: str, seats: Sequence[int], table: TableShown, command: str, words: Words) -> int:
    """Return the seat among `seats` that is named by its number, counted from 1, or by the player's name."""
    for seat in seats:
        if argument.casefold() in (str(seat + 1), table.seats[seat].name.casefold()):
            return seat
    listed = ", ".join(f"{seat + 1} {table.seats[seat].name}" for seat in seats)
    raise BadArgument(words.say("terminal.which_seat", command=words.say(f"commands.{command}"), seats=listed))


def _setup_request(argument: str, table: TableShown, key: str, words: Words) -> CommandRequest:
    """Return the request to change what `name=value` pairs name; all else stays."""
    changed: dict[str, Any] = {"seats": table.setup.seats, "clock": table.clock, "bank": table.bank}
    changed |= {"increment": table.increment, "rest": table.rest, "coach": table.coach is not None}
    options = dict(table.setup.options)
    pairs = [pair.partition("=") for pair in argument.split()]
    if not pairs or any(not sign or name not in {*changed, *options} for name, sign, _ in pairs):
        now = " ".join(f"{name}={_written(value)}" for name, value in {**changed, **options}.items())
        raise BadArgument(words.say("terminal.bad_setup", command=words.say("commands.setup"), setup=now))
    for name, _, text in pairs:
        (changed if name in changed else options)[name] = _value(text)
    return messages.ChangeSetupRequest(key, table.id, options=options, **changed)


def _value(text: str) -> Any:
    if text.isdecimal():
        return int(text)
    lowered = text.casefold()
    return True if lowered in TRUE else False if lowered in FALSE else None if lowered == "none" else text


def _written(value: object) -> str:
    return {None: "none", True: "on", False: "off"}[value] if value is None or isinstance(value, bool) else str(value)
