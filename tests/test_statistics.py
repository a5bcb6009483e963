"""Statistics: results against people and bots, and ratings, from finished games."""

import asyncio
import random

import pytest
from sqlalchemy import delete, event, select, text

from server_process import Guest, serving
from tablee.server.live_table import table_addition
from tablee.storage import Store
from tablee.storage.daily import DailyStore
from tablee.storage.ratings import rate
from tablee.storage.results import Participant, Result, result_of
from tablee.storage.schema import metadata
from tablee.storage.tallies import _history, _last_tables, _most_met, _ratings
from tablee.tables.commands import Actor, Claim, Play
from tablee.tables.creation import Secrets, TableRequest, new_table
from tablee.tables.decisions import decide

GAME = "xe_queo"  # short games
NAMES = ("Ana", "Ben", "Cleo")


def finished_game(table_id, one, other, seed, at):
    """Play a game of two people to its end; return its events and the table after them."""
    people = [Actor(*one), Actor(*other)]
    events, table = new_table(table_id, TableRequest(GAME, is_open=True), Secrets(seed, "invite"), people[0], at)
    steps = decide(table, Claim(), people[1], at)
    generator = random.Random(seed)
    while True:
        events += [step.event for step in steps]
        table = steps[-1].table
        if table.phase == "over":
            return events, table
        moves = [table.match.text(move) for move in table.match.legal_moves()]
        ending = [move for move in moves if move.startswith("accuse")]
        steps = decide(
            table, Play(generator.choice(ending or moves), table.number), people[table.on_turn], at + table.number
        )


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A server, three guests who have played three games there, and the tables."""
    with serving(tmp_path_factory.mktemp("statistics") / "tablee.db") as server:
        guests = {name: Guest(server.url, name) for name in NAMES}
        people = {name: (guest.get("/api/me").json()["id"], name) for name, guest in guests.items()}
        tables = []
        for number, (one, other) in enumerate((("Ana", "Ben"), ("Ben", "Ana"), ("Ana", "Cleo"))):
            events, table = finished_game(f"game{number}", people[one], people[other], number, 1000.0 * (number + 1))
            assert server.do(server.registry.store.append(table_addition(0, events, table)))
            tables.append(table)
        yield server, guests, tables


def winners(tables):
    return [table.seats[table.match.outcome.winners[0]].name for table in tables]


def test_a_persons_own_games_are_counted(played):
    _, guests, tables = played
    (mine,) = guests["Ana"].get("/api/statistics").json()
    assert (mine["game"], mine["count"], mine["stopped"]) == (GAME, 3, 0)
    assert mine["won"] == winners(tables).count("Ana")
    assert [each["table"] for each in mine["played"]] == ["game2", "game1", "game0"]
    assert [each["others"] for each in mine["played"]] == [["Cleo"], ["Ben"], ["Ben"]]
    assert mine["played"][0]["score"] == tables[2].match.scores()[0]
    assert len(mine["history"]) == 3


def test_results_are_listed_by_opponent(played):
    _, guests, tables = played
    (mine,) = guests["Ana"].get("/api/statistics").json()
    against = {each["name"]: each for each in mine["against"]}
    won = winners(tables)
    assert against["Ben"]["ahead"] == won[:2].count("Ana")
    assert against["Ben"]["behind"] == won[:2].count("Ben")
    assert against["Cleo"]["ahead"] + against["Cleo"]["behind"] == 1
    (bens,) = guests["Ben"].get("/api/statistics").json()
    (ana,) = bens["against"]
    assert (ana["ahead"], ana["behind"]) == (against["Ben"]["behind"], against["Ben"]["ahead"])


def test_ratings_of_people_never_played_with_are_not_shown(played):
    _, guests, _ = played
    (bens,) = guests["Ben"].get("/api/statistics").json()
    assert {each["name"] for each in bens["ratings"]} == {"Ana", "Ben"}
    assert [each["is_you"] for each in bens["ratings"] if each["name"] == "Ben"] == [True]
    (anas,) = guests["Ana"].get("/api/statistics").json()
    assert {each["name"] for each in anas["ratings"]} == set(NAMES)


def test_ids_are_not_shown(played):
    _, guests, _ = played
    ids = [guest.get("/api/me").json()["id"] for guest in guests.values()]
    text = guests["Ana"].get("/api/statistics").text
    assert not any(each in text for each in ids)


def test_without_a_name_or_a_game_there_are_no_statistics(played):
    server, _, _ = played
    assert Guest(server.url).get("/api/statistics").status_code == 401
    assert Guest(server.url, "Dan").get("/api/statistics").json() == []


def test_a_game_ended_by_agreement_counts_without_a_rank(played):
    server, _, _ = played
    guest = Guest(server.url, "Eve")
    table = guest.create("skyjo", seats=2, bots=["random"])
    guest.command("propose_end", table["id"])
    (mine,) = guest.get("/api/statistics?lang=fr").json()
    assert (mine["count"], mine["won"], mine["stopped"]) == (1, 0, 1)
    assert mine["played"][0]["rank"] is None
    assert (mine["against"], mine["ratings"], mine["history"]) == ([], [], [])


# Ratings


def rated(*results):
    ratings = {}
    for each in results:
        rate(each, ratings)
    return ratings


def result(ranks, *names, table="t", at=1.0):
    participants = tuple(
        Participant(name, name, is_bot=False) if name.istitle() else Participant(f"bot {name}", name, is_bot=True)
        for name in names
    )
    return Result(table, "toy", at, participants, (0,) * len(ranks), ranks)


def test_winning_raises_a_rating_and_losing_lowers_it():
    ratings = rated(result((1, 2), "Ana", "club"))
    assert ratings["Ana"].shown > 1000 > ratings["bot club"].shown
    again = rated(*[result((1, 2), "Ana", "club", table=str(n)) for n in range(20)])
    assert again["Ana"].shown > ratings["Ana"].shown
    assert again["Ana"].margin < ratings["Ana"].margin
    assert again["Ana"].games == 20


def test_equal_ranks_keep_equal_ratings_equal():
    ratings = rated(result((1, 1), "Ana", "Ben"))
    assert ratings["Ana"].mean == pytest.approx(ratings["Ben"].mean)


def test_a_bot_in_several_seats_is_one_player():
    ratings = rated(result((1, 2, 3), "Ana", "club", "club"))
    assert ratings["bot club"].games == 1
    assert ratings["bot club"].shown < 1000
    assert rated(result((1, 2), "club", "club")) == {}


# Kept statistics


PEOPLE = [("p1", "Ana"), ("p2", "Ben"), ("p3", "Cleo")]


@pytest.fixture(scope="module")
def games():
    """Six games of three people, as events and tables."""
    pairs = [(0, 1), (1, 0), (0, 2), (2, 1), (1, 2), (0, 1)]
    return [
        finished_game(f"g{number}", PEOPLE[one], PEOPLE[other], number, 1000.0 * (number + 1))
        for number, (one, other) in enumerate(pairs)
    ]


@pytest.fixture
def store(database):
    store = Store(database)
    store.open()
    yield store
    store.close()


def kept(store):
    """Everything that is kept, as sorted rows."""
    names = ("tallies", "encounters", "ratings", "results")
    with store.engine.connect() as connection:
        return {name: sorted(map(tuple, connection.execute(select(metadata.tables[name])))) for name in names}


def test_what_is_kept_follows_from_the_results_in_the_order_of_their_ends(store, games):
    async def play():
        for events, table in games[:2]:
            assert await store.append(table_addition(0, events, table))
            assert not await store.append(table_addition(0, events, table))  # counted once
        assert all(await asyncio.gather(*(store.append(table_addition(0, *game)) for game in games[2:])))

    asyncio.run(play())
    ratings = rated(*(result_of(table_addition(0, [], table).row) for _, table in games))
    for person, _ in PEOPLE:
        (mine,) = asyncio.run(store.statistics(person))
        own = [table for _, table in games if table.seat_of(person) is not None]
        ranks = [table.match.outcome.ranks[table.seat_of(person)] for table in own]
        assert (mine.played, mine.won, mine.stopped) == (len(own), ranks.count(1), 0)
        assert [row.id for row in mine.finished] == [table.id for table in reversed(own)]
        assert sum(each.ahead + each.level + each.behind for each in mine.encounters) == len(own)
        assert [at for at, _ in mine.history] == [table.ended_at for table in own]
        assert mine.history[-1][1] == pytest.approx(ratings[person].shown)
        assert {one.participant.key: one.mean for one in mine.ratings} == pytest.approx(
            {key: rating.mean for key, rating in ratings.items()}
        )


def test_a_database_from_before_is_counted_as_if_it_had_been_kept_all_along(database, store, games):
    async def play():
        for events, table in games:
            await store.append(table_addition(0, events, table))

    asyncio.run(play())
    expected = kept(store)
    ended = asyncio.run(store.tables_of("p1"))
    assert len(ended) == 4
    with store.engine.begin() as connection:
        later = ("tallies", "encounters", "ratings", "results", "identities", "transfers", "appearances", "reviews")
        later += ("reviewed_games", "daily_deals", "daily_tries", "daily_counts", "daily_bots", "puzzle_attempts")
        for name in later:
            metadata.tables[name].drop(connection)
        for index in ("tables_in_lobby", "people_by_end"):
            connection.execute(text(f"DROP INDEX {index}"))
        connection.execute(text("ALTER TABLE people DROP COLUMN ended_at"))
        connection.execute(text("UPDATE alembic_version SET version_num = '0003'"))
    again = Store(database)
    again.open()
    assert kept(again) == expected
    assert asyncio.run(again.tables_of("p1")) == ended
    assert asyncio.run(again.count_unfinished("p1")) == 0
    again.close()


def test_queries_of_lobby_and_statistics_scan_no_table(tmp_path):
    """Nothing that people ask for takes longer the more games are finished (PostgreSQL: benchmarks/growth.py)."""
    store = Store(str(tmp_path / "tablee.db"))
    store.open()
    plans = []

    def explain(connection, cursor, statement, parameters, *_):
        if statement.startswith(("SELECT", "DELETE")):
            plans.extend(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all())

    async def ask():
        await store.open_tables()
        await store.tables_of("p1")
        await store.count_unfinished("p1")
        await store.due_tables(0.0, 1.0)
        await store.events("t")
        await store.chat("t")
        daily = DailyStore(store)
        await daily.deal("2031-05-04", GAME)
        await daily.first_day()
        await daily.tries_on("p1", "2031-05-04")
        await daily.tries_before("p1", "2031-05-04")
        await daily.days_played("p1")
        await daily.counts("2031-05-04", GAME)
        await daily.bots("2031-05-04", GAME)

    event.listen(store.engine, "before_cursor_execute", explain)
    asyncio.run(ask())
    with store.engine.connect() as connection:
        for query in (_last_tables, _history, _most_met):
            connection.execute(query("p1", GAME))
        for query in _ratings("p1", GAME):
            connection.execute(query)
        connection.execute(delete(metadata.tables["people"]).where(metadata.tables["people"].c.table_id.in_(["t"])))
    store.close()
    steps = [row[-1] for row in plans]
    assert len(steps) > 12
    bounded = {"SCAN met", "SCAN tables USING INDEX tables_in_lobby"}  # at most MAX_OPPONENTS; the lobby's tables alone
    assert not {step for step in steps if step.startswith("SCAN")} - bounded
    assert not [step for step in steps if "AUTOMATIC" in step]


def test_an_unfinished_game_has_no_result(played):
    _, _, tables = played
    row = table_addition(0, [], tables[0]).row
    assert result_of(row).ranks == tables[0].match.outcome.ranks
    unfinished = new_table("new", TableRequest(GAME), Secrets(1, "i"), Actor("a", "A"), 1.0)[1]
    assert result_of(table_addition(0, [], unfinished).row) is None
