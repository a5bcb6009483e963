"""`tablee doctor`: every check says what is wrong and what to do, and changes nothing."""

import json
import os
import re
import shutil
import socket
import sqlite3
import sys
import time
from collections import namedtuple
from pathlib import Path

import pytest

from browser import free_port
from server_process import PATIENCE, serving
from tablee import cli
from tablee.core.languages import languages
from tablee.core.words import common
from tablee.server import doctor
from tablee.server.settings import Settings
from tablee.storage import Store
from tablee.storage.lock import exclusive
from test_bad_starts import damaged_database


@pytest.fixture
def database(tmp_path):
    """An empty database of the newest schema."""
    store = Store(str(tmp_path / "tablee.db"))
    store.open()
    store.close()
    return tmp_path / "tablee.db"


def change(file, *statement):
    with sqlite3.connect(file) as connection:
        connection.execute(*statement)
    connection.close()


def states(findings):
    return {finding.key: finding.state for finding in findings}


def test_a_good_place_for_a_server(tmp_path, database):
    before = {path: path.stat() for path in tmp_path.iterdir()}
    found = list(doctor.examine(Settings(database=str(database), status="127.0.0.1:0"), "127.0.0.1", free_port()))
    assert {finding.state for finding in found if finding.key not in ("root", "interpreted")} == {doctor.OK}
    checks = [finding.check for finding in found]
    assert {"disk", "database", "schema", "integrity", "clock", "permissions", "address", "network", "status"} < set(
        checks
    )
    assert {path: path.stat()[:7] for path in tmp_path.iterdir()} == {path: stat[:7] for path, stat in before.items()}


def test_what_does_not_exist_yet_is_not_created(tmp_path):
    assert states(doctor.examine_database(str(tmp_path / "tablee.db")))["new_file"] == doctor.OK
    assert states(doctor.examine_database(str(tmp_path / "missing" / "tablee.db"))) == {"no_folder": doctor.FAILED}
    assert list(tmp_path.iterdir()) == []


def test_schemas_of_other_versions(database):
    change(database, "UPDATE alembic_version SET version_num = '0001'")
    assert states(doctor.examine_database(str(database)))["schema_old"] == doctor.WARNING
    change(database, "UPDATE alembic_version SET version_num = '9999'")
    (finding,) = [each for each in doctor.examine_database(str(database)) if each.state == doctor.FAILED]
    assert "install the version that wrote it" in str(finding.values["why"])


def test_a_damaged_file(tmp_path):
    damaged_database(tmp_path / "tablee.db")
    assert states(doctor.examine_database(str(tmp_path / "tablee.db")))["damaged"] == doctor.FAILED


def test_postgresql(postgres):
    url = postgres.database()
    assert states(doctor.examine_database(url)) == {"schema_new": doctor.OK, "writable": doctor.OK}
    assert states(doctor.examine_clock(url)) == {"clock_right": doctor.OK}
    assert states(doctor.examine_database(url.replace("tablee@", "nobody@")))["error"] == doctor.FAILED


def test_a_disk_that_is_almost_full(database, monkeypatch):
    usage = namedtuple("usage", "total used free")
    for free, state in ((50, doctor.FAILED), (500, doctor.WARNING)):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: usage(0, 0, free * 2**20))
        assert states(doctor.examine_database(str(database)))["little_space"] == state


def test_a_clock_that_was_set_back_or_never_set(database, monkeypatch):
    row = ("t", "skyjo", "playing", True, 0.0, time.time() + 3600, "{}")
    columns = "id, game, phase, is_open, created_at, updated_at, summary"
    change(database, f"INSERT INTO tables ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    assert states(doctor.examine_clock(str(database))) == {"clock_differs": doctor.FAILED}
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert states(doctor.examine_clock(str(database))) == {"clock_unset": doctor.FAILED}


def test_addresses_in_use(tmp_path, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        settings = Settings(status=f"127.0.0.1:{port}")
        found = states(doctor.examine_address(settings, "127.0.0.1", port))
    assert found == {
        "address_taken": doctor.FAILED,
        "only_here": doctor.OK,
        "status_taken": doctor.FAILED,
    }
    monkeypatch.setattr(doctor, "PATIENCE", PATIENCE)
    with serving(tmp_path / "tablee.db") as server:
        assert states(doctor.examine_address(Settings(), "127.0.0.1", server.port))["address_served"] == doctor.OK


def test_the_local_network(monkeypatch):
    port = free_port()
    monkeypatch.setattr(doctor, "own_address", lambda: "127.0.0.1")
    assert states(doctor._examine_network("0.0.0.0", port)) == {"reachable": doctor.OK}
    monkeypatch.setattr(doctor, "own_address", lambda: None)
    assert states(doctor._examine_network("0.0.0.0", port)) == {"no_network": doctor.WARNING}


def test_a_database_that_others_can_read(database):
    database.chmod(0o644)
    assert states(doctor.examine_permissions(str(database)))["readable_by_others"] == doctor.WARNING
    list(doctor.examine_database(str(database)))
    assert database.stat().st_mode & 0o777 == 0o644  # it says what to do, and does nothing


@pytest.mark.parametrize("language", languages())
def test_every_finding_has_words(language):
    source = Path(doctor.__file__).read_text(encoding="utf-8")
    keys = set(re.findall(r'finding\(\s*"[a-z]+", [A-Z]+, "([a-z_]+)"', source)) | {"space", "only_here"}
    assert len(keys) > 20
    assert {f"doctor.{key}" for key in keys} <= set(common(language).texts)


def test_settings_with_which_no_server_starts(monkeypatch):
    for name, value in (("TABLEE_BOTS", "missing.toml"), ("TABLEE_ONLY", "chess")):
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            (finding,) = doctor.examine_settings(Settings())
            assert finding.state == doctor.FAILED
            assert value.partition(".")[0] in str(finding.values["why"])
    (finding,) = doctor.examine_settings(Settings(status="9100"))
    assert "HOST:PORT" in str(finding.values["why"])
    assert "status_free" not in states(doctor.examine_address(Settings(status="9100"), "127.0.0.1", free_port()))
    assert states(doctor.examine_settings(Settings())) == {"settings": doctor.OK}


def test_a_file_that_another_server_uses(database, tmp_path, monkeypatch):
    before = sorted(path.name for path in tmp_path.iterdir())
    assert states(doctor.examine_use(str(database), "127.0.0.1", free_port())) == {}
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    with exclusive(str(database)):
        (finding,) = doctor.examine_use(str(database), "127.0.0.1", free_port())
        assert (finding.state, finding.values["process"]) == (doctor.FAILED, str(os.getpid()))
        monkeypatch.setattr(doctor, "_is_served", lambda host, port: True)
        assert states(doctor.examine_use(str(database), "127.0.0.1", 8000)) == {"in_use": doctor.OK}
    assert states(doctor.examine_use(str(database), "127.0.0.1", free_port())) == {}


def test_it_looks_at_the_interfaces_that_a_server_would_listen_on(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "own_address", lambda: None)

    def checked(**environment):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["tablee", "doctor", "--json", "--port", str(free_port())])
        with pytest.raises(SystemExit):
            cli.main()
        return [finding["text"] for finding in json.loads(capsys.readouterr().out) if finding["check"] == "network"]

    assert checked() == [common("en").say("doctor.no_network")]
    assert checked(TABLEE_ADDRESS="https://tablee.example") == [common("en").say("doctor.only_here", host="127.0.0.1")]


def test_the_command(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["tablee", "doctor", *arguments, "--port", str(free_port())])
        with pytest.raises(SystemExit) as end:
            cli.main()
        return end.value.code or 0, capsys.readouterr().out

    monkeypatch.setenv("TABLEE_STATUS", "off")
    code, said = run("--lang", "fr")
    assert code == 0
    assert "Un serveur peut démarrer ici." in said
    monkeypatch.setenv("TABLEE_BOT_THREADS", "0")
    code, said = run("--json")
    assert code == 1
    (finding,) = json.loads(said)
    assert (finding["check"], finding["state"]) == ("settings", "failed")
    assert "TABLEE_BOT_THREADS=0" in finding["text"]
    assert os.listdir(tmp_path) == []
