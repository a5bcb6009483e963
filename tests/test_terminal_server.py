"""The terminal at a real server, with players who use other clients."""

import asyncio
import re
import stat
from pathlib import Path

import pytest

from server_process import Guest, serving
from tablee import Record
from tablee.core.errors import TableeError
from tablee.terminal.addresses import Address, ServerClient
from tablee.terminal.screens import join_table
from terminals import LARGE, play, running, shown, until


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("server") / "tables.db") as running_server:
        yield running_server


def address(server, table):
    return Address(server.url, table["id"], table["invite"])


def on_turn(screen):
    view = screen._display.view
    return view is not None and bool(view.choices)


def create(server, **request):
    """A table created by Bo, and Bo."""
    bo = Guest(server.url, "Bo")
    return bo.create("skyjo", seats=2, **request), bo


def play_turn(bo, table):
    """Play Bo's moves while Bo is on turn."""
    state = bo.get(f"/api/tables/{table['id']}").json()
    while state["view"]["to_move"] == 0:
        assert bo.command(
            "play", table["id"], number=state["number"], move=state["view"]["choices"][0]["text"]
        ).is_success
        state = bo.get(f"/api/tables/{table['id']}").json()


async def typing(pilot, text):
    await pilot.press(*("space" if letter == " " else letter for letter in text), "enter")


def test_a_player_in_a_terminal_and_another_play_and_agree_to_stop(server):
    table, bo = create(server)

    async def test():
        screen = join_table(address(server, table), "en", "Ana")
        async with running(screen) as (app, pilot):
            await until(lambda: on_turn(screen), pilot)
            await typing(pilot, "draw")
            await until(lambda: "(R3)" in shown(app), pilot)
            await typing(pilot, "flip b2")
            await until(lambda: "Ana" in " ".join(screen.log_lines[-1:]), pilot)
            play_turn(bo, table)
            await typing(pilot, "say well met")
            await until(lambda: "Ana: well met" in screen.log_lines, pilot)
            await typing(pilot, "stop")
            await until(lambda: "Ana would like to stop here." in shown(app), pilot)
            assert bo.command("answer_end", table["id"], agrees=True).is_success
            await until(lambda: list(Path().glob("*.tablee")), pilot)
            await until(lambda: "Ended by agreement." in shown(app), pilot)

    play(test())
    (path,) = Path().glob("*.tablee")
    assert Record.load(path).replay().players == ["Bo", "Ana"]


def test_a_lost_connection_is_reopened_and_missed_events_arrive(server):
    table, bo = create(server)

    async def test():
        screen = join_table(address(server, table), "en", "Ana")
        async with running(screen) as (_, pilot):
            await until(lambda: on_turn(screen), pilot)
            lost = screen.host._socket
            await lost.close()
            assert bo.command("chat", table["id"], text="still there?").is_success
            play_turn(bo, table)
            await typing(pilot, "flip b2")
            await until(lambda: screen.host._socket not in (None, lost), pilot)
            await until(lambda: any("Ana" in line and "b2" in line for line in screen.log_lines), pilot)
            await until(lambda: "Bo: still there?" in screen.log_lines, pilot)

    play(test())


def test_who_is_away_and_the_clock_are_shown(server):
    table, _ = create(server, clock=600)  # Bo is not connected

    async def test():
        screen = join_table(address(server, table), "en", "Ana")
        async with running(screen, LARGE) as (app, pilot):
            await until(lambda: on_turn(screen), pilot)
            await until(lambda: "Bo  away" in shown(app), pilot)
            assert re.search(r"◷ (9|10):\d\d", shown(app))
            await pilot.resize_terminal(80, 24)
            await until(lambda: "Bo 0 pts · away" in shown(app), pilot)

    play(test())


def test_a_seat_is_kept_after_leaving(server):
    table, _ = create(server)

    async def sit():
        screen = join_table(address(server, table), "fr", "Ana")
        async with running(screen) as (app, pilot):
            await until(lambda: on_turn(screen), pilot)
            await pilot.press("ctrl+c")
        return screen.host.table.viewer, app.exit_messages

    first, second = play(sit()), play(sit())
    assert first[0] == second[0] == 1
    assert f"tablee join '{address(server, table)}'" in first[1][0]
    (kept,) = Path("state").rglob("servers.json")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_bot_takes_the_last_free_seat(server):
    bo = Guest(server.url, "Bo")
    table = bo.create("skyjo", seats=3)

    async def test():
        screen = join_table(address(server, table), "en", "Ana")
        async with running(screen) as (app, pilot):
            await until(lambda: "One seat is free." in shown(app), pilot)
            assert "1. Bo" in shown(app)
            assert "2. Ana" in shown(app)
            await typing(pilot, "bot random")
            await until(lambda: screen._display.view is not None, pilot)
            assert any("(bot) sits down" in line for line in screen.log_lines)
            assert "Bo's cards" not in shown(app)

    play(test())


def test_an_open_table_can_be_watched_and_a_private_one_cannot(server):
    table, _ = create(server, is_open=True, bots=["random"])
    private, _ = create(server)

    async def look(where):
        screen = join_table(Address(server.url, where["id"]), "en", None)
        async with running(screen) as (app, pilot):
            await until(lambda: screen._display.view is not None or "no such table" in shown(app), pilot)
            return screen._display.view, shown(app)

    view, _ = play(look(table))
    assert view.viewer == -1
    assert not view.choices
    view, text = play(look(private))
    assert view is None
    assert "There is no such table, or you are not invited." in text


def test_an_unreachable_server_is_reported():
    async def test():
        screen = join_table(Address("http://127.0.0.1:9", "x", "y"), "en", "Ana")
        async with running(screen) as (app, pilot):
            await until(lambda: "refused" in shown(app).lower(), pilot)

    play(test())


def test_a_refused_name_shows_the_message_of_the_server(server):
    with pytest.raises(TableeError, match="1 to 24 characters"):
        ServerClient(Address(server.url, "x")).set_name("x" * 60)


def test_a_server_that_does_not_respond_can_be_left():
    """The connection is closed even if the server never replies to the close frame."""
    from websockets.asyncio.server import serve

    from tablee.terminal.server_host import ServerHost

    async def test():
        hung = asyncio.Event()

        async def greet(connection):
            connection.transport.pause_reading()
            hung.set()
            await connection.wait_closed()

        async with serve(greet, "127.0.0.1", 0) as mute:
            address = Address(f"http://127.0.0.1:{mute.sockets[0].getsockname()[1]}", "x")
            host = ServerHost(address, ServerClient(address), "en", sits=False)
            running_host = asyncio.create_task(host.run())
            await hung.wait()
            while host._socket is None:
                await asyncio.sleep(0)
            line = host._socket.transport
            for _ in range(2):  # the screen ends, then the loop
                running_host.cancel()
                for _ in range(100):  # rounds of the loop: enough where nothing is waited for
                    await asyncio.sleep(0)
            is_closed = line.is_closing()
            for connection in mute.connections:
                connection.transport.abort()
        assert running_host.done()
        assert is_closed

    play(test())
