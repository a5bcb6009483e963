"""A table after its events."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import msgspec

from tablee.core.errors import TableeError
from tablee.core.lessons import Progress, lesson_of
from tablee.core.match import Match
from tablee.core.registry import find_game
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR
from tablee.protocol.shown import CommandName, CommandShown, Phase, TableShown
from tablee.records import commitment
from tablee.tables.days import opening_time
from tablee.tables.early_choices import position_at_own_turn
from tablee.tables.events import DAILY, DEAL, LESSON, Created, TableEvent
from tablee.tables.seats import EMPTY, PERSON, Seat

GATHERING: Final = "gathering"
PLAYING: Final = "playing"
RESTING: Final = "resting"
PAUSED: Final = "paused"
OVER: Final = "over"
STAND_IN = "greedy"  # the bot that plays for absent players
GATHERING_SECONDS = 7 * 86_400.0  # without any change, after which a table that waits for players is closed
MAX_RECEIPTS = 200  # executed commands that are recognised, at least, when they are sent again
RECEIPTS_PER_PART = 50  # of which the newest ones are copied with each command
MADE_ON_DEMAND = ("sights", "sights_before", "early", "steady")  # what is found out about a table, and kept with it


class OutdatedTable(TableeError):
    """The table was dealt by rules that are no longer installed."""


class Proposal(msgspec.Struct, frozen=True, gc=False):
    """A proposal to end the game, and the seats that agree so far."""

    seat: int
    agreed: tuple[int, ...]


class Rest(msgspec.Struct, frozen=True, gc=False):
    """A rest after a round: since when, and which seats are ready."""

    round: int
    since: float
    ready: tuple[int, ...] = ()


@dataclass(frozen=True)
class Steady:
    """What was found out about a table and holds until something else than a move happens."""

    commands: dict[tuple[int, str], dict[CommandName, tuple[int, ...]]] = field(default_factory=dict)
    # by viewer and id of a former player: the commands that no move makes possible or impossible, with their seats
    shown_commands: dict[tuple[int, str, str, tuple[CommandName, ...]], tuple[CommandShown, ...]] = field(
        default_factory=dict
    )  # by viewer, id of a former player, language and the commands that a move has made possible
    shown: dict[tuple[int, str, str], TableShown] = field(default_factory=dict)
    # by viewer, language and id of a former player: the table without what a move changes
    summaries: dict[int | None, str] = field(default_factory=dict)  # for the lobby, encoded, by the seat on turn

    def clear(self) -> None:
        """Forget everything."""
        for known in (self.commands, self.shown_commands, self.shown, self.summaries):
            known.clear()


class Table(msgspec.Struct, frozen=True, gc=False, eq=False):
    """A table after its events; `match` is None while it gathers. Nothing changes the match of a table in place.

    A structure that the garbage collector does not track, as nothing that it holds refers back to it.
    """

    id: str
    created: Created
    number: int = 1  # of the last event
    at: float = 0.0  # time of the last event
    phase: Phase = GATHERING
    seats: tuple[Seat, ...] = ()
    host: int | None = None  # the seat of the person who has the host's rights; None without people
    is_locked: bool = False  # nobody else can sit down
    removed: frozenset[str] = frozenset()  # ids of people the host has removed: they cannot come back
    match: Match | None = None
    before: Match | None = None  # the match before the last move, while that may be undone
    sights: dict[int, Sight] = {}  # of the match, by viewer, made on demand
    sights_before: dict[int, Sight] = {}
    early: dict[int, Match | None] = {}  # early positions, made on demand
    steady: Steady = msgspec.field(default_factory=Steady)  # made on demand
    last_mover: int | None = None
    moved: tuple[int, ...] = ()  # per seat, the number of the last event that moved for it or undid a move
    turn_since: float = 0.0
    time_left: tuple[float, ...] = ()  # per seat at `turn_since`, in seconds; empty without a time bank
    queued: Mapping[int, str] = {}  # seat -> move text of its early choice
    rest: Rest | None = None  # while the table rests, or is paused meanwhile
    rested_at: int | None = None  # moves made when the last rest began
    step: int = 0  # of a lesson
    proposal: Proposal | None = None
    end: str | None = None  # the reason
    ended_at: float | None = None
    rematch: str | None = None  # id of the new table
    held: Mapping[str, int] = {}  # person -> seat whose hand they have seen in this game
    receipts: ChainMap[str, int] = msgspec.field(
        default_factory=ChainMap
    )  # key of a command -> number of its first event

    def __eq__(self, other: object) -> bool:
        """Whether two tables are alike in all that their events decide."""
        names = [name for name in self.__struct_fields__ if name not in MADE_ON_DEMAND]
        return isinstance(other, Table) and all(getattr(self, name) == getattr(other, name) for name in names)

    def __hash__(self) -> int:
        return hash((self.id, self.number))

    @property
    def seed(self) -> int:
        """The secret seed of the deal."""
        return int(self.created.seed, 16)

    @property
    def commitment(self) -> str:
        """The hash of the seed, shown from the start."""
        return commitment(self.seed, self.created.stream)

    @property
    def moves(self) -> int:
        """How many moves have been made."""
        return len(self.match.moves) if self.match is not None else 0

    @property
    def on_turn(self) -> int | None:
        """The seat whose move the table waits for; None if it waits for none."""
        return self.match.to_move if self.match is not None and self.phase == PLAYING else None

    @property
    def is_bots_turn(self) -> bool:
        """Whether the table waits for a bot's move, or for one that a lesson makes by itself."""
        seat = self.on_turn
        if self.is_lesson:
            progress = self.progress() if seat is not None else None
            return progress is not None and bool(progress.next_move)
        return seat is not None and seat >= 0 and self.seats[seat].bot is not None

    @property
    def deadline(self) -> float | None:
        """When a bot takes over for the seat on turn."""
        seconds = self.turn_seconds
        return None if seconds is None else self.turn_since + seconds

    @property
    def turn_seconds(self) -> float | None:
        """How long the person on turn may think, from `turn_since` on; None without a clock, or if it is nobody's."""
        if self.created.clock is None and not self.time_left:
            return None
        seat = self.on_turn
        if seat is None or seat < 0 or self.seats[seat].bot is not None:
            return None
        return self.time_left[seat] if self.time_left else self.created.clock

    @property
    def rest_deadline(self) -> float | None:
        """When the rest ends even if not all people are ready."""
        if self.rest is None or self.phase != RESTING or not self.created.rest:
            return None
        return self.rest.since + self.created.rest

    @property
    def gathering_deadline(self) -> float | None:
        """When the table is closed if it still waits for players and nothing has changed."""
        return self.at + GATHERING_SECONDS if self.phase == GATHERING else None

    @property
    def is_rated(self) -> bool:
        """Whether the result counts for statistics and ratings: that of a dealt game without a coach."""
        return self.created.source in (DEAL, DAILY) and not self.created.coach and not self.is_late

    @property
    def is_coached(self) -> bool:
        """Whether the coach may help: the table has one, and all people who sit there have agreed."""
        people = [seat for seat in self.seats if seat.is_persons]
        return self.created.coach and bool(people) and all(seat.accepts_coach for seat in people)

    @property
    def is_lesson(self) -> bool:
        """Whether this is a guided round."""
        return self.created.source == LESSON

    @property
    def is_daily(self) -> bool:
        """Whether this is a person's try at a daily table."""
        return self.created.source == DAILY

    @property
    def is_late(self) -> bool:
        """Whether this try at a daily table goes on, or ended, when everybody could see its deal."""
        at = self.at if self.ended_at is None else self.ended_at
        return self.is_daily and at >= opening_time(self.created.day)

    def progress(self) -> Progress | None:
        """Return where the learner of a lesson is; None after its last step, or if the game's lesson is another now."""
        lesson = lesson_of(find_game(self.created.game)) if self.is_lesson else None
        if lesson is None or self.match is None or lesson.digest != self.created.lesson:
            return None
        return lesson.progress(self.step, [self.match.text(move) for move in self.match.moves])

    def not_ready(self) -> list[int]:
        """Return the seats of present people who have not said that they are ready; programs need not."""
        ready = self.rest.ready if self.rest is not None else ()
        return [
            index
            for index, seat in enumerate(self.seats)
            if seat.kind == PERSON and not seat.is_covered and index not in ready
        ]

    def seat_of(self, person: str) -> int | None:
        """Return the seat of a person, None if they have none."""
        for index, seat in enumerate(self.seats):
            if seat.person == person and seat.is_persons:
                return index
        return None

    def seat_kept_for(self, person: str) -> int | None:
        """Return the empty seat that is kept for a person, None if there is none."""
        for index, seat in enumerate(self.seats):
            if person and seat.kind == EMPTY and seat.kept_for == person:
                return index
        return None

    def viewer_of(self, person: str | None) -> int:
        """Return the seat from which a person sees the table, -1 for a spectator."""
        seat = self.seat_of(person) if person else None
        return SPECTATOR if seat is None else seat

    def seat_given_up(self, person: str | None) -> int | None:
        """Return the seat that a person held in this game and has left, None if there is none."""
        return self.held.get(person) if person and self.seat_of(person) is None else None

    def people(self) -> list[int]:
        """Return the seats that belong to people."""
        return [index for index, seat in enumerate(self.seats) if seat.is_persons]

    def sight(self, viewer: int) -> Sight:
        """Return what a viewer knows."""
        assert self.match is not None
        return _cached_sight(self.match, self.sights, viewer)

    def sight_before(self, viewer: int) -> Sight:
        """Return what a viewer knew before the last move."""
        assert self.before is not None
        return _cached_sight(self.before, self.sights_before, viewer)

    def position_of(self, seat: int) -> Match | None:
        """Return the position in which a seat may choose a move: the match, or an early position; None: it waits."""
        assert self.match is not None
        return self.match if seat == self.match.to_move else self.early_position(seat)

    def early_position(self, seat: int) -> Match | None:
        """Return the position in which a waiting seat may choose now, ahead of its turn; None if it has to wait."""
        assert self.match is not None
        if seat not in self.early:
            self.early[seat] = None if self.is_lesson else position_at_own_turn(self.match, self.sight(seat))
        return self.early[seat]

    def forget_sights_before(self, after: Table) -> None:
        """Drop what viewers knew before the last move, once there is a later one: only who lags behind asks for it."""
        if self.sights_before is not after.sights and self.sights_before is not after.sights_before:
            self.sights_before.clear()

    def forget_sights(self) -> None:
        """Drop the sights, early positions, what is steady and what was drawn; they are made again on demand."""
        for known in (self.sights, self.sights_before, self.early, self.steady):
            known.clear()
        if self.match is not None:
            self.match.forget_drawn()


class Step(NamedTuple):
    """An event, and the table after it."""

    event: TableEvent
    table: Table


def _cached_sight(match: Match, sights: dict[int, Sight], viewer: int) -> Sight:
    sight = sights.get(viewer)
    if sight is None:
        sight = sights[viewer] = match.sight(viewer)
    return sight
