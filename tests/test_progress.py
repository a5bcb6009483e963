"""Progress of a person in a game: what stored reviews say, typical mistakes by kind, which bot to play next."""

import pytest

from server_process import Guest, serving
from tablee import all_games
from tablee.bots.roster import FIRST_BOT, NAMES, ladder_of
from tablee.core.move_words import kind_of_move, move_kinds
from tablee.protocol.progress import BotLevel
from tablee.review.files import ReviewProgress
from tablee.review.mistakes import count_mistakes
from tablee.server.progress import advise, bot_levels, wilson_interval
from tablee.storage.results import Participant
from tablee.storage.reviewed_games import ReviewedGame, ReviewedGameStore
from tablee.storage.tallies import Encounter
from test_server_reviews import MATCH, REVIEW, awaited, made_up_review, put

GAME = "xe_queo"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("progress") / "tablee.db") as running:
        yield running


def play(guest, table):
    """Play to the end against a bot; accusing ends a round soon."""
    while True:
        shown = guest.get(f"/api/tables/{table}").json()
        if shown["phase"] == "over":
            return
        texts = [choice["text"] for choice in shown["view"]["choices"]]
        if texts:
            move = next((text for text in texts if text.startswith("accuse")), texts[0])
            guest.command("play", table, move=move, number=shown["number"])


def review_of(server, table):
    """Have reviews of a server say that a move of the first seat was a blunder; return the review, and that step."""
    match = server.do(server.registry.table(table)).table.match
    review = next(
        each
        for each in (made_up_review(match, blunder) for blunder in range(len(match.moves)))
        if any(step.better is not None and step.seat == 0 for step in each.steps)
    )

    async def reviewer(record):
        yield ReviewProgress(len(review.steps), len(review.steps), review)

    put(server, reviewer)
    return review, next(step for step in review.steps if step.better is not None)


def test_progress_follows_from_stored_reviews_and_offers_to_make_others(server):
    guest = Guest(server.url, "Ana")
    before = guest.get(f"/api/statistics/{GAME}/progress").json()
    assert (before["points"], before["mistakes"], before["levels"], before["unreviewed"]) == ([], [], [], [])
    assert before["next_bot"] == FIRST_BOT
    tables = [guest.create(GAME, bots=["greedy"])["id"] for _ in range(2)]
    for table in tables:
        play(guest, table)
    offered = guest.get(f"/api/statistics/{GAME}/progress").json()
    assert {each["table"] for each in offered["unreviewed"]} == set(tables)
    review, step = review_of(server, tables[0])
    guest.http.post(f"/api/tables/{tables[0]}/review")
    awaited(guest, f"/api/tables/{tables[0]}/review", "done")
    for lang in ("en", "fr"):
        shown = guest.get(f"/api/statistics/{GAME}/progress?lang={lang}").json()
        words, kinds = MATCH.game.words(lang), [kind_of_move(MATCH.game, move) for move in (step.move, step.better)]
        (point,) = shown["points"]
        balance = review.balance(0)
        assert point["table"] == tables[0]
        assert point["accuracy"] == pytest.approx(100 * review.accuracy(0), abs=0.05)
        assert (point["luck"], point["decisions"]) == (balance.luck / 10_000, -20.0)
        (mistake,) = shown["mistakes"]
        assert [mistake["played"], mistake["better"]] == [words.say(f"kinds.{kind}") for kind in kinds]
        assert (mistake["count"], mistake["loss"]) == (1, 20.0)
        assert [each["table"] for each in shown["unreviewed"]] == [tables[1]]
        assert [each["name"] for each in shown["levels"]] == ["greedy"]
        assert shown["advice"]


def test_a_review_that_was_stored_before_is_counted_once_when_it_is_asked_for(server):
    guest = Guest(server.url, "Ana")
    table = guest.create(GAME, bots=["greedy"])["id"]
    play(guest, table)
    review_of(server, table)
    for _ in range(2):
        guest.http.post(f"/api/tables/{table}/review")
        awaited(guest, f"/api/tables/{table}/review", "done")
    while not guest.get(f"/api/statistics/{GAME}/progress").json()["points"]:
        pass
    assert len(guest.get(f"/api/statistics/{GAME}/progress").json()["points"]) == 1


def test_deleting_everything_deletes_what_reviews_said(server):
    guest = Guest(server.url, "Ana")
    table = guest.create(GAME, bots=["greedy"])["id"]
    play(guest, table)
    review_of(server, table)
    person = guest.get("/api/me").json()["id"]
    guest.http.post(f"/api/tables/{table}/review")
    awaited(guest, f"/api/tables/{table}/review", "done")
    games = server.app.state.reviews._games
    live = server.do(server.registry.table(table)).table
    assert guest.http.delete("/api/me/everything").status_code == 204
    assert server.do(games.last(person, GAME)) == []
    server.do(games.save(table, [_reviewed(person, live.id)]))  # a review that ends after the person was deleted
    assert server.do(games.last(person, GAME)) == []


def _reviewed(person, table):
    return ReviewedGame(person, GAME, 1.0, table, 0.5, 0, 0, 0, 0, "[]")


def test_without_a_name_or_a_game_there_is_no_progress(server):
    assert Guest(server.url).get(f"/api/statistics/{GAME}/progress").status_code == 401
    assert Guest(server.url, "Ana").get("/api/statistics/no_such/progress").status_code == 404


# Mistakes by kind


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_kinds_of_moves_are_few_and_have_words(game):
    kinds = move_kinds(game)
    assert 2 <= len(kinds) <= 8
    for language in ("en", "fr"):
        assert all(game.words(language).say(f"kinds.{kind}") for kind in kinds)


def test_mistakes_are_counted_by_what_was_played_and_what_was_better():
    blunder = next(step for step in REVIEW.steps if step.better is not None)
    (count,) = count_mistakes(REVIEW, MATCH.game, blunder.seat)
    assert (count.count, count.loss) == (1, 200_000)
    assert (count.kind, count.better) == tuple(
        kind_of_move(MATCH.game, move) for move in (blunder.move, blunder.better)
    )
    assert count_mistakes(REVIEW, MATCH.game, 1 - blunder.seat) == []


# Bots


def level(name, share, games):
    low, high = (100 * value for value in wilson_interval(share, games))
    return BotLevel(name, name, games, 100 * share, low, high)


def test_intervals_shrink_and_contain_what_was_observed():
    widths = []
    for count in (1, 10, 100):
        low, high = wilson_interval(0.3, count)
        assert 0 <= low < 0.3 < high <= 1
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert wilson_interval(0.0, 5)[0] == 0
    assert wilson_interval(1.0, 5)[1] == 1
    assert wilson_interval(0.5, 100) == pytest.approx((0.404, 0.596), abs=0.001)


def test_the_next_bot_is_the_weakest_that_one_does_not_clearly_beat():
    assert (advise([]).next_bot, advise([]).reason) == (FIRST_BOT, "first")
    assert advise([level("novice", 0.5, 10)]).reason == "even"
    up = advise([level("greedy", 0.5, 4), level("novice", 0.9, 30)])
    assert (up.next_bot, up.reason, up.level) == ("club", "up", "novice")
    hard = advise([level("novice", 0.9, 30), level("club", 0.1, 30)])
    assert (hard.next_bot, hard.reason) == ("club", "hard")
    down = advise([level("novice", 0.1, 30)])
    assert (down.next_bot, down.reason) == ("greedy", "down")
    assert advise([level("expert", 0.9, 30)]).reason == "top"
    assert advise([level("random", 0.1, 30)]).next_bot == "random"


def test_after_the_expert_comes_the_master_where_there_is_one():
    ladder = ladder_of(MATCH.game)
    assert ladder == (*NAMES, "master")
    beaten = level("expert", 0.9, 30)
    assert (advise([beaten], ladder).next_bot, advise([beaten], ladder).reason) == ("master", "up")
    assert advise([level("master", 0.9, 30)], ladder).reason == "top"


def test_quick_play_begins_easily_and_then_follows_the_results(server, monkeypatch):
    guest = Guest(server.url, "Ana")

    def bots():
        made = guest.http.post(f"/api/games/{GAME}/quick-play")
        assert made.status_code == 201
        shown = made.json()
        assert (shown["phase"], shown["seats"][0]["kind"]) == ("playing", "person")
        return {seat["bot"] for seat in shown["seats"][1:]}

    assert bots() == {FIRST_BOT}
    results = []

    async def encounters(self, person, game, names):
        return [Encounter(Participant(f"bot {name}", name, is_bot=True), *counts) for name, *counts in results]

    monkeypatch.setattr(ReviewedGameStore, "against_bots", encounters)
    results += [("greedy", 1, 0, 1)]
    assert bots() == {"greedy"}
    results[0] = ("greedy", 12, 0, 1)
    assert bots() == {"novice"}
    results += [("novice", 9, 0, 1), ("club", 0, 0, 2)]
    assert bots() == {"club"}
    assert Guest(server.url).http.post(f"/api/games/{GAME}/quick-play").status_code == 401
    assert guest.http.post("/api/games/no_such/quick-play").status_code == 404


def test_levels_are_those_of_the_roster_that_one_has_met_weakest_first():
    def met(name, *counts):
        return Encounter(Participant(f"bot {name}", name, is_bot=True), *counts)

    levels = bot_levels(
        [met("club", 1, 0, 3), met("greedy", 3, 2, 0), met("own", 9, 0, 0), met("novice", 0, 0, 0)], "en"
    )
    assert [(each.name, each.games, each.share) for each in levels] == [("greedy", 5, 80.0), ("club", 4, 25.0)]
    assert set(NAMES) >= {each.name for each in levels}
