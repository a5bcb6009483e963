"""Daily tables: one deal and one try for everybody, nothing to be seen before, results to compare and to check."""

import hashlib
import random
import re
import threading
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from seeds import BASE_SEED
from server_process import Guest, serving
from tablee import find_game
from tablee.cli import app
from tablee.core.errors import TableeError
from tablee.protocol.daily import DailyCount, DailyGame, DailyResult
from tablee.records import Record
from tablee.server.daily_pictures import draw_result
from tablee.server.daily_results import compare, counts_by_rank, streak
from tablee.storage.daily import DailyTry, ResultCount
from tablee.tables.daily import daily_seed, public_seed
from tablee.tables.days import beginning_of, day_after, day_before, day_of, opening_time
from tablee.terminal.daily import DailyServer, day_lines

GAME = "xe_queo"  # short games, for two
DAY = "2031-05-04"
NOON = 12 * 3600.0


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("daily") / "tablee.db", daily_bot="greedy") as running:
        running.app.state.daily.levels = ("random", "greedy")
        running.app.state.daily._secret = str(BASE_SEED)  # the store draws another one for each database
        yield running


@pytest.fixture
def clock(server):
    """Set the server's clock; of what it decides, only days depend on it. Tables have the time of the machine."""

    def set_time(at):
        server.registry.clock = lambda: at

    set_time(beginning_of(DAY) + NOON)
    return set_time


def begin(guest, game=GAME):
    answer = guest.http.post(f"/api/games/{game}/daily")
    assert answer.status_code == 201, answer.text
    return answer.json()


def is_waiting_for(guest, table):
    """Wait for the table until it is the guest's turn; return it, None when the game is over."""
    while True:
        shown = guest.get(f"/api/tables/{table}").json()
        if shown["phase"] == "over":
            return None
        if shown["phase"] == "resting":
            guest.command("ready", table)
        elif shown["view"]["choices"] and not shown["is_early"]:
            return shown


def play(guest, table, choose):
    """Play to the end; return the moves of all seats."""
    while (shown := is_waiting_for(guest, table)) is not None:
        texts = [choice["text"] for choice in shown["view"]["choices"]]
        guest.command("play", table, move=choose(texts), number=shown["number"])
    record = Record.parse(guest.get(f"/api/tables/{table}/record").text)
    return [(played.seat, played.text) for played in record.moves]


def first(texts):
    """Choose so that a game ends soon."""
    return next((text for text in texts if text.startswith("accuse")), texts[0])


def finish(guest, game=GAME):
    table = begin(guest, game)["id"]
    return table, play(guest, table, first)


def shown_game(guest, day=DAY, game=GAME, lang="en"):
    games = guest.get(f"/api/daily/{day}?lang={lang}").json()["games"]
    return next(each for each in games if each["game"] == game)


# The deal


def test_everybody_has_the_same_deal_and_the_same_play_gives_the_same_replies(server, clock):
    ana, ben = Guest(server.url, "Ana"), Guest(server.url, "Ben")
    (first_table, first_moves), (other_table, other_moves) = finish(ana), finish(ben)
    assert first_table != other_table
    assert first_moves == other_moves
    tables = [ana.get(f"/api/tables/{first_table}").json(), ben.get(f"/api/tables/{other_table}").json()]
    assert tables[0]["seed"] == tables[1]["seed"]


def test_a_busy_machine_changes_no_reply_of_the_bots(server, clock):
    pool, seconds = server.registry.bot_pool, {}

    def decide(bot, sight, moves, seed, limit):
        seconds[seed] = limit
        return type(pool)._decide(pool, bot, sight, moves, seed, limit)

    def limit_at(table_id):
        table = server.do(server.registry.table(table_id)).table
        server.do(pool.move(table, table.on_turn))
        return seconds[pool.seed(table, table.on_turn)]

    pool._decide = decide
    try:
        assert limit_at(begin(Guest(server.url, "Ana"))["id"]) is None
        casual = Guest(server.url, "Ben").create(GAME, bots=["greedy"])["id"]
        assert limit_at(casual) == server.registry.settings.bot_seconds
    finally:
        del pool._decide


def test_the_seed_follows_from_secret_day_and_game_alone():
    seeds = {daily_seed(secret, day, game) for secret in "ab" for day in (DAY, day_after(DAY)) for game in ("x", "y")}
    assert len(seeds) == 8
    assert daily_seed("a", DAY, "x") == daily_seed("a", DAY, "x")
    assert all(seed < 2**256 for seed in seeds)
    assert public_seed(DAY, "x") not in seeds


def test_the_commitment_is_published_the_day_before_and_opened_at_noon_of_the_day_after(server, clock):
    guest = Guest(server.url)
    clock(beginning_of(DAY) - 1)
    before = shown_game(guest)
    assert before["seed"] is None
    assert guest.get(f"/api/daily/{day_after(DAY)}").status_code == 404  # two days ahead
    for at in (beginning_of(DAY), opening_time(DAY) - 1):
        clock(at)
        assert shown_game(guest) == before | {"players": shown_game(guest)["players"]}
    clock(opening_time(DAY))
    opened = shown_game(guest)
    assert opened["commitment"] == before["commitment"]
    assert hashlib.sha256(f"{opened['seed']} 0".encode()).hexdigest() == before["commitment"]


def test_the_record_of_a_try_has_the_seed_that_was_committed_to(server, clock):
    guest = Guest(server.url, "Ana")
    commitment = shown_game(guest)["commitment"]
    table, _ = finish(guest)
    record = Record.parse(guest.get(f"/api/tables/{table}/record").text)
    assert record.header.origin.commitment == commitment
    clock(opening_time(DAY))
    assert f"{record.header.origin.seed:064x}" == shown_game(guest)["seed"]


@pytest.mark.parametrize("day", ["", "today", "2031-5-4", "2031-02-30", "9999-12-31", "20310504", "../x"])
def test_other_days_are_refused(server, clock, day):
    assert Guest(server.url).get(f"/api/daily/{day}" if day else "/api/daily/%20").status_code == 404


# One try


def test_a_try_can_be_left_and_resumed_but_not_begun_twice(server, clock):
    guest = Guest(server.url, "Ana")
    table = begin(guest)["id"]
    assert begin(guest)["id"] == table
    mine = guest.get("/api/tables").json()["mine"]
    assert [(each["id"], each["day"]) for each in mine] == [(table, DAY)]
    play(guest, table, first)
    again = guest.http.post(f"/api/games/{GAME}/daily?lang=fr")
    assert again.status_code == 409
    assert again.json()["code"] == "played_today"
    assert "exercer" in again.json()["detail"]
    assert guest.http.post(f"/api/daily/{DAY}/{GAME}/practice").status_code == 201
    clock(beginning_of(day_after(DAY)))
    assert begin(guest)["id"] != table  # a new day


def test_requests_at_the_same_moment_begin_one_try(server, clock):
    guest, tables = Guest(server.url, "Ana"), []
    threads = [threading.Thread(target=lambda: tables.append(begin(guest)["id"])) for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tables) == 24
    assert len(set(tables)) == 1


def test_without_a_name_nobody_begins(server, clock):
    assert Guest(server.url).http.post(f"/api/games/{GAME}/daily").status_code == 401
    assert Guest(server.url, "Ana").http.post("/api/games/no_such/daily").status_code == 404


def test_a_move_stands_and_nobody_hands_the_try_to_a_bot(server, clock):
    guest = Guest(server.url, "Ana")
    shown = begin(guest)
    table = shown["id"]
    assert not {"undo", "leave", "pause", "lock", "rematch", "claim"} & {each["type"] for each in shown["commands"]}
    for command in ("undo", "leave", "pause", "lock", "rematch"):
        refused = guest.command(command, table)
        assert refused.status_code == 409, command
        assert "daily" in refused.json()["detail"].lower()


def test_giving_up_is_ones_only_try_too(server, clock):
    guest = Guest(server.url, "Ana")
    table = begin(guest)["id"]
    guest.command("propose_end", table)
    shown = shown_game(guest)
    assert (shown["state"], shown["result"]["rank"], shown["result"]["is_late"]) == ("over", None, False)
    assert guest.http.post(f"/api/games/{GAME}/daily").json()["code"] == "played_today"


def test_a_deal_whose_bots_have_changed_is_not_begun(server, clock, monkeypatch):
    clock(beginning_of("2031-06-01"))
    begin(Guest(server.url, "Ana"))
    monkeypatch.setattr("tablee.server.daily._pins", lambda deal, game: "[]")
    refused = Guest(server.url, "Ben").http.post(f"/api/games/{GAME}/daily")
    assert (refused.status_code, refused.json()["code"]) == (409, "outdated")


# Nothing to be seen before one's own try has ended


ADDRESSES = (
    "/api/tables/{table}",
    "/api/tables/{table}/log",
    "/api/tables/{table}/log?seat=0",
    "/api/tables/{table}/chat",
    "/api/tables/{table}/presence",
    "/api/tables/{table}/record",
    "/api/tables/{table}/points",
    "/api/tables/{table}/moments/0?seat=0",
    "/api/tables/{table}/moments/0?open=true",
    "/api/tables/{table}/moments/0/beliefs?seat=0",
    "/api/tables/{table}/review",
    "/api/tables/{table}/review.svg",
)


def answers(guest, table, invite):
    invited = {"Tablee-Invite": invite}
    return {address: guest.get(address.format(table=table), **invited).status_code for address in ADDRESSES}


def is_watching(guest, table, invite):
    with guest.line() as line:
        return line.ask("watch", table=table, invite=invite)["type"] == "ack"


def test_a_finished_try_is_closed_to_who_has_not_played_until_the_deal_is_opened(server, clock):
    ana, ben, nobody = Guest(server.url, "Ana"), Guest(server.url, "Ben"), Guest(server.url)
    table, _ = finish(ana)
    invite = ana.get(f"/api/tables/{table}").json()["invite"]
    begin(ben)  # is playing: that is not enough
    for guest in (ben, nobody):
        assert set(answers(guest, table, invite).values()) == {403}
        assert not is_watching(guest, table, invite)
    fork = {"moves": 0, "seat": 0, "bot": "greedy", "is_imagined": False}
    invited = {"Tablee-Invite": invite}
    assert ben.http.post(f"/api/tables/{table}/forks", json=fork, headers=invited).status_code == 403
    assert ben.http.post(f"/api/tables/{table}/review", headers=invited).status_code == 403
    assert ben.http.post(f"/api/daily/{DAY}/{GAME}/practice").status_code == 403
    page = ben.get(f"/t/{table}")
    assert ana.get(f"/api/tables/{table}").json()["seed"] not in page.text
    own = begin(ben)["id"]
    play(ben, own, first)
    assert 403 not in answers(ben, table, invite).values()
    clock(opening_time(DAY))
    assert 403 not in answers(nobody, table, invite).values()
    assert is_watching(nobody, table, invite)


def test_a_running_try_is_its_players_alone(server, clock):
    ana, ben = Guest(server.url, "Ana"), Guest(server.url, "Ben")
    finish(ben)
    shown = begin(ana)
    table, invite = shown["id"], shown["invite"]
    assert set(answers(ben, table, invite).values()) == {403}
    assert not is_watching(ben, table, invite)
    assert ben.command("claim", table, invite=invite).status_code == 403
    ben.command("chat", table, text="play left")
    assert ana.get(f"/api/tables/{table}/chat").json() == []


def test_a_running_try_is_not_replayed_reviewed_or_forked_by_its_player(server, clock):
    guest = Guest(server.url, "Ana")
    table = begin(guest)["id"]
    fork = {"moves": 0, "seat": 0, "bot": "greedy", "is_imagined": False}
    assert guest.http.post(f"/api/tables/{table}/forks", json=fork).status_code == 409
    assert guest.http.post(f"/api/tables/{table}/review").status_code == 409
    for address in (*ADDRESSES[5:], "/api/tables/{table}/hint"):
        assert guest.get(address.format(table=table)).status_code == 409, address
    assert guest.command("accept_coach", table).status_code == 409
    assert guest.get(f"/api/tables/{table}").json()["seed"] is None
    assert shown_game(guest)["seed"] is None


def test_practice_and_forks_of_a_deal_are_no_way_round(server, clock):
    ana, ben = Guest(server.url, "Ana"), Guest(server.url, "Ben")
    table, _ = finish(ana)
    fork = {"moves": 0, "seat": 1, "bot": "greedy", "is_imagined": False}
    made = [
        ana.http.post(f"/api/daily/{DAY}/{GAME}/practice").json(),
        ana.http.post(f"/api/tables/{table}/forks", json=fork).json(),
    ]
    for each in made:
        assert set(answers(ben, each["id"], each["invite"]).values()) == {403}
        ana.command("leave", each["id"])  # its seat is free, and would show the hand
        assert ben.command("claim", each["id"], invite=each["invite"]).status_code == 403
        assert ana.command("claim", each["id"]).status_code == 200


def test_results_of_others_are_not_shown_before(server, clock):
    clock(beginning_of("2031-07-01"))
    ana, ben = Guest(server.url, "Ana"), Guest(server.url, "Ben")
    finish(ana)
    for guest in (ben, Guest(server.url)):
        shown = shown_game(guest, "2031-07-01")
        assert (shown["players"], shown["result"], shown["counts"], shown["bot_results"]) == (1, None, [], [])
        assert not shown["can_practise"]


# Results


def test_a_result_is_compared_with_all_others_and_with_the_bots(server, clock):
    day = "2031-08-01"
    clock(beginning_of(day))
    guests = [Guest(server.url, name) for name in ("Ana", "Ben", "Cleo")]
    generator = random.Random(5)
    for guest in guests:
        play(guest, begin(guest)["id"], generator.choice)
    shown = [shown_game(guest, day) for guest in guests]
    assert all(each["players"] == 3 for each in shown)
    assert sum(each["players"] for each in shown[0]["counts"]) == 3
    assert sum(each["result"]["beaten"] for each in shown) == pytest.approx(150)  # of each pair one is ahead
    assert sum(each["result"]["lead"] for each in shown) == pytest.approx(0, abs=0.2)
    while len(results := shown_game(guests[0], day)["bot_results"]) < 2:
        pass  # the bots are still playing
    assert [each["name"] for each in results] == ["greedy", "random"]
    stored = server.do(server.registry.daily.bots(day, GAME))
    assert {each["name"]: (each["rank"], each["points"]) for each in results} == stored


def test_a_bot_in_everybodys_seat_plays_what_a_person_with_its_moves_would_get(server, clock):
    """The bots of the other seats answer the same moves in the same way, a person or a bot."""
    day = "2031-08-02"
    clock(beginning_of(day))
    guest = Guest(server.url, "Ana")
    table = begin(guest)["id"]
    while is_waiting_for(guest, table) is not None:
        live = server.do(server.registry.table(table)).table
        move = server.do(server.registry.bot_pool.move(replace(live, seats=(live.seats[1], *live.seats[1:])), 0))
        guest.command("play", table, move=move, number=live.number)
    while len(results := shown_game(guest, day)["bot_results"]) < 2:
        pass
    own = shown_game(guest, day)["result"]
    assert (own["rank"], own["points"]) == (results[0]["rank"], results[0]["points"])


def test_a_try_that_ends_after_the_deal_was_opened_is_not_compared(server, clock):
    long_ago = day_of(beginning_of(day_of(1_700_000_000)))  # tables have the time of the machine, which is later
    clock(beginning_of(long_ago))
    guest = Guest(server.url, "Ana")
    table = begin(guest)["id"]
    play(guest, table, first)
    shown = shown_game(guest, long_ago)
    assert shown["state"] == "over"
    assert shown["result"]["is_late"]
    assert shown["players"] == 0


def test_a_try_that_ends_when_everybody_can_see_its_deal_counts_for_no_rating(server, clock):
    clock(beginning_of("2023-11-15"))
    guest = Guest(server.url, "Ana")
    shown = begin(guest)
    clock(opening_time("2023-11-15"))
    assert shown_game(guest, "2023-11-15")["seed"] is not None  # the cards of the running try are public
    assert not shown["is_rated"]
    play(guest, shown["id"], first)
    assert not guest.get(f"/api/tables/{shown['id']}").json()["is_rated"]
    assert guest.get("/api/statistics").json() == []


OWN = DailyTry("p", DAY, GAME, "t", 1.0, 2, 30)


def test_ranks_come_before_points_and_ties_count_half():
    game = find_game("skyjo")  # fewest points win
    counts = [ResultCount(2, 30, 2), ResultCount(1, 60, 1), ResultCount(2, 31, 1), ResultCount(5, 0, 1)]
    result = compare(OWN, counts, game, seats=4)
    assert result.beaten == pytest.approx(100 * (2 + 0.5) / 4)
    assert result.lead == pytest.approx((30 + 60 + 31) / 3 - 30, abs=0.05)
    assert [(each.rank, each.players) for each in counts_by_rank(counts)] == [(1, 1), (2, 3), (5, 1)]
    assert compare(OWN, [ResultCount(2, 30, 1)], game, seats=4).beaten is None


def test_a_streak_is_of_days_in_a_row_up_to_today_or_yesterday():
    days = [DAY, day_before(DAY), day_before(day_before(DAY)), "2031-04-01"]
    assert streak(days, DAY) == 3
    assert streak(days[1:], DAY) == 2  # today is not over
    assert streak(days[2:], DAY) == 0
    assert streak([], DAY) == 0


def test_ones_own_tries_are_listed_by_day(server, clock):
    guest = Guest(server.url, "Ana")
    for day in ("2031-09-01", "2031-09-02"):
        clock(beginning_of(day))
        finish(guest)
    listed = guest.get("/api/me/daily").json()
    assert [each["day"] for each in listed] == ["2031-09-02", "2031-09-01"]
    assert [each["day"] for each in guest.get("/api/me/daily?before=2031-09-02").json()] == ["2031-09-01"]
    assert guest.get("/api/daily").json()["streak"] == 2
    assert Guest(server.url, "Ben").get("/api/me/daily").json() == []


def test_the_picture_shows_the_result_and_nothing_of_the_deal(server, clock):
    guest, other = Guest(server.url, "Ana"), Guest(server.url, "Ben")
    assert guest.get(f"/api/daily/{DAY}/{GAME}/picture.svg").status_code == 404
    finish(guest)
    for lang in ("en", "fr"):
        picture = guest.get(f"/api/daily/{DAY}/{GAME}/picture.svg?lang={lang}")
        assert picture.headers["content-type"].startswith("image/svg+xml")
        assert DAY in picture.text
        assert "Ana" not in picture.text
    assert other.get(f"/api/daily/{DAY}/{GAME}/picture.svg").status_code == 404


def test_pictures_of_two_deals_with_the_same_result_are_the_same_bytes():
    result = DailyResult(rank=1, points=4, beaten=75.0, lead=1.5)
    one, other = (
        DailyGame(GAME, "Title", seed, seed, ["Ben"], "over", seed[:8], 3, result, [DailyCount(1, 3)])
        for seed in ("1234" * 16, "abcd" * 16)
    )
    for lang in ("en", "fr"):
        pictures = [draw_result(deal, DAY, find_game(GAME), 2, lang) for deal in (one, other)]
        assert pictures[0] == pictures[1]
        assert not any(secret in pictures[0] for secret in ("1234", "Ben"))


def test_deleting_everything_takes_a_person_out_of_the_results(server, clock):
    day = "2031-10-01"
    clock(beginning_of(day))
    ana, ben = Guest(server.url, "Ana"), Guest(server.url, "Ben")
    finish(ana)
    finish(ben)
    person = ana.get("/api/me").json()["id"]
    assert ana.http.delete("/api/me/everything").status_code == 204
    assert shown_game(ben, day)["players"] == 1
    assert server.do(server.registry.daily.tries_on(person, day)) == []


def test_a_daily_table_counts_for_statistics_and_practice_does_not(server, clock):
    guest = Guest(server.url, "Ana")
    finish(guest)
    practice = guest.http.post(f"/api/daily/{DAY}/{GAME}/practice").json()
    play(guest, practice["id"], first)
    (mine,) = guest.get("/api/statistics").json()
    assert mine["count"] == 1


# In the terminal


@pytest.fixture
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def run(*arguments):
    return CliRunner().invoke(app, ["daily", *arguments])


@pytest.mark.usefixtures("_own_folder")
def test_the_terminal_lists_begins_and_compares(server, clock):
    terminal = DailyServer(server.url, "en")
    assert not terminal.is_known
    assert f"  {GAME}: not begun." in "\n".join(day_lines(terminal.day(), "en"))
    terminal.client.set_name("Ana")
    table = terminal.begin(GAME)
    assert terminal.begin(GAME) == table
    assert f"  {GAME}: being played." in "\n".join(day_lines(terminal.day(), "en"))
    guest = Guest(server.url, token=None)
    guest.http.cookies.set("tablee", DailyServer(server.url, "en").client.cookie)  # stored for the next start
    play(guest, table.table, first)
    assert "Rang" in "\n".join(day_lines(terminal.day(), "fr"))
    with pytest.raises(TableeError, match="your try"):
        terminal.begin(GAME)
    with pytest.raises(TableeError, match="does not answer"):
        DailyServer("http://127.0.0.1:1", "en").day()
    with pytest.raises(TableeError, match="looks like"):
        DailyServer("ftp://x", "en")


@pytest.mark.usefixtures("_own_folder")
def test_opened_deals_are_verified_and_a_wrong_commitment_is_found(server, clock):
    noted = shown_game(Guest(server.url))["commitment"]
    asked = ["--server", server.url, "--verify", DAY, "--lang", "en"]
    closed = run(GAME, *asked, "--commitment", noted)
    assert (closed.exit_code, "not opened yet" in closed.output) == (0, True)
    assert run(GAME, *asked, "--commitment", "0" * 64).exit_code == 1  # another deal than was published
    clock(opening_time(DAY))
    opened = run(GAME, *asked, "--commitment", noted)
    assert opened.exit_code == 0
    assert f"fits the commitment {noted}" in opened.output
    assert run(*asked).exit_code == 0
    assert run(GAME, *asked, "--commitment", "0" * 64).exit_code == 1
    listed = run("--server", server.url, "--lang", "fr")
    assert "Tables du jour" in listed.output


def test_the_script_of_the_documentation_verifies_a_deal(server, clock):
    page = (Path(__file__).parents[1] / "docs" / "cli.md").read_text(encoding="utf-8")
    script = next(block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "/api/daily/" in block)
    noted = shown_game(Guest(server.url))["commitment"]
    clock(opening_time(DAY))

    def run_script(commitment):
        values = {"server": server.url, "day": DAY, "game": GAME, "noted": commitment}
        lines = [
            f"{name} = {values[name]!r}" if (name := line.partition(" = ")[0]) in values else line
            for line in script.splitlines()
        ]
        exec("\n".join(lines), {})

    run_script(noted)
    with pytest.raises(AssertionError, match="another deal"):
        run_script("0" * 64)


def test_without_a_server_a_game_must_be_named():
    refused = run("--lang", "en")
    assert isinstance(refused.exception, TableeError)
    assert "--server" in str(refused.exception)
