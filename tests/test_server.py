"""The server over real HTTP and sockets: people, seats, moves, reconnecting, chat, clocks, log, files, metrics."""

import asyncio
import json
import random
import re
import time
from itertools import pairwise

import msgspec
import pytest

from server_process import Guest, serving
from tablee import Match, Record, all_games
from tablee.core.languages import languages
from tablee.protocol.changes import Change, apply_changes
from tablee.protocol.messages import VERSION
from tablee.server.event_messages import EventMessages
from tablee.server.live_table import table_addition
from tablee.server.registry import new_id
from tablee.tables.commands import Actor
from tablee.tables.creation import Secrets
from tablee.tables.forks import continue_match

OPEN = {"seats": 2, "options": {"opening": "auto"}, "is_open": True}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("server") / "tablee.db") as server:
        yield server


@pytest.fixture
def ana(server):
    return Guest(server.url, "Ana")


@pytest.fixture
def ben(server):
    return Guest(server.url, "Ben")


def seated(ana, ben, **request):
    """Return the id of a table at which both sit."""
    table = ana.create(**{**OPEN, "is_open": False, **request})
    assert ben.command("claim", table["id"], invite=table["invite"]).status_code == 200
    return table["id"]


def first_choice(guest, table):
    shown = guest.get(f"/api/tables/{table}").json()
    choices = shown["view"]["choices"]
    return {"number": shown["number"], "move": choices[0]["text"]} if choices else None


def play_one(ana, ben, table):
    """Let the person on turn play the first of their choices; return the number of the event."""
    for guest in (ana, ben):
        choice = first_choice(guest, table)
        if choice:
            answer = guest.command("play", table, **choice)
            assert answer.status_code == 200, answer.text
            return answer.json()["number"]
    raise AssertionError("no person is on turn")


# REST


def test_games_rules_and_bots_in_every_language(server):
    anonymous = Guest(server.url)
    for language in list(languages()):
        games = anonymous.get(f"/api/games?lang={language}").json()
        assert [game["name"] for game in games] == [game.name for game in all_games()]
        for game in games:
            assert anonymous.get(f"/api/games/{game['name']}?lang={language}").json() == game
            assert all(option["label"] and option["choices"] for option in game["options"])
            rules = anonymous.get(f"/api/games/{game['name']}/rules?lang={language}").json()
            assert "**" in rules["markdown"]
    assert next(bot["name"] for bot in anonymous.get("/api/bots").json()) == "random"
    assert anonymous.get("/api/games/nothing").json()["code"] == "unknown_game"


def changed(letters):
    """Change the first base64 digit: not all bits of the last one count."""
    return ("B" if letters[0] == "A" else "A") + letters[1:]


def test_a_guest_is_a_name_in_a_signed_cookie(server, ana):
    me = ana.get("/api/me").json()
    assert me["name"] == "Ana"
    cookie = ana.http.put("/api/me", json={"name": "  Anna   B "}).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=lax"} <= set(cookie.split("; "))
    assert ana.get("/api/me").json() == {"name": "Anna B", "id": me["id"]}
    text, signature = ana.http.cookies["tablee"].rsplit(".", 1)
    for token in (f"{changed(text)}.{signature}", f"{text}.{changed(signature)}"):
        forged = Guest(server.url)
        forged.http.cookies.set("tablee", token)
        assert forged.get("/api/me").status_code == 401
    for bad in ("", " ", "x" * 25, "a\nb\x00", "\u202eevil"):
        assert Guest(server.url).http.put("/api/me", json={"name": bad}).status_code == 422
    assert ana.http.delete("/api/me").status_code == 204
    assert ana.get("/api/me").status_code == 401


def test_a_program_gets_a_token(server):
    me = Guest(server.url).http.put("/api/me", json={"name": "Bot", "is_program": True}).json()
    program = Guest(server.url, token=me["token"])
    table = program.create(**OPEN)
    assert table["seats"][0]["kind"] == "program"
    with program.line(Authorization=f"Bearer {me['token']}") as line:
        assert line.hello["name"] == "Bot"


def test_private_tables_need_the_invite(server, ana, ben):
    table = ana.create(seats=2)
    assert ben.get(f"/api/tables/{table['id']}").json()["code"] == "unknown_table"
    assert ben.get("/api/tables/doesnotexist").json()["code"] == "unknown_table"
    seen = ben.get(f"/api/tables/{table['id']}", **{"Tablee-Invite": table["invite"]}).json()
    assert (seen["viewer"], seen["invite"]) == (-1, None)
    assert ben.command("claim", table["id"]).json()["code"] == "not_invited"
    assert table["id"] not in ben.get("/api/tables").text
    assert ana.get("/api/tables").json()["mine"][0]["id"] == table["id"]


def test_the_lobby_shows_open_tables_and_whose_turn_it_is(server, ana, ben):
    table, coached = ana.create(**OPEN)["id"], ana.create(**OPEN, coach=True)["id"]
    listed = {row["id"]: row["has_coach"] for row in ben.get("/api/tables").json()["open"]}
    assert (listed[table], listed[coached]) == (False, True)
    ana.command("leave", coached)
    ben.command("claim", table)
    mine = [guest.get("/api/tables").json()["mine"][0] for guest in (ana, ben)]
    assert [row["your_seat"] for row in mine] == [0, 1]
    assert sorted(row["is_your_turn"] for row in mine) == [False, True]


def test_the_qr_code_of_the_invite_is_for_seated_players(server, ana, ben):
    table = ana.create(**OPEN)["id"]
    picture = ana.get(f"/api/tables/{table}/qr.svg")
    assert picture.headers["content-type"] == "image/svg+xml"
    assert picture.text.lstrip().startswith("<?xml") or "<svg" in picture.text
    assert ben.get(f"/api/tables/{table}/qr.svg").json()["code"] == "not_seated"


def test_refusals_are_problems_with_clause_and_language(server, ana, ben):
    table = seated(ana, ben)
    mover = next(guest for guest in (ana, ben) if first_choice(guest, table))
    number = mover.get(f"/api/tables/{table}").json()["number"]
    message = {"type": "play", "id": "x", "table": table, "number": number, "move": "swap b3"}
    answers = [mover.http.post(f"/api/tables/{table}/commands?lang={lang}", json=message) for lang in list(languages())]
    for answer in answers:
        assert (answer.status_code, answer.headers["content-type"]) == (409, "application/problem+json")
        assert (answer.json()["code"], answer.json()["clause"]) == ("illegal", "R8")
    assert answers[0].json()["detail"] != answers[1].json()["detail"]


def test_a_finished_game_gives_its_record_and_every_moment(server, ana, ben):
    table = seated(ana, ben)
    commitment = ana.get(f"/api/tables/{table}").json()["commitment"]
    assert ana.get(f"/api/tables/{table}/record").json()["code"] == "not_over"
    for _ in range(5):
        play_one(ana, ben, table)
    ana.command("propose_end", table)
    assert ben.command("answer_end", table, agrees=True).status_code == 200
    record = Record.parse(ana.get(f"/api/tables/{table}/record").text)
    assert record.verify(shown=commitment).moves == 5
    moments = [ana.get(f"/api/tables/{table}/moments/{n}?seat=1&lang=fr").json() for n in range(6)]
    assert [moment["moves"] for moment in moments] == list(range(6))
    assert moments[0]["events"] == []
    assert all(moment["events"] for moment in moments[1:])
    assert all(moment["view"]["viewer"] == 1 for moment in moments)
    assert ana.get(f"/api/tables/{table}/moments/6").status_code == 404
    again = ana.command("rematch", table).json()
    assert again["new_table"] == ben.command("rematch", table).json()["new_table"]
    seats = ben.get(f"/api/tables/{again['new_table']}").json()["seats"]
    assert [seat["name"] for seat in seats] == ["Ben", "Ana"]


@pytest.mark.usefixtures("_stopped_limits")
def test_the_number_and_rate_of_new_tables_are_limited(tmp_path):
    with serving(tmp_path / "a.db", tables_per_person=3) as server:
        ana = Guest(server.url, "Ana")
        codes = [ana.http.post("/api/tables", json={"game": "skyjo"}).status_code for _ in range(4)]
        assert codes == [201, 201, 201, 429]
    with serving(tmp_path / "b.db", table_rate=0.1) as server:
        ana = Guest(server.url, "Ana")
        answers = [ana.http.post("/api/tables", json={"game": "skyjo"}) for _ in range(4)]
        assert answers[-1].json()["code"] == "too_fast"


def test_the_log_is_served_in_pages_and_with_the_table(server, ana, ben):
    table = seated(ana, ben)
    for _ in range(8):
        play_one(ana, ben, table)
    whole = ana.get(f"/api/tables/{table}/log?limit=1000").json()
    assert whole["first"] == 0
    assert len(whole["lines"]) == whole["total"]
    assert {line["move"] for line in whole["lines"]} == {None, *range(1, 9)}
    page = ana.get(f"/api/tables/{table}/log?limit=3&before=5").json()
    assert (page["first"], page["lines"]) == (2, whole["lines"][2:5])
    assert ana.get(f"/api/tables/{table}/log?seat=1").json()["code"] == "not_over"
    assert Guest(server.url).get(f"/api/tables/{table}/log").json()["code"] == "unknown_table"
    with ana.line() as line, ben.line(lang="fr") as french:
        line.ask("watch", table=table)
        assert line.until(lambda m: m["type"] == "table")["log"] == whole
        french.watch(table)
        play_one(ana, ben, table)
        event = line.until(lambda m: m["type"] == "event")
        after = ana.get(f"/api/tables/{table}/log?limit=1000").json()
        assert after["lines"] == [*whole["lines"], *event["lines"]]
        assert event["moves"] == 9
        told = french.until(lambda m: m["type"] == "event")["lines"]
        assert told[0]["number"] == event["number"]
        assert told[0]["text"] != event["lines"][0]["text"]


def test_an_undone_move_leaves_the_log(server, ana, ben):
    table = seated(ana, ben)
    mover = next(guest for guest in (ana, ben) if first_choice(guest, table))
    with ana.line() as line:
        number = line.watch(table)["number"]
        mover.command("play", table, number=number, move="take")
        assert mover.command("undo", table).status_code == 200
        events = [line.until(lambda m: m["type"] == "event") for _ in range(2)]
    assert [event["moves"] for event in events] == [1, 0]
    lines = ana.get(f"/api/tables/{table}/log").json()["lines"]
    assert [line["move"] for line in lines if line["move"]] == []
    assert lines[-1] == events[1]["lines"][0]


def test_why_a_move_is_not_possible_is_explained_and_nothing_is_played(server, ana, ben):
    table = seated(ana, ben)
    mover = next(guest for guest in (ana, ben) if first_choice(guest, table))
    other = ben if mover is ana else ana
    number = mover.get(f"/api/tables/{table}").json()["number"]
    with mover.line() as line, other.line() as waiting:
        for fields in ({"move": "swap b3"}, {"move": "draw"}, {"targets": ["discard"]}, {"targets": ["nowhere"]}, {}):
            answer = line.ask("explain", table=table, **fields)
            assert answer["type"] == "explanation"
            assert answer["text"]
            assert answer["clause"] == ("R8" if fields == {"move": "swap b3"} else None)
        assert "turn" in waiting.ask("explain", table=table, move="draw")["text"]
    message = {"type": "explain", "id": "x", "table": table, "move": "swap b3"}
    assert mover.http.post(f"/api/tables/{table}/explanation", json=message).json()["clause"] == "R8"
    with Guest(server.url).line() as line:
        assert line.ask("explain", table=table, move="draw")["code"] == "unknown_table"
    assert mover.get(f"/api/tables/{table}").json()["number"] == number


# Files, health, metrics


def test_files_come_with_types_tags_and_a_strict_policy(server):
    anonymous = Guest(server.url)
    game = next(game for game in all_games() if (game.folder / "pictures").is_dir())
    name = sorted(path.name for path in (game.folder / "pictures").iterdir())[0]
    answer = anonymous.get(f"/games/{game.name}/pictures/{name}")
    assert answer.status_code == 200
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    tag = answer.headers["etag"]
    assert anonymous.get(f"/games/{game.name}/pictures/{name}", **{"If-None-Match": tag}).status_code == 304
    for path in ("/games/{}/pictures/../rules.py", "/games/{}/rules.py", "/games/{}/pictures/%2e%2e/rules.py"):
        assert anonymous.get(path.format(game.name)).status_code in (404, 405)


def test_health_and_metrics(server, ana, ben):
    table = seated(ana, ben)
    play_one(ana, ben, table)
    operator = Guest(server.status)
    assert operator.get("/healthz").json() == operator.get("/healthz/ready").json() == {"status": "ready"}
    assert operator.get("/healthz/live").json() == {"status": "alive"}
    text = operator.get("/metrics").text
    assert float(re.search(r'tablee_events_total\{kind="moved"\} (\S+)', text)[1]) >= 1
    assert "tablee_store_seconds_count" in text
    assert text.count(table) == 0
    for path in ("/healthz", "/healthz/live", "/metrics"):
        assert ana.get(path).status_code == 404  # operators only


# The socket


def test_events_arrive_in_order_without_gaps(server, ana, ben):
    table = seated(ana, ben)
    with ben.line() as line:
        shown = line.watch(table)
        assert shown["viewer"] == 1
        for _ in range(6):
            play_one(ana, ben, table)
        events = [line.until(lambda m: m["type"] == "event") for _ in range(6)]
    numbers = [shown["number"], *(event["number"] for event in events)]
    assert all(after == before + 1 for before, after in pairwise(numbers))
    assert all(event["event"]["kind"] == "moved" and event["lines"] for event in events)
    assert events[-1]["state"]["number"] == events[-1]["number"]


def test_a_reconnected_client_gets_the_missed_events(server, ana, ben):
    table = seated(ana, ben)
    with ben.line() as line:
        since = line.watch(table)["number"]
    last = [play_one(ana, ben, table) for _ in range(4)][-1]
    with ben.line() as line:
        line.ask("watch", table=table, since=since)
        events = [line.receive() for _ in range(4)]
        assert [event["number"] for event in events] == list(range(since + 1, last + 1))
        assert [event["state"] is not None for event in events] == [False, False, False, True]
    with ben.line() as line:
        line.ask("watch", table=table, since=last + 1000)
        assert line.receive()["type"] == "table"


def test_missed_events_are_sent_after_a_restart_of_the_server(tmp_path):
    with serving(tmp_path / "tablee.db") as server:
        ana, ben = Guest(server.url, "Ana"), Guest(server.url, "Ben")
        table = seated(ana, ben)
        since = ana.get(f"/api/tables/{table}").json()["number"]
        last = [play_one(ana, ben, table) for _ in range(3)][-1]
        cookie = ana.cookie
    with serving(tmp_path / "tablee.db") as server:
        ana = Guest(server.url)
        ana.cookie = cookie
        with ana.line() as line:
            line.ask("watch", table=table, since=since)
            assert [line.receive()["number"] for _ in range(3)] == list(range(since + 1, last + 1))


def test_a_command_sent_twice_is_executed_once(server, ana, ben):
    table = seated(ana, ben)
    mover = next(guest for guest in (ana, ben) if first_choice(guest, table))
    message = json.dumps({"type": "play", "id": "same", "table": table, **first_choice(mover, table)})
    with mover.line() as line:
        line.websocket.send(message)
        first = line.receive()
        line.websocket.send(message)
        assert line.receive() == first
    assert first["type"] == "ack"
    assert mover.get(f"/api/tables/{table}").json()["number"] == first["number"]


def test_an_event_is_encoded_once_per_viewer_and_language(server, ana, ben, monkeypatch):
    written = []
    message = EventMessages._message

    def counted(messages, live, step, viewing, base):
        written.append((viewing.viewer, viewing.language))
        return message(messages, live, step, viewing, base)

    monkeypatch.setattr(EventMessages, "_message", counted)
    table = seated(ana, ben, is_open=True)
    anonymous = Guest(server.url)
    with anonymous.line() as one, anonymous.line() as two, anonymous.line(lang="fr") as french, ana.line() as player:
        lines = (one, two, french, player)
        for line in lines:
            line.watch(table)
        play_one(ana, ben, table)
        events = [line.until(lambda message: message["type"] == "event") for line in lines]
    assert sorted(written) == [(-1, "en"), (-1, "fr"), (0, "en")]
    assert events[0] == events[1] != events[2]
    assert [event["state"]["viewer"] for event in events] == [-1, -1, -1, 0]


def test_a_client_that_asks_for_it_is_sent_what_changed(server, ana, ben):
    table = seated(ana, ben, is_open=True)
    with ana.line() as whole, ana.line() as line, Guest(server.url).line(lang="fr") as spectator:
        whole.watch(table)
        tables = [each.watch(table, changes=True) for each in (line, spectator)]
        for _ in range(4):
            play_one(ana, ben, table)
            state = whole.until(lambda message: message["type"] == "event")["state"]
            for index, each in enumerate((line, spectator)):
                event = each.until(lambda message: message["type"] == "event")
                assert (event["state"], event["base"]) == (None, tables[index]["number"])
                assert len(json.dumps(event)) < len(json.dumps(state)) / 2
                tables[index] = apply_changes(msgspec.convert(event["changes"], list[Change]), tables[index])
            assert tables[0] == state
            assert tables[1]["number"] == state["number"]


def test_whole_tables_are_sent_where_the_server_does_not_know_what_a_client_has(server, ana, ben):
    table = seated(ana, ben)
    with ana.line() as line:
        number = line.watch(table, changes=True)["number"]
    with ana.line() as line:
        line.ask("watch", table=table, since=number, changes=True)  # what it has was sent by another connection
        play_one(ana, ben, table)
        assert line.until(lambda message: message["type"] == "event")["state"]
        play_one(ana, ben, table)
        assert line.until(lambda message: message["type"] == "event")["base"]
        assert line.watch(table, changes=True)["number"] == number + 2  # as a client that has missed something


def test_spectators_watch_open_tables_but_cannot_play(server, ana, ben):
    table = ana.create(**OPEN)["id"]
    ben.command("claim", table)
    with Guest(server.url).line(lang="fr") as line:
        shown = line.watch(table)
        assert (shown["viewer"], shown["view"]["viewer"]) == (-1, -1)
        assert shown["view"]["choices"] == []
        assert line.ask("play", table=table, number=1, move="draw")["code"] == "no_name"
        play_one(ana, ben, table)
        assert line.until(lambda m: m["type"] == "event")["lines"]


def test_a_spectator_who_takes_a_seat_gets_the_table_of_that_seat(server, ana, ben):
    table = ana.create(**OPEN)["id"]
    with ben.line() as line:
        assert line.watch(table)["viewer"] == -1
        line.ask("claim", table=table)
        assert line.until(lambda m: m["type"] == "table")["table"]["viewer"] == 1


@pytest.mark.usefixtures("_stopped_limits")
def test_chat_reaches_all_watchers_and_is_limited(server, ana, ben):
    table = seated(ana, ben)
    with ana.line() as a, ben.line() as b:
        a.watch(table)
        b.watch(table)
        assert a.ask("chat", table=table, text="hello  there")["type"] == "ack"
        said = b.until(lambda m: m["type"] == "chat")["chat"]
        assert (said["name"], said["seat"], said["text"]) == ("Ana", 0, "hello there")
        assert a.ask("chat", table=table, text="x" * 301)["code"] == "bad_message"
        assert a.ask("chat", table=table, text=" \n ")["code"] == "bad_message"
        answers = [a.ask("chat", table=table, text="again") for _ in range(10)]
        assert answers[-1]["code"] == "too_fast"
    assert ana.get(f"/api/tables/{table}/chat").json()[0]["text"] == "hello there"


def test_bots_play_in_their_seats_and_wait_for_people(server, ana):
    table = ana.create(seats=3, bots=["random", "greedy"], options={"opening": "auto"})["id"]
    with ana.line() as line:
        state = line.watch(table)
        for _ in range(4):
            while not state["view"]["choices"]:
                message = line.until(lambda m: m["type"] == "event" and m["state"])
                state = message["state"]
            sent = {"number": state["number"], "move": state["view"]["choices"][0]["text"]}
            line.send("play", table=table, **sent)
            state = line.until(lambda m: m["type"] == "event" and m["state"])["state"]
        assert state["phase"] in ("playing", "over")


def test_a_bot_takes_over_when_the_clock_runs_out(server, ana, ben, monkeypatch):
    monkeypatch.setattr("tablee.tables.checks.MIN_CLOCK", 1)
    table = seated(ana, ben, clock=1)
    with ana.line() as line:
        line.ask("watch", table=table, since=1)  # the clock may have run out already
        covered = line.until(lambda m: m["type"] == "event" and m["event"]["kind"] == "covered")
        seat = covered["event"]["seat"]
        moved = line.until(lambda m: m["type"] == "event" and m["event"]["kind"] == "moved")
        assert moved["event"]["seat"] == seat
    assert (ana, ben)[seat].command("return", table).status_code == 200


def before_the_end_of_a_round(server, ana, ben, rest):
    """Return the id of a table at which the next move ends a round, that move, and who makes it."""
    generator = random.Random(5)
    match = Match("skyjo", seats=2, seed=5, options={"opening": "auto"})
    while True:
        before, move = match.copy(), generator.choice(match.legal_moves())
        match.push(move)
        if match.finished_rounds():
            break
    people = [Actor(guest.get("/api/me").json()["id"], name) for guest, name in ((ana, "Ana"), (ben, "Ben"))]
    opened = continue_match(new_id(), before, enumerate(people), Secrets(5, "invite"), time.time(), rest)
    assert server.do(server.registry.store.append(table_addition(0, *opened)))
    return opened.table.id, before.text(move), (ana, ben)[before.to_move]


def test_a_table_rests_between_rounds_until_all_are_ready(server, ana, ben):
    table, move, mover = before_the_end_of_a_round(server, ana, ben, rest=0)
    with ana.line() as line:
        number = line.watch(table)["number"]
        assert mover.command("play", table, number=number, move=move).status_code == 200
        state = line.until(lambda m: m["type"] == "event" and m["state"])["state"]
        assert (state["phase"], state["round_view"]["round"]["number"]) == ("resting", 1)
        assert (state["resting"]["waiting"], state["resting"]["deadline"]) == ([0, 1], None)
        assert line.ask("ready", table=table)["type"] == "ack"
        assert ben.get(f"/api/tables/{table}").json()["resting"]["ready"] == [0]  # after a reload
        assert ben.command("ready", table).status_code == 200
        events = [line.until(lambda m: m["type"] == "event") for _ in range(3)]
        assert [event["event"]["kind"] for event in events] == ["ready", "ready", "rest_ended"]
        assert events[-1]["state"]["phase"] == "playing"


def test_a_rest_ends_at_its_limit(server, ana, ben):
    table, move, mover = before_the_end_of_a_round(server, ana, ben, rest=1)
    with ana.line() as line:
        number = line.watch(table)["number"]
        mover.command("play", table, number=number, move=move)
        ended = line.until(lambda m: m["type"] == "event" and m["event"]["kind"] == "rest_ended")
        assert ended["state"]["phase"] == "playing"


def test_pings_are_answered_and_silent_clients_closed(ana, tmp_path):
    with ana.line() as line:
        assert line.hello["version"] == VERSION
        line.websocket.send('{"type":"ping"}')
        assert line.receive() == {"type": "pong"}
    with serving(tmp_path / "tablee.db", silence=0.5) as server, Guest(server.url).line() as line:
        assert line.closed_with() == 4008


def test_an_idle_table_is_dropped_from_memory_and_opened_again(server, ana, ben):
    table = seated(ana, ben)
    number = play_one(ana, ben, table)
    assert table in server.registry._live
    server.do(server.registry.forget_idle(-1))
    assert table not in server.registry._live
    assert ana.get(f"/api/tables/{table}").json()["number"] == number


def test_a_game_that_is_being_compiled_can_be_played_and_is_compiled_next(server, ana, ben, monkeypatch):
    requested = []
    table = seated(ana, ben)
    server.do(server.registry.forget_idle(-1))
    with monkeypatch.context() as patched:
        patched.setattr("tablee.server.catalogue.compiled_share", lambda game: 0.25 if game.name == "skyjo" else 1.0)
        patched.setattr("tablee.server.registry.request", requested.append)
        shares = {game["name"]: game["compiled"] for game in ana.get("/api/games").json()}
        assert (shares["skyjo"], shares["lexio"]) == (0.25, 1.0)
        assert ana.get(f"/api/tables/{table}").json()["phase"] == "playing"
        ana.create("skyjo", seats=2, bots=["random"])
    assert {game.name for game in requested} == {"skyjo"}
    assert all(game["compiled"] == 1 for game in ana.get("/api/games").json())


def test_a_notice_that_arrives_as_a_refresh_ends_is_not_lost(server, ana, ben):
    table = seated(ana, ben)

    async def be_told_at_the_end():
        registry = server.registry
        live = await registry.table(table)
        refreshed = 0

        async def refresh(_):
            nonlocal refreshed
            refreshed += 1
            if refreshed == 1:
                asyncio.get_running_loop().call_soon(registry._notified, f"{table} chat")

        live.refresh = refresh
        registry._notified(f"{table} chat")
        while refreshing := registry._refreshing.get(table):
            await refreshing
        del live.refresh
        return refreshed

    assert server.do(be_told_at_the_end()) == 2


def test_a_process_notified_of_its_own_move_reads_nothing(server, ana, ben):
    table = seated(ana, ben)

    async def be_told():
        registry = server.registry
        live = await registry.table(table)
        asked, read = [], registry.store.events

        async def events(table_id, after):
            asked.append(after)
            return await read(table_id, after=after)

        registry.store.events = events
        for number in (live.table.number, live.table.number + 1):
            registry._notified(f"{table} {number}")
            while refreshing := registry._refreshing.get(table):
                await refreshing
        del registry.store.events
        return asked == [live.table.number]

    assert server.do(be_told())


def test_a_failing_store_is_reported_and_the_same_command_works_later(server, ana, ben, monkeypatch):
    from tablee.storage import StoreError

    table = seated(ana, ben)
    mover = next(guest for guest in (ana, ben) if first_choice(guest, table))
    choice = first_choice(mover, table)
    message = {"type": "play", "id": "again", "table": table, **choice}

    async def fail(*additions):
        raise StoreError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(server.registry.store, "append", fail)
        answer = mover.http.post(f"/api/tables/{table}/commands", json=message)
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert mover.http.post(f"/api/tables/{table}/commands", json=message).status_code == 200
