"""Records and databases written at commit b462916 (0.1.0) are read, replayed and verified unchanged."""

import json
import sqlite3
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from server_process import Guest, let_tables_wait, serving
from tablee import Record
from tablee.server.identity import Person, TokenSigner
from tablee.storage import Store
from tablee.storage.backup import restore
from tablee.storage.results import result_of
from tablee.tables.events import decode_event, encode_event
from tablee.tables.evolution import rebuild_table
from tablee.tables.presentation import table_record

SAMPLES = Path(__file__).parent / "fixtures" / "b462916"
EXPECTED = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def old_database(tmp_path_factory):
    path = tmp_path_factory.mktemp("old") / "tablee.db"
    connection = sqlite3.connect(path)
    connection.executescript((SAMPLES / "tables.sql").read_text(encoding="utf-8"))
    connection.close()
    return path


def stored_events(path):
    """Return the events as stored: their JSON by table."""
    connection = sqlite3.connect(path)
    found = {}
    for table, body in connection.execute("SELECT table_id, body FROM events ORDER BY table_id, number"):
        found.setdefault(table, []).append(body)
    connection.close()
    return found


@pytest.mark.parametrize("path", sorted((SAMPLES / "records").iterdir()), ids=lambda path: path.stem)
def test_records_are_read_and_verified(path):
    record = Record.load(path)
    assert record.text().encode() == path.read_bytes()
    assert record.verify(trust_start=True).moves == len(record.moves)
    replayed = record.replay(trust_start=True)
    kinds = [player.kind for player in record.header.players] or None
    notes = dict(record.header.notes)
    again = replayed.record(kinds=kinds, date=record.header.date, software="tablee 0.1.0", **notes)
    assert again.header.game_version == replayed.game.version
    header = replace(again.header, game_version=record.header.game_version)
    assert replace(again, header=header) == record


def test_events_are_written_as_before(old_database):
    for bodies in stored_events(old_database).values():
        for body in bodies:
            assert encode_event(decode_event(body)) == body


def test_the_samples_have_every_kind_of_event(old_database):
    kinds = {json.loads(body)["kind"] for bodies in stored_events(old_database).values() for body in bodies}
    assert kinds == {
        "bot_removed", "bot_seated", "claimed", "covered", "created", "end_answered", "end_proposed", "ended", "left",
        "moved", "paused", "queued", "rematched", "resumed", "returned", "started", "undone", "withdrawn",
    }  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_tables_are_replayed_to_the_same_states(old_database, name):
    bodies = stored_events(old_database)[name]
    table, expected = rebuild_table(name, map(decode_event, bodies)), EXPECTED[name]
    assert (len(bodies), table.number) == (expected["events"], expected["number"])
    assert (table.phase, table.end) == (expected["phase"], expected["end"])
    assert [[seat.kind, seat.name, seat.person, seat.bot] for seat in table.seats] == expected["seats"]
    if "digest" in expected:
        match = table.match
        assert [match.text(move) for move in match.moves] == expected["moves"]
        assert (match.digest(), match.scores()) == (expected["digest"], expected["scores"])
        assert {str(seat): move for seat, move in table.queued.items()} == expected["queued"]
    if "body" in expected:
        record = table_record(table, {"random": 1})
        digests, outcome = expected["body"]
        assert list(record.digests) == digests
        assert record.verify(trust_start=True).outcome == record.outcome
        if outcome is None:
            assert record.outcome is None
        else:
            now = asdict(record.outcome)
            assert [now["reason"], list(now["scores"]), list(now["ranks"])] == [
                outcome["reason"], outcome["scores"], outcome["places"],
            ]  # fmt: skip


def test_a_backup_of_that_time_is_restored_into_either_kind_of_database(old_database, database):
    assert restore(old_database, database) == len(EXPECTED)
    store = Store(database)
    rows = {row.id: row for row in store.finished()}
    assert set(rows) == {name for name, expected in EXPECTED.items() if expected["phase"] == "over"}
    ranked = {name: result_of(row).ranks for name, row in rows.items() if result_of(row) is not None}
    assert {name for name, ranks in ranked.items() if ranks} == {"xe_queoover", "xyloover"}
    for name in ("xe_queoover", "xyloover"):
        assert list(ranked[name]) == EXPECTED[name]["body"][1]["places"]
    store.close()


def test_a_server_goes_on_with_a_database_of_that_time(old_database, monkeypatch):
    let_tables_wait(monkeypatch)
    signer = TokenSigner("0123456789abcdef" * 4)
    with serving(old_database) as server:
        ana = Guest(server.url, token=signer.token(Person("p0", "Ana")))
        lobby = ana.get("/api/tables").json()
        own = {summary["id"] for summary in lobby["mine"]}
        assert own >= {"gathering", "xyloover", "skyjo4", "lexiofork1"}
        for summary in lobby["mine"]:
            shown = ana.get(f"/api/tables/{summary['id']}").json()
            assert (shown["number"], shown["phase"]) == (EXPECTED[summary["id"]]["number"], summary["phase"])
        assert [line["text"] for line in ana.get("/api/tables/gathering/chat").json()] == ["hello"]
        games = {each["game"]: each for each in ana.get("/api/statistics").json()}
        ranks = {each["table"]: each["rank"] for each in games["xylo"]["played"]}
        assert ranks == {"xyloover": EXPECTED["xyloover"]["body"][1]["places"][0], "xylo9": None}
