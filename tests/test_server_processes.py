"""Several server processes that share one PostgreSQL: people on different ones, and one of them is killed."""

import json

import pytest

from server_process import Guest, close_guests
from test_kill import RestartingServer


@pytest.fixture
def processes(postgres, tmp_path):
    """Two servers that share one database."""
    database = postgres.database()
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    servers = [RestartingServer(database, folder) for folder in folders]
    yield servers
    close_guests()
    for server in servers:
        server.stop()


def connected_to(server, guest):
    """Return the same person as a client of another server."""
    other = Guest(server.url)
    other.cookie = guest.cookie
    other.http.cookies.set("tablee", guest.cookie)
    return other


def play_when_possible(guest, table):
    shown = guest.get(f"/api/tables/{table}").json()
    choices = shown["view"]["choices"]
    if not choices:
        return None
    return guest.command("play", table, number=shown["number"], move=choices[0]["text"]).json()["number"]


def test_people_on_different_processes_play_on_when_one_process_is_killed(processes):
    one, two = processes
    ana, ben = Guest(one.url, "Ana"), Guest(two.url, "Ben")
    table = ana.create(seats=2, options={"opening": "auto"})
    number = ben.command("claim", table["id"], invite=table["invite"]).json()["number"]
    table = table["id"]
    with ana.line() as a, ben.line() as b:
        a.watch(table)
        b.watch(table)
        played = play_when_possible(ana, table) or play_when_possible(ben, table)
        assert played > number
        for line in (a, b):
            assert line.until(lambda m: m["type"] == "event" and m["number"] == played)["event"]["kind"] == "moved"
        assert a.ask("chat", table=table, text="hello")["type"] == "ack"
        assert b.until(lambda m: m["type"] == "chat")["chat"]["text"] == "hello"
        one.kill()
        assert a.closed_with() is None  # without a close frame
        ana = connected_to(two, ana)
        with ana.line() as again:
            assert again.ask("watch", table=table, since=played)["type"] == "ack"
            for _ in range(3):
                played = play_when_possible(ana, table) or play_when_possible(ben, table)
                for line in (again, b):
                    line.until(lambda m, n=played: m["type"] == "event" and m["number"] == n)


def test_bots_are_run_by_one_process_and_by_another_when_it_is_killed(processes):
    one, two = processes
    ana = Guest(one.url, "Ana")
    table = ana.create(seats=2, bots=["random"], options={"opening": "auto"})["id"]
    elsewhere = connected_to(two, ana)
    with ana.line() as a, elsewhere.line() as b:
        a.watch(table)
        state = b.watch(table)
        numbers = [state["number"]]
        for turn in range(8):
            if turn == 4:
                one.kill()
            while not state["view"]["choices"]:
                message = b.until(lambda m: m["type"] == "event")
                numbers.append(message["number"])
                state = message["state"] or state
            choice = {"number": state["number"], "move": state["view"]["choices"][0]["text"]}
            b.websocket.send(json.dumps({"type": "play", "id": f"m{turn}", "table": table, **choice}))
            message = b.until(lambda m: m["type"] == "event")
            numbers.append(message["number"])
            state = message["state"] or state
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
