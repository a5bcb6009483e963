"""Statistics: results against people and bots, and ratings, from finished games."""

import asyncio
import random

import pytest

from server_process import Guest, serving
from tablee.server.live_table import table_addition
from tablee.server.results import Participant, RatingModel, Result, result_of
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


class FinishedTables:
    """Finished tables, as a store returns them."""

    def __init__(self, rows):
        self.rows = rows

    async def finished_since(self, at):
        return [row for row in self.rows if row.updated_at >= at]


def rated(*results):
    model = RatingModel()
    for result in results:
        model._count(result)
    return model.ratings("toy")


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
    assert len(again["Ana"].history) == 20


def test_equal_ranks_keep_equal_ratings_equal():
    ratings = rated(result((1, 1), "Ana", "Ben"))
    assert ratings["Ana"].mean == pytest.approx(ratings["Ben"].mean)


def test_a_bot_in_several_seats_is_one_player():
    ratings = rated(result((1, 2, 3), "Ana", "club", "club"))
    assert len(ratings["bot club"].history) == 1
    assert ratings["bot club"].shown < 1000
    assert rated(result((1, 2), "club", "club")) == {}


def test_games_are_counted_once_and_in_the_order_of_their_ends(played):
    _, _, tables = played
    rows = [table_addition(0, [], table).row for table in tables]
    at_once, step_by_step = RatingModel(), RatingModel()
    store = FinishedTables(sorted(rows, key=lambda row: row.updated_at))
    asyncio.run(at_once.update(store))
    for count in (1, 2, 3, 3):
        asyncio.run(step_by_step.update(FinishedTables(store.rows[:count])))
    assert {key: rating.mean for key, rating in at_once.ratings(GAME).items()} == {
        key: rating.mean for key, rating in step_by_step.ratings(GAME).items()
    }
    assert len(at_once.ratings(GAME)) == 3


def test_an_unfinished_game_has_no_result(played):
    _, _, tables = played
    row = table_addition(0, [], tables[0]).row
    assert result_of(row).ranks == tables[0].match.outcome.ranks
    unfinished = new_table("new", TableRequest(GAME), Secrets(1, "i"), Actor("a", "A"), 1.0)[1]
    assert result_of(table_addition(0, [], unfinished).row) is None
