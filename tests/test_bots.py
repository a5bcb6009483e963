"""Bots: they decide from a sight alone, deterministically, and report what a decision is based on."""

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from tablee import Match, all_games, find_game
from tablee.bots import tree
from tablee.bots.bot import Candidate
from tablee.bots.roster import NAMES, ROSTER, SearchKind, find_kind, make_bot, pin
from tablee.bots.search import CHUNK, MAX_KEPT_BUFFERS, SearchBot, SearchBuffers, SearchResult, add_up, buffers_for
from tablee.bots.settings import SearchSettings
from tablee.bots.simple import GreedyBot, RandomBot, draw
from tablee.core.errors import BadGame, TableeError
from tablee.core.languages import languages
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR, copy_state
from tablee.core.words import common
from tablee.games.xe_queo.moves import field_of, pawn_of
from tablee.testing.positions import random_positions

QUICK = SearchSettings(iterations=6, rollout_moves=8)
SEARCH_KINDS = [kind for kind in ROSTER if isinstance(kind, SearchKind)]


def bots(seed=1):
    return RandomBot(seed), GreedyBot(seed), SearchBot("search", 1, QUICK, seed)


def positions(game, seed, first, most, stride=1):
    """Yield positions of a random game with more than one legal move."""
    for match in random_positions(game, seed=seed, max_moves=most):
        number = len(match.moves)
        if number >= first and number % stride == 0 and len(match.legal_moves()) > 1:
            yield match


def decide(bot, match):
    return bot.decide(match.sight(match.to_move), match.legal_moves())


# Hidden information


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_hidden_information_does_not_change_a_decision(game):
    generator = new_generator(5)
    for match in positions(game, seed=3, first=20, most=27, stride=6):
        disguised = copy_state(match.state)
        game.kernels.disguise(disguised, match.to_move, generator)
        assert disguised.tobytes() != match.state.tobytes()
        for bot in bots():
            assert bot.decide(Sight.of(game, disguised, match.to_move), match.legal_moves()) == decide(bot, match)


@pytest.mark.parametrize("bot", bots(), ids=lambda bot: bot.name)
def test_a_bot_refuses_a_full_state(bot):
    match = Match("skyjo", seed=1)
    with pytest.raises(TypeError, match="decides from a Sight"):
        bot.decide(match.state, match.legal_moves())
    with pytest.raises(TableeError, match="not what seat 0 knows"):
        Sight(match.game, 0, match.state)


@pytest.mark.parametrize("bot", bots(), ids=lambda bot: bot.name)
def test_a_bot_decides_only_for_the_seat_on_turn(bot):
    match = Match("skyjo", seed=1)
    with pytest.raises(ValueError, match="not on turn"):
        bot.decide(match.sight(1 - match.to_move), match.legal_moves())


# Determinism


def test_a_decision_depends_on_the_seed_and_not_on_earlier_searches():
    match, later = Match("xe_queo", seed=2), Match("xe_queo", seed=2)
    later.play(later.legal_moves()[0])
    bot = SearchBot("search", 1, QUICK, seed=8)
    first = decide(bot, match)
    decide(bot, later)
    assert decide(bot, match) == first
    assert decide(SearchBot("search", 1, QUICK, seed=8), match) == first


def test_different_seeds_imagine_different_worlds():
    match = Match("xe_queo", seed=2)
    settings = SearchSettings(iterations=4)
    found = {decide(SearchBot("search", 1, settings, seed), match).candidates for seed in range(3)}
    assert len(found) > 1


SEARCH_SCRIPT = """
from tablee import find_game
from tablee.bots.search import SearchBot
from tablee.bots.settings import SearchSettings
from tablee.games.xe_queo.moves import field_of, pawn_of
from tablee.testing.positions import random_match
match = random_match(find_game("xe_queo"), seed=4, max_moves=12)
settings = SearchSettings(iterations=30, rollout_moves=20, spectator_interval=2)
decision = SearchBot("search", 1, settings, 1).decide(match.sight(match.to_move), match.legal_moves())
print(decision.move, [(c.move, c.visits) for c in decision.candidates])
"""


def test_search_is_the_same_compiled_and_interpreted():
    outputs = set()
    for is_interpreted in "01":
        environment = {**os.environ, "NUMBA_DISABLE_JIT": is_interpreted}
        command = [sys.executable, "-c", SEARCH_SCRIPT]
        outputs.add(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)
    assert len(outputs) == 1


# Candidates


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_a_search_reports_its_candidates(game):
    for match in positions(game, seed=6, first=9, most=12, stride=3):
        decision = decide(SearchBot("search", 1, QUICK, 1), match)
        assert 0 < decision.worlds <= QUICK.iterations
        assert sum(candidate.visits for candidate in decision.candidates) == decision.worlds
        assert {candidate.move for candidate in decision.candidates} == set(match.legal_moves())
        assert all(0 <= candidate.value <= 1 for candidate in decision.candidates)
        assert decision.move == decision.candidates[0].move


def test_greedy_reports_its_ratings():
    match = Match("skyjo", seed=3)
    decision = decide(GreedyBot(1), match)
    assert [c.move for c in decision.candidates if c.move == decision.move]
    assert decision.candidates[0].value == max(c.value for c in decision.candidates)


# Early stops


def test_a_decided_search_stops_early_with_the_same_move():
    stopping = SearchSettings(iterations=60, rollout_moves=0)
    complete = replace(stopping, mixed_moves=range(-1, 0))  # there is no such move, but mixed play uses all worlds
    saved = 0
    for match in positions(find_game("skyjo"), seed=7, first=9, most=20, stride=5):
        early, late = (decide(SearchBot("search", 1, settings, 5), match) for settings in (stopping, complete))
        assert early.move == late.move
        assert late.worlds == stopping.iterations
        first, second = (candidate.visits for candidate in early.candidates[:2])
        assert first - second > stopping.iterations - early.worlds or early.worlds == stopping.iterations
        saved += late.worlds - early.worlds
    assert saved > 0


def test_a_search_for_mixed_play_uses_all_iterations():
    match = Match("xe_queo", seed=1)
    assert decide(make_bot("novice", match.game, 1), match).worlds == find_kind("novice").iterations


def test_a_time_limit_ends_a_search_after_a_chunk_of_iterations():
    match = Match("xe_queo", seed=1)
    settings = SearchSettings(iterations=10 * CHUNK, rollout_moves=0)
    decision = decide(SearchBot("search", 1, settings, 1, seconds=0.0), match)
    assert decision.worlds == CHUNK
    assert decision.move in match.legal_moves()


# Buffers


def searching(threads, seed=8, iterations=60):
    """Return a bot with mixed play, which uses all iterations."""
    bot = SearchBot("search", 1, SearchSettings(iterations, mixed_moves=range(1)), seed)
    bot.threads = threads
    return bot


@pytest.mark.parametrize("threads", [2, 3])
def test_a_search_in_several_threads_depends_on_its_seed_and_the_number_of_threads(threads):
    match = next(positions(find_game("skyjo"), seed=3, first=10, most=40))
    found = decide(searching(threads), match)
    again = decide(searching(threads), match)
    assert found == again
    assert found != decide(searching(1), match)
    assert found != decide(searching(threads, seed=9), match)
    assert {each.move for each in found.candidates} == set(match.legal_moves())


def test_threads_share_the_worlds_of_a_search():
    match = next(positions(find_game("xe_queo"), seed=3, first=2, most=40))
    for threads in (1, 2, 3, 7):
        decision = decide(searching(threads), match)
        assert decision.worlds == 60
        assert sum(each.visits for each in decision.candidates) == 60
    assert decide(searching(4, iterations=2), match).worlds == 4  # at least one each


def test_the_first_of_several_threads_searches_as_one_alone_does():
    match = next(positions(find_game("xe_queo"), seed=3, first=2, most=40))
    alone, together = decide(searching(1, iterations=30), match), decide(searching(2), match)
    visits = {each.move: each.visits for each in together.candidates}
    assert all(visits[each.move] >= each.visits for each in alone.candidates)


def test_what_several_searches_found_is_added_up():
    first = SearchResult((Candidate(5, 3, 0.5), Candidate(7, 1, 1.0), Candidate(8, 0, 0.0)), worlds=4, nodes=2)
    second = SearchResult((Candidate(7, 5, 0.4), Candidate(5, 1, 0.1), Candidate(9, 0, 0.0)), worlds=6, nodes=5)
    assert add_up([first]) == first
    together = add_up([first, second])
    assert (together.worlds, together.nodes) == (10, 7)
    assert [(each.move, each.visits) for each in together.candidates] == [(7, 6), (5, 4), (8, 0), (9, 0)]
    assert [each.value for each in together.candidates] == pytest.approx([0.5, 0.4, 0.0, 0.0])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot copy a process")
def test_a_search_in_threads_goes_on_in_a_copied_process():
    match = next(positions(find_game("skyjo"), seed=3, first=10, most=40))
    found = decide(searching(2), match)
    process = multiprocessing.get_context("fork").Process(target=lambda: os._exit(decide(searching(2), match) != found))
    process.start()
    process.join(60)
    is_alive = process.is_alive()
    process.kill()
    process.join()
    assert not is_alive
    assert process.exitcode == 0


def test_searches_of_one_thread_share_buffers():
    game = find_game("xe_queo")
    buffers = buffers_for(game, 10)
    assert buffers_for(game, 10) is buffers
    assert buffers_for(game, 11) is not buffers
    assert buffers_for(find_game("skyjo"), 10) is not buffers
    with ThreadPoolExecutor(1) as other_thread:
        assert other_thread.submit(buffers_for, game, 10).result() is not buffers


def test_the_least_recently_used_buffers_are_dropped():
    game = find_game("xe_queo")
    first, second = buffers_for(game, 1), buffers_for(game, 2)
    for iterations in range(3, MAX_KEPT_BUFFERS + 2):
        assert buffers_for(game, 1) is first
        buffers_for(game, iterations)
    assert buffers_for(game, 1) is first
    assert buffers_for(game, 2) is not second


# Rollouts


def test_without_noise_a_rollout_plays_the_best_rated_move():
    match = Match("skyjo", seed=3)
    moves = np.array(match.legal_moves(), np.int32)
    ratings = np.zeros(len(moves))
    index = tree.choose_by_policy(match.state, moves, len(moves), ratings, 0.0, new_generator(1))
    assert ratings[index] == max(ratings)


# Mixed play


def test_mixed_moves_are_drawn_by_visits_and_others_are_the_most_visited():
    bot = SearchBot("search", 1, SearchSettings(iterations=1, mixed_moves=range(10)), 1)
    found = [Candidate(3, 60, 0.5), Candidate(50, 50, 0.5), Candidate(4, 40, 0.4), Candidate(5, 30, 0.4)]
    assert bot.probabilities(found) == {3: 0.6, 4: 0.4}
    assert bot.probabilities(found[1:]) == {50: 1.0}


def test_indices_are_drawn_in_proportion_to_their_weights():
    generator = new_generator(1)
    drawn = [draw(generator, [1, 0, 3]) for _ in range(400)]
    assert drawn.count(1) == 0
    assert 70 < drawn.count(0) < 130


def test_greedy_varies_its_secret_pawn_in_xe_queo():
    match = Match("xe_queo", seed=1)
    match.play(match.legal_moves()[0])
    chosen = {decide(make_bot("greedy", match.game, seed), match).move for seed in range(20)}
    assert len(chosen) > 3


# Beliefs


def suspicious_match():
    """Return a turn of Xe Queo! in which the opponent has moved one pawn many times."""
    for match in random_positions(find_game("xe_queo"), seed=2, max_moves=20):
        if len(match.moves) >= 3 and len(match.legal_moves()) > 10:
            match.state.moved[1 - match.to_move] = 0
            match.state.moved[1 - match.to_move, 4] = 9
            match.state.declined[:] = 0
            return match
    raise AssertionError("the random game has no such turn")


def test_worlds_are_accepted_by_belief():
    match = suspicious_match()
    buffers = SearchBuffers(match.game, 1)
    buffers.tree.states[tree.SIGHT] = match.sight(match.to_move).state
    generator = new_generator(3)
    chosen = []
    for _ in range(60):
        tree.draw_world(buffers.tree.states, match.to_move, tree.SIGHT, generator)
        chosen.append(int(buffers.tree.states[tree.WORLD].chosen[1 - match.to_move]))
    assert chosen.count(4) > 45


def test_worlds_of_a_spectator_hide_the_searching_seat_s_disc():
    match = suspicious_match()
    seat = match.to_move
    buffers = SearchBuffers(match.game, 40)
    settings = SearchSettings(iterations=40, rollout_moves=0, spectator_interval=2)
    buffers.search(match.sight(seat), settings, new_generator(1), None)
    sight = buffers.tree.states[tree.SPECTATOR_SIGHT]
    assert sight.viewer == SPECTATOR
    assert sight.chosen[seat] == sight.chosen[1 - seat] == -2
    # In the other worlds the seat has another disc, which is another node.
    assert sum(candidate.visits for candidate in buffers.root_moves()) < 40


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
            settings = SearchSettings(iterations=60, rollout_moves=20)
            assert decide(SearchBot("search", 1, settings, 1), match).move == entering
    assert seen


# The roster


ENTRY = '    SearchKind("expert", 2, iterations=3000),\n'
ADDED = '    SearchKind("regular", 7, iterations=90),\n'
WITH_ADDED_KIND = """
import importlib.util, sys
from pathlib import Path

spec = importlib.util.find_spec("tablee.bots.roster")
source = Path(spec.origin).read_text()
roster = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = roster
exec(compile(source.replace(ENTRY, ADDED + ENTRY), spec.origin, "exec"), vars(roster))

from tablee import Match
from tablee.arena.pool import CONTESTING
from tablee.core.words import common
from tablee.server.catalogue import bot_infos
from tablee.server.warmup import SERVING
from tablee.storage.export import known_names
from tablee.terminal.fields import bot_choices

common("en").texts["roster.regular"] = "Regular player"
names = ["random", "greedy", "novice", "club", "regular", "expert"]
assert list(roster.NAMES) == names
names += ["prodigy", "master"]
assert list(known_names()) == names
assert [info.name for info in bot_infos("en")] == [name for name, _ in bot_choices(common("en"))] == names
assert bot_infos("en")[4].label == bot_choices(common("en"))[4][1] == "Regular player"
match = Match("xe_queo", seed=1)
assert str(roster.pin("regular", match.game)) == "regular 7"
assert roster.pin("regular", match.game).budget == 90
bot = roster.make_bot("regular", match.game, 1)
assert (bot.name, bot.version, bot.settings.iterations) == ("regular", 7, 90)
assert sum(1 for _ in CONTESTING.run(match.game)) == CONTESTING.steps
print(SERVING.steps)
"""


def test_a_kind_of_bot_is_added_by_one_entry():
    """The entry is added to the source of the roster in another process, before anything has read it."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    script = f"ENTRY, ADDED = {ENTRY!r}, {ADDED!r}\n{WITH_ADDED_KIND}"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    from tablee.server.warmup import SERVING

    assert int(done.stdout) == SERVING.steps + 1


@pytest.mark.parametrize("language", languages())
def test_every_kind_has_a_label(language):
    assert all(f"roster.{name}" in common(language) for name in NAMES)


def test_the_names_are_known_without_loading_the_compiler():
    script = "import sys, tablee.bots.roster; print({'numpy', 'numba'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_the_budgets_of_the_roster_increase(game):
    budgets = [pin(name, game).budget for name in NAMES]
    assert budgets[:2] == [0, 0]
    assert budgets[1:] == sorted(set(budgets))
    assert [make_bot(kind.name, game, 1).settings.iterations for kind in SEARCH_KINDS] == budgets[2:]


def test_a_game_can_set_the_budgets_of_search_bots(monkeypatch):
    game = find_game("xe_queo")
    monkeypatch.setattr(game.module("policy"), "BUDGETS", {"club": 123}, raising=False)
    assert [pin(name, game).budget for name in ("novice", "club")] == [find_kind("novice").iterations, 123]
    monkeypatch.setattr(game.module("policy"), "BUDGETS", {"pub": 123})
    with pytest.raises(BadGame, match="xe_queo: BUDGETS are for novice, club, expert, not for pub"):
        make_bot("club", game, 1)


def test_a_game_can_set_the_settings_of_a_search():
    game = find_game("xe_queo")
    assert make_bot("club", game, 1).settings.mixed_moves
    assert make_bot("greedy", game, 1).mixed_moves
    assert not make_bot("club", find_game("skyjo"), 1).settings.mixed_moves


def test_the_evaluation_of_a_lead_agrees_with_ranks_at_its_limits():
    from tablee.core.kernels import evaluate_lead

    out = np.zeros(3)
    evaluate_lead(np.array([30, 20, 20]), 3, 0.01, out)
    assert out.tolist() == pytest.approx([1.0, 0.125, 0.125])
    evaluate_lead(np.array([30, 20, 20]), 3, -0.01, out)
    assert out.tolist() == pytest.approx([0.0, 0.625, 0.625])
    evaluate_lead(np.array([30, 20, 20]), 3, 1e6, out)
    assert out.tolist() == pytest.approx([0.4166, 0.4166, 0.4166], abs=1e-3)
