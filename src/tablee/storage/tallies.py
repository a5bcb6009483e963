"""Kept statistics: updated when a game ends, in the same transaction, so that reading them costs the same for ever.

Per person and game: how many games were played, won and stopped, the results themselves with the rating after each,
and how every other player fared against them. Per game: the ratings of people and bots.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, select
from sqlalchemy.dialects import postgresql, sqlite

from tablee.storage import schema
from tablee.storage.database import lock_until_commit
from tablee.storage.ratings import Rating, rate
from tablee.storage.results import Participant, Result
from tablee.storage.rows import TableRow

LOCK_KEY = 0x7AB1EF  # of PostgreSQL's advisory locks, held while results are counted
MAX_RESULTS = 100  # listed per person and game
MAX_HISTORY = 1_000  # points of a person's rating in a game
MAX_OPPONENTS = 200  # of a person in a game, those met most often
Key = tuple[str, ...]


# Counting


def count_results(connection: Connection, results: Sequence[Result]) -> None:
    """Count results, in their order."""
    if connection.dialect.name == "postgresql":  # another process may change the same ratings
        lock_until_commit(connection, LOCK_KEY)
    counts = _Counts(_read_ratings(connection, results))
    for result in results:
        counts.add(result)
    _insert(connection, schema.tallies, counts.tallies.values(), added=("played", "won", "stopped"))
    _insert(connection, schema.encounters, counts.encounters.values(), added=("ahead", "level", "behind"))
    _insert(connection, schema.ratings, counts.changed_ratings.values())
    _insert(connection, schema.results, counts.results)


class _Counts:
    """What some results add to the kept statistics, as rows by their keys."""

    def __init__(self, ratings: dict[str, dict[str, Rating]]) -> None:
        self.ratings = ratings  # by game and key of the participant
        self.changed_ratings: dict[Key, dict[str, Any]] = {}
        self.tallies: dict[Key, dict[str, Any]] = {}
        self.encounters: dict[Key, dict[str, Any]] = {}
        self.results: list[dict[str, Any]] = []

    def add(self, result: Result) -> None:
        """Add a result."""
        changed = {rating.participant.key: rating for rating in rate(result, self.ratings[result.game])}
        for key, rating in changed.items():
            self.changed_ratings[result.game, key] = _rating_row(result.game, rating)
        people = {one.key: seat for seat, one in enumerate(result.participants) if one is not None and not one.is_bot}
        for person, seat in people.items():
            shown = changed[person].shown if person in changed else None
            row = {"person": person, "game": result.game, "table_id": result.table, "ended_at": result.at}
            self.results.append({**row, "rating": shown})
            self._add_tally(result, person, seat)
            for other_seat, other in enumerate(result.participants):
                if other is not None and other.key != person:
                    self._add_encounter(result, person, seat, other, other_seat)

    def _add_tally(self, result: Result, person: str, seat: int) -> None:
        key = {"person": person, "game": result.game}
        tally = self.tallies.setdefault((person, result.game), {**key, "played": 0, "won": 0, "stopped": 0})
        tally["played"] += 1
        tally["won"] += bool(result.ranks) and result.ranks[seat] == 1
        tally["stopped"] += not result.ranks

    def _add_encounter(self, result: Result, person: str, seat: int, other: Participant, other_seat: int) -> None:
        key = {"person": person, "game": result.game, "other": other.key}
        encounter = self.encounters.setdefault(tuple(key.values()), {**key, "ahead": 0, "level": 0, "behind": 0})
        encounter |= {"name": other.name, "is_bot": other.is_bot}
        if result.ranks:
            own, theirs = result.ranks[seat], result.ranks[other_seat]
            encounter["ahead"] += own < theirs
            encounter["level"] += own == theirs
            encounter["behind"] += own > theirs


def _rating_row(game: str, rating: Rating) -> dict[str, Any]:
    one = rating.participant
    return {
        "game": game,
        "participant": one.key,
        "name": one.name,
        "is_bot": one.is_bot,
        "mean": rating.mean,
        "deviation": rating.deviation,
        "games": rating.games,
    }


def _read_ratings(connection: Connection, results: Sequence[Result]) -> dict[str, dict[str, Rating]]:
    """Return the ratings of all participants so far, by game and key."""
    keys: dict[str, set[str]] = {}
    for result in results:
        keys.setdefault(result.game, set()).update(one.key for one in result.participants if one is not None)
    columns = schema.ratings.c
    found: dict[str, dict[str, Rating]] = {}
    for game, participants in keys.items():
        query = select(schema.ratings).where(columns.game == game, columns.participant.in_(participants))
        found[game] = {row.participant: _rating(row) for row in connection.execute(query)}
    return found


def _rating(row: Row[Any]) -> Rating:
    return Rating(Participant(row.participant, row.name, row.is_bot), row.mean, row.deviation, row.games)


def _insert(connection: Connection, table: Table, rows: Iterable[dict[str, Any]], added: Sequence[str] = ()) -> None:
    """Insert rows; where the key exists, add some columns up and replace the others."""
    listed = list(rows)
    if not listed:
        return
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    statement = insert(table)
    changes: dict[str, Any] = {}
    for column in table.columns:
        if not column.primary_key:
            new = statement.excluded[column.name]
            changes[column.name] = column + new if column.name in added else new
    connection.execute(statement.on_conflict_do_update(index_elements=table.primary_key.columns, set_=changes), listed)


# Reading


@dataclass(frozen=True)
class Encounter:
    """How a person has fared against another player in a game."""

    other: Participant
    ahead: int
    level: int
    behind: int


@dataclass(frozen=True)
class Statistics:
    """What is kept about a person in one game."""

    game: str
    played: int
    won: int
    stopped: int  # ended by agreement
    finished: list[TableRow] = field(default_factory=list)  # the last ones, newest first
    history: list[tuple[float, float]] = field(default_factory=list)  # time and rating, of the last games, oldest first
    encounters: list[Encounter] = field(default_factory=list)  # those met most often
    ratings: list[Rating] = field(default_factory=list)  # of the person, of all bots, and of those met


def read_statistics(connection: Connection, person: str) -> list[Statistics]:
    """Return the statistics of a person, one per game they have played."""
    tallies = connection.execute(select(schema.tallies).where(schema.tallies.c.person == person)).all()
    return [
        Statistics(
            game=tally.game,
            played=tally.played,
            won=tally.won,
            stopped=tally.stopped,
            finished=[TableRow(*row) for row in connection.execute(_last_tables(person, tally.game))],
            history=[(at, rating) for at, rating in reversed(connection.execute(_history(person, tally.game)).all())],
            encounters=_encounters(connection, person, tally.game),
            ratings=[_rating(row) for query in _ratings(person, tally.game) for row in connection.execute(query)],
        )
        for tally in tallies
    ]


def _last_tables(person: str, game: str) -> Select[Any]:
    columns = schema.results.c
    query = select(schema.tables).join(schema.results, columns.table_id == schema.tables.c.id)
    query = query.where(columns.person == person, columns.game == game)
    return query.order_by(columns.ended_at.desc(), columns.table_id.desc()).limit(MAX_RESULTS)


def _history(person: str, game: str) -> Select[Any]:
    columns = schema.results.c
    query = select(columns.ended_at, columns.rating).where(columns.person == person, columns.game == game)
    query = query.where(columns.rating.is_not(None))
    return query.order_by(columns.ended_at.desc(), columns.table_id.desc()).limit(MAX_HISTORY)


def _most_met(person: str, game: str) -> Select[Any]:
    columns = schema.encounters.c
    query = select(schema.encounters).where(columns.person == person, columns.game == game)
    return query.order_by((columns.ahead + columns.level + columns.behind).desc()).limit(MAX_OPPONENTS)


def _encounters(connection: Connection, person: str, game: str) -> list[Encounter]:
    return [
        Encounter(Participant(row.other, row.name, row.is_bot), row.ahead, row.level, row.behind)
        for row in connection.execute(_most_met(person, game))
    ]


def _ratings(person: str, game: str) -> list[Select[Any]]:
    """Return queries for the ratings of the person, of all bots, and of the people they have met."""
    columns = schema.ratings.c
    met = _most_met(person, game).subquery("met")
    query = select(schema.ratings).where(columns.game == game)
    return [
        query.where(columns.participant == person),
        query.where(schema.IS_BOT),
        query.join(met, met.c.other == columns.participant).where(columns.is_bot.is_(False)),
    ]
