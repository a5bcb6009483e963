"""From a client's request to the command of a table: the only mapping, for socket, REST and local play."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any

from tablee.protocol.messages import CommandRequest
from tablee.tables.commands import COMMANDS, Command


def command_of(message: CommandRequest) -> Command:
    """Return the command that a message asks for: the class named like its type, with the message's fields.

    What a command draws for itself, such as a new invite, is not in the message.
    """
    command, names = _constructor(type(message))
    made: Command = command(**{name: getattr(message, name) for name in names})
    return made


@cache
def _constructor(kind: type[CommandRequest]) -> tuple[Any, tuple[str, ...]]:
    """Return the class of a command, and the fields that it has in common with its message."""
    command = COMMANDS[str(kind.__struct_config__.tag)]
    return command, tuple(field.name for field in fields(command) if field.name in kind.__struct_fields__)


def type_of(message: CommandRequest) -> str:
    """Return the `type` of a message."""
    return str(type(message).__struct_config__.tag)
