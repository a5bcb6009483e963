"""Reviews on a server: of finished games alone, made one at a time, stored without names, shown in words."""

import asyncio
import json
import logging
import re

import pytest

from browser import PHONE
from server_process import Guest, serving, wait_until
from tablee import Match, find_game
from tablee.review.analysis import final_shares
from tablee.review.files import ReviewProgress
from tablee.review.process import review_in_process
from tablee.review.report import Review, ReviewedMove, RoundStart
from tablee.server.logs import incidents
from tablee.server.reviews import Reviews

EVEN = (500_000, 500_000)


def finished_match():
    match = Match(find_game("xe_queo"), seed=3, players=["Ana", "Ben"])
    while not match.is_over:
        match.push(match.legal_moves()[0])
    return match


MATCH = finished_match()


def made_up_review(match, blunder=8):
    """Return a review in which the first alternative of one move was better."""
    again, steps = Match.from_state(match.game, match.first_state), []
    for number, move in enumerate(match.moves):
        others = [other for other in again.legal_moves() if other != move]
        if number >= blunder and others and all(step.better is None for step in steps):
            effects = tuple(-200_000 if seat == again.to_move else 200_000 for seat in range(2))
            steps.append(ReviewedMove(again.to_move, move, 0, True, EVEN, effects, others[0], 1000))
        else:
            steps.append(ReviewedMove(again.to_move, move, 0, bool(others), EVEN, (0, 0)))
        again.push(move)
    return Review("xe_queo", ("Ana", "Ben"), tuple(steps), (RoundStart(0, EVEN),), final_shares(match), "made up")


REVIEW = made_up_review(MATCH)


async def reviewer(record):
    assert "Ana" in record
    yield ReviewProgress(1, len(REVIEW.steps))
    yield ReviewProgress(len(REVIEW.steps), len(REVIEW.steps), REVIEW)


async def failing_reviewer(record):
    yield ReviewProgress(1, 3)
    raise ChildProcessError("killed")


def put(server, make):
    server.app.state.reviews._reviewer = make


def import_game(guest):
    imported = guest.http.post("/api/records", json={"record": MATCH.record().text()}).json()
    return f"/api/tables/{imported['table']}", {"Tablee-Invite": imported["invite"]}


def awaited(guest, address, state, **headers):
    while (shown := guest.get(address, **headers).json())["state"] != state:
        assert shown["state"] in ("waiting", "running"), shown
    return shown


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("reviews") / "tables.db") as running:
        yield running


def test_a_finished_game_is_reviewed_once_and_read_in_both_languages(server):
    put(server, reviewer)
    ana = Guest(server.url, "Ana")
    address, invited = import_game(ana)
    assert ana.get(f"{address}/review", **invited).json() == {"state": "none"}
    assert ana.http.post(f"{address}/review", headers=invited).json()["state"] in ("waiting", "running", "done")
    english = awaited(ana, f"{address}/review", "done", **invited)["review"]
    put(server, failing_reviewer)  # a stored review is not made again
    french = ana.http.post(f"{address}/review?lang=fr", headers=invited).json()["review"]
    blunder = next(index for index, step in enumerate(REVIEW.steps) if step.better is not None)
    for shown in (english, french):
        assert [each["name"] for each in shown["chances"]] == ["Ana", "Ben"]
        assert all(len(each["chances"]) == len(MATCH.moves) + 1 for each in shown["chances"])
        (mistake,) = shown["mistakes"]
        assert mistake["number"] == blunder + 1
        assert mistake["seat"] == REVIEW.steps[blunder].seat
        assert mistake["grade"] == "blunder"
        position = ana.get(f"{address}/moments/{blunder}?seat={mistake['seat']}", **invited).json()
        assert mistake["better_move"] in [choice["text"] for choice in position["view"]["choices"]]
    assert english["mistakes"][0]["text"] != french["mistakes"][0]["text"]
    assert "−20.0" in english["mistakes"][0]["text"]
    assert "−20,0" in french["mistakes"][0]["text"]


def test_the_curve_is_a_picture(server):
    put(server, reviewer)
    ana = Guest(server.url, "Ana")
    address, invited = import_game(ana)
    assert ana.get(f"{address}/review.svg", **invited).status_code == 404
    ana.http.post(f"{address}/review", headers=invited)
    awaited(ana, f"{address}/review", "done", **invited)
    picture = ana.get(f"{address}/review.svg", **invited)
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert picture.text.count("<polyline") == 2


def test_names_are_not_stored_with_a_review(server):
    put(server, reviewer)
    ana = Guest(server.url, "Ana")
    address, invited = import_game(ana)
    ana.http.post(f"{address}/review", headers=invited)
    awaited(ana, f"{address}/review", "done", **invited)
    content = server.do(server.app.state.reviews._kept.find(address.rpartition("/")[2]))
    assert json.loads(content)["players"] == ["", ""]
    assert "Ana" not in content


def test_a_running_game_is_reviewed_for_nobody(server):
    put(server, reviewer)
    ana, eve = Guest(server.url, "Ana"), Guest(server.url, "Eve")
    table = ana.create("xe_queo", bots=["random"], is_open=True)["id"]
    for guest in (ana, eve):
        for answer in (
            guest.get(f"/api/tables/{table}/review"),
            guest.http.post(f"/api/tables/{table}/review"),
            guest.get(f"/api/tables/{table}/review.svg"),
        ):
            assert answer.status_code == 409
            assert answer.json()["code"] == "not_over"


def test_private_games_are_reviewed_for_those_with_the_invite_and_a_name(server):
    put(server, reviewer)
    address, invited = import_game(Guest(server.url, "Ana"))
    eve, nobody = Guest(server.url, "Eve"), Guest(server.url)
    assert eve.http.post(f"{address}/review").status_code == 404
    assert nobody.http.post(f"{address}/review", headers=invited).status_code == 401


def test_a_review_that_fails_says_so_and_can_be_requested_again(server):
    put(server, failing_reviewer)
    ana = Guest(server.url, "Ana")
    address, invited = import_game(ana)
    ana.http.post(f"{address}/review", headers=invited)
    awaited(ana, f"{address}/review", "failed", **invited)
    put(server, reviewer)
    ana.http.post(f"{address}/review", headers=invited)
    awaited(ana, f"{address}/review", "done", **invited)


class Gate:
    """A reviewer that waits to be let on, and counts how many run at once."""

    def __init__(self):
        self.open = asyncio.Event()
        self.running = self.most = 0

    async def __call__(self, record):
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await self.open.wait()
            yield ReviewProgress(1, 1, REVIEW)
        finally:
            self.running -= 1


def test_a_review_that_is_stored_while_it_is_looked_for_is_under_way(server, monkeypatch):
    """Nobody who waits is told that there is no review."""
    gate, reviews = Gate(), server.app.state.reviews
    put(server, gate)
    ana = Guest(server.url, "Ana")
    address, invited = import_game(ana)
    ana.http.post(f"{address}/review", headers=invited)
    wait_until(lambda: gate.running)
    find = reviews._kept.find

    async def find_nothing_and_store(table):
        found = await find(table)
        gate.open.set()
        while reviews.progress(table).state != "none":
            await asyncio.sleep(0.01)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(reviews._kept, "find", find_nothing_and_store)
        assert ana.get(f"{address}/review", **invited).json()["state"] == "running"
    assert ana.get(f"{address}/review", **invited).json()["state"] == "done"


def test_one_game_is_reviewed_at_a_time_and_none_after_the_end(server):
    ana = Guest(server.url, "Ana")
    addresses = [import_game(ana) for _ in range(4)]

    async def run():
        gate = Gate()
        reviews = Reviews(server.app.state.reviews._kept._store, 60, gate)
        found = [(address.rpartition("/")[2], headers["Tablee-Invite"]) for address, headers in addresses]
        *tables, last = [(await server.registry.visible(table, None, invite)).table for table, invite in found]
        for table in tables:
            reviews.request(table, "ana")
            reviews.request(table, "ana")  # no second time
        while gate.running == 0:  # whichever comes first
            await asyncio.sleep(0.01)
        gate.open.set()
        while any(reviews.progress(table.id).state != "none" for table in tables):
            await asyncio.sleep(0.01)
        assert [await reviews.find(table.id) is not None for table in tables] == [True] * 3
        gate.open.clear()
        reviews.request(last, "ana")
        while gate.running == 0:
            await asyncio.sleep(0.01)
        await reviews.stop()
        return gate

    gate = server.do(run())
    assert gate.most == 1
    assert gate.running == 0


def test_a_process_that_cannot_review_says_where_it_failed_and_nothing_of_the_game(capfd):
    async def run():
        return [line async for line in review_in_process("no record")]

    (line,) = asyncio.run(run())
    assert re.fullmatch(r"BadRecord in \w+\.py:\d+", line.error)
    assert capfd.readouterr() == ("", "")


def test_why_a_review_failed_is_logged(server, caplog):
    async def failing(_):
        yield ReviewProgress(error="BadRecord in lines.py:1")

    put(server, failing)
    incidents.end("review fails")  # of another test
    ana = Guest(server.url, "Ana")
    address, invited = import_game(ana)
    with caplog.at_level(logging.ERROR, "tablee.server"):
        ana.http.post(f"{address}/review", headers=invited)
        awaited(ana, f"{address}/review", "failed", **invited)
    assert "BadRecord in lines.py:1" in [record.fields.get("why") for record in caplog.records]


# Beliefs


def test_beliefs_are_told_of_finished_games_alone(server):
    ana, eve = Guest(server.url, "Ana"), Guest(server.url, "Eve")
    table = ana.create("skyjo", seats=2, bots=["random"], is_open=True)["id"]
    for guest in (ana, eve):
        for seat in (-1, 0, 1):
            answer = guest.get(f"/api/tables/{table}/moments/0/beliefs?seat={seat}")
            assert (answer.status_code, answer.json()["code"]) == (409, "not_over")


def test_beliefs_of_a_seat_name_what_is_hidden_from_it(server):
    ana = Guest(server.url, "Ana")
    address, invited = import_game(ana)
    for seat in (0, 1):
        shown = ana.get(f"{address}/moments/20?seat={seat}", **invited).json()["view"]
        hidden = {piece["id"] for zone in shown["zones"] for piece in zone["pieces"] if piece["face"] is None}
        found = ana.get(f"{address}/moments/20/beliefs?seat={seat}&lang=fr", **invited).json()
        assert {belief["id"] for belief in found["pieces"]} <= hidden
        assert found["pieces"]
        for belief in found["pieces"]:
            assert 0 < sum(possible["percent"] for possible in belief["possible"]) <= 100.5
    assert ana.get(f"{address}/moments/99999/beliefs?seat=0", **invited).status_code == 404
    assert ana.get(f"{address}/moments/3/beliefs?seat=7", **invited).status_code == 422


# In a browser


def full_of_mistakes(match):
    """Return a review in which every choice cost its player something, later ones more."""
    again, steps = Match.from_state(match.game, match.first_state), []
    for number, move in enumerate(match.moves):
        other = next((other for other in again.legal_moves() if other != move), None)
        loss = 0 if other is None else 20_000 + 5_000 * number
        effects = tuple(-loss if seat == again.to_move else loss for seat in range(2))
        steps.append(ReviewedMove(again.to_move, move, again.finished_rounds(), loss > 0, EVEN, effects, other))
        again.push(move)
    starts = [number for number, step in enumerate(steps) if number == 0 or step.round > steps[number - 1].round]
    rounds = tuple(RoundStart(start, EVEN) for start in starts)
    return Review("xe_queo", ("Ana", "Ben"), tuple(steps), rounds, final_shares(match), "made up")


async def patient_reviewer(record):
    review = full_of_mistakes(MATCH)
    yield ReviewProgress(1, len(review.steps))
    await asyncio.sleep(0)
    yield ReviewProgress(len(review.steps), len(review.steps), review)


def test_the_link_of_a_finished_game_begins_its_review_and_shows_the_largest_mistakes_first(server, new_player):
    from playwright.sync_api import expect

    put(server, patient_reviewer)
    ana = new_player("Ana", size=PHONE).with_name()
    imported = ana._request("post", "/api/records", {"record": MATCH.record().text()})
    page = ana.visit(f"t/{imported['table']}#{imported['invite']}")
    page.get_by_role("link", name="Review this game").click()
    expect(page.locator(".review-lines").first).to_be_visible()
    mistakes = full_of_mistakes(MATCH).steps
    largest = sorted(range(len(mistakes)), key=lambda index: -mistakes[index].loss)[:5]
    shown = page.locator(".review-lines").first.locator("button")
    assert [int(text.split()[1].rstrip(",")) - 1 for text in shown.all_inner_texts()] == largest
    assert not page.locator(".review-lines").nth(1).is_visible()
    page.locator(".review summary").filter(has_text="Round 1: ").click()
    expect(page.locator(".review-lines").nth(1)).to_be_visible()
    assert not ana.overflows_sideways
    assert ana.violations() == []
    ana.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link to this review").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    shared = page.evaluate("navigator.clipboard.readText()")
    ben = new_player("Ben").with_name()  # without a seat: the link has the invite
    ben.page.goto(shared)
    expect(ben.page.locator(".review-lines").first.locator("button")).to_have_count(len(largest))
    shown.first.click()
    expect(page.locator(".review-note")).to_contain_text(f"Move {largest[0] + 1}")
