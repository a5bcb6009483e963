"""Messages to people who are away when it is their turn, on simulated time."""

import asyncio
import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from tablee.server import turn_messages
from tablee.server.turn_messages import TurnMessages, turn_of
from tablee.tables.commands import Actor, Claim, Leave, Pause
from tablee.tables.creation import Secrets, TableRequest, new_table
from tablee.tables.decisions import decide


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr(turn_messages, "DELAY_SECONDS", 0.0)
    monkeypatch.setattr(turn_messages, "RETRY_SECONDS", 0.0)


@pytest.fixture
def webhook():
    """The URL of a webhook, what it has received, and the statuses it answers with (then 200)."""
    received, statuses = [], []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.headers["Content-Type"], json.loads(body)))
            self.send_response(statuses.pop(0) if statuses else 200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/turn", received, statuses
    server.shutdown()
    server.server_close()


def playing():
    """Return a table with two people, and its last step's decider."""
    opened = new_table("t1", TableRequest("skyjo", seats=2, options={"opening": "auto"}), Secrets(7, "i"), ANA, 1.0)
    return decide(opened.table, Claim(None, "i"), BEN, 2.0)[-1].table


ANA, BEN = Actor("p1", "Ana"), Actor("p2", "Ben")


def messages_to(url, contacts, current):
    async def contact_of(person):
        return contacts.get(person, "")

    async def is_waiting(turn):
        return current[0] if turn_of(current[0]) == turn else None

    return TurnMessages(url, "https://play.example/", contact_of, is_waiting)


async def finish(messages):
    await asyncio.gather(*(task for _, task in messages._tasks.values()), return_exceptions=True)


def test_a_person_who_asked_for_it_is_told_once_with_a_link(webhook):
    url, received, statuses = webhook
    statuses += [503, 500]

    async def test():
        table = playing()
        person = table.seats[table.on_turn].person
        messages = messages_to(url, {person: "me@example.org"}, [table])
        messages.turn_changed(table)
        messages.turn_changed(table)
        await finish(messages)

    asyncio.run(test())
    assert len(received) == 3, "again after each failure"
    kind, body = received[-1]
    name = {"p1": "Ana", "p2": "Ben"}[playing().seats[playing().on_turn].person]
    assert kind == "application/json"
    assert body == {
        "event": "turn",
        "to": "me@example.org",
        "name": name,
        "game": "skyjo",
        "title": "Skyjo",
        "table": "t1",
        "link": "https://play.example/t/t1",
    }


def test_nobody_is_told_who_did_not_ask_who_is_there_or_whose_turn_is_over(webhook):
    url, received, _ = webhook

    async def test():
        table = playing()
        mover = next(actor for actor in (ANA, BEN) if actor.person == table.seats[table.on_turn].person)
        nobody = messages_to(url, {}, [table])
        nobody.turn_changed(table)
        await finish(nobody)
        for command in (Leave(), Pause()):
            after = decide(table, command, mover, 3.0)[-1].table
            messages = messages_to(url, {mover.person: "x"}, [after])
            messages.turn_changed(table)
            await finish(messages)
            messages.turn_changed(after)
            assert not messages._tasks
        off = messages_to("", {mover.person: "x"}, [table])
        off.turn_changed(table)
        assert not off._tasks

    asyncio.run(test())
    assert received == []


def test_a_webhook_that_never_answers_disturbs_nothing(webhook):
    _, received, _ = webhook

    async def test():
        table = playing()
        person = table.seats[table.on_turn].person
        messages = messages_to("http://127.0.0.1:1/nothing", {person: "x"}, [table])
        messages.turn_changed(table)
        await finish(messages)
        assert not messages._tasks
        messages.turn_changed(table)
        await messages.close()

    asyncio.run(test())
    assert received == []
