"""A database written by the server of an earlier commit: what it answered then is what it answers now."""

import asyncio
import gzip
import json
from pathlib import Path

import pytest

from server_process import Guest, let_tables_wait, serving
from tablee import Record
from tablee.storage import Store
from tablee.storage.export import export_records
from tablee.tables.evolution import rebuild_table
from tablee.tables.log import build_log
from tablee.tables.presentation import table_shown

FOLDER = Path(__file__).parent / "fixtures" / "b462916-server"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
RECORDS = sorted(FOLDER.glob("*.tablee"))


def unpacked(folder):
    path = folder / "tables.db"
    path.write_bytes(gzip.decompress((FOLDER / "tables.db.gz").read_bytes()))
    return path


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """All tables of the database, rebuilt from their events; and the events."""
    store = Store(str(unpacked(tmp_path_factory.mktemp("older"))))
    store.open()
    events = {table_id: asyncio.run(store.events(table_id)) for table_id in EXPECTED["facts"]}
    yield {table_id: (rebuild_table(table_id, stored), stored) for table_id, stored in events.items()}
    store.close()


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_records_verify(path):
    record = Record.load(path)
    replayed = record.verify()
    assert replayed.moves == len(record.moves)
    assert Record.parse(record.text()) == record


def test_tables_replay_to_the_same_positions(tables):
    for table_id, facts in EXPECTED["facts"].items():
        table, events = tables[table_id]
        assert len(events) == table.number == facts["number"]
        assert (table.phase, table.on_turn) == (facts["phase"], facts["on_turn"])
        assert {str(seat): move for seat, move in table.queued.items()} == facts["queued"]
        assert [[seat.kind, seat.name, seat.bot] for seat in table.seats] == facts["seats"]
        if facts["digest"] is not None:
            assert table.match.digest() == facts["digest"]
            assert (len(table.match.moves), table.match.scores()) == (facts["moves"], facts["scores"])


def test_every_kind_of_table_is_shown_and_has_a_log(tables):
    assert {facts["phase"] for facts in EXPECTED["facts"].values()} == {"gathering", "playing", "paused", "over"}
    for table, events in tables.values():
        shown = table_shown(table, -1, "en")
        assert (shown.phase, shown.number) == (table.phase, table.number)
        lines = build_log(table.id, events, -1, "en").page(10_000).lines
        assert {line.move for line in lines} - {None} == set(range(1, table.moves + 1))


def test_finished_tables_export_the_same_records(tmp_path):
    store = Store(str(unpacked(tmp_path)))
    store.open()
    export_records(store, tmp_path)
    store.close()
    for game, kinds in EXPECTED["tables"].items():
        written, exported = (
            Record.load(FOLDER / f"{game}.tablee"),
            Record.load(tmp_path / f"{game}-{kinds['over']}.tablee"),
        )
        assert (exported.moves, exported.digests, exported.outcome) == (written.moves, written.digests, written.outcome)


def as_before(answer, expected):
    """Return an answer without the fields that were added since."""
    if isinstance(expected, dict):
        return {key: as_before(answer[key], value) for key, value in expected.items()}
    if isinstance(expected, list):
        return [as_before(*pair) for pair in zip(answer, expected, strict=True)]
    return answer


def test_lobby_and_statistics_are_unchanged(tmp_path, monkeypatch):
    monkeypatch.setattr("tablee.server.catalogue.MAX_LISTED_PER_PERSON", 5)  # one person has opened all of them
    let_tables_wait(monkeypatch)
    with serving(unpacked(tmp_path)) as server:
        for name, cookie in EXPECTED["cookies"].items():
            guest = Guest(server.url)
            guest.http.cookies.set("tablee", cookie)
            assert guest.get("/api/me").json()["name"] == name
            assert as_before(guest.get("/api/tables").json(), EXPECTED["lobby"][name]) == EXPECTED["lobby"][name]
            statistics = guest.get("/api/statistics").json()
            for game in statistics:
                for played in game["played"]:
                    played["place"] = played.pop("rank")  # its name then
            assert statistics == EXPECTED["statistics"][name]


def test_a_running_table_goes_on(tmp_path):
    with serving(unpacked(tmp_path)) as server:
        ana = Guest(server.url)
        ana.http.cookies.set("tablee", EXPECTED["cookies"]["Ana"])
        table = EXPECTED["special"]["fork_true"]
        shown = ana.get(f"/api/tables/{table}").json()
        move = shown["view"]["choices"][0]["text"]
        assert ana.command("play", table, number=shown["number"], move=move).status_code == 200
        assert ana.get(f"/api/tables/{table}/log").json()["total"] > 0
