"""Who can reach a server, what invite links say, and where files go."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from browser import free_port, wait_for_server
from server_process import Guest, serving
from tablee.core.folders import data_folder, default_database
from tablee.server import reach

NETWORK = "http://192.168.1.7:8000"


def test_the_address_in_the_network_is_that_of_the_interface_which_reaches_others(monkeypatch):
    monkeypatch.setattr(reach, "CONTAINER_MARKS", ())
    monkeypatch.setattr(reach, "_own_address", lambda: "192.168.1.7")
    assert reach.network_address("0.0.0.0", 8000) == NETWORK
    assert reach.network_address("192.168.1.9", 80) == "http://192.168.1.9:80"


def test_what_keeps_others_away_is_named(monkeypatch, tmp_path):
    assert reach.network_address("127.0.0.1", 8000) == reach.network_address("localhost", 8000) == "local"
    monkeypatch.setattr(reach, "CONTAINER_MARKS", (str(tmp_path),))
    assert reach.network_address("0.0.0.0", 8000) == "container"
    monkeypatch.setattr(reach, "CONTAINER_MARKS", ())
    monkeypatch.setattr(reach, "ELSEWHERE", "127.0.0.1")  # the only route leads to this machine
    assert reach.network_address("0.0.0.0", 8000) == "no_network"


def test_a_qr_code_is_only_drawn_where_it_fits():
    drawn = reach.qr_text(NETWORK, 80)
    assert max(map(len, drawn.splitlines())) <= 80
    assert reach.qr_text(NETWORK, 20) == ""


@pytest.mark.parametrize(
    ("settings", "start", "is_local"),
    [
        ({}, "http://127.0.0.1:", True),
        ({"network": NETWORK}, NETWORK, False),
        ({"network": NETWORK, "address": "https://tablee.example/"}, "https://tablee.example/t/", False),
    ],
)
def test_an_invite_link_made_on_the_servers_machine_can_be_opened_by_others(tmp_path, settings, start, is_local):
    with serving(tmp_path / "tablee.db", **settings) as server:
        ana, eve = Guest(server.url, "Ana"), Guest(server.url, "Eve")
        table = ana.create("skyjo", seats=2, is_open=True)
        invitation = ana.get(f"/api/tables/{table['id']}/invitation").json()
        assert invitation["link"].startswith(start)
        assert invitation["link"].endswith(f"/t/{table['id']}#{table['invite']}")
        assert invitation["is_local"] is is_local
        assert eve.get(f"/api/tables/{table['id']}/invitation").status_code == 403


@pytest.mark.parametrize(("settings", "is_local"), [({}, True), ({"network": NETWORK}, False)])
def test_the_lobby_can_say_where_others_open_it(tmp_path, settings, is_local):
    with serving(tmp_path / "tablee.db", **settings) as server:
        address = Guest(server.url).get("/api/address").json()
        assert address["link"] == settings.get("network", server.url)
        assert address["is_local"] is is_local
        assert address["picture"].startswith("data:image/svg+xml")


def test_files_go_to_the_users_folder_and_an_old_database_is_still_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TABLEE_DATA", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    assert data_folder() == tmp_path / "share" / "tablee"
    assert data_folder().stat().st_mode & 0o077 == 0
    assert default_database() == tmp_path / "share" / "tablee" / "tablee.db"
    Path("tablee.db").touch()
    assert default_database() == Path("tablee.db")


def test_the_start_says_where_tables_are_and_who_can_connect_and_leaves_nothing_behind(tmp_path):
    here, data = tmp_path / "clone", tmp_path / "data"
    here.mkdir()
    url = f"http://127.0.0.1:{(port := free_port())}"
    command = [sys.executable, "-m", "tablee", "serve", "--local", "--port", str(port), "--lang", "en"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "TABLEE_DATA": str(data)}
    with (tmp_path / "said").open("w") as said:
        process = subprocess.Popen(command, cwd=here, env=environment, stdout=said, stderr=subprocess.DEVNULL)
        wait_for_server(process, url)
        process.terminate()
        process.wait()
    lines = (tmp_path / "said").read_text().splitlines()
    assert f"{url}/" in lines[0]
    assert "Only this machine can reach it" in lines[1]
    assert lines[2] == f"Tables are stored in {data / 'tablee.db'}."
    assert list(here.iterdir()) == []
