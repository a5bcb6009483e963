"""Past positions: who may see them, forks that continue from them, imported records."""

import random
from itertools import pairwise

import pytest
from msgspec.structs import replace

from server_process import Guest, serving
from tablee import Match
from tablee.core.randomness import new_generator
from tablee.core.registry import all_games
from tablee.core.state import SPECTATOR
from tablee.records import Record
from tablee.tables.commands import Actor, Claim, Play
from tablee.tables.creation import Secrets, TableRequest, new_table
from tablee.tables.decisions import decide
from tablee.tables.evolution import rebuild_table
from tablee.tables.forks import Fork, fork_table
from tablee.tables.refusals import Refused
from tablee.tables.replays import SPACING, Replay, open_view

GAMES = all_games()
BOTS = ("random",)
ANA, BEN = Actor("ana", "Ana"), Actor("ben", "Ben")
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


def played(game, moves, seed=3, moments=()):
    """Return a match after some random moves, and the views and events of each seat at some of the positions."""
    match = Match(game, seats=3 if 3 in game.seats else 2, seed=seed)
    generator = random.Random(f"{game.name} {seed}")
    seen = {}
    while True:
        if len(match.moves) in moments:
            viewers = range(SPECTATOR, match.seats)
            seen[len(match.moves)] = {viewer: (match.view(viewer), match.events(viewer)) for viewer in viewers}
        if len(match.moves) == moves or match.is_over:
            return match, seen
        match.play(generator.choice(match.legal_moves()))


def ended_table(game, moves):
    """Return a table of two people or more that was ended after some random moves."""
    seats = 3 if 3 in game.seats else 2
    people = [Actor(f"person{seat}", f"Person {seat}") for seat in range(seats)]
    _, table = new_table("old", TableRequest(game.name, seats=seats), Secrets(77, "invite"), people[0], 1.0)
    for person in people[1:]:
        table = decide(table, Claim(None, "invite"), person, 1.0)[-1].table
    generator = random.Random(game.name)
    for _ in range(moves):
        move = table.match.text(generator.choice(table.match.legal_moves()))
        table = decide(table, Play(move, table.number), people[table.on_turn], 1.0)[-1].table
    return replace(table, phase="over", end="agreement")


# Past positions


@each_game
def test_a_past_position_shows_what_was_shown_then(game):
    moments = (SPACING + 2, 0, 1, SPACING - 1, SPACING, SPACING + 1)  # the last one first, then in order
    match, seen = played(game, SPACING + 2, moments=moments)
    replay = Replay(match)
    for moves in moments:
        past = replay.at(moves)
        for viewer, (view, told) in seen[moves].items():
            assert past.view(viewer) == view
            assert past.events(viewer) == told


@each_game
def test_an_open_view_shows_what_any_seat_knew_and_nothing_else(game):
    match, seen = played(game, 9, moments=(9,))
    faces = {}
    for viewer in range(match.seats):
        view, _ = seen[9][viewer]
        faces |= {piece.id: piece.face for zone in view.zones for piece in zone.pieces if piece.face is not None}
    opened = {piece.id: piece.face for zone in open_view(match, "en").zones for piece in zone.pieces}
    assert {name: face for name, face in opened.items() if face is not None}.items() <= faces.items()
    common = {piece.id for zone in match.view(SPECTATOR).zones for piece in zone.pieces}
    assert all(opened[name] == face for name, face in faces.items() if name in common)


def test_an_open_view_opens_hands():
    match, _ = played(next(game for game in GAMES if game.name == "lexio"), 4)
    closed, opened = match.view(SPECTATOR), open_view(match, "en")
    hidden = [piece.face for zone in closed.zones if zone.id == "seat1" for piece in zone.pieces]
    shown = [piece.face for zone in opened.zones if zone.id == "seat1" for piece in zone.pieces]
    assert not any(hidden)
    assert all(shown)
    assert len(hidden) == len(shown) > 5


def similar_worlds(match, viewer, generator):
    """Return a world and another that looks the same to a viewer, after moves that keep it so."""
    one, two = Match.from_state(match.game, match.state), Match.from_state(match.game, match.state)
    match.game.kernels.disguise(two.state, viewer, new_generator(9))
    two.first_state = two.state.copy()
    while len(one.moves) < 4:
        moves = one.legal_moves()
        tried = (after(one, two, move, viewer) for move in generator.sample(moves, min(10, len(moves))))
        both = next(filter(None, tried), None)
        if both is None:
            break
        one, two = both
    return one, two


def after(one, two, move, viewer):
    """Return both worlds after a move, None if the viewer can tell them apart then."""
    sees_move = one.game.kernels.sees_move
    if two.why_not(move) or sees_move(one.state, move, viewer) != sees_move(two.state, move, viewer):
        return None
    one, two = one.copy(), two.copy()
    one.play(move)
    two.play(move)
    return None if one.is_over or one.sight(viewer) != two.sight(viewer) else (one, two)


@each_game
def test_past_positions_are_the_same_in_worlds_that_look_the_same(game):
    match, _ = played(game, 7)
    generator = random.Random(game.name)
    different = moments = 0
    for viewer in range(SPECTATOR, match.seats):
        one, two = similar_worlds(match, viewer, generator)
        different += one.digest() != two.digest()
        for moves in range(len(one.moves) + 1):
            moments += 1
            past, other = Replay(one).at(moves), Replay(two).at(moves)
            assert past.view(viewer) == other.view(viewer)
            assert past.events(viewer) == other.events(viewer)
    assert different > 0
    assert moments > match.seats + 1


def test_points_are_listed_where_they_change():
    match, _ = played(next(game for game in GAMES if game.name == "xe_queo"), 60)
    points = Replay(match).points()
    assert points[0] == (0, [0, 0])
    assert points[-1][1] == match.scores()
    assert all(one[1] != two[1] for one, two in pairwise(points))
    assert [moves for moves, _ in points] == sorted({moves for moves, _ in points})


# Forks


@each_game
def test_a_fork_with_the_true_cards_continues_the_same_game(game):
    old = ended_table(game, 11)
    past = Replay(old.match).at(7)
    seat = past.to_move
    events, table = fork_table("new", old, Fork(7, seat, "random", False), Secrets(5, "i"), ANA, 2.0, BOTS)
    assert table.match.digest() == past.digest()
    assert table.seat_of("ana") == seat == table.on_turn
    assert [each.kind for each in table.seats].count("bot") == len(table.seats) - 1
    assert rebuild_table("new", events).match.digest() == past.digest()
    for move in old.match.moves[7:]:
        table.match.play(move)
    assert table.match.digest() == old.match.digest()
    assert table.match.record().verify().moves == 11


@each_game
def test_a_fork_with_imagined_cards_looks_the_same_only_to_its_seat(game):
    old = ended_table(game, 11)
    past = Replay(old.match).at(6)
    worlds = set()
    for seed in range(2):
        events, table = fork_table("new", old, Fork(6, 1, "random", True), Secrets(seed, "i"), ANA, 2.0, BOTS)
        assert table.match.sight(1) == past.sight(1)
        assert int(game.kernels.problems(table.match.state)) == 0
        assert rebuild_table("new", events).match.digest() == table.match.digest()
        worlds.add(table.match.digest())
    assert len(worlds) == 2
    assert past.digest() not in worlds


def test_a_fork_of_a_fork_and_forks_that_are_refused():
    game = GAMES[0]
    old = ended_table(game, 8)
    _, first = fork_table("one", old, Fork(5, 0, "random", True), Secrets(1, "i"), ANA, 2.0, BOTS)
    first.match.play(first.match.legal_moves()[0])
    over = replace(first, phase="over", end="agreement")
    _, second = fork_table("two", over, Fork(1, 1, "random", False), Secrets(2, "i"), BEN, 3.0, BOTS)
    assert second.match.digest() == first.match.digest()
    for invalid, code in (
        (Fork(9, 0, "random", False), "not_found"),
        (Fork(1, 9, "random", False), "no_such_seat"),
        (Fork(1, 0, "nobody", False), "unknown_bot"),
    ):
        with pytest.raises(Refused) as refused:
            fork_table("x", old, invalid, Secrets(1, "i"), ANA, 2.0, BOTS)
        assert refused.value.code == code


# REST


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("replays") / "tablee.db") as running:
        yield running


@pytest.fixture
def ana(server):
    return Guest(server.url, "Ana")


def started_table(guest, moves=3, **request):
    """Make a table with a bot, play some moves, and return it at the next own turn."""
    table = guest.create("skyjo", seats=2, bots=["random"], options={"opening": "auto"}, **request)
    for _ in range(moves):
        table = wait_for_turn(guest, table["id"])
        move = table["view"]["choices"][0]["text"]
        assert guest.command("play", table["id"], number=table["number"], move=move).status_code == 200
    return wait_for_turn(guest, table["id"])


def wait_for_turn(guest, table):
    while not (now := guest.get(f"/api/tables/{table}").json())["view"]["choices"]:
        pass
    return now


def test_before_the_end_only_ones_own_past_views_are_shown(server, ana):
    table = started_table(ana, is_open=True)
    address = f"/api/tables/{table['id']}"
    own = ana.get(f"{address}/moments/2?seat=0").json()
    assert own["view"]["viewer"] == 0
    last = ana.get(f"{address}/moments/{own['of']}?seat=0").json()
    assert last["view"] == table["view"]
    spectator = Guest(server.url, "Eve")
    assert spectator.get(f"{address}/moments/2").json()["view"]["viewer"] == SPECTATOR
    for guest, forbidden in (
        (ana, "moments/2?seat=1"),
        (ana, "moments/2?seat=-1"),
        (ana, "moments/2?seat=0&open=true"),
        (ana, "points"),
        (ana, "record"),
        (spectator, "moments/2?seat=0"),
        (spectator, "moments/2?open=true"),
    ):
        refused = guest.get(f"{address}/{forbidden}")
        assert (refused.status_code, refused.json()["code"]) == (409, "not_over"), forbidden
    fork = {"moves": 1, "seat": 0, "bot": "random", "is_imagined": True}
    assert ana.http.post(f"{address}/forks", json=fork).json()["code"] == "not_over"


def test_a_finished_private_game_needs_the_invite(server, ana):
    table = started_table(ana)
    address = f"/api/tables/{table['id']}"
    assert ana.command("propose_end", table["id"]).status_code == 200
    moments = [ana.get(f"{address}/moments/2?{eyes}").json() for eyes in ("seat=0", "seat=1", "seat=-1", "open=true")]
    assert [moment["view"]["viewer"] for moment in moments] == [0, 1, SPECTATOR, SPECTATOR]
    assert ana.get(f"{address}/points").json()[0] == {"moves": 0, "scores": [0, 0]}
    eve = Guest(server.url, "Eve")
    assert eve.get(f"{address}/moments/2").status_code == 404
    assert eve.get(f"{address}/moments/2", **{"Tablee-Invite": table["invite"]}).status_code == 200
    assert ana.get(f"{address}/moments/99999").status_code == 404
    assert ana.get(f"{address}/moments/0?seat=7").json()["code"] == "no_such_seat"


def test_a_fork_is_played_and_does_not_count_for_statistics(ana):
    table = started_table(ana)
    ana.command("propose_end", table["id"])
    past = ana.get(f"/api/tables/{table['id']}/moments/2?seat=0").json()["view"]
    fork = {"moves": 2, "seat": 0, "bot": "random", "is_imagined": True}
    new = ana.http.post(f"/api/tables/{table['id']}/forks", json=fork).json()
    assert (new["source"], new["phase"], new["viewer"]) == ("fork", "playing", 0)
    assert new["view"]["zones"] == past["zones"] or new["view"]["to_move"] != past["to_move"]
    now = wait_for_turn(ana, new["id"])
    move = now["view"]["choices"][0]["text"]
    assert ana.command("play", new["id"], number=now["number"], move=move).status_code == 200
    ana.command("propose_end", new["id"])
    played = [each["table"] for game in ana.get("/api/statistics").json() for each in game["played"]]
    assert table["id"] in played
    assert new["id"] not in played


# Imported records


def test_an_imported_record_can_be_viewed(server, ana):
    match, _ = played(GAMES[0], 12)
    text = match.record(kinds=["person", "club 1", ""]).text()
    imported = ana.http.post("/api/records", json={"record": text}).json()
    address = f"/api/tables/{imported['table']}"
    assert ana.get(address).status_code == 404
    invited = {"Tablee-Invite": imported["invite"]}
    shown = ana.get(address, **invited).json()
    assert (shown["phase"], shown["source"], shown["viewer"]) == ("over", "record", SPECTATOR)
    assert [seat["name"] for seat in shown["seats"]] == match.names()
    assert ana.get(f"{address}/moments/12?open=true", **invited).json()["of"] == 12
    again = Record.parse(ana.get(f"{address}/record", **invited).text)
    assert again.moves == Record.parse(text).moves
    assert [player.kind for player in again.header.players] == ["person", "club 1", ""]
    fork = {"moves": 4, "seat": 1, "bot": "random", "is_imagined": False}
    assert ana.http.post(f"{address}/forks", json=fork, headers=invited).json()["viewer"] == 1
    assert ana.http.post(f"{address}/forks", json=fork).status_code == 404


def test_a_whole_game_can_be_imported(ana):
    match, _ = played(next(game for game in GAMES if game.name == "xe_queo"), 10_000)
    imported = ana.http.post("/api/records", json={"record": match.record().text()}).json()
    shown = ana.get(f"/api/tables/{imported['table']}", **{"Tablee-Invite": imported["invite"]}).json()
    assert shown["result"]["winners"] == list(match.outcome.winners)


def test_invalid_records_are_refused_with_line_and_reason(server, ana):
    match, _ = played(GAMES[0], 12)
    text = match.record().text()
    position = Match.from_state(match.game, match.state).record().text()
    for invalid, reason in (
        ("nonsense", "line 1: this is not a Tablée record"),
        (text.replace("seats: 3", "seats: 4"), "line"),
        (text.replace(match.text(match.moves[0]), "pass", 1), "line"),
        (position, "the match begins in a position"),
    ):
        refused = ana.http.post("/api/records?lang=fr", json={"record": invalid})
        assert (refused.status_code, refused.json()["code"]) == (422, "bad_record")
        assert refused.json()["detail"].startswith("Cet enregistrement ne peut pas être rejoué.")
        assert reason in refused.json()["detail"]
    assert ana.http.post("/api/records", json={"record": "x" * 600_000}).status_code == 413
    assert Guest(server.url).http.post("/api/records", json={"record": text}).status_code == 401
