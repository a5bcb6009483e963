"""Identities on several devices: codes that copy one, signing out; downloading and deleting what is about a person."""

import io
import json
import sqlite3
import zipfile
from contextlib import closing

import pytest

from server_process import Guest, serving
from tablee import Record
from tablee.server import identities
from tablee.server.generations import Generations
from tablee.server.identity import Person, TokenSigner
from tablee.storage import Store
from tablee.storage.identities import IdentityStore
from tablee.tables.commands import Actor, Claim, Forget, HandOver, Leave, ProposeEnd, RemovePlayer, Rename
from tablee.tables.creation import Secrets, TableRequest, new_table
from tablee.tables.decisions import decide
from tablee.tables.events import decode_event, encode_event
from tablee.tables.evolution import rebuild_table
from tablee.tables.forgetting import NOBODY, without_person

NAME = "Anastasia Unique"  # nothing else in the database contains it
SETUP = {"seats": 2, "options": {"opening": "auto"}}


@pytest.fixture
def server(tmp_path):
    with serving(tmp_path / "tablee.db") as server:
        yield server


def new_code(guest):
    answer = guest.http.post("/api/me/transfers", json={})
    assert answer.status_code == 201, answer.text
    return answer.json()


def use_code(guest, code):
    answer = guest.http.put("/api/me/device", json={"code": code})
    guest.cookie = guest.http.cookies.get("tablee")
    return answer


def test_a_code_copies_an_identity_once_and_signing_out_makes_other_devices_strangers(server):
    ana = Guest(server.url, NAME)
    table = ana.create(**SETUP)["id"]
    transfer = new_code(ana)
    assert transfer["link"].endswith(f"/me#{transfer['code'].replace('-', '')}")
    assert transfer["picture"].startswith("data:image/svg+xml")
    phone = Guest(server.url)
    assert use_code(phone, transfer["code"].upper().replace("-", " ")).json()["name"] == NAME
    assert phone.get("/api/me").json() == ana.get("/api/me").json()
    assert phone.get(f"/api/tables/{table}").json()["viewer"] == 0
    assert use_code(Guest(server.url), transfer["code"]).status_code == 404, "used already"
    with phone.line() as line:
        line.watch(table)
        assert ana.http.delete("/api/me/devices").json()["name"] == NAME
        ana.cookie = ana.http.cookies.get("tablee")
        line.send("ping")
        assert line.closed_with() == 4401
    assert phone.get("/api/me").status_code == 401
    assert ana.get("/api/me").json()["name"] == NAME
    ana.http.put("/api/me", json={"name": f"{NAME}!"})
    assert ana.get(f"/api/tables/{table}").json()["viewer"] == 0, "a new name keeps the generation"
    assert use_code(phone, new_code(ana)["code"]).status_code == 200


def test_only_the_last_code_is_valid_and_only_for_ten_minutes(server, monkeypatch):
    ana = Guest(server.url, NAME)
    first, second = new_code(ana)["code"], new_code(ana)["code"]
    assert use_code(Guest(server.url), first).status_code == 404
    assert use_code(Guest(server.url), second).status_code == 200
    monkeypatch.setattr(identities, "CODE_SECONDS", -1.0)
    assert use_code(Guest(server.url), new_code(ana)["code"]).status_code == 404


def test_codes_cannot_be_guessed_fast(server):
    guest = Guest(server.url)
    codes = [use_code(guest, f"aaaa-aa{first}{second}").status_code for first in "abcdef" for second in "abcdef"]
    assert set(codes) == {404, 429}
    assert codes[0] == 404
    assert codes[-1] == 429


def test_tokens_of_before_there_were_generations_are_read():
    old = TokenSigner("secret")
    token = old._serializer.dumps(["p1", "Ana", False])
    assert TokenSigner("secret", Generations().is_current).person(token) == Person("p1", "Ana")


def test_the_records_of_ones_games_come_as_one_file(server, monkeypatch):
    ana = Guest(server.url, NAME)
    played = [
        ana.create("skyjo", **SETUP, bots=["random"])["id"],
        ana.create("skip_bo", seats=2, bots=["random"])["id"],
    ]
    for table in played:
        assert ana.command("propose_end", table).status_code == 200
    ana.create(**SETUP)
    taken, run = [], server.registry.turns.run

    async def run_in_turn(key, *work):
        taken.append(key)
        return await run(key, *work)

    monkeypatch.setattr(server.registry.turns, "run", run_in_turn)
    archive = zipfile.ZipFile(io.BytesIO(ana.get("/api/me/records.zip").content))
    assert len(taken) == len(played)  # each is replayed in turn with what others ask for
    assert sorted(archive.namelist()) == sorted([f"skyjo-{played[0]}.tablee", f"skip_bo-{played[1]}.tablee"])
    for name in archive.namelist():
        Record.parse(archive.read(name).decode()).replay()
    assert Guest(server.url).get("/api/me/records.zip").status_code == 401


# Deleting everything


def test_nothing_about_a_person_is_left_in_the_database(tmp_path):
    path = tmp_path / "tablee.db"
    with serving(path) as server:
        ana, ben = Guest(server.url, NAME), Guest(server.url, "Ben")
        person = ana.get("/api/me").json()["id"]
        over, playing, left, rematched, _gathering, removed = (ana.create(**SETUP) for _ in range(6))
        bens = ben.create(**SETUP)
        for table in (over, playing, left, removed, rematched):
            assert ben.command("claim", table["id"], invite=table["invite"]).status_code == 200
        for table in (over, rematched):
            ana.command("propose_end", table["id"])
            assert ben.command("answer_end", table["id"], agrees=True).status_code == 200
        new = ben.command("rematch", rematched["id"]).json()["new_table"]
        for table in (over, playing):
            assert ana.command("chat", table["id"], text="my secret").status_code == 200
            assert ben.command("chat", table["id"], text="hello").status_code == 200
        assert ana.command("leave", left["id"]).status_code == 200
        assert ana.command("claim", bens["id"], invite=bens["invite"]).status_code == 200
        assert ben.command("remove_player", bens["id"], seat=1).status_code == 200
        ana.http.put("/api/me/contact", json={"contact": "ana@example.org"})
        ana.http.put("/api/me", json={"name": f"{NAME} II"})
        new_code(ana)
        phone = Guest(server.url)
        phone.http.cookies.set("tablee", ana.http.cookies.get("tablee"))
        ben.get(f"/api/tables/{playing['id']}/log")
        assert person.encode() in all_bytes(path)
        assert NAME.encode() in all_bytes(path)
        assert ana.http.delete("/api/me/everything").status_code == 204
        assert "tablee" not in ana.http.cookies
        assert phone.get("/api/me").status_code == 401
        shown = ben.get(f"/api/tables/{playing['id']}").json()
        assert [(seat["kind"], seat["name"], seat["level"]) for seat in shown["seats"]] == [
            ("empty", "Player 1", "Beginner"),
            ("person", "Ben", ""),
        ]
        for table in (over, playing, left, rematched):
            for content in (
                f"/api/tables/{table['id']}",
                f"/api/tables/{table['id']}/log",
                f"/api/tables/{table['id']}/chat",
            ):
                assert NAME not in ben.get(content).text
        assert [line["text"] for line in ben.get(f"/api/tables/{playing['id']}/chat").json()] == ["hello"]
        assert ben.get(f"/api/tables/{over['id']}").json()["seats"][0]["kind"] == "person"
        assert ben.get(f"/api/tables/{new}").json()["seats"][1]["name"] == ""
        (statistics,) = ben.get("/api/statistics").json()
        assert all(game["others"] == [] for game in statistics["played"])
        assert "Player 1 leaves." in ben.get(f"/api/tables/{playing['id']}/log").text
        move = next(choice["text"] for choice in shown["view"]["choices"]) if shown["view"]["choices"] else None
        if move:
            assert ben.command("play", playing["id"], number=shown["number"], move=move).status_code == 200
    assert_nothing_left(path, person)
    with serving(path) as server:  # what is left can be read
        again = Guest(server.url)
        again.http.cookies.set("tablee", ben.http.cookies.get("tablee"))
        for table in (over, playing, left, rematched):
            assert again.get(f"/api/tables/{table['id']}").status_code == 200
        assert again.get(f"/api/tables/{over['id']}/record").status_code == 200
    assert_nothing_left(path, person)


def all_bytes(path):
    return b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))


def assert_nothing_left(path, person):
    with closing(sqlite3.connect(path)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [(name, row) for name in names for row in database.execute(f"SELECT * FROM {name}")]
    for text in (person, NAME, "my secret", "ana@example.org"):
        assert [name for name, row in rows if text in json.dumps(row)] == []
        assert text.encode() not in all_bytes(path)


def events_of(request, *commands):
    """Return the stored events of a table that Ana makes, after commands of several people."""
    events, table = new_table("t", request, Secrets(7, "invite"), Actor("p1", "Ana", key="p1/k"), 1.0, ["random"])
    for number, (command, actor) in enumerate(commands):
        steps = decide(table, command, actor, 2.0 + number, ["random"])
        events += [step.event for step in steps]
        table = steps[-1].table
    return events


def test_events_without_a_person_lead_to_the_same_game():
    people = (("p1", "Ana"), ("p2", "Ben"), ("p3", "Eve"))
    ana, ben, eve = (Actor(person, name, key=f"{person}/x") for person, name in people)
    claim = Claim(None, "invite")
    histories = [
        [(claim, ben), (Rename(), Actor("p1", "Anna")), (Leave(), ana), (Claim(None, ""), ana), (Forget(), ana)],
        [(claim, ben), (ProposeEnd(), ana), (Leave(), ana), (Claim(0, "invite"), eve)],
        [(claim, ben), (HandOver(1), ana), (RemovePlayer(0, "new"), ben)],
        [(Leave(), ana), (claim, ben), (claim, ana), (Forget(), ana)],
    ]
    for history in histories:
        events = events_of(TableRequest("skyjo", seats=2), *history)
        erased = [decode_event(encode_event(event)) for event in without_person(events, "p1")]
        assert "p1" not in "".join(map(encode_event, erased))
        assert not any(getattr(event, "name", "") in ("Ana", "Anna") for event in erased)
        before, after = rebuild_table("t", events), rebuild_table("t", erased)
        assert (after.number, after.phase, after.host) == (before.number, before.phase, before.host)
        assert [(seat.kind, seat.bot) for seat in after.seats] == [(seat.kind, seat.bot) for seat in before.seats]
        if before.match is not None:
            assert after.match.digest() == before.match.digest()
        assert after.seat_of("p1") is None
        assert after.seat_of(NOBODY) is None or after.phase != "playing"


def test_generations_are_read_by_other_processes(tmp_path):
    import asyncio

    async def test():
        store = Store(str(tmp_path / "tablee.db"))
        store.open()
        stored = IdentityStore(store)
        own, other = Generations(), Generations()
        await other.read(stored)
        old = Person("p1", "Ana")
        assert await stored.raise_generation("p1") == 1
        assert await stored.raise_generation("p1") == 2
        own.set("p1", 2)
        assert not own.is_current(old)
        assert other.is_current(old)
        await other.read(stored)
        assert not other.is_current(old)
        assert other.is_current(Person("p1", "Ana", generation=2))
        store.close()

    asyncio.run(test())
