"""How events change a table. Nothing here refuses: what is stored has happened."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.registry import find_game
from tablee.protocol.shown import SeatKind
from tablee.records.replay import read_state
from tablee.tables.events import (
    Advanced,
    BecameReady,
    BotChanged,
    BotRemoved,
    BotSeated,
    Claimed,
    CoachAccepted,
    CoachDeclined,
    Covered,
    Created,
    EndAnswered,
    Ended,
    EndProposed,
    Forgotten,
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
    Retried,
    Returned,
    RoundEnded,
    SetupChanged,
    Started,
    TableEvent,
    Undone,
    Unlocked,
    Withdrawn,
)
from tablee.tables.forgetting import NOBODY
from tablee.tables.seats import BOT, EMPTY, PERSON, PROGRAM, Seat, next_host, seats_kept
from tablee.tables.table import (
    MAX_RECEIPTS,
    OVER,
    PAUSED,
    PLAYING,
    RECEIPTS_PER_PART,
    RESTING,
    STAND_IN,
    OutdatedTable,
    Proposal,
    Rest,
    Steady,
    Step,
    Table,
)

RETURN_SECONDS = 30.0  # that a person has at least who comes back with an empty time bank


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
    receipts = _with_receipt(table.receipts, event.key, number)
    if isinstance(event, Moved):
        return _with_time_spent(table, _moved(table, event, move, number, receipts), event)
    stamped = replace(table, number=number, at=event.at, receipts=receipts)
    after = replace(_REDUCERS[type(event)](stamped, event), steady=Steady())
    if after.on_turn != table.on_turn or (after.match is not table.match and not isinstance(event, Renamed)):
        after = replace(after, turn_since=event.at)
    return _with_time_spent(table, after, event)


def _with_receipt(receipts: ChainMap[str, int], key: str, number: int) -> ChainMap[str, int]:
    """Return the receipts with one more; only the newest part of them is copied, the others are shared."""
    if not key:
        return receipts
    newest, *older = receipts.maps
    if len(newest) < RECEIPTS_PER_PART:
        return ChainMap({**newest, key: number}, *older)
    return ChainMap({key: number}, newest, *older[: MAX_RECEIPTS // RECEIPTS_PER_PART - 1])


def _with_time_spent(before: Table, after: Table, event: TableEvent) -> Table:
    """Charge the time bank of the person who was on turn, if their turn ended or was interrupted."""
    if not before.time_left or before.turn_seconds is None or after.turn_since == before.turn_since:
        return after
    seat = before.on_turn
    assert seat is not None
    left = max(0.0, before.time_left[seat] - (event.at - before.turn_since))
    if isinstance(event, Moved):
        left += before.created.increment
    return _with_time(after, seat, left)


def _with_time(table: Table, seat: int, seconds: float) -> Table:
    return replace(table, time_left=(*table.time_left[:seat], seconds, *table.time_left[seat + 1 :]))


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
    name = table.seats[index].name if kept_for else ""
    after = _with_seat(table, index, Seat(EMPTY, name, bot=STAND_IN, kept_for=kept_for))
    return _with_host(replace(after, queued=_without(table.queued, index), proposal=None))


def _with_host(table: Table) -> Table:
    return table if table.host is None else replace(table, host=next_host(table.seats, table.host))


def _renamed(table: Table, event: Renamed) -> Table:
    """Change a name only: clock, undo and early choices stay."""
    before = table.before
    renamed = _with_seat(table, event.seat, replace(table.seats[event.seat], name=event.name))
    return replace(renamed, before=before and _with_names(before, renamed.seats))


def _forgotten(table: Table, event: Forgotten) -> Table:
    seat = table.seats[event.seat]
    person = NOBODY if seat.is_persons else ""
    return _with_seat(table, event.seat, replace(seat, name="", person=person, kept_for=""))


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
    created = replace(table.created, invite=event.invite)
    return replace(after, created=created, removed=table.removed | {event.person})


def _locked(table: Table, event: Locked) -> Table:
    return replace(table, is_locked=True)


def _unlocked(table: Table, event: Unlocked) -> Table:
    return replace(table, is_locked=False)


def _host_changed(table: Table, event: HostChanged) -> Table:
    return replace(table, host=event.seat)


def _setup_changed(table: Table, event: SetupChanged) -> Table:
    created = replace(
        table.created,
        seats=event.seats,
        options=event.options,
        clock=event.clock,
        bank=event.bank,
        increment=event.increment,
        rest=event.rest,
        coach=event.coach,
    )
    kept = seats_kept(table.seats, event.seats)
    seats = tuple(table.seats[index] for index in kept) + (Seat(),) * (event.seats - len(kept))
    if event.coach != table.created.coach:
        seats = tuple(replace(seat, accepts_coach=False) for seat in seats)
    host = None if table.host is None else kept.index(table.host)
    return replace(table, created=created, seats=seats, host=host, moved=(0,) * event.seats)


# The coach


def _coach_accepted(table: Table, event: CoachAccepted) -> Table:
    return _with_consent(table, event.seat, accepts=True)


def _coach_declined(table: Table, event: CoachDeclined) -> Table:
    return _with_consent(table, event.seat, accepts=False)


def _with_consent(table: Table, index: int, *, accepts: bool) -> Table:
    seat = replace(table.seats[index], accepts_coach=accepts)
    return replace(table, seats=(*table.seats[:index], seat, *table.seats[index + 1 :]))


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
    time_left = () if created.bank is None else (float(created.bank),) * created.seats
    return replace(table, phase=PLAYING, match=match, sights={}, early={}, held=held, time_left=time_left)


def _first_position(table: Table, game: Game) -> Match:
    """Return the match as it was dealt, or in the position it starts from."""
    created = table.created
    names = [seat.name for seat in table.seats]
    if created.start:
        return Match.from_state(game, read_state(game, bytes.fromhex(created.start)), names)
    return Match(
        game, seats=created.seats, options=created.options, seed=table.seed, stream=created.stream, players=names
    )


def _moved(table: Table, event: Moved, move: int | None, number: int, receipts: ChainMap[str, int]) -> Table:
    """Return the table after a move: the only event that is not stamped before, as a table is copied once per move."""
    assert table.match is not None
    return replace(
        table,
        number=number,
        at=event.at,
        receipts=receipts,
        match=table.match.after(table.match.check(event.move) if move is None else move),
        before=table.match,
        sights={},
        sights_before=table.sights,
        early={},
        last_mover=event.seat,
        moved=(*table.moved[: event.seat], number, *table.moved[event.seat + 1 :]),
        turn_since=event.at,
        queued=_without(table.queued, event.seat) if table.queued else table.queued,
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


# A lesson


def _advanced(table: Table, event: Advanced) -> Table:
    return replace(table, step=event.step)


def _retried(table: Table, event: Retried) -> Table:
    assert table.match is not None
    match = _first_position(table, table.match.game)
    for move in table.match.moves[: event.moves]:
        match.push(move)
    return replace(
        table,
        phase=PLAYING,
        match=match,
        before=None,
        sights={},
        sights_before={},
        early={},
        last_mover=None,
        moved=(table.number,) * len(table.seats),
        rest=None,
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
    after = _with_bot(table, event.seat, None)
    if not after.time_left:
        return after
    return _with_time(after, event.seat, max(after.time_left[event.seat], RETURN_SECONDS))


# The end


def _end_proposed(table: Table, event: EndProposed) -> Table:
    return replace(table, proposal=Proposal(event.seat, (event.seat,)))


def _end_answered(table: Table, event: EndAnswered) -> Table:
    if not event.agrees or table.proposal is None:
        return replace(table, proposal=None)
    return replace(table, proposal=replace(table.proposal, agreed=(*table.proposal.agreed, event.seat)))


def _ended(table: Table, event: Ended) -> Table:
    if table.match is None:  # nobody came: no list of tables has it any longer
        table = replace(table, seats=(Seat(),) * len(table.seats), host=None)
    return replace(table, phase=OVER, end=event.reason, ended_at=event.at, proposal=None, queued={}, rest=None)


def _rematched(table: Table, event: Rematched) -> Table:
    return replace(table, rematch=event.table)


_REDUCERS: dict[type, Callable[[Table, Any], Table]] = {
    Claimed: _claimed,
    Left: _left,
    Renamed: _renamed,
    Forgotten: _forgotten,
    BotSeated: _bot_seated,
    BotRemoved: _bot_removed,
    BotChanged: _bot_changed,
    PlayerRemoved: _player_removed,
    Locked: _locked,
    Unlocked: _unlocked,
    HostChanged: _host_changed,
    SetupChanged: _setup_changed,
    CoachAccepted: _coach_accepted,
    CoachDeclined: _coach_declined,
    Started: _started,
    Queued: _queued,
    Withdrawn: _withdrawn,
    Undone: _undone,
    Advanced: _advanced,
    Retried: _retried,
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
