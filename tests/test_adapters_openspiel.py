"""OpenSpiel: its own tests for every setup, saving, chance, information states, observers, resampling, rewards."""

from __future__ import annotations

import pickle
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest

import tablee.adapters.openspiel as adapter
from adapter_suites import setup_per_seats
from tablee import Match, all_games, find_game
from tablee.adapters.openspiel.parameters import parameter_of, specification
from tablee.core.errors import TableeError
from tablee.core.game import Game, Setup
from tablee.core.state import SPECTATOR
from tablee.simulation.trees import build_tree

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from openspiel_suite import run_api_tests

GAMES = [game.name for game in all_games()]
SETUPS = [(game, setup) for game in all_games() for setup in setup_per_seats(game)]
REDUCTIONS = [(game, setup) for game in all_games() for setup in game.reduced_setups()]


def parameters(game: Game, setup: Setup, **others: object) -> dict[str, Any]:
    if setup.reduction:
        return {"reduction": setup.reduction, **others}
    options = {parameter_of(option): setup.options[option.name] for option in game.options}
    return {"players": setup.seats, **options, **others}


def load(name: str, **others: object) -> Any:
    return pyspiel.load_game(f"tablee_{name}", {"deals": 8, "max_moves": 12, **others})


def load_setup(game: Game, setup: Setup, **others: object) -> Any:
    return pyspiel.load_game(f"tablee_{game.name}", parameters(game, setup, **others))


def name_of(value: object) -> str:
    return value.name if isinstance(value, Game) else str(value).replace(" ", ",")


each_setup = pytest.mark.parametrize(("game", "setup"), SETUPS + REDUCTIONS, ids=name_of)
each_reduction = pytest.mark.parametrize(("game", "setup"), REDUCTIONS, ids=name_of)
each_game = pytest.mark.parametrize("name", GAMES)


def apply_at_random(state: Any, chooser: random.Random) -> None:
    if state.is_chance_node():
        actions, weights = zip(*state.chance_outcomes(), strict=True)
        assert sum(weights) == pytest.approx(1.0, abs=1e-12)
        state.apply_action(chooser.choices(actions, weights)[0])
    else:
        state.apply_action(chooser.choice(state.legal_actions()))


def after_random_moves(name: str, moves: int, seed: int, **others: object) -> Any:
    chooser = random.Random(seed)
    state = load(name, **{"max_moves": 200, **others}).new_initial_state()
    while state.position.played < moves or state.is_chance_node():
        apply_at_random(state, chooser)
    return state


# OpenSpiel's own tests


@each_setup
def test_the_simulation_test_of_openspiel_passes(game: Game, setup: Setup) -> None:
    """With serialisation; `tools/openspiel_suite.py` runs a hundred simulations of whole games."""
    limit = {} if setup.reduction else {"deals": 8, "max_moves": 12}
    pyspiel.random_sim_test(load_setup(game, setup, **limit), num_sims=1, serialize=True, verbose=False)


@each_game
def test_the_simulation_test_passes_with_rewards_on_the_way_and_with_a_history(name: str) -> None:
    for changes in ({"reward": "round", "episode": "round"}, {"reward": "potential"}, {"history": 3}):
        pyspiel.random_sim_test(load(name, max_moves=8, **changes), num_sims=1, serialize=True, verbose=False)


def test_a_playthrough_shows_moves_and_draws() -> None:
    from open_spiel.python.algorithms import generate_playthrough

    text = generate_playthrough.playthrough("tablee_skyjo(players=2,max_moves=2)", action_sequence=[3, 5, 4, 6])
    assert 'Apply action "flip a1"' in text
    assert 'Apply action "draw 3"' in text


@each_setup
def test_a_playthrough_can_be_replayed(game: Game, setup: Setup, tmp_path: Path) -> None:
    from absl import flags
    from open_spiel.python.algorithms import generate_playthrough

    flags.FLAGS(["playthrough"])  # OpenSpiel reads its flags from a parsed command line
    limit = {} if setup.reduction else {"deals": 3, "max_moves": 2}
    text = generate_playthrough.playthrough(str(load_setup(game, setup, **limit)), action_sequence=None, seed=5)
    file = tmp_path / "playthrough.txt"
    file.write_text(text)
    original, again = generate_playthrough.replay(str(file))
    assert original.count("Apply action") > 1
    assert original == again


@each_setup
def test_the_api_tests_of_openspiel_pass_on_a_sample(game: Game, setup: Setup) -> None:
    limit = {"history": 2} if setup.reduction else {"deals": 8, "max_moves": 12}
    run_api_tests(load_setup(game, setup, **limit))


def test_the_api_tests_of_openspiel_pass_on_all_states_of_a_reduction() -> None:
    """All are counted: as many decisions, ends and information states as our own enumeration finds."""
    game = find_game("xylo")
    tree = build_tree(game, game.setup(reduction="tiny"))
    run_api_tests(pyspiel.load_game("tablee_xylo", {"reduction": "tiny", "history": tree.depth}), tree)


# Parameters and saving


@each_setup
def test_a_game_is_loaded_again_from_its_name(game: Game, setup: Setup) -> None:
    loaded = load_setup(game, setup)
    assert loaded.model.setup == setup
    again = pyspiel.load_game(str(loaded))
    assert (str(again), again.model.setup) == (str(loaded), setup)
    assert pickle.loads(pickle.dumps(loaded)).model.setup == setup
    state = loaded.new_initial_state()
    for _ in range(6):
        if not state.is_terminal():
            apply_at_random(state, random.Random(1))
    other_game, other = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(loaded, state))
    assert (str(other_game), str(other), other.history()) == (str(loaded), str(state), state.history())


@each_game
def test_every_option_is_a_parameter(name: str) -> None:
    game = find_game(name)
    for option in game.options:
        assert specification(game)[parameter_of(option)] == option.default
    setups = list(game.setups())
    for setup in setups[:: max(1, len(setups) // 12)]:
        text = str(load_setup(game, setup))
        assert pyspiel.load_game(text).model.setup == setup


def test_wrong_parameters_are_refused() -> None:
    for wrong in ({"reward": "fame"}, {"chance": "never"}, {"episode": "day"}, {"deals": 0}, {"history": -1}):
        with pytest.raises((TableeError, ValueError)):
            load("skyjo", **wrong)
    with pytest.raises(TableeError, match="for 2 to 8"):
        load("skyjo", players=9)


def test_an_action_that_is_not_listed_is_refused() -> None:
    state = after_random_moves("skyjo", 3, seed=1)
    before = (str(state), state.history())
    for wrong in (-2, 26, 10**6):
        with pytest.raises(TableeError, match="illegal move"):
            state.apply_action(wrong)
    assert (str(state), state.history()) == before


# Chance


@each_game
def test_a_history_can_be_replayed(name: str) -> None:
    chooser = random.Random(2)
    game = load(name, max_moves=100)
    state = game.new_initial_state()
    while not state.is_terminal():
        apply_at_random(state, chooser)
    again = game.new_initial_state()
    for action in state.history():
        again.apply_action(action)
    assert str(again) == str(state)
    assert again.returns() == state.returns()


def test_draws_change_nothing_that_a_seat_sees() -> None:
    """Whatever is drawn, each player's information state before the outcome is the same."""
    state = after_random_moves("skyjo", 20, seed=5)
    while not state.is_chance_node():
        apply_at_random(state, random.Random(0))
    seen = [state.information_state_string(player) for player in range(4)]
    mover = next(player for player in range(4) if player == state.position.state().to_move)
    shown = set()
    for action in state.legal_actions():
        child = state.child(action)
        shown.add(child.observation_string(mover))
    assert len(shown) == len(state.legal_actions())
    assert [state.information_state_string(player) for player in range(4)] == seen


@pytest.mark.parametrize("name", [game.name for game in all_games() if (game.folder / "chance.py").exists()])
def test_games_with_chance_nodes_are_distributed_as_games_without(name: str) -> None:
    """The means of every number of the observation after some random moves, compared in standard errors."""
    game = find_game(name)
    games, moves = 60, 10
    samples: list[list[np.ndarray]] = [[], []]
    for number in range(games):
        chooser = random.Random(number)
        state = load(name, players=2, deals=1024).new_initial_state()
        match = Match(game, seats=2, seed=7, stream=number)
        while state.position.played < moves or state.is_chance_node():
            apply_at_random(state, chooser)
        while len(match.moves) < moves:
            match.play(chooser.choice(match.legal_moves()))
        samples[0].append(np.array(state.position.sight(0).observe()))
        samples[1].append(np.array(match.sight(0).observe()))
    first, second = (np.array(sample, np.float64) for sample in samples)
    error = np.sqrt((first.var(axis=0) + second.var(axis=0)) / games)
    difference = np.abs(first.mean(axis=0) - second.mean(axis=0))
    assert np.all(difference <= 5 * error + 1e-9)


def test_a_deal_that_shows_nothing_needs_no_chance() -> None:
    assert not load("skyjo").new_initial_state().is_chance_node()
    assert load("skyjo", opening="auto").new_initial_state().is_chance_node()
    assert load("lexio").new_initial_state().is_chance_node()


def test_with_chance_at_the_deal_alone_a_game_is_a_match() -> None:
    state = load("skyjo", players=3, rows=True, opening="auto", chance="deal", deal_nodes=1).new_initial_state()
    assert len(state.chance_outcomes()) == 8
    state.apply_action(2)
    match = Match("skyjo", seats=3, options={"rows": True, "opening": "auto"}, seed=0, stream=2)
    chooser = random.Random(0)
    while not state.is_terminal():
        assert state.to_struct()["piles"] == match.state.piles.tolist()
        move = chooser.choice(match.legal_moves())
        state.apply_action(move)
        match.play(move)
    assert state.to_struct()["options"][2] == 1
    assert "generator" not in state.to_struct()
    assert isinstance(state.get_game(), adapter.TableGame)


# Information states


def test_information_states_have_perfect_recall() -> None:
    """Two orders of opening the first two cards lead to the same position."""
    states = []
    for first, second in ((3, 4), (4, 3)):
        state = load("skyjo", players=2, history=4).new_initial_state()
        for action in (first, 5, second, 5):
            state.apply_action(action)
        states.append(state)
    assert states[0].observation_string(0) == states[1].observation_string(0)
    assert states[0].information_state_string(0) != states[1].information_state_string(0)
    assert states[0].information_state_string(1) == states[1].information_state_string(1)
    assert states[0].information_state_tensor(0) != states[1].information_state_tensor(0)
    assert states[0].information_state_tensor(1) == states[1].information_state_tensor(1)


def test_there_is_no_information_state_tensor_without_history() -> None:
    game = load("skyjo")
    assert not game.get_type().provides_information_state_tensor
    with pytest.raises(ValueError, match="history"):
        game.new_initial_state().information_state_tensor(0)
    with_history = load("skyjo", history=5)
    assert with_history.get_type().provides_information_state_tensor
    state = with_history.new_initial_state()
    assert with_history.information_state_tensor_size() == len(state.information_state_tensor(0))


@each_reduction
def test_tensors_tell_information_states_apart(game: Game, setup: Setup) -> None:
    """In random games of every reduction, two states have the same tensor exactly if they have the same string.

    At the end a sight may show more than observations, which are made for decisions.
    """
    loaded = load_setup(game, setup, history=game.reduction(setup.reduction).max_moves)
    tensors: dict[tuple[int, bytes], str] = {}
    strings: dict[str, bytes] = {}
    chooser = random.Random(1)
    for _ in range(15):
        state = loaded.new_initial_state()
        while not state.is_terminal():
            apply_at_random(state, chooser)
            for player in range(setup.seats if not state.is_terminal() else 0):
                string = state.information_state_string(player)
                tensor = state.information_state_tensor(player).tobytes()
                assert tensors.setdefault((player, tensor), string) == string
                assert strings.setdefault(string, tensor) == tensor


@each_game
def test_a_resampled_state_looks_the_same_to_the_player(name: str) -> None:
    state = after_random_moves(name, 8, seed=2, history=4)
    player = state.current_player()
    chooser = random.Random(1)
    worlds = [state.resample_from_infostate(player, chooser.random) for _ in range(5)]
    for world in worlds:
        assert world.information_state_string(player) == state.information_state_string(player)
        assert world.information_state_tensor(player) == state.information_state_tensor(player)
        assert world.observation_tensor(player) == state.observation_tensor(player)
        assert world.legal_actions() == state.legal_actions()
        assert world.history() == []
    assert len({str(world) for world in worlds}) > 1


@each_game
def test_the_others_have_seen_what_the_resampled_world_shows(name: str) -> None:
    """Two resampled states are the same information state to another player exactly if they look the same to it."""
    state = after_random_moves(name, 8, seed=2)
    player = state.current_player()
    other = (player + 1) % state.num_players()
    chooser = random.Random(1)
    worlds = [state.resample_from_infostate(player, chooser.random) for _ in range(12)]
    seen = Counter((world.observation_string(other), world.information_state_string(other)) for world in worlds)
    assert len(seen) == len({sight for sight, _ in seen}) == len({string for _, string in seen})
    again = worlds[0].resample_from_infostate(player, chooser.random)
    assert again.information_state_string(player) == state.information_state_string(player)
    copied = pickle.loads(pickle.dumps(worlds[0]))
    for seat in range(state.num_players()):
        assert copied.information_state_string(seat) == worlds[0].information_state_string(seat)
    while not again.is_terminal() and again.position.played < 30:
        apply_at_random(again, chooser)
        again.information_state_string(0)


def test_states_are_not_resampled_at_chance_nodes() -> None:
    with pytest.raises(ValueError, match="chance node"):
        load("lexio").new_initial_state().resample_from_infostate(0, random.random)


# Observers and clones


def test_a_clone_is_independent() -> None:
    state = after_random_moves("skyjo", 5, seed=3)
    before = (str(state), state.information_state_string(0))
    clone = state.clone()
    assert (str(clone), clone.information_state_string(0), clone.history()) == (*before, state.history())
    clone.apply_action(clone.legal_actions()[0])
    while clone.is_chance_node():
        clone.apply_action(clone.legal_actions()[0])
    assert (str(state), state.information_state_string(0)) == before != (str(clone), clone.information_state_string(0))


def test_a_public_observer_sees_what_a_spectator_sees() -> None:
    state = after_random_moves("xe_queo", 12, seed=1)
    kind = pyspiel.IIGObservationType(perfect_recall=False, public_info=True, private_info=pyspiel.PrivateInfoType.NONE)
    observer = state.get_game().make_py_observer(kind)
    observer.set_from(state, 1)
    assert observer.tensor.tolist() == state.position.sight(SPECTATOR).observe().tolist()
    assert observer.string_from(state, 0) == observer.string_from(state, 1)
    assert sum(block.size for block in observer.dict.values()) == len(observer.tensor)
    everything = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
    with pytest.raises(ValueError, match="never what all players know"):
        state.get_game().make_py_observer(everything)


def test_an_observer_lists_features_of_legal_moves() -> None:
    state = after_random_moves("lexio", 5, seed=1)
    features = state.legal_move_features()
    assert features.shape == (len(state.legal_actions()), state.position.model.feature_count)
    observer = state.get_game().make_py_observer(None, {"legal_moves": 4})
    observer.set_from(state, state.current_player())
    count = min(4, len(features))
    assert np.array_equal(observer.dict["legal_moves"][:count], features[:count])
    observer.set_from(state, (state.current_player() + 1) % 4)
    assert not observer.dict["legal_moves"].any()
    with pytest.raises(ValueError, match="declares no features"):
        load("skyjo").make_py_observer(None, {"legal_moves": 4})
    with pytest.raises(ValueError, match="no parameter"):
        load("skyjo").make_py_observer(None, {"colour": 4})


def test_an_observation_tensor_is_the_games_own() -> None:
    state = after_random_moves("skip_bo", 12, seed=1)
    for player in range(state.num_players()):
        assert np.array_equal(np.array(state.observation_tensor(player)), state.position.sight(player).observe())
    with pytest.raises(pyspiel.SpielError, match="no player 4"):
        state.observation_tensor(4)


# Rewards


@each_game
def test_rewards_add_up_to_returns_and_to_zero(name: str) -> None:
    for reward in ("ranks", "points", "round", "potential"):
        state = load(name, reward=reward, max_moves=60).new_initial_state()
        chooser = random.Random(3)
        total = np.zeros(state.num_players())
        while not state.is_terminal():
            apply_at_random(state, chooser)
            if not state.is_chance_node():
                total += state.rewards()
        assert total.tolist() == state.returns()
        assert reward == "points" or sum(state.returns()) == 0.0


def test_an_episode_can_be_a_round() -> None:
    state = load("xe_queo", episode="round", reward="round", max_moves=0).new_initial_state()
    while not state.is_terminal():
        apply_at_random(state, random.Random(1))
    assert state.to_struct()["rounds_played"] == 1
    assert sorted(state.returns()) == [-1.0, 1.0]


@each_game
def test_games_have_a_length_that_can_be_allocated(name: str) -> None:
    game = pyspiel.load_game(f"tablee_{name}")
    assert 0 < game.max_game_length() <= 10_000
