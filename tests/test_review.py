"""Reviews: sums that add up exactly, values from what a seat knows alone, mistakes that are mistakes."""

import json
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tablee import Match, all_games, find_game
from tablee.bots.roster import make_bot
from tablee.bots.settings import SearchSettings
from tablee.cli import app
from tablee.core.errors import TableeError
from tablee.core.kernels import lead_shares, rank_shares
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import copy_state
from tablee.games.skyjo.state import CELLS, UNKNOWN
from tablee.review import files
from tablee.review.analysis import Cancelled, Depth, Reviewer, final_shares, list_positions, review
from tablee.review.beliefs import find_beliefs, is_hidden
from tablee.review.evaluation import NEVER, Comparison, Evaluator, follow
from tablee.review.mistakes import kind_of_move
from tablee.review.page import render_page
from tablee.review.report import LOSSES, UNIT, Balance, Grade, Review, ReviewedMove, RoundStart, accuracy_of, grade_of
from tablee.review.wording import LARGEST, Wording

QUICK = Depth(values=2, screening=1, choosing=2, judging=4)
REDUCED = [game for game in all_games() if game.reductions]


def finished(game, seed=1, bots=("greedy", "random"), **settings):
    match = Match(game, seed=seed, **settings)
    players = [make_bot(bots[seat % len(bots)], game, seed + seat) for seat in range(match.seats)]
    while not match.is_over:
        match.push(players[match.to_move].decide(match.sight(match.to_move), match.legal_moves()).move)
    return match


def made_up(seed, seats=3, steps=40, rounds=4):
    """Return a review of random numbers."""
    draw = random.Random(seed)
    starts = sorted({0, *(draw.randrange(1, steps) for _ in range(rounds - 1))})

    def numbers(low=0):
        return tuple(draw.randint(low, UNIT) for _ in range(seats))

    def step(index):
        seat = draw.randrange(seats)
        effects = list(numbers(-UNIT))
        effects[seat] = -abs(effects[seat]) if draw.random() < 0.5 else 0
        return ReviewedMove(seat, 0, sum(start <= index for start in starts) - 1, True, numbers(), tuple(effects))

    return Review(
        "made_up",
        tuple(f"Player {seat}" for seat in range(seats)),
        tuple(step(index) for index in range(steps)),
        tuple(RoundStart(start, numbers()) for start in starts),
        numbers(),
        "",
    )


# Sums


@pytest.mark.parametrize("seed", range(20))
def test_decisions_others_and_luck_add_up_exactly(seed):
    found = made_up(seed)
    for seat in found.seats:
        change = found.results[seat] - found.rounds[0].expected[seat]
        assert found.balance(seat).total == change
        steps = sum(found.luck(index, seat) for index in range(len(found.steps)))
        assert steps + found.deal_luck(0, seat) == found.balance(seat).luck
        assert found.balance(seat).decisions == -sum(step.loss for step in found.steps if step.seat == seat)


def test_rounds_are_separated_before_the_new_cards_are_seen():
    values = ((500_000, 500_000), (600_000, 300_000), (900_000, 200_000))
    steps = tuple(ReviewedMove(0, 0, index > 0, True, value, (0, 0)) for index, value in enumerate(values))
    found = Review(
        "made_up",
        ("Ana", "Ben"),
        steps,
        (RoundStart(0, (500_000, 500_000)), RoundStart(1, (550_000, 450_000))),
        (UNIT, 0),
        "",
    )
    assert found.balances[0] == (Balance(luck=50_000), Balance(luck=-50_000))
    assert found.balances[1] == (Balance(luck=450_000), Balance(luck=-450_000))
    assert found.deal_luck(1, 0) == 50_000


def test_grades_begin_at_their_losses():
    for grade, least in LOSSES:
        assert grade_of(least) == grade
        assert grade_of(least - 1) != grade
    assert grade_of(0) == Grade.GOOD


def test_accuracy_falls_with_losses():
    assert accuracy_of([]) is None
    assert accuracy_of([0, 0]) == 1
    assert 1 > accuracy_of([0, 20_000]) > accuracy_of([0, 50_000]) > accuracy_of([50_000, 50_000]) > 0


# What is expected of the rest of the game


def test_a_lead_of_a_swing_is_e_times_as_likely_to_last():
    out = np.zeros(2)
    lead_shares(np.array([10, 0]), 2, 10.0, out)
    assert out[0] / out[1] == pytest.approx(np.e)
    lead_shares(np.array([10, 0]), 2, -10.0, out)  # the fewest points win
    assert out[1] / out[0] == pytest.approx(np.e)


def test_ties_count_half():
    match = finished(find_game("xe_queo"))
    out = np.zeros(2)
    rank_shares(match.state, out)
    assert sorted(out) == [0, 1]
    rank_shares(Match("xe_queo", seed=1).state, out)
    assert out.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_the_best_rank_has_beaten_all_others(game):
    match = (
        finished(game, bots=("greedy",))
        if game.name == "xe_queo"
        else finished(game, reduction=game.reductions[0].name)
    )
    shares, ranks = final_shares(match), match.outcome.ranks
    assert sum(shares) == pytest.approx(UNIT * match.seats / 2, abs=match.seats)
    assert sorted(range(match.seats), key=lambda seat: -shares[seat]) == sorted(
        range(match.seats), key=lambda seat: ranks[seat]
    )


# Evaluation


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_hidden_cards_change_no_evaluation(game):
    match, generator = Match(game, seed=2), new_generator(7)
    for _ in range(3 * match.seats):
        match.push(match.legal_moves()[-1])
    seat, moves = match.to_move, match.legal_moves()[:3]
    disguised = copy_state(match.state)
    game.kernels.disguise(disguised, seat, generator)
    assert disguised.tobytes() != match.state.tobytes()
    evaluator = Evaluator(game, SearchSettings(1, rollout_moves=10))
    found = []
    for state in (match.state, disguised):
        sight = Sight.of(game, state, seat)
        expected = evaluator.expect(sight, 2, new_generator(3))
        compared = evaluator.compare(sight, moves, 2, new_generator(3))
        found.append((expected.tolist(), compared.values.tolist(), compared.errors.tolist()))
    assert found[0] == found[1]


def test_moves_are_compared_with_the_same_random_numbers():
    """A move compared with itself gains nothing, with no error; the mean over worlds would differ otherwise."""
    match = Match("xe_queo", seed=4)
    for _ in range(6):
        match.push(match.legal_moves()[0])
    sight, move = match.sight(match.to_move), match.legal_moves()[0]
    evaluator = Evaluator(match.game, SearchSettings(1, rollout_noise=2.0))
    compared = evaluator.compare(sight, [move, move, move], 20, new_generator(1))
    assert compared.gains.tolist() == [0, 0, 0] == compared.errors.tolist()
    assert compared.better(0.0) is None
    assert 0 < compared.values[0, sight.seat] < 1


def test_more_moves_can_be_compared_than_are_ever_legal():
    """Reviews and hints compare a move several times, each time with another one that follows."""
    match = Match("xe_queo", seed=4)
    sight, move = match.sight(match.to_move), match.legal_moves()[0]
    moves = [move] * (match.game.max_legal_moves + 2)
    compared = Evaluator(match.game, SearchSettings(1, rollout_moves=1)).compare(sight, moves, 1, new_generator(1))
    assert compared.gains.tolist() == [0] * len(moves)


def test_passing_instead_of_playing_the_last_tile_is_a_mistake():
    game = find_game("lexio")
    for number in range(200):
        match = Match.from_deal(game, game.reductions[0].name, number)
        while not match.is_over:
            moves, seat = match.legal_moves(), match.to_move
            for move in moves:
                ahead = match.copy()
                ahead.push(move)
                if ahead.is_over and len(moves) > 1 and final_shares(ahead)[seat] == UNIT:
                    other = next(other for other in moves if other != move)
                    worse = match.copy()
                    worse.push(other)
                    position = list_positions(worse)[-1]
                    effects, better, _ = Reviewer(match, Depth(2, 2, 8, 16)).judge(position)
                    if better is not None:
                        assert effects[seat] < 0
                        assert sum(effects) == pytest.approx(0, abs=2)
                        assert final_shares_after(match, better)[seat] == UNIT
                        return
            match.push(moves[0])
    raise AssertionError("no position in which a move wins at once")


def final_shares_after(match, move):
    ahead = match.copy()
    ahead.push(move)
    return final_shares(ahead)


@pytest.mark.parametrize(("now", "later", "loss"), [(-0.05, -0.05, 0.05), (-0.05, -0.03, 0.03), (-0.05, -0.001, 0)])
def test_a_better_move_that_can_still_be_made_is_missed_as_far_as_it_is_worth_less_then(monkeypatch, now, later, loss):
    match = finished(find_game("xe_queo"))
    position = next(each for each in list_positions(match) if len(each.moves) > 4)
    best = next(move for move in position.moves if move != position.played)

    def compare(self, sight, moves, worlds, generator, followed_by=()):
        """Return that one move is the best, and what the others cost now, or if that one follows."""
        followers = followed_by or [NEVER] * len(moves)
        costs = [0 if move == best else later if follower == best else now for move, follower in zip(moves, followers)]
        own = [0.5 + cost for cost in costs]
        values = np.array([[value, 1 - value] if position.mover == 0 else [1 - value, value] for value in own])
        return Comparison(position.mover, tuple(moves), values, np.full(len(moves), 0.001), worlds)

    monkeypatch.setattr(Evaluator, "compare", compare)
    effects, better, _ = Reviewer(match, QUICK).judge(position)
    assert (better is not None) == (loss > 0)
    assert effects[position.mover] == pytest.approx(-loss * UNIT)
    assert sum(effects) == pytest.approx(0)


def test_what_is_expected_before_a_round_is_a_mean_over_more_worlds():
    """Games begin alike: with few worlds, the same error would be the luck of a seat in all of them."""
    match = finished(find_game("xe_queo"))
    spectator = list_positions(match)[0].spectator
    few, many = (Reviewer(match, Depth(2, start_factor=factor)).expect_start(spectator) for factor in (1, 8))
    assert many.tolist() == Reviewer(match, Depth(16, start_factor=1)).expect_start(spectator).tolist()
    assert many.tolist() != few.tolist()


def test_a_move_that_follows_is_made_as_soon_as_it_is_legal():
    game = find_game("xylo")
    match = Match(game, seed=2)
    while {kind_of_move(game, move) for move in match.legal_moves()} != {"pass", "peek"}:
        match.push(match.legal_moves()[0])
    seat, (first, *_, last) = match.to_move, match.legal_moves()
    passing, peeking = (first, last) if kind_of_move(game, first) == "pass" else (last, first)
    evaluator = Evaluator(game, SearchSettings(1, rollout_noise=0.0))
    world = copy_state(match.state)
    game.kernels.play(world, passing)
    assert int(world.to_move) != seat
    follow(evaluator._workspace, world, seat, peeking, game.kernels.stage(world), evaluator._plan, new_generator(1))
    assert int(world.to_move) == seat
    after = Match.from_state(game, world)
    assert {kind_of_move(game, move) for move in after.legal_moves()} == {"bid"}


# Whole reviews


@pytest.mark.parametrize("game", REDUCED, ids=lambda game: game.name)
def test_a_review_is_exact_and_reproducible(game):
    match = finished(game, reduction=game.reductions[0].name)
    found = review(match, QUICK)
    assert [step.move for step in found.steps] == match.moves
    assert found == review(match, QUICK, threads=3)
    for seat in found.seats:
        assert found.balance(seat).total == found.results[seat] - found.rounds[0].expected[seat]
        assert all(step.loss >= 0 for step in found.choices(seat))
    assert files.decode(files.encode(found, match)) == found


def test_a_running_game_is_not_reviewed():
    with pytest.raises(TableeError, match="only a finished game can be reviewed"):
        review(Match("xe_queo", seed=1))


def test_a_review_can_be_cancelled():
    match = finished(find_game("xe_queo"))
    calls = []

    def progress(done, total):
        calls.append((done, total))
        return done < 3

    with pytest.raises(Cancelled):
        review(match, QUICK, progress=progress)
    assert calls == [(done, len(match.moves)) for done in (1, 2, 3)]


@pytest.fixture(scope="module")
def reviewed():
    match = finished(find_game("xe_queo"), seed=3)
    return review(match, Depth(values=1, screening=1, choosing=1, judging=2)), match


@pytest.mark.parametrize("language", ["en", "fr"])
def test_a_page_tells_every_mistake_and_escapes_names(reviewed, language):
    found, match = reviewed
    match = match.copy()
    match.players = ["<b>Ana</b>", "Ben"]
    wording = Wording(found, match, language)
    page = render_page(wording)
    assert "<b>Ana" not in page
    assert "&lt;b&gt;Ana" in page
    told = list(wording.mistakes())
    assert len(told) == sum(step.grade != Grade.GOOD for step in found.steps) > 0
    assert page.count("<li>") == len(told) + len(list(wording.moments()))
    assert page.count("<polyline") == len(found.players)
    assert next(iter(wording.mistakes(worst=1))) in told


def full_of_mistakes(found, match):
    """Return a review in which every choice cost something, later ones more."""
    again, steps = Match.from_state(match.game, match.first_state), []
    for number, step in enumerate(found.steps):
        other = next((move for move in again.legal_moves() if move != step.move), None)
        effects = tuple(-20_000 - 1_000 * number if seat == step.seat else 0 for seat in found.seats)
        steps.append(replace(step, better=other, effects=(0, 0) if other is None else effects))
        again.push(step.move)
    return replace(found, steps=tuple(steps))


def test_the_largest_mistakes_come_first_and_all_of_them_by_round(reviewed):
    found, match = full_of_mistakes(*reviewed), reviewed[1]
    wording = Wording(found, match, "en")
    losses = [found.steps[line.number - 1].loss for line in wording.largest_mistakes()]
    assert losses == sorted((step.loss for step in found.steps), reverse=True)[:LARGEST]
    rounds = wording.mistakes_by_round()
    assert [line for _, lines in rounds for line in lines] == list(wording.mistakes())
    assert rounds[0].title == f"Round 1: {len(rounds[0].lines)} mistake{'s' if len(rounds[0].lines) > 1 else ''}"
    page = render_page(wording)
    assert page.count("<details>") == len(rounds) > 1
    assert page.count("<li>") == LARGEST + len(list(wording.mistakes())) + len(list(wording.moments()))


def test_few_mistakes_are_told_once_and_in_order(reviewed):
    wording = Wording(*reviewed, "en")
    assert 0 < len(list(wording.mistakes())) <= LARGEST
    assert wording.largest_mistakes() == list(wording.mistakes())
    assert wording.mistakes_by_round() == []


def test_the_command_reviews_a_record(reviewed, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    found, match = reviewed
    monkeypatch.setattr("tablee.review.analysis.review", lambda *arguments: found)
    record, page = tmp_path / "game.tablee", tmp_path / "review.html"
    match.record().save(record)
    arguments = ["review", str(record), "--lang", "en", "--depth", "quick"]
    text = CliRunner().invoke(app, arguments)
    assert text.exit_code == 0
    assert "Decisions" in text.output
    assert "Better: " in text.output
    printed = json.loads(CliRunner().invoke(app, [*arguments, "--json", "--html", str(page)]).stdout)
    assert [step["move"] for step in printed["steps"]] == match.moves
    assert printed["seats"][0]["balance"]["luck"] == found.balance(0).luck
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_command_refuses_an_unfinished_game(tmp_path):
    from typer.testing import CliRunner

    match = Match("xe_queo", seed=1)
    match.push(match.legal_moves()[0])
    match.record().save(tmp_path / "game.tablee")
    result = CliRunner().invoke(app, ["review", str(tmp_path / "game.tablee")])
    assert isinstance(result.exception, TableeError)
    assert "not over after 1 moves" in str(result.exception)


# Beliefs


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_beliefs_are_probabilities_that_allow_the_truth(game):
    match = Match(game, seed=5)
    for _ in range(5 * match.seats):
        match.push(match.legal_moves()[len(match.moves) % len(match.legal_moves())])
    seat, words, names = match.to_move, game.words("en"), match.names("en")
    found = find_beliefs(match.sight(seat), 30, new_generator(1), words, names)
    hidden = [piece.id for zone in match.view(seat).zones for piece in zone.pieces if is_hidden(piece)]
    assert [belief.id for belief in found.pieces] == hidden != []
    for belief in found.pieces:
        assert sum(possible.probability for possible in belief.possibilities) == pytest.approx(1)
        assert [possible.probability for possible in belief.possibilities] == sorted(
            (possible.probability for possible in belief.possibilities), reverse=True
        )
    for belief in found.zones:
        assert all(0 < possible.probability <= 1 for possible in belief.possibilities)


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_hidden_cards_change_no_belief(game):
    match = Match(game, seed=6)
    for _ in range(4 * match.seats):
        match.push(match.legal_moves()[-1])
    disguised = copy_state(match.state)
    game.kernels.disguise(disguised, 0, new_generator(9))
    words, names = game.words("fr"), match.names("fr")
    sights = [Sight.of(game, state, 0) for state in (match.state, disguised)]
    assert disguised.tobytes() != match.state.tobytes()
    first, second = (find_beliefs(sight, 5, new_generator(2), words, names) for sight in sights)
    assert first == second


def test_beliefs_are_the_shares_of_the_cards_that_a_seat_has_not_seen():
    """In Skyjo every hidden card is any of the unseen ones with the same probability, which can be counted."""
    match = Match("skyjo", seats=2, seed=11)
    for _ in range(30):
        match.push(match.legal_moves()[0])
    sight, worlds = match.sight(0), 400
    world = sight.imagine(new_generator(4))
    hidden = [(seat, cell) for seat in range(2) for cell in range(CELLS) if sight.state.grid[seat, cell] == UNKNOWN]
    unseen = Counter(world.piles[: world.draw_count].tolist() + [int(world.grid[index]) for index in hidden])
    found = find_beliefs(sight, worlds, new_generator(3), match.game.words("en"), match.names("en"))
    assert len(found.pieces) == len(hidden)
    for belief in found.pieces:
        shares = {int(possible.face.face): possible.probability for possible in belief.possibilities}
        assert shares.keys() <= unseen.keys()
        for card, count in unseen.items():
            exact = count / unseen.total()
            assert abs(shares.get(card, 0.0) - exact) < 5 * np.sqrt(exact * (1 - exact) / worlds)
