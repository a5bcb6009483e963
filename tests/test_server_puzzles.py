"""Puzzles on a server: judged there, counted once, deleted with the person; nothing about a solution is sent before."""

import pytest

from made_up_puzzles import made_up_file, made_up_puzzle
from server_process import Guest, serving
from tablee import find_game
from tablee.server import puzzles as served
from tablee.server.puzzles import choose_next
from tablee.storage.puzzles import PuzzleStore, StoredAttempt

GAME = find_game("xe_queo")
EASY, MIDDLE, HARD = (made_up_puzzle(GAME, stream, rating) for stream, rating in enumerate((1000, 1250, 1700)))
ADDRESS = "/api/games/xe_queo/puzzles"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("puzzles") / "tables.db") as running:
        yield running


@pytest.fixture(autouse=True)
def made_up(monkeypatch):
    put(monkeypatch, EASY, MIDDLE, HARD)


def put(monkeypatch, *puzzles):
    found = made_up_file(GAME, *puzzles)
    monkeypatch.setattr(served, "puzzles_of", lambda game: found if game is GAME else None)


def answer(guest, puzzle, move, **query):
    return guest.http.post(f"{ADDRESS}/{puzzle.id}/attempts", json={"move": move}, params=query)


def test_a_puzzle_is_judged_explained_and_counted_once(server):
    ana = Guest(server.url, "Ana")
    shown = ana.get(f"{ADDRESS}/{MIDDLE.id}").json()
    assert (shown["number"], shown["count"], shown["rating"], shown["is_tried"]) == (2, 3, 1250, False)
    assert sorted(choice["text"] for choice in shown["view"]["choices"]) == sorted(v.move for v in MIDDLE.values)
    right = answer(ana, MIDDLE, MIDDLE.solution).json()
    assert right["is_solved"]
    assert right["is_counted"]
    assert (right["you"]["tried"], right["you"]["solved"], right["you"]["streak"]) == (1, 1, 1)
    assert right["you"]["rating"] > 1200
    assert [move["is_best"] for move in right["moves"]] == [True, *[False] * (len(MIDDLE.values) - 1)]
    again = answer(ana, MIDDLE, MIDDLE.values[-1].move).json()
    assert not again["is_solved"]
    assert not again["is_counted"]
    assert again["you"] == right["you"]
    assert ana.get(f"{ADDRESS}/{MIDDLE.id}").json()["is_tried"]


def test_answers_are_explained_in_both_languages(server):
    ana = Guest(server.url, "Ana")
    wrong = EASY.values[2].move
    english, french = (answer(ana, EASY, wrong, lang=language).json() for language in ("en", "fr"))
    assert english["verdict"].startswith("Not the best")
    assert french["verdict"].startswith("Pas le meilleur")
    assert any("60.0" in reason for reason in english["reasons"])
    assert any("60,0" in reason for reason in french["reasons"])


def test_a_streak_ends_with_a_wrong_answer(server):
    ben = Guest(server.url, "Ben")
    streaks = [
        answer(ben, puzzle, move).json()["you"]["streak"]
        for puzzle, move in ((EASY, EASY.solution), (MIDDLE, MIDDLE.solution), (HARD, HARD.values[1].move))
    ]
    assert streaks == [1, 2, 0]
    (overview,) = ben.get("/api/puzzles").json()
    assert overview["you"]["best_streak"] == 2
    assert overview["count"] == 3


def test_nothing_about_the_solution_is_sent_before_an_answer(server, monkeypatch):
    """Bytes: the same position with another solution and other values looks the same."""
    guest = Guest(server.url, "Cleo")
    addresses = (f"{ADDRESS}/{EASY.id}", "/api/games/xe_queo/puzzle", "/api/puzzles", f"/puzzles/xe_queo/{EASY.id}")
    put(monkeypatch, EASY)
    before = [guest.get(address).content for address in addresses]
    put(monkeypatch, made_up_puzzle(GAME, 0, 1000, best=2))
    after = [guest.get(address).content for address in addresses]
    assert served.puzzles_of(GAME).puzzles[0].solution != EASY.solution
    assert before[:3] == after[:3]
    assert b"600" not in before[0].replace(EASY.id.encode(), b"")  # the share of the best move
    for page in (before[3], after[3]):
        assert EASY.solution.encode() not in page


def test_guests_without_a_name_may_solve_but_are_not_rated(server):
    guest = Guest(server.url)
    shown = guest.get("/api/games/xe_queo/puzzle").json()
    assert shown["you"] is None
    judged = answer(guest, MIDDLE, MIDDLE.solution).json()
    assert judged["is_solved"]
    assert not judged["is_counted"]
    assert judged["you"] is None


def test_what_cannot_be_answered_is_refused(server):
    ana = Guest(server.url, "Ana")
    assert ana.get(f"{ADDRESS}/ffffffff").status_code == 404
    assert ana.get("/api/games/skyjo/puzzle").status_code == 404
    assert ana.get("/api/games/chess/puzzle").status_code == 404
    illegal = answer(ana, EASY, "accuse everybody")
    assert (illegal.status_code, illegal.json()["code"]) == (422, "bad_move")
    garbled = ana.http.post(f"{ADDRESS}/{EASY.id}/attempts", json={"move": 7})
    assert garbled.json()["code"] == "bad_message"
    elsewhere = {"Origin": "https://elsewhere.example"}
    body = {"move": EASY.solution}
    assert ana.http.post(f"{ADDRESS}/{EASY.id}/attempts", json=body, headers=elsewhere).status_code == 403


def test_an_impossible_touch_is_explained(server):
    ana = Guest(server.url, "Ana")
    reply = ana.http.post(f"{ADDRESS}/{EASY.id}/explanation", json={"move": "accuse red"})
    assert reply.status_code == 200
    assert reply.json()["text"]


def test_deleting_everything_deletes_the_answers(server):
    dora = Guest(server.url, "Dora")
    assert answer(dora, EASY, EASY.solution).json()["is_counted"]
    person = dora.get("/api/me").json()["id"]
    kept = PuzzleStore(server.registry.store)
    assert len(server.do(kept.attempts(person))) == 1
    assert dora.http.delete("/api/me/everything").status_code == 204
    assert server.do(kept.attempts(person)) == []


def test_the_next_puzzle_is_an_untried_one_near_the_rating():
    puzzles = [EASY, MIDDLE, HARD]
    assert choose_next(puzzles, []) is MIDDLE  # a beginner's rating is 1200
    assert choose_next(puzzles, [], MIDDLE.id) is HARD
    assert choose_next(puzzles, [], HARD.id) is EASY
    tried = [StoredAttempt("xe_queo", MIDDLE.id, 1250, True, 1.0)]
    assert choose_next(puzzles, tried) is HARD  # solved: the rating rises
    tried = [StoredAttempt("xe_queo", MIDDLE.id, 1250, False, 1.0)]
    assert choose_next(puzzles, tried, MIDDLE.id) is EASY
    everything = [StoredAttempt("xe_queo", puzzle.id, 1250, True, 1.0) for puzzle in puzzles]
    assert choose_next(puzzles, everything, EASY.id) is MIDDLE
