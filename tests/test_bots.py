"""Bots decide from what their seat knows, the same from the same, and can say why."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from tablee import Match, all_games, find_game
from tablee.bots import tree
from tablee.bots.bot import Candidate
from tablee.bots.roster import NAMES, SEARCHERS, make_bot, pin
from tablee.bots.search import CHUNK, SearchBot, SearchBuffers, Strength
from tablee.bots.simple import GreedyBot, RandomBot, draw
from tablee.core.errors import BadGame, TableeError
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR, copy_state
from tablee.games.xe_queo.moves import field_of, pawn_of
from tablee.testing.positions import random_positions

QUICK = Strength(iterations=6, rollout_moves=8)


def bots(seed=1):
    return RandomBot(seed), GreedyBot(seed), SearchBot("search", 1, QUICK, seed)


def positions(game, seed, first, most, stride=1):
    """Yield positions of a random game in which there is something to decide."""
    for match in random_positions(game, seed=seed, most=most):
        number = len(match.moves)
        if number >= first and number % stride == 0 and len(match.legal_moves()) > 1:
            yield match


def decide(bot, match):
    return bot.decide(match.sight(match.to_move), match.legal_moves())


# Honesty


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_what_a_seat_cannot_see_does_not_change_its_move(game):
    generator = new_generator(5)
    for match in positions(game, seed=3, first=20, most=27, stride=6):
        other = copy_state(match.state)
        game.kernels.disguise(other, match.to_move, generator)
        assert other.tobytes() != match.state.tobytes()
        for bot in bots():
            assert bot.decide(Sight.of(game, other, match.to_move), match.legal_moves()) == decide(bot, match)


@pytest.mark.parametrize("bot", bots(), ids=lambda bot: bot.name)
def test_a_bot_gets_no_true_record(bot):
    match = Match("skyjo", seed=1)
    with pytest.raises(TypeError, match="decides from a Sight"):
        bot.decide(match.state, match.legal_moves())
    with pytest.raises(TableeError, match="not what seat 0 knows"):
        Sight(match.game, 0, match.state)


@pytest.mark.parametrize("bot", bots(), ids=lambda bot: bot.name)
def test_a_bot_plays_for_the_seat_on_turn_alone(bot):
    match = Match("skyjo", seed=1)
    with pytest.raises(ValueError, match="not on turn"):
        bot.decide(match.sight(1 - match.to_move), match.legal_moves())


# The same from the same


def test_a_seed_determines_the_move_whatever_was_searched_before():
    match, later = Match("xe_queo", seed=2), Match("xe_queo", seed=2)
    later.play(later.legal_moves()[0])
    bot = SearchBot("search", 1, QUICK, seed=8)
    first = decide(bot, match)
    decide(bot, later)
    assert decide(bot, match) == first
    assert decide(SearchBot("search", 1, QUICK, seed=8), match) == first


def test_other_seeds_imagine_other_worlds():
    match = Match("xe_queo", seed=2)
    found = {decide(SearchBot("search", 1, Strength(iterations=4), seed), match).candidates for seed in range(3)}
    assert len(found) > 1


COMPILED = """
from tablee import find_game
from tablee.bots.search import SearchBot, Strength
from tablee.games.xe_queo.moves import field_of, pawn_of
from tablee.testing.positions import random_match
match = random_match(find_game("xe_queo"), seed=4, most=12)
strength = Strength(iterations=30, rollout_moves=20, outside_worlds=2)
decision = SearchBot("search", 1, strength, 1).decide(match.sight(match.to_move), match.legal_moves())
print(decision.move, [(c.move, c.visits) for c in decision.candidates])
"""


def test_search_is_the_same_compiled_and_interpreted():
    found = set()
    for switch in "01":
        environment = {**os.environ, "NUMBA_DISABLE_JIT": switch}
        command = [sys.executable, "-c", COMPILED]
        found.add(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)
    assert len(found) == 1


# Saying why


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_a_search_says_what_it_looked_at(game):
    for match in positions(game, seed=6, first=9, most=12, stride=3):
        decision = decide(SearchBot("search", 1, QUICK, 1), match)
        assert 0 < decision.worlds <= QUICK.iterations
        assert sum(candidate.visits for candidate in decision.candidates) == decision.worlds
        assert {candidate.move for candidate in decision.candidates} == set(match.legal_moves())
        assert all(0 <= candidate.value <= 1 for candidate in decision.candidates)
        assert decision.move == decision.candidates[0].move


def test_greedy_says_how_it_rates():
    match = Match("skyjo", seed=3)
    decision = decide(GreedyBot(1), match)
    assert [c.move for c in decision.candidates if c.move == decision.move]
    assert decision.candidates[0].value == max(c.value for c in decision.candidates)


# Time


def test_a_settled_search_ends_early_with_the_same_move():
    hasty = Strength(iterations=60, rollout_moves=0)
    patient = replace(hasty, mixed_moves=range(-1, 0))  # no such move, but a reason to look at all worlds
    spared = 0
    for match in positions(find_game("skyjo"), seed=7, first=9, most=20, stride=5):
        early, late = (decide(SearchBot("search", 1, strength, 5), match) for strength in (hasty, patient))
        assert early.move == late.move
        assert late.worlds == hasty.iterations
        first, second = (candidate.visits for candidate in early.candidates[:2])
        assert first - second > hasty.iterations - early.worlds or early.worlds == hasty.iterations
        spared += late.worlds - early.worlds
    assert spared > 0


def test_where_play_is_mixed_all_worlds_count():
    match = Match("xe_queo", seed=1)
    assert decide(make_bot("novice", match.game, 1), match).worlds == SEARCHERS["novice"][1].iterations


def test_the_clock_ends_a_search_after_some_worlds():
    match = Match("xe_queo", seed=1)
    hasty = SearchBot("hasty", 1, Strength(iterations=10 * CHUNK, rollout_moves=0), 1, seconds=0.0)
    decision = decide(hasty, match)
    assert decision.worlds == CHUNK
    assert decision.move in match.legal_moves()


# Simulated moves


def test_without_noise_a_simulated_move_is_the_best_rated():
    match = Match("skyjo", seed=3)
    moves = np.array(match.legal_moves(), np.int32)
    ratings = np.zeros(len(moves))
    index = tree.policy_choice(match.state, moves, len(moves), ratings, 0.0, new_generator(1))
    assert ratings[index] == max(ratings)


# Mixed play


def test_what_is_mixed_is_drawn_by_visits_and_what_is_not_is_the_best():
    bot = SearchBot("search", 1, Strength(iterations=1, mixed_moves=range(10)), 1)
    found = [Candidate(3, 60, 0.5), Candidate(50, 50, 0.5), Candidate(4, 40, 0.4), Candidate(5, 30, 0.4)]
    assert bot.shares(found) == {3: 0.6, 4: 0.4}
    assert bot.shares(found[1:]) == {50: 1.0}


def test_shares_are_drawn_as_often_as_they_say():
    generator = new_generator(1)
    drawn = [draw(generator, [1, 0, 3]) for _ in range(400)]
    assert drawn.count(1) == 0
    assert 70 < drawn.count(0) < 130


def test_the_secret_pawn_of_xe_queo_is_not_always_the_same():
    match = Match("xe_queo", seed=1)
    match.play(match.legal_moves()[0])
    chosen = {decide(make_bot("greedy", match.game, seed), match).move for seed in range(20)}
    assert len(chosen) > 3


# Beliefs


def suspicious_match():
    """A turn of Xe Queo! in which the opponent has moved one pawn again and again."""
    for match in random_positions(find_game("xe_queo"), seed=2, most=20):
        if len(match.moves) >= 3 and len(match.legal_moves()) > 10:
            match.state.moved[1 - match.to_move] = 0
            match.state.moved[1 - match.to_move, 4] = 9
            match.state.declined[:] = 0
            return match
    raise AssertionError("a random game has turns")


def test_worlds_are_drawn_by_belief():
    match = suspicious_match()
    room = SearchBuffers(match.game, 1)
    room.tree.states[tree.SIGHT] = match.sight(match.to_move).state
    generator = new_generator(3)
    chosen = []
    for _ in range(60):
        tree.draw_world(room.tree.states, match.to_move, tree.SIGHT, generator)
        chosen.append(int(room.tree.states[tree.WORLD].chosen[1 - match.to_move]))
    assert chosen.count(4) > 45


def test_a_spectator_s_worlds_hide_the_own_disc_too():
    match = suspicious_match()
    seat = match.to_move
    room = SearchBuffers(match.game, 40)
    room.search(match.sight(seat), Strength(iterations=40, rollout_moves=0, outside_worlds=2), new_generator(1), None)
    stranger = room.tree.states[tree.STRANGER]
    assert stranger.viewer == SPECTATOR
    assert stranger.chosen[seat] == stranger.chosen[1 - seat] == -2
    assert sum(candidate.visits for candidate in room.root_moves()) < 40  # the others were about other discs


# Sensible play


def test_greedy_goes_out_in_lexio_when_it_can():
    seen = 0
    for match in positions(find_game("lexio"), seed=1, first=30, most=400):
        hand = int(match.state.hand_counts[match.to_move])
        after = {}
        for move in match.legal_moves():
            twin = match.copy()
            twin.play(move)
            after[move] = twin.state.rounds_played > match.state.rounds_played
        if hand <= 5 and any(after.values()) and not all(after.values()):
            seen += 1
            assert after[decide(GreedyBot(1), match).move]
    assert seen


def test_greedy_plays_its_stock_card_in_skip_bo_when_it_can():
    seen = 0
    for match in positions(find_game("skip_bo"), seed=1, first=0, most=60):
        if min(match.legal_moves()) < 4:  # the moves that play the stock card
            seen += 1
            assert decide(GreedyBot(1), match).move < 4
    assert seen


def move_to(pawn, field):
    return next(move for move in range(56, 399) if (pawn_of(move), field_of(move)) == (pawn, field))


def test_greedy_and_search_take_the_ring_in_xe_queo_when_they_can():
    game = find_game("xe_queo")
    seen = 0
    for match in positions(game, seed=5, first=0, most=90):
        state, seat = match.state, match.to_move
        if min(state.chosen) < 0 or state.chosen[0] == state.chosen[1]:
            continue
        entering = move_to(int(state.chosen[seat]), int(state.ring))
        if entering in match.legal_moves():
            seen += 1
            assert decide(make_bot("greedy", game, 1), match).candidates[0].move == entering
            strength = Strength(iterations=60, rollout_moves=20)
            assert decide(SearchBot("search", 1, strength, 1), match).move == entering
    assert seen


# The roster


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_the_roster_is_a_ladder_of_budgets(game):
    budgets = [pin(name, game).budget for name in NAMES]
    assert budgets[:2] == [0, 0]
    assert budgets[1:] == sorted(set(budgets))
    assert [make_bot(name, game, 1).strength.iterations for name in SEARCHERS] == budgets[2:]


def test_a_game_says_how_many_worlds_make_a_bot_as_strong_as_its_name(monkeypatch):
    game = find_game("xe_queo")
    monkeypatch.setattr(game.module("policy"), "BUDGETS", {"club": 123}, raising=False)
    assert [pin(name, game).budget for name in ("novice", "club")] == [SEARCHERS["novice"][1].iterations, 123]
    monkeypatch.setattr(game.module("policy"), "BUDGETS", {"pub": 123})
    with pytest.raises(BadGame, match="xe_queo: BUDGETS are of novice, club, expert, not of pub"):
        make_bot("club", game, 1)


def test_a_game_s_wishes_reach_its_search():
    game = find_game("xe_queo")
    assert make_bot("club", game, 1).strength.mixed_moves
    assert make_bot("greedy", game, 1).mixed_moves
    assert not make_bot("club", find_game("skyjo"), 1).strength.mixed_moves


def test_evaluations_of_a_lead_add_up_like_places():
    from tablee.core.kernels import evaluate_lead

    out = np.zeros(3)
    evaluate_lead(np.array([30, 20, 20]), 3, 0.01, out)
    assert out.tolist() == pytest.approx([1.0, 0.125, 0.125])
    evaluate_lead(np.array([30, 20, 20]), 3, -0.01, out)
    assert out.tolist() == pytest.approx([0.0, 0.625, 0.625])
    evaluate_lead(np.array([30, 20, 20]), 3, 1e6, out)
    assert out.tolist() == pytest.approx([0.4166, 0.4166, 0.4166], abs=1e-3)
