"""Commands to a table. Who issues one, and under which key, is an `Actor` beside it."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from typing import Any, get_args


@dataclass(frozen=True)
class Actor:
    """Who issues a command: a person, or a person's program. A `key` makes a repeated command harmless."""

    person: str  # secret id
    name: str
    is_program: bool = False
    key: str = ""


TABLE_ITSELF = Actor("", "")  # for its bots and clock


@dataclass(frozen=True)
class Claim:
    """Take a seat, any empty one if none is named; a private table needs its invite."""

    seat: int | None = None
    invite: str = ""


@dataclass(frozen=True)
class Leave:
    """Give up the seat."""


@dataclass(frozen=True)
class Rename:
    """Take over the name that the actor has now."""


@dataclass(frozen=True)
class Forget:
    """Give up the seat and be no longer named there, before or after the end of the game."""


@dataclass(frozen=True)
class SeatBot:
    """Put a bot into an empty seat."""

    seat: int
    bot: str


@dataclass(frozen=True)
class RemoveBot:
    """Remove a bot before the game begins."""

    seat: int


@dataclass(frozen=True)
class ChangeBot:
    """Let another bot play in a bot's seat, before the game begins."""

    seat: int
    bot: str


NAMING_BOTS = (SeatBot, ChangeBot)  # they are decided by the names of the known bots


def new_invite() -> str:
    """Draw the secret part of an invite link: 96 random bits."""
    return secrets.token_urlsafe(12)


@dataclass(frozen=True)
class RemovePlayer:
    """Remove a person, for the host; `invite` replaces the one that they know."""

    seat: int
    invite: str = field(default_factory=new_invite)


@dataclass(frozen=True)
class Lock:
    """Let nobody else sit down, for the host."""


@dataclass(frozen=True)
class Unlock:
    """Let people sit down again, for the host."""


@dataclass(frozen=True)
class HandOver:
    """Make the person in another seat the host, for the host."""

    seat: int


@dataclass(frozen=True)
class ChangeSetup:
    """Change seats, options, clock, rest and coach before the game begins, for the host; as in a `TableRequest`."""

    seats: int
    options: dict[str, Any] = field(default_factory=dict)
    clock: int | None = None
    bank: int | None = None
    increment: int = 0
    rest: int | None = None
    coach: bool = False


@dataclass(frozen=True)
class AcceptCoach:
    """Agree to the coach: it may help at this table when all people who sit there agree."""


@dataclass(frozen=True)
class DeclineCoach:
    """Agree to the coach no longer."""


@dataclass(frozen=True)
class Play:
    """Play a move, given as text, that was chosen at the table's `number`."""

    move: str
    number: int


@dataclass(frozen=True)
class BotPlay:
    """Play a bot's move that was chosen at exactly this number."""

    seat: int
    move: str
    number: int


@dataclass(frozen=True)
class Withdraw:
    """Take back the early choice."""


@dataclass(frozen=True)
class Undo:
    """Take back the last move."""


@dataclass(frozen=True)
class Advance:
    """Go on to the next step of a lesson."""


@dataclass(frozen=True)
class Retry:
    """Set up a step of a lesson again, after another move than the expected one."""


@dataclass(frozen=True)
class Ready:
    """Be ready for the next round."""


@dataclass(frozen=True)
class Pause:
    """Pause the game and its clock."""


@dataclass(frozen=True)
class Resume:
    """Resume a paused game."""


@dataclass(frozen=True)
class Return:
    """Take over again from the bot that plays for an absent player."""


@dataclass(frozen=True)
class Expire:
    """End what has lasted too long: the turn of a person whose clock has run out, or a rest."""


@dataclass(frozen=True)
class ProposeEnd:
    """Propose to end the game."""


@dataclass(frozen=True)
class AnswerEnd:
    """Answer a proposal to end the game."""

    agrees: bool


@dataclass(frozen=True)
class Rematch:
    """Open a new table, which gets this id, with the same players."""

    table: str


Command = (
    Claim
    | Leave
    | Rename
    | Forget
    | SeatBot
    | RemoveBot
    | ChangeBot
    | RemovePlayer
    | Lock
    | Unlock
    | HandOver
    | ChangeSetup
    | AcceptCoach
    | DeclineCoach
    | Play
    | BotPlay
    | Withdraw
    | Undo
    | Advance
    | Retry
    | Ready
    | Pause
    | Resume
    | Return
    | Expire
    | ProposeEnd
    | AnswerEnd
    | Rematch
)

# By the name that messages have: `propose_end` for `ProposeEnd`
COMMANDS: dict[str, type[Any]] = {
    re.sub(r"(?<!^)(?=[A-Z])", "_", command.__name__).lower(): command for command in get_args(Command)
}
