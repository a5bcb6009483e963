"""From a client's request to the command of a table: the only mapping, for socket, REST and local play."""

from __future__ import annotations

from dataclasses import fields

from tablee.protocol.messages import CommandRequest
from tablee.tables.commands import COMMANDS, Command


def command_of(message: CommandRequest) -> Command:
    """Return the command that a message asks for: the class named like its type, with the message's fields.

    What a command draws for itself, such as a new invite, is not in the message.
    """
    command = COMMANDS[type_of(message)]
    given = {field.name for field in fields(command)} & set(message.__struct_fields__)
    made: Command = command(**{name: getattr(message, name) for name in given})
    return made


def type_of(message: CommandRequest) -> str:
    """Return the `type` of a message."""
    return str(type(message).__struct_config__.tag)
