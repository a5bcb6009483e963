"""A table, and how events change it. Nothing here can refuse: what is stored has happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.registry import find_game
from tablee.core.sight import Sight
from tablee.records import commitment
from tablee.records.replay import read_state
from tablee.tables.events import (
    BotRemoved,
    BotSeated,
    Claimed,
    Covered,
    Created,
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

GATHERING, PLAYING, PAUSED, OVER = "gathering", "playing", "paused", "over"
EMPTY, PERSON, PROGRAM, BOT = "empty", "person", "program", "bot"
STAND_IN = "greedy"  # the bot that plays for those who are away
MAX_RECEIPTS = 200  # of commands carried out; older ones are not sent again


class OutdatedTable(TableeError):
    """The table was dealt by rules that are no longer installed."""


@dataclass(frozen=True)
class Seat:
    """Who sits in a place; `bot` is the bot that plays there now, if one does (also where somebody left in play)."""

    kind: str = EMPTY
    name: str = ""
    person: str = ""
    bot: str | None = None

    @property
    def is_persons(self) -> bool:
        """Whether a person (or his program) sits here, at the table or away."""
        return self.kind in (PERSON, PROGRAM)

    @property
    def is_covered(self) -> bool:
        """Whether a bot plays for the person."""
        return self.is_persons and self.bot is not None


@dataclass(frozen=True)
class Proposal:
    """Somebody would rather stop; who agrees so far."""

    seat: int
    agreed: tuple[int, ...]


@dataclass(frozen=True)
class Table:
    """Everything that is true of a table after its events; `match` is None while it gathers."""

    id: str
    created: Created
    number: int = 1  # of the last event
    at: float = 0.0  # of the last event
    phase: str = GATHERING
    seats: tuple[Seat, ...] = ()
    match: Match | None = None
    before: Match | None = None  # the last move, which the last mover might take back
    sights: dict[int, Sight] = field(default_factory=dict, compare=False)  # of the match, once somebody has looked
    sights_before: dict[int, Sight] = field(default_factory=dict, compare=False)
    last_mover: int | None = None
    moved: tuple[int, ...] = ()  # per seat, the number of the last event that moved for it or took a move back
    turn_since: float = 0.0
    queued: Mapping[int, str] = field(default_factory=dict)
    proposal: Proposal | None = None
    end: str | None = None  # the reason
    ended_at: float | None = None
    rematch: str | None = None
    receipts: Mapping[str, int] = field(default_factory=dict)  # key of a command -> number of its first event

    @property
    def seed(self) -> int:
        """The secret that the deal comes from."""
        return int(self.created.seed, 16)

    @property
    def commitment(self) -> str:
        """The hash of the secret, shown from the start."""
        return commitment(self.seed, self.created.stream)

    @property
    def on_turn(self) -> int | None:
        """The seat that the table waits for; None while it waits for nobody."""
        return self.match.to_move if self.match is not None and self.phase == PLAYING else None

    @property
    def deadline(self) -> float | None:
        """When a bot takes over for the seat on turn."""
        if self.created.clock is None or self.on_turn is None or self.seats[self.on_turn].bot is not None:
            return None
        return self.turn_since + self.created.clock

    def seat_of(self, person: str) -> int | None:
        """Return where somebody sits."""
        for index, seat in enumerate(self.seats):
            if seat.is_persons and seat.person == person:
                return index
        return None

    def sight(self, viewer: int) -> Sight:
        """Return what a viewer knows; nobody changes the match of a table, so he looks once."""
        assert self.match is not None
        return _looked(self.match, self.sights, viewer)

    def sight_before(self, viewer: int) -> Sight:
        """Return what a viewer knew before the last move."""
        assert self.before is not None
        return _looked(self.before, self.sights_before, viewer)

    def people(self) -> list[int]:
        """Return the seats where people sit."""
        return [index for index, seat in enumerate(self.seats) if seat.is_persons]


def _looked(match: Match, sights: dict[int, Sight], viewer: int) -> Sight:
    if viewer not in sights:
        sights[viewer] = match.sight(viewer)
    return sights[viewer]


def opened(table_id: str, created: Created) -> Table:
    """Return a table after its first event."""
    seats = tuple(Seat(name=name) for name, _ in created.players) or (Seat(),) * created.seats
    return Table(table_id, created, at=created.at, seats=seats, moved=(0,) * created.seats)


def rebuilt(table_id: str, events: Iterable[TableEvent]) -> Table:
    """Return a table from all its events."""
    first, *others = events
    assert isinstance(first, Created)
    table = opened(table_id, first)
    for event in others:
        table = evolve(table, event)
    return table


def evolve(table: Table, event: TableEvent) -> Table:
    """Return the table after an event."""
    number = table.number + 1
    change = _CHANGES[type(event)](table, event, number)
    receipts = table.receipts
    if event.key:
        kept = list(receipts.items())[-MAX_RECEIPTS + 1 :]
        receipts = dict([*kept, (event.key, number)])
    changed = {"number": number, "at": event.at, "receipts": receipts, **change}
    after = replace(table, **changed)
    if after.on_turn != table.on_turn or "match" in change:
        after = replace(after, turn_since=event.at)
    return after


Change = dict[str, Any]  # field of Table -> new value


def _seated(table: Table, index: int, seat: Seat) -> Change:
    seats = (*table.seats[:index], seat, *table.seats[index + 1 :])
    change: Change = {"seats": seats}
    if table.match is not None:
        change["match"] = _renamed(table.match, seats)
        change["before"] = None
    return change


def _renamed(match: Match, seats: tuple[Seat, ...]) -> Match:
    renamed = match.copy()
    renamed.players = [seat.name for seat in seats]
    return renamed


def _claimed(table: Table, event: Claimed, number: int) -> Change:
    kind = PROGRAM if event.is_program else PERSON
    return _seated(table, event.seat, Seat(kind, event.name, event.person))


def _left(table: Table, event: Left, number: int) -> Change:
    if table.match is None:
        return _seated(table, event.seat, Seat())
    change = _seated(table, event.seat, Seat(EMPTY, table.seats[event.seat].name, bot=STAND_IN))
    return {**change, "queued": _without(table.queued, event.seat), "proposal": None}


def _without(queued: Mapping[int, str], seat: int) -> dict[int, str]:
    return {other: move for other, move in queued.items() if other != seat}


def _bot_seated(table: Table, event: BotSeated, number: int) -> Change:
    return _seated(table, event.seat, Seat(BOT, event.name, bot=event.bot))


def _bot_removed(table: Table, event: BotRemoved, number: int) -> Change:
    return _seated(table, event.seat, Seat())


def _started(table: Table, event: Started, number: int) -> Change:
    created = table.created
    game = find_game(created.game)
    if game.version != created.version:
        raise OutdatedTable(f"table {table.id} was dealt by version {created.version} of {game.name}")
    match = _beginning(table, game)
    for move in created.played:
        match.play(move)
    return {"phase": PLAYING, "match": match, "sights": {}}


def _beginning(table: Table, game: Game) -> Match:
    """Return the match as it was dealt, or in the position it starts from."""
    created = table.created
    names = [seat.name for seat in table.seats]
    if created.start:
        return Match.from_state(game, read_state(game, bytes.fromhex(created.start)), names)
    return Match(
        game, seats=created.seats, options=created.options, seed=table.seed, stream=created.stream, players=names
    )


def _moved(table: Table, event: Moved, number: int) -> Change:
    assert table.match is not None
    match = table.match.copy()
    match.play(event.move)
    return {
        "match": match,
        "before": table.match,
        "sights": {},
        "sights_before": table.sights,
        "last_mover": event.seat,
        "moved": _marked(table.moved, event.seat, number),
        "queued": _without(table.queued, event.seat) if event.seat in table.queued else table.queued,
    }


def _marked(moved: tuple[int, ...], seat: int, number: int) -> tuple[int, ...]:
    return (*moved[:seat], number, *moved[seat + 1 :])


def _queued(table: Table, event: Queued, number: int) -> Change:
    return {"queued": {**table.queued, event.seat: event.move}}


def _withdrawn(table: Table, event: Withdrawn, number: int) -> Change:
    return {"queued": _without(table.queued, event.seat)}


def _undone(table: Table, event: Undone, number: int) -> Change:
    return {
        "match": table.before,
        "before": None,
        "sights": table.sights_before,
        "last_mover": None,
        "moved": (number,) * len(table.seats),
        "queued": {},
    }


def _paused(table: Table, event: Paused, number: int) -> Change:
    return {"phase": PAUSED}


def _resumed(table: Table, event: Resumed, number: int) -> Change:
    return {"phase": PLAYING}


def _with_bot(table: Table, index: int, bot: str | None) -> Change:
    seat = replace(table.seats[index], bot=bot)
    return {"seats": (*table.seats[:index], seat, *table.seats[index + 1 :]), "turn_since": table.at}


def _covered(table: Table, event: Covered, number: int) -> Change:
    return _with_bot(table, event.seat, STAND_IN)


def _returned(table: Table, event: Returned, number: int) -> Change:
    return {**_with_bot(table, event.seat, None), "turn_since": event.at}


def _end_proposed(table: Table, event: EndProposed, number: int) -> Change:
    return {"proposal": Proposal(event.seat, (event.seat,))}


def _end_answered(table: Table, event: EndAnswered, number: int) -> Change:
    if not event.agrees or table.proposal is None:
        return {"proposal": None}
    return {"proposal": replace(table.proposal, agreed=(*table.proposal.agreed, event.seat))}


def _ended(table: Table, event: Ended, number: int) -> Change:
    return {"phase": OVER, "end": event.reason, "ended_at": event.at, "proposal": None, "queued": {}}


def _rematched(table: Table, event: Rematched, number: int) -> Change:
    return {"rematch": event.table}


_CHANGES: dict[type, Callable[[Table, Any, int], Change]] = {
    Claimed: _claimed,
    Left: _left,
    BotSeated: _bot_seated,
    BotRemoved: _bot_removed,
    Started: _started,
    Moved: _moved,
    Queued: _queued,
    Withdrawn: _withdrawn,
    Undone: _undone,
    Paused: _paused,
    Resumed: _resumed,
    Covered: _covered,
    Returned: _returned,
    EndProposed: _end_proposed,
    EndAnswered: _end_answered,
    Ended: _ended,
    Rematched: _rematched,
}
