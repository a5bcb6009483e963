"""A table, and how events change it. Nothing here refuses: what is stored has happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

import msgspec

from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.registry import find_game
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR
from tablee.protocol.shown import CommandName, Phase, SeatKind
from tablee.records import commitment
from tablee.records.replay import read_state
from tablee.tables.early_choices import position_at_own_turn
from tablee.tables.events import (
    BecameReady,
    BotChanged,
    BotRemoved,
    BotSeated,
    Claimed,
    Covered,
    Created,
    EndAnswered,
    Ended,
    EndProposed,
    HostChanged,
    Left,
    Locked,
    Moved,
    Paused,
    PlayerRemoved,
    Queued,
    Rematched,
    Renamed,
    RestEnded,
    Resumed,
    Returned,
    RoundEnded,
    SetupChanged,
    Started,
    TableEvent,
    Undone,
    Unlocked,
    Withdrawn,
)
from tablee.tables.seats import BOT, EMPTY, PERSON, PROGRAM, Seat, next_host, seats_kept

GATHERING: Final = "gathering"
PLAYING: Final = "playing"
RESTING: Final = "resting"
PAUSED: Final = "paused"
OVER: Final = "over"
STAND_IN = "greedy"  # the bot that plays for absent players
MAX_RECEIPTS = 200  # executed commands that are recognised when they are sent again


class OutdatedTable(TableeError):
    """The table was dealt by rules that are no longer installed."""


@dataclass(frozen=True)
class Proposal:
    """A proposal to end the game, and the seats that agree so far."""

    seat: int
    agreed: tuple[int, ...]


@dataclass(frozen=True)
class Rest:
    """A rest after a round: since when, and which seats are ready."""

    round: int
    since: float
    ready: tuple[int, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table after its events; `match` is None while it gathers. Nothing changes the match of a table in place."""

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
    sights: dict[int, Sight] = field(default_factory=dict, compare=False)  # of the match, by viewer, made on demand
    sights_before: dict[int, Sight] = field(default_factory=dict, compare=False)
    early: dict[int, Match | None] = field(default_factory=dict, compare=False)  # early positions, made on demand
    steady_commands: dict[str, dict[CommandName, tuple[int, ...]]] = field(
        default_factory=dict, compare=False
    )  # by person, made on demand: the commands that no move makes possible or impossible, with the seats they name
    last_mover: int | None = None
    moved: tuple[int, ...] = ()  # per seat, the number of the last event that moved for it or undid a move
    turn_since: float = 0.0
    queued: Mapping[int, str] = field(default_factory=dict)  # seat -> move text of its early choice
    rest: Rest | None = None  # while the table rests, or is paused meanwhile
    rested_at: int | None = None  # moves made when the last rest began
    proposal: Proposal | None = None
    end: str | None = None  # the reason
    ended_at: float | None = None
    rematch: str | None = None  # id of the new table
    held: Mapping[str, int] = field(default_factory=dict)  # person -> seat whose hand they have seen in this game
    receipts: Mapping[str, int] = field(default_factory=dict)  # key of a command -> number of its first event

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
        """Whether the table waits for a bot's move."""
        seat = self.on_turn
        return seat is not None and seat >= 0 and self.seats[seat].bot is not None

    @property
    def deadline(self) -> float | None:
        """When a bot takes over for the seat on turn."""
        if self.created.clock is None or self.on_turn is None or self.seats[self.on_turn].bot is not None:
            return None
        return self.turn_since + self.created.clock

    @property
    def rest_deadline(self) -> float | None:
        """When the rest ends even if not all people are ready."""
        if self.rest is None or self.phase != RESTING or not self.created.rest:
            return None
        return self.rest.since + self.created.rest

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
            if seat.is_persons and seat.person == person:
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

    def early_position(self, seat: int) -> Match | None:
        """Return the position in which a waiting seat may choose now, ahead of its turn; None if it has to wait."""
        assert self.match is not None
        try:
            return self.early[seat]
        except KeyError:
            position = self.early[seat] = position_at_own_turn(self.match, self.sight(seat))
            return position

    def forget_sights(self) -> None:
        """Drop the sights and early positions; they are made again on demand."""
        for known in (self.sights, self.sights_before, self.early):
            known.clear()


class Step(NamedTuple):
    """An event, and the table after it."""

    event: TableEvent
    table: Table


def _cached_sight(match: Match, sights: dict[int, Sight], viewer: int) -> Sight:
    sight = sights.get(viewer)
    if sight is None:
        sight = sights[viewer] = match.sight(viewer)
    return sight


def open_table(table_id: str, created: Created) -> Table:
    """Return a table after its first event."""
    recorded = tuple(Seat(name=name) for name, _ in created.players)
    kept = tuple(Seat(name=name, kept_for=person) for person, name in created.kept)
    seats = recorded or kept or (Seat(),) * created.seats
    return Table(table_id, created, at=created.at, seats=seats, moved=(0,) * created.seats)


def replay_events(table_id: str, events: Iterable[TableEvent]) -> Iterator[Step]:
    """Yield all steps of a table from its events."""
    first, *others = events
    assert isinstance(first, Created)
    table = open_table(table_id, first)
    yield Step(first, table)
    for event in others:
        table = evolve(table, event)
        yield Step(event, table)


def rebuild_table(table_id: str, events: Iterable[TableEvent]) -> Table:
    """Return a table from all its events."""
    for step in replay_events(table_id, events):
        table = step.table
    return table


def evolve(table: Table, event: TableEvent, move: int | None = None) -> Table:
    """Return the table after an event; `move` is a `Moved` event's checked move, if its text was parsed before."""
    number = table.number + 1
    stamped = replace(table, number=number, at=event.at, receipts=_with_receipt(table.receipts, event.key, number))
    if isinstance(event, Moved):
        after = _moved(stamped, event, move)
    else:
        after = replace(_REDUCERS[type(event)](stamped, event), steady_commands={})
    if after.on_turn != table.on_turn or (after.match is not table.match and not isinstance(event, Renamed)):
        return replace(after, turn_since=event.at)
    return after


def _with_receipt(receipts: Mapping[str, int], key: str, number: int) -> Mapping[str, int]:
    if not key:
        return receipts
    kept = list(receipts.items())[-MAX_RECEIPTS + 1 :]
    return dict([*kept, (key, number)])


# Seats


def _with_seat(table: Table, index: int, seat: Seat) -> Table:
    seats = (*table.seats[:index], seat, *table.seats[index + 1 :])
    if table.match is None:
        return replace(table, seats=seats)
    return replace(table, seats=seats, match=_with_names(table.match, seats), before=None, early={})


def _with_names(match: Match, seats: tuple[Seat, ...]) -> Match:
    renamed = match.copy()
    renamed.players = [seat.name for seat in seats]
    return renamed


def _claimed(table: Table, event: Claimed) -> Table:
    kind: SeatKind = PROGRAM if event.is_program else PERSON
    after = _with_seat(table, event.seat, Seat(kind, event.name, event.person))
    held = table.held if table.match is None else {**table.held, event.person: event.seat}
    return replace(after, held=held, host=event.seat if table.host is None else table.host)


def _left(table: Table, event: Left) -> Table:
    return _without_player(table, event.seat, kept_for=table.seats[event.seat].person)


def _without_player(table: Table, index: int, kept_for: str) -> Table:
    """Empty a person's seat; during the game a bot plays on there. A host's role passes on."""
    if table.match is None:
        return _with_host(_with_seat(table, index, Seat()))
    after = _with_seat(table, index, Seat(EMPTY, table.seats[index].name, bot=STAND_IN, kept_for=kept_for))
    return _with_host(replace(after, queued=_without(table.queued, index), proposal=None))


def _with_host(table: Table) -> Table:
    return table if table.host is None else replace(table, host=next_host(table.seats, table.host))


def _renamed(table: Table, event: Renamed) -> Table:
    """Change a name only: clock, undo and early choices stay."""
    before = table.before
    renamed = _with_seat(table, event.seat, replace(table.seats[event.seat], name=event.name))
    return replace(renamed, before=before and _with_names(before, renamed.seats))


def _without(queued: Mapping[int, str], seat: int) -> Mapping[int, str]:
    return {other: move for other, move in queued.items() if other != seat}


def _bot_seated(table: Table, event: BotSeated) -> Table:
    return _with_seat(table, event.seat, Seat(BOT, event.name, bot=event.bot))


def _bot_removed(table: Table, event: BotRemoved) -> Table:
    return _with_seat(table, event.seat, Seat())


def _bot_changed(table: Table, event: BotChanged) -> Table:
    return _with_seat(table, event.seat, replace(table.seats[event.seat], bot=event.bot))


# The host


def _player_removed(table: Table, event: PlayerRemoved) -> Table:
    after = _without_player(table, event.seat, kept_for="")
    created = msgspec.structs.replace(table.created, invite=event.invite)
    return replace(after, created=created, removed=table.removed | {event.person})


def _locked(table: Table, event: Locked) -> Table:
    return replace(table, is_locked=True)


def _unlocked(table: Table, event: Unlocked) -> Table:
    return replace(table, is_locked=False)


def _host_changed(table: Table, event: HostChanged) -> Table:
    return replace(table, host=event.seat)


def _setup_changed(table: Table, event: SetupChanged) -> Table:
    created = msgspec.structs.replace(
        table.created, seats=event.seats, options=event.options, clock=event.clock, rest=event.rest
    )
    kept = seats_kept(table.seats, event.seats)
    seats = tuple(table.seats[index] for index in kept) + (Seat(),) * (event.seats - len(kept))
    host = None if table.host is None else kept.index(table.host)
    return replace(table, created=created, seats=seats, host=host, moved=(0,) * event.seats)


# The game


def _started(table: Table, event: Started) -> Table:
    created = table.created
    game = find_game(created.game)
    if not game.reads(created.version):
        raise OutdatedTable(f"table {table.id} was dealt by version {created.version} of {game.name}")
    match = _first_position(table, game)
    for move in created.played:
        match.play(move)
    held = {seat.person: index for index, seat in enumerate(table.seats) if seat.is_persons}
    return replace(table, phase=PLAYING, match=match, sights={}, early={}, held=held)


def _first_position(table: Table, game: Game) -> Match:
    """Return the match as it was dealt, or in the position it starts from."""
    created = table.created
    names = [seat.name for seat in table.seats]
    if created.start:
        return Match.from_state(game, read_state(game, bytes.fromhex(created.start)), names)
    return Match(
        game, seats=created.seats, options=created.options, seed=table.seed, stream=created.stream, players=names
    )


def _moved(table: Table, event: Moved, move: int | None) -> Table:
    assert table.match is not None
    match = table.match.copy()
    if move is None:
        match.play(event.move)
    else:
        match.push(move)
    return replace(
        table,
        match=match,
        before=table.match,
        sights={},
        sights_before=table.sights,
        early={},
        last_mover=event.seat,
        moved=(*table.moved[: event.seat], table.number, *table.moved[event.seat + 1 :]),
        queued=_without(table.queued, event.seat),
    )


def _queued(table: Table, event: Queued) -> Table:
    return replace(table, queued={**table.queued, event.seat: event.move})


def _withdrawn(table: Table, event: Withdrawn) -> Table:
    return replace(table, queued=_without(table.queued, event.seat))


def _undone(table: Table, event: Undone) -> Table:
    return replace(
        table,
        match=table.before,
        before=None,
        sights=table.sights_before,
        early={},
        last_mover=None,
        moved=(table.number,) * len(table.seats),
        queued={},
        rested_at=None,
    )


# Time


def _round_ended(table: Table, event: RoundEnded) -> Table:
    return replace(table, phase=RESTING, rest=Rest(event.round, event.at), rested_at=table.moves)


def _became_ready(table: Table, event: BecameReady) -> Table:
    assert table.rest is not None
    return replace(table, rest=replace(table.rest, ready=(*table.rest.ready, event.seat)))


def _rest_ended(table: Table, event: RestEnded) -> Table:
    return replace(table, phase=PLAYING, rest=None)


def _paused(table: Table, event: Paused) -> Table:
    return replace(table, phase=PAUSED)


def _resumed(table: Table, event: Resumed) -> Table:
    if table.rest is None:
        return replace(table, phase=PLAYING)
    return replace(table, phase=RESTING, rest=replace(table.rest, since=event.at))


def _with_bot(table: Table, index: int, bot: str | None) -> Table:
    """Let a bot play in a seat, or (None) its owner again."""
    seat = replace(table.seats[index], bot=bot)
    return replace(table, seats=(*table.seats[:index], seat, *table.seats[index + 1 :]), turn_since=table.at)


def _covered(table: Table, event: Covered) -> Table:
    return _with_bot(table, event.seat, STAND_IN)


def _returned(table: Table, event: Returned) -> Table:
    return _with_bot(table, event.seat, None)


# The end


def _end_proposed(table: Table, event: EndProposed) -> Table:
    return replace(table, proposal=Proposal(event.seat, (event.seat,)))


def _end_answered(table: Table, event: EndAnswered) -> Table:
    if not event.agrees or table.proposal is None:
        return replace(table, proposal=None)
    return replace(table, proposal=replace(table.proposal, agreed=(*table.proposal.agreed, event.seat)))


def _ended(table: Table, event: Ended) -> Table:
    return replace(table, phase=OVER, end=event.reason, ended_at=event.at, proposal=None, queued={}, rest=None)


def _rematched(table: Table, event: Rematched) -> Table:
    return replace(table, rematch=event.table)


_REDUCERS: dict[type, Callable[[Table, Any], Table]] = {
    Claimed: _claimed,
    Left: _left,
    Renamed: _renamed,
    BotSeated: _bot_seated,
    BotRemoved: _bot_removed,
    BotChanged: _bot_changed,
    PlayerRemoved: _player_removed,
    Locked: _locked,
    Unlocked: _unlocked,
    HostChanged: _host_changed,
    SetupChanged: _setup_changed,
    Started: _started,
    Queued: _queued,
    Withdrawn: _withdrawn,
    Undone: _undone,
    RoundEnded: _round_ended,
    BecameReady: _became_ready,
    RestEnded: _rest_ended,
    Paused: _paused,
    Resumed: _resumed,
    Covered: _covered,
    Returned: _returned,
    EndProposed: _end_proposed,
    EndAnswered: _end_answered,
    Ended: _ended,
    Rematched: _rematched,
}
