"""What can be asked of a table. Who asks, and under which key, comes beside it (`Actor`)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Actor:
    """Who asks: a person (or a program of someone's) with his secret id; `key` makes a repeated command harmless."""

    person: str
    name: str
    is_program: bool = False
    key: str = ""


TABLE_ITSELF = Actor("", "")  # bots and clocks


@dataclass(frozen=True)
class Claim:
    """Sit down, in any empty seat if none is named; a private table wants its invite."""

    seat: int | None = None
    invite: str = ""


@dataclass(frozen=True)
class Leave:
    """Stand up for good."""


@dataclass(frozen=True)
class SeatBot:
    """Put a bot of the roster into an empty seat."""

    seat: int
    bot: str


@dataclass(frozen=True)
class RemoveBot:
    """Send a bot away before the game begins."""

    seat: int


@dataclass(frozen=True)
class Play:
    """Play a move's text, seen at the table's `number`."""

    move: str
    number: int


@dataclass(frozen=True)
class BotPlay:
    """A bot's move, decided at exactly this number."""

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
class Pause:
    """Let the table rest."""


@dataclass(frozen=True)
class Resume:
    """Go on."""


@dataclass(frozen=True)
class Return:
    """Play oneself again after a bot took over."""


@dataclass(frozen=True)
class Expire:
    """See whether the time of the seat on turn is up."""


@dataclass(frozen=True)
class ProposeEnd:
    """Ask the others to stop."""


@dataclass(frozen=True)
class AnswerEnd:
    """Answer somebody who would rather stop."""

    agrees: bool


@dataclass(frozen=True)
class Rematch:
    """Play again with the same people, at a table that gets this id."""

    table: str


Command = (
    Claim
    | Leave
    | SeatBot
    | RemoveBot
    | Play
    | BotPlay
    | Withdraw
    | Undo
    | Pause
    | Resume
    | Return
    | Expire
    | ProposeEnd
    | AnswerEnd
    | Rematch
)
