"""Trained networks: files that fit the game are read, others are refused, and bots play by them honestly."""

import numpy as np
import pytest

from tablee import Match, all_games
from tablee.bots.network_files import SETTING, network_digest
from tablee.bots.networks import BadNetwork, Card, Network, Weights, network_of, read_network, write_network
from tablee.bots.prodigy import MIN_MIXED_SHARE, NetworkBot
from tablee.bots.roster import NAMES, TRAINED_NAMES, find_external_bots, make_bot, names_in, pin
from tablee.core.errors import BadSetup
from tablee.core.languages import languages
from tablee.core.observation import move_feature_table
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import copy_state
from tablee.core.words import common
from tablee.testing.positions import random_positions

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
    for match in random_positions(game, seed=3, max_moves=40):
        if len(match.moves) % 9 == 8 and len(match.legal_moves()) > 1:
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


def test_weights_of_another_shape_are_refused():
    weights = random_weights(GAME)
    with pytest.raises(BadNetwork, match="shape"):
        Network(GAME, weights._replace(first=weights.first[:-1]), card_of(GAME))


def test_a_file_larger_than_the_limit_is_not_written(tmp_path):
    chooser = np.random.default_rng(1)
    weights = random_weights(GAME)._replace(second=chooser.normal(0, 1, (1200, 1200)).astype(np.float32))
    with pytest.raises(BadNetwork, match="larger than"):
        write_network(tmp_path / "network.npz", weights, card_of(GAME))
    assert not list(tmp_path.iterdir())


# The roster


def test_only_games_with_a_network_have_a_bot_that_plays_by_it(tmp_path, monkeypatch):
    monkeypatch.setenv(SETTING, str(tmp_path))
    game = next(game for game in GAMES if not (game.folder / "network.npz").exists())
    assert names_in(game) == NAMES
    with pytest.raises(BadNetwork, match="has no trained network"):
        make_bot("prodigy", game, 1)
    write_network(tmp_path / f"{game.name}.npz", random_weights(game), card_of(game))
    network_of.cache_clear()
    assert names_in(game) == (*NAMES, "prodigy")
    match = Match(game, seed=1)
    assert make_bot("prodigy", game, 1).decide(match.sight(match.to_move), match.legal_moves()).move >= 0
    first = pin("prodigy", game)
    assert first.policy == network_digest(game) != ""
    write_network(tmp_path / f"{game.name}.npz", random_weights(game, seed=2), card_of(game))
    assert pin("prodigy", game) != first
    network_of.cache_clear()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_installed_networks_fit_their_games(game):
    path = game.folder / "network.npz"
    if path.exists():
        assert path.stat().st_size <= 2_000_000
        assert read_network(path, game).card.run["commit"] != "unknown"


def test_bots_with_a_network_have_labels_and_names_of_their_own():
    assert all(f"roster.{name}" in common(language) for name in TRAINED_NAMES for language in languages())
    with pytest.raises(BadSetup, match="the roster has a bot of that name"):
        find_external_bots(["prodigy"], ["prodigy=python3 bot.py"])
