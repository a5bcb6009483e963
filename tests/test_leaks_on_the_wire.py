"""No leak on the wire: two worlds that look the same to a viewer send the same bytes.

A random game is stopped at random moments. One world is the truth; in the other `disguise` has changed all that the
viewer cannot know. A real connection of the viewer to a real server gets, in each: the whole table over the socket and
over REST, the refusal of a move, and the next event, with the whole table after it or, at every second moment, with
what changed. All bytes, and what the server logs, must be equal.
"""

import logging
import math
import random

import pytest
from msgspec.structs import replace
from sqlalchemy import delete

from server_process import Guest, serving
from tablee import Match, all_games
from tablee.core.randomness import new_generator
from tablee.core.state import SPECTATOR, copy_state
from tablee.protocol.shown import LogLine
from tablee.server.live_table import table_addition
from tablee.server.logs import JsonFormatter, incidents, logger
from tablee.storage import schema
from tablee.tables.commands import Actor, Claim, Play
from tablee.tables.creation import Secrets, TableRequest, new_table
from tablee.tables.decisions import decide
from tablee.tables.forks import continue_match
from tablee.tables.presentation import table_shown
from tablee.tables.table import Rest

MOMENTS = 10  # per game


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setattr("time.time", lambda: 1_700_000_000.0)  # the same in both worlds
    monkeypatch.setattr("tablee.tables.live.LiveTable._now", lambda live: 1_700_000_000.0)
    monkeypatch.setattr("tablee.server.health.LAG_SECONDS", math.inf)  # a busy machine is no leak
    for name in incidents.present():  # of earlier tests in this process: they would end during this one
        incidents.end(name)
    with serving(tmp_path / "tablee.db") as server:
        yield server


class Lines(logging.Handler):
    """Keeps what the server logs."""

    def __init__(self):
        super().__init__(logging.INFO)
        self.setFormatter(JsonFormatter())
        self.lines = []

    def emit(self, record):
        if not record.getMessage().startswith("connections timed out"):  # a busy machine is no leak
            self.lines.append(self.format(record))


class Watched:
    """A table whose seats all belong to people; one of them, or a spectator, watches."""

    def __init__(self, server, game, seats):
        self.server, self.game = server, game
        self.guests = [Guest(server.url, f"Guest {seat}") for seat in range(seats)]
        self.people = [Actor(guest.get("/api/me").json()["id"], f"Guest {n}") for n, guest in enumerate(self.guests)]
        self.guests.append(Guest(server.url))  # index -1: a spectator
        request = TableRequest(game.name, seats=seats, is_open=True)
        events, table = new_table(f"{game.name:.12}", request, Secrets(11, "invite"), self.people[0], 1.0)
        for person in self.people[1:]:
            steps = decide(table, Claim(None), person, 1.0)
            events += [step.event for step in steps]
            table = steps[-1].table
        self.table = table
        assert server.do(server.registry.store.append(table_addition(0, events, table)))

    def play(self, move):
        steps = decide(self.table, Play(move, self.table.number), self.people[self.table.on_turn], 1.0)
        added = table_addition(self.table.number, [step.event for step in steps], steps[-1].table)
        assert self.server.do(self.server.registry.store.append(added))
        self.table = steps[-1].table

    def disguised(self, viewer, generator):
        """Return the table in another world that looks the same to the viewer."""
        match = self.table.match.copy()
        self.game.kernels.disguise(match.state, viewer, new_generator(generator.getrandbits(64)))
        return with_match(self.table, match)

    def received(self, table, viewer, attempt, move, changes="false"):
        """Return all bytes that the viewer gets in a world, and the lines that are logged."""
        handler = Lines()
        logger.addHandler(handler)
        level = logger.level
        logger.setLevel(logging.INFO)
        guest = self.guests[viewer]
        live = self._planted(table)
        try:
            with guest.line(lang="fr") as line:
                line.websocket.send(f'{{"type":"watch","id":"w","table":"{table.id}","changes":{changes}}}')
                got = [line.receive_bytes(), line.receive_bytes(), guest.get(f"/api/tables/{table.id}").content]
                line.websocket.send(
                    f'{{"type":"play","id":"p","table":"{table.id}","number":{table.number},"move":"{attempt}"}}'
                )
                got.append(line.receive_bytes())
                if move is not None:
                    mover = self.people[table.on_turn]
                    self.server.do(live.execute(Play(move, table.number), mover))
                    got.append(line.receive_bytes())
                    assert f'"base":{table.number if changes == "true" else "null"}' in got[-1]
        finally:
            self._forget(table)
            logger.removeHandler(handler)
            logger.setLevel(level)
        return got, handler.lines

    def _planted(self, table):
        async def plant():
            live = await self.server.registry.table(table.id)
            live.table = table
            live.steps.clear()
            return live

        return self.server.do(plant())

    def _forget(self, table):
        async def forget():
            with self.server.registry.store.engine.begin() as connection:
                later = schema.events.c.number > table.number
                connection.execute(delete(schema.events).where(schema.events.c.table_id == table.id, later))
            for live in list(self.server.registry._live.values()):
                live.watchers.clear()
            await self.server.registry.forget_idle(-1)

        self.server.do(forget())


def with_match(table, match):
    """Return a table in another world; what was cached of the first is not used for it."""
    return replace(table, match=match, before=None, last_mover=None, sights={}, sights_before={}, early={})


def looks_the_same_after(one, two, move, viewer):
    """Whether a move that is legal in both worlds leaves a viewer unable to tell them apart."""
    if two.game.kernels.refusal(two.state, move):
        return False
    sees_move = one.game.kernels.sees_move
    if bool(sees_move(one.state, move, viewer)) != bool(sees_move(two.state, move, viewer)):
        return False
    one, two = one.copy(), two.copy()
    one.play(move)
    two.play(move)
    return one.sight(viewer) == two.sight(viewer)


def illegal_move(match, generator):
    legal = set(match.legal_moves())
    return match.text(next(m for m in iter(lambda: generator.randrange(match.game.moves), None) if m not in legal))


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_worlds_that_look_the_same_send_the_same_bytes(server, game):
    seats = 3 if 3 in game.seats else game.usual_seats
    watched = Watched(server, game, seats)
    generator = random.Random(f"wire {game.name}")
    events = changed = 0
    for number in range(MOMENTS):
        for _ in range(generator.choice((0, 1, 2, 7)) if number else 0):
            if watched.table.phase == "playing":
                watched.play(watched.table.match.text(generator.choice(watched.table.match.legal_moves())))
        if watched.table.phase != "playing":
            break
        match = watched.table.match
        viewer = (number % (seats + 1)) + SPECTATOR
        other = watched.disguised(viewer, generator)
        changed += other.match.digest() != match.digest()
        move = generator.choice(match.legal_moves())
        comparable = looks_the_same_after(match, other.match, move, viewer)
        attempt = illegal_move(match, generator)
        text = match.text(move) if comparable else None
        full_state = with_match(watched.table, match)
        changes = "true" if number % 2 else "false"
        one, two = (watched.received(world, viewer, attempt, text, changes) for world in (full_state, other))
        assert one == two
        events += comparable
    assert changed > 0
    assert events > 0


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_worlds_that_look_the_same_show_the_same_round_between_rounds(server, game):
    watched = Watched(server, game, 3 if 3 in game.seats else game.usual_seats)
    generator = random.Random(f"rest {game.name}")
    match = watched.table.match.copy()
    while not match.finished_rounds():
        match.push(generator.choice(match.legal_moves()))
    table = replace(watched.table, match=match, phase="resting", rest=Rest(1, 1.0))
    changed = 0
    for viewer in range(SPECTATOR, match.seats):
        other = match.copy()
        game.kernels.disguise(other.state, viewer, new_generator(generator.getrandbits(64)))
        changed += other.digest() != match.digest()
        one, two = (with_match(table, world) for world in (match, other))
        assert watched.received(one, viewer, "pass", None) == watched.received(two, viewer, "pass", None)
    assert changed > 0


def test_a_leak_would_be_noticed(server, monkeypatch):
    """If the server showed anything made from the true state, the worlds would differ."""
    watched = Watched(server, next(iter(all_games())), next(iter(all_games())).usual_seats)
    other = watched.disguised(0, random.Random(1))
    full_state = with_match(watched.table, watched.table.match)
    attempt = illegal_move(full_state.match, random.Random(2))
    assert watched.received(full_state, 0, attempt, None) == watched.received(other, 0, attempt, None)

    def leaky(table, *viewer):
        import msgspec

        return msgspec.structs.replace(table_shown(table, *viewer), title=table.match.digest())

    monkeypatch.setattr("tablee.server.event_messages.table_shown", leaky)
    assert watched.received(full_state, 0, attempt, None) != watched.received(other, 0, attempt, None)


# The log


def two_worlds(game, moves, viewer, generator):
    """Return a match after some random moves, and another that looks the same to the viewer."""
    match = Match(game, seats=3 if 3 in game.seats else None, seed=generator.getrandbits(64))
    for _ in range(moves):
        if not match.is_over:
            match.play(generator.choice(match.legal_moves()))
    state = copy_state(match.state)
    game.kernels.disguise(state, viewer, new_generator(generator.getrandbits(64)))
    return Match.from_state(game, match.state), Match.from_state(game, state)


def play_alike(one, two, viewer, generator, limit):
    """Play random moves in both worlds, as long as the viewer cannot tell them apart."""
    while len(one.moves) < limit and not one.is_over:
        moves = [move for move in one.legal_moves() if looks_the_same_after(one, two, move, viewer)]
        if not moves:
            return
        move = generator.choice(moves)
        one.play(move)
        two.play(move)


def log_bytes(server, table_id, beginning, match, guests, viewer):
    """Return all bytes of the log that a viewer gets of a match that began in a position, over REST and the socket."""
    people = [Actor(guest.get("/api/me").json()["id"], f"Guest {seat}") for seat, guest in enumerate(guests[:-1])]
    events, table = continue_match(table_id, beginning, list(enumerate(people)), Secrets(11, "invite"), 1.0)
    for move in match.moves:
        steps = decide(table, Play(match.text(move), table.number), people[table.on_turn], 1.0)
        events += [step.event for step in steps]
        table = steps[-1].table
    assert server.do(server.registry.store.append(table_addition(0, events, table)))
    guest, headers = guests[viewer], {"Tablee-Invite": "invite"}
    got = [guest.get(f"/api/tables/{table_id}/log?lang={lang}&limit=1000", **headers).content for lang in ("en", "fr")]
    with guest.line(lang="fr") as line:
        for since in ("", f',"since":{max(1, table.number - 9)}'):
            line.websocket.send(f'{{"type":"watch","id":"w","table":"{table_id}","invite":"invite"{since}}}')
            line.until(lambda message: message["type"] == "ack")
            got.append(line.receive_bytes())
    return [(part if isinstance(part, bytes) else part.encode()).replace(table_id.encode(), b"") for part in got], table


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_worlds_that_look_the_same_have_the_same_log(server, game):
    generator = random.Random(f"log {game.name}")
    seats = 3 if 3 in game.seats else game.usual_seats
    guests = [Guest(server.url, f"Guest {seat}") for seat in range(seats)] + [Guest(server.url)]
    told = changed = 0
    for number in range(MOMENTS):
        viewer = (number % (seats + 1)) + SPECTATOR
        one, two = two_worlds(game, generator.choice((0, 3, 9)), viewer, generator)
        if one.is_over:
            continue
        beginnings = one.copy(), two.copy()
        changed += one.digest() != two.digest()
        play_alike(one, two, viewer, generator, limit=8)
        worlds = [
            log_bytes(server, f"{name}{number:03}", beginning, match, guests, viewer)
            for name, beginning, match in zip("ab", beginnings, (one, two), strict=True)
        ]
        assert worlds[0][0] == worlds[1][0]
        told += worlds[0][1].moves
    assert changed > 0
    assert told > 0


def test_a_leak_in_the_log_would_be_noticed(server, monkeypatch):
    def leaky(step, viewer, language):
        return (LogLine(step.table.number, "leak", step.table.match.digest() if step.table.match else ""),)

    monkeypatch.setattr("tablee.tables.log.event_lines", leaky)
    game, generator = next(iter(all_games())), random.Random(3)
    guests = [Guest(server.url, f"Guest {seat}") for seat in range(3)] + [Guest(server.url)]
    one, two = two_worlds(game, 3, 0, generator)
    logs = [log_bytes(server, name, match, match, guests, 0)[0] for name, match in (("a000", one), ("b000", two))]
    assert logs[0] != logs[1]
