"""Trained networks: files that fit the game are read, others are refused, and bots play by them honestly."""

import asyncio
import hashlib
import subprocess
import sys
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import ClassVar
from unittest.mock import patch

import numpy as np
import pytest

from tablee import Match, all_games, find_game
from tablee.bots import network_files
from tablee.bots.bot import Candidate
from tablee.bots.master import MAX_LOSS, MasterBot, is_secret
from tablee.bots.network_files import SETTING, network_digest
from tablee.bots.networks import BadNetwork, Card, Network, Weights, network_of, read_network, write_network
from tablee.bots.prodigy import MIN_MIXED_SHARE, NetworkBot
from tablee.bots.roster import NAMES, TRAINED_NAMES, find_external_bots, find_kind, known_names, make_bot, names_in, pin
from tablee.bots.search import SearchBot
from tablee.bots.settings import SearchSettings
from tablee.bots.simple import RandomBot
from tablee.core.errors import BadSetup
from tablee.core.languages import languages
from tablee.core.observation import move_feature_table
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import copy_state
from tablee.core.words import common
from tablee.server.bot_pool import BotPool
from tablee.server.catalogue import bot_infos
from tablee.server.metrics import Metrics
from tablee.server.settings import Settings
from tablee.tables.bot_threads import BotThreads
from tablee.tables.commands import Actor
from tablee.tables.creation import Secrets, TableRequest, new_table
from tablee.tables.refusals import Refused
from tablee.tables.warmup import TABLE_STEPS, exercise_table
from tablee.testing.positions import random_match, random_positions

ROOT = Path(__file__).resolve().parents[1]
WIDTH, RATING_WIDTH = 24, 8
GAMES = all_games()
GAME = GAMES[0]


def random_weights(game, seed=1):
    """Return weights with the shapes of a game's network."""
    chooser = np.random.default_rng(seed)
    layout = game.kernels.move_feature_layout
    outputs = RATING_WIDTH if layout else game.moves
    shapes = {
        "first": (game.kernels.observation.size, WIDTH),
        "second": (WIDTH, WIDTH),
        "third": (WIDTH, WIDTH),
        "value": (WIDTH, 1),
        "policy": (WIDTH, outputs),
    }
    shapes |= {f"{name}_bias": shape[1:] for name, shape in shapes.items()}
    shapes |= {"move_policy": (layout.size, RATING_WIDTH), "rating": (RATING_WIDTH, 1)} if layout else {}
    arrays = {name: chooser.normal(0, 0.5, shapes.get(name, (0, 0))) for name in Weights._fields}
    return Weights(**{name: array.astype(np.float16).astype(np.float32) for name, array in arrays.items()})


def card_of(game, /, **changes):
    layout = game.kernels.move_feature_layout
    card = Card(game.name, game.version, game.kernels.observation.digest, layout.digest if layout else "", {"seed": 1})
    return card._replace(**changes)


def network(game):
    return Network(game, random_weights(game), card_of(game))


def positions(game):
    """Yield some positions of a random game with more than one legal move."""
    for match in random_positions(game, seed=3, max_moves=45):
        if len(match.moves) % 4 == 0 and not match.is_over and len(match.legal_moves()) > 1:
            yield match


def reference(weights, observation, features, moves):
    """Return the ratings and the value by matrix products."""
    hidden = observation
    for name in ("first", "second", "third"):
        hidden = np.maximum(hidden @ getattr(weights, name) + getattr(weights, f"{name}_bias"), 0)
    value = hidden @ weights.value + weights.value_bias
    policy = hidden @ weights.policy + weights.policy_bias
    if features is None:
        return policy[moves], value[0]
    return (np.maximum(policy + features[moves] @ weights.move_policy, 0) @ weights.rating)[:, 0], value[0]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_ratings_and_values_are_those_of_matrix_products(game):
    trained = network(game)
    for match in positions(game):
        observation, moves = match.sight(match.to_move).observe(), np.array(match.legal_moves(), np.int32)
        ratings, value = trained.rate(observation, moves)
        expected, expected_value = reference(trained.weights, observation, move_feature_table(game), moves)
        np.testing.assert_allclose(ratings, expected, rtol=1e-3, atol=1e-3)
        assert value == pytest.approx(float(expected_value), rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_hidden_information_does_not_change_a_decision(game):
    generator, bot = new_generator(5), NetworkBot(network(game), 1)
    for match in positions(game):
        disguised = copy_state(match.state)
        game.kernels.disguise(disguised, match.to_move, generator)
        assert disguised.tobytes() != match.state.tobytes()
        decision = bot.decide(match.sight(match.to_move), match.legal_moves())
        assert decision == bot.decide(Sight.of(game, disguised, match.to_move), match.legal_moves())
        assert decision.move in match.legal_moves()


def test_the_best_move_is_played_and_mixed_moves_are_drawn():
    trained = network(GAME)
    match = next(positions(GAME))
    sight, moves = match.sight(match.to_move), match.legal_moves()
    decision = NetworkBot(trained, 1).decide(sight, moves)
    assert decision.move == decision.candidates[0].move
    shares = [candidate.value for candidate in decision.candidates]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)
    mixing = [NetworkBot(trained, seed, range(GAME.moves)) for seed in range(200)]
    played = [bot.decide(sight, moves).move for bot in mixing]
    likely = {c.move for c in decision.candidates if c.value >= MIN_MIXED_SHARE * shares[0]}
    assert set(played) <= likely
    assert len(set(played)) > 1
    assert played == [bot.decide(sight, moves).move for bot in mixing]


# Both bots: the laws of every bot

SECONDS = 1e-9  # per move: enough for one chunk of a search
DECISIONS = """
import sys
from tablee import find_game
from tablee.bots.roster import TRAINED_NAMES, make_bot
from tablee.testing.positions import random_match
match = random_match(find_game(sys.argv[1]), seed=4, max_moves=12)
for name in TRAINED_NAMES:
    bot = make_bot(name, match.game, 7, seconds=1e-9)
    print(bot.decide(match.sight(match.to_move), match.legal_moves()))
"""


def trained_bots(game, seed):
    return [make_bot(name, game, seed, seconds=SECONDS) for name in TRAINED_NAMES]


def decisions(bots, match):
    return [bot.decide(match.sight(match.to_move), match.legal_moves()) for bot in bots]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_trained_bot_decides_by_sight_and_seed_in_any_thread_and_process(game):
    match = random_match(game, seed=4, max_moves=12)
    found = decisions(trained_bots(game, 7), match)
    used = trained_bots(game, 7)
    for other in positions(game):
        decisions(used, other)
    assert decisions(used, match) == found
    with ThreadPoolExecutor(4) as threads:
        assert all(again == found for again in threads.map(lambda _: decisions(trained_bots(game, 7), match), range(8)))
    command = [sys.executable, "-c", DECISIONS, game.name]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert printed.splitlines() == [str(decision) for decision in found]


def test_a_trained_bot_refuses_a_full_state_and_another_seat():
    match = Match(GAME, seed=1)
    for bot in trained_bots(GAME, 1):
        with pytest.raises(TypeError, match="decides from a Sight"):
            bot.decide(match.state, match.legal_moves())
        with pytest.raises(ValueError, match="not on turn"):
            bot.decide(match.sight((match.to_move + 1) % match.seats), match.legal_moves())


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("cheat", [NetworkBot, MasterBot], ids=lambda kind: kind.__name__)
def test_a_trained_bot_that_saw_the_full_state_would_be_noticed(cheat, game, monkeypatch):
    make, decide = Sight.of, cheat.decide

    def of(game, state, seat):
        sight = make(game, state, seat)
        object.__setattr__(sight, "full", state.tobytes())
        return sight

    def decide_by_all(bot, sight, moves):
        decision = decide(bot, sight, moves)
        return replace(decision, move=moves[zlib.crc32(sight.full) % len(moves)])

    monkeypatch.setattr(Sight, "of", of)
    monkeypatch.setattr(cheat, "decide", decide_by_all)
    law = {
        NetworkBot: test_hidden_information_does_not_change_a_decision,
        MasterBot: test_hidden_information_does_not_change_a_search_with_a_network,
    }[cheat]
    with pytest.raises(AssertionError):
        law(game)


# Search with a network

SEARCH = SearchSettings(iterations=24, rollout_moves=8)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_hidden_information_does_not_change_a_search_with_a_network(game):
    generator, bot = new_generator(5), MasterBot("master", 1, SEARCH, network(game), 1)
    for match in positions(game):
        disguised = copy_state(match.state)
        game.kernels.disguise(disguised, match.to_move, generator)
        assert disguised.tobytes() != match.state.tobytes()
        decision = bot.decide(match.sight(match.to_move), match.legal_moves())
        assert decision == bot.decide(Sight.of(game, disguised, match.to_move), match.legal_moves())
        assert decision.move in match.legal_moves()


def test_a_search_tries_first_what_the_network_is_sure_of():
    match = next(match for match in positions(GAME) if len(match.legal_moves()) > 2)
    sight, moves = match.sight(match.to_move), match.legal_moves()
    few = SearchSettings(iterations=3, rollout_moves=8)
    found = set()
    for move in moves:

        class CertainBot(SearchBot):
            def root_priors(self, sight, moves, certain=move):
                return {other: 1e6 * (other == certain) for other in moves}

        found.add(CertainBot("certain", 1, few, 1).decide(sight, moves).move)
    assert found == set(moves)


def test_a_master_weighs_results_against_what_the_network_thinks():
    def order(trust):
        bot = MasterBot("master", 1, SEARCH, network(GAME), 1, trust=trust)
        return [candidate.move for candidate in bot.ranked(candidates, priors)]

    candidates = (Candidate(1, 500, 0.50), Candidate(2, 300, 0.51), Candidate(3, 90, 0.46), Candidate(4, 19, 0.9))
    priors = {1: 0.1, 2: 0.05, 3: 0.5, 4: 0.35}
    assert order(0.0) == [1, 2, 3, 4]  # by visits
    assert order(1e-9) == [2, 1, 3, 4]  # by result, but for what was hardly tried
    assert order(0.02) == [1, 2, 3, 4]  # 0.50 + 0.02 ln 0.1 = 0.454, 0.450 and 0.446
    assert order(1.0) == [3, 1, 2, 4]  # by the network


def test_trust_is_part_of_a_masters_pin_and_of_no_other():
    lexio = find_game("lexio")
    policy = lexio.module("policy")
    pins = {name: pin(name, lexio) for name in ("expert", "master")}
    assert find_kind("master").trust(lexio) == policy.MASTER_TRUST > 0
    assert make_bot("master", lexio, 1).trust == policy.MASTER_TRUST
    with patch.object(policy, "MASTER_TRUST", policy.MASTER_TRUST / 2):
        assert pin("expert", lexio) == pins["expert"]
        assert pin("master", lexio) != pins["master"]
    assert find_kind("master").trust(find_game("skyjo")) == 0


def test_a_master_hides_its_secret_where_play_is_mixed_and_only_there():
    game = find_game("xe_queo")
    mixed = replace(SEARCH, mixed_moves=find_kind("master").settings(game).mixed_moves)
    found = {True: 0, False: 0}
    for match in random_positions(game, seed=3, max_moves=12):
        sight, moves = match.sight(match.to_move), match.legal_moves()
        bot, plain = (MasterBot("master", 1, settings, network(game), 1) for settings in (mixed, SEARCH))
        candidates = bot.decide(sight, moves).candidates
        if not candidates:
            continue
        assert plain.mixture(sight, candidates, new_generator(1)) == {candidates[0].move: 1.0}
        by_visits = bot.probabilities(candidates)
        mixture = bot.mixture(sight, candidates, new_generator(1))
        assert sum(mixture.values()) == pytest.approx(1)
        values = {c.move: c.value for c in candidates}
        assert all(values[move] >= candidates[0].value - MAX_LOSS for move in mixture.keys() - by_visits.keys())
        is_hidden = is_secret(sight, match.state, candidates[0].move)
        found[is_hidden] += len(mixture) > len(by_visits)
        if is_hidden and len(mixture) > 1:
            assert len(set(mixture.values())) == 1
    assert all(found.values())


def test_without_priors_a_search_is_what_it_was():
    match = next(positions(GAME))
    sight, moves = match.sight(match.to_move), match.legal_moves()
    by_policy = SearchBot("plain", 1, SEARCH, 1).decide(sight, moves)

    class SteppedBot(SearchBot):
        def decide(self, sight, moves):
            self.seconds = 1e9  # in chunks, as at a table
            return super().decide(sight, moves)

    assert by_policy == SteppedBot("plain", 1, SEARCH, 1).decide(sight, moves)
    assert by_policy.worlds == SEARCH.iterations or by_policy.candidates[0].visits > SEARCH.iterations // 2


# Files


def test_a_written_network_is_read_as_it_was(tmp_path):
    written = network(GAME)
    write_network(tmp_path / "network.npz", written.weights, written.card)
    read = read_network(tmp_path / "network.npz", GAME)
    assert read.card == written.card
    assert all(np.array_equal(one, other) for one, other in zip(read.weights, written.weights, strict=True))
    assert [path.name for path in tmp_path.iterdir()] == ["network.npz"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "chess"}, "was trained on chess"),
        ({"game_version": 99}, "train it again"),
        ({"observation": "0123456789abcdef"}, "with observations 0123456789abcdef"),
        ({"move_features": "0123"}, "train it again"),
    ],
)
def test_a_network_that_does_not_fit_is_refused_with_a_sentence(tmp_path, changes, message):
    path = tmp_path / "network.npz"
    write_network(path, random_weights(GAME), card_of(GAME, **changes))
    with pytest.raises(BadNetwork, match=message):
        read_network(path, GAME)


def test_other_files_are_refused_with_their_path(tmp_path):
    path = tmp_path / "network.npz"
    for content in (b"", b"no network", b"PK\x03\x04"):
        path.write_bytes(content)
        with pytest.raises(BadNetwork, match=r"network\.npz is not a network of Tablée"):
            read_network(path, GAME)
    np.savez(path, numbers=np.arange(3))
    with pytest.raises(BadNetwork, match="is not a network of Tablée"):
        read_network(path, GAME)


def test_damaged_files_are_refused_wherever_the_damage_is(tmp_path):
    path, chooser = tmp_path / "network.npz", np.random.default_rng(1)
    write_network(path, random_weights(GAME), card_of(GAME))
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        streams = [entry.header_offset + 30 + len(entry.filename) + 20 for entry in archive.infolist()]
        directory = range(archive.start_dir, len(content))
    refused = 0
    for place in [*(start + int(chooser.integers(12)) for start in streams), *directory[::3]]:
        damaged = bytearray(content)
        damaged[place] ^= int(chooser.integers(1, 256))
        path.write_bytes(damaged)
        try:
            read_network(path, GAME)  # a date in the directory may be any
        except BadNetwork as error:
            refused += str(path) in str(error)
    assert refused > len(streams)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_weights_of_another_shape_or_that_are_no_numbers_are_refused(game):
    weights, card = random_weights(game), card_of(game)
    for name, array in weights._asdict().items():
        for other in (array[:-1], array[..., :-1], np.zeros((2, *array.shape), np.float32)):
            if other.shape != array.shape:
                with pytest.raises(BadNetwork, match="shape"):
                    Network(game, weights._replace(**{name: other}), card)
        for wrong in (np.nan, np.inf):
            if array.size:
                with pytest.raises(BadNetwork, match="not numbers"):
                    Network(game, weights._replace(**{name: array + np.float32(wrong)}), card)


def test_a_file_larger_than_the_limit_is_not_read(tmp_path):
    path = tmp_path / "network.npz"
    path.write_bytes(bytes(2_000_001))
    with pytest.raises(BadNetwork, match="2,000,001 bytes, more than 2,000,000"):
        read_network(path, GAME)


def test_a_file_larger_than_the_limit_is_not_written(tmp_path):
    chooser = np.random.default_rng(1)
    weights = random_weights(GAME)._replace(second=chooser.normal(0, 1, (1200, 1200)).astype(np.float32))
    with pytest.raises(BadNetwork, match="larger than"):
        write_network(tmp_path / "network.npz", weights, card_of(GAME))
    assert not list(tmp_path.iterdir())


# The roster


def test_only_games_with_a_network_have_a_bot_that_plays_by_it(tmp_path, monkeypatch):
    monkeypatch.setenv(SETTING, str(tmp_path))
    monkeypatch.setattr(network_files, "FILE", "absent.npz")  # as if no network were installed
    network_of.cache_clear()
    game = GAME
    assert names_in(game) == NAMES
    with pytest.raises(BadNetwork, match="has no trained network"):
        make_bot("prodigy", game, 1)
    write_network(tmp_path / f"{game.name}.npz", random_weights(game), card_of(game))
    network_of.cache_clear()
    assert names_in(game) == (*NAMES, *TRAINED_NAMES)
    match = Match(game, seed=1)
    assert make_bot("prodigy", game, 1).decide(match.sight(match.to_move), match.legal_moves()).move >= 0
    first = pin("prodigy", game)
    assert first.policy == network_digest(game) != ""
    write_network(tmp_path / f"{game.name}.npz", random_weights(game, seed=2), card_of(game))
    assert pin("prodigy", game) != first
    network_of.cache_clear()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_installed_networks_fit_their_games_and_are_those_of_the_model_cards(game):
    path = game.folder / "network.npz"
    if path.exists():
        assert path.stat().st_size <= 2_000_000
        network = read_network(path, game)
        assert network.card.run["commit"] != "unknown"
        page = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8")
        assert f" {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}… |" in page
        assert f" {sum(array.size for array in network.weights):,} |" in page


def test_bots_with_a_network_have_labels_and_names_of_their_own():
    assert all(f"roster.{name}" in common(language) for name in TRAINED_NAMES for language in languages())
    with pytest.raises(BadSetup, match="the roster has a bot of that name"):
        find_external_bots(["prodigy"], ["prodigy=python3 bot.py"])


# At tables


def table_with(bot):
    request = TableRequest(GAME.name, bots=(bot,) * (GAME.usual_seats - 1))
    return new_table("abc", request, Secrets(1, "word"), Actor("p", "Ana"), 0.0, known_names()).table


def test_trained_bots_can_be_seated_where_there_is_a_network(monkeypatch):
    for name in TRAINED_NAMES:
        assert table_with(name).seats[-1].bot == name
        assert name in [info.name for info in bot_infos("en")]
    monkeypatch.setattr(network_files, "FILE", "absent.npz")
    with pytest.raises(Refused, match="'prodigy' needs a trained network, and this game has none"):
        table_with("prodigy")
    assert table_with("greedy").seats[-1].bot == "greedy"
    assert len(list(exercise_table(GAME, TRAINED_NAMES))) == TABLE_STEPS + len(TRAINED_NAMES)


@pytest.mark.parametrize("has_network", [True, False])
def test_a_bot_that_is_late_is_replaced_by_the_network_or_else_by_random_moves(has_network, monkeypatch):
    class LateBots(BotThreads):
        reasons: ClassVar[list[str]] = []

        def _decide(self, *arguments):
            raise TimeoutError

        def failed(self, bot, game, reason):
            self.reasons.append(reason)

    table = table_with("greedy")
    match, bots = table.match, LateBots(1.0)
    if not has_network:
        monkeypatch.setattr(network_files, "FILE", "absent.npz")
    seat, seed = match.to_move, bots.seed(table, match.to_move)
    other = make_bot("prodigy", GAME, seed) if has_network else RandomBot(seed)
    expected = other.decide(match.sight(seat), match.legal_moves()).move
    assert asyncio.run(bots.move(table, seat)) == match.text(expected)
    assert bots.reasons[-1] == "TimeoutError"
    bots.close()


def test_bots_with_a_network_wait_for_machine_code():
    pool = BotPool(Settings(), Metrics(), lambda game: False)
    assert [pool.playing(name, GAME) for name in ("random", "greedy", *TRAINED_NAMES)] == [
        "random",
        "greedy",
        "greedy",
        "greedy",
    ]
    pool.close()
