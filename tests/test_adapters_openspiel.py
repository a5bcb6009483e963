"""OpenSpiel: its own simulation test and playthroughs, observers, and resampling."""

from __future__ import annotations

import random
from pathlib import Path

import pyspiel
import pytest

import tablee.adapters.openspiel as adapter
from tablee import all_games

GAMES = [game.name for game in all_games()]


def load(name: str, **parameters: object) -> object:
    return pyspiel.load_game(f"tablee_{name}", {"deals": 8, "max_moves": 12, **parameters})


@pytest.mark.parametrize("name", GAMES)
def test_the_simulation_test_of_openspiel_passes(name: str) -> None:
    pyspiel.random_sim_test(load(name), num_sims=1, serialize=True, verbose=False)


def test_a_playthrough_shows_the_moves() -> None:
    from open_spiel.python.algorithms import generate_playthrough

    name = "tablee_skyjo(players=2,deals=3,max_moves=5)"
    text = generate_playthrough.playthrough(name, action_sequence=[1, 3, 4, 3, 4, 0])
    assert 'Apply action "flip a1"' in text
    assert 'Apply action "draw"' in text


@pytest.mark.parametrize("name", GAMES)
def test_a_playthrough_can_be_replayed(name: str, tmp_path: Path) -> None:
    from absl import flags
    from open_spiel.python.algorithms import generate_playthrough

    flags.FLAGS(["playthrough"])  # OpenSpiel reads its flags from a parsed command line
    file = tmp_path / f"{name}.txt"
    file.write_text(
        generate_playthrough.playthrough(f"tablee_{name}(deals=3,max_moves=4)", action_sequence=None, seed=5)
    )
    original, again = generate_playthrough.replay(str(file))
    assert original.count("Apply action") > 3
    assert original == again


def after_random_moves(name: str, moves: int, seed: int) -> object:
    chooser = random.Random(seed)
    state = load(name, max_moves=200).new_initial_state()  # type: ignore[attr-defined]
    for _ in range(moves + 1):
        state.apply_action(chooser.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("name", GAMES)
def test_a_resampled_state_looks_the_same_to_the_player(name: str) -> None:
    state = after_random_moves(name, 8, seed=2)
    player = state.current_player()  # type: ignore[attr-defined]
    chooser = random.Random(1)
    worlds = [state.resample_from_infostate(player, chooser.random) for _ in range(5)]  # type: ignore[attr-defined]
    for world in worlds:
        assert world.information_state_string(player) == state.information_state_string(player)  # type: ignore[attr-defined]
        assert world.observation_tensor(player) == state.observation_tensor(player)  # type: ignore[attr-defined]
        assert world.legal_actions() == state.legal_actions()  # type: ignore[attr-defined]
    assert len({world.match.digest() for world in worlds}) > 1


def test_a_clone_is_independent() -> None:
    state = after_random_moves("skyjo", 5, seed=3)
    before = str(state)
    clone = state.clone()  # type: ignore[attr-defined]
    clone.apply_action(clone.legal_actions()[0])
    assert str(state) == before != str(clone)


def test_information_states_have_perfect_recall() -> None:
    """Two orders of opening the first two cards lead to the same position."""
    states = []
    for first, second in ((3, 4), (4, 3)):
        state = load("skyjo", players=2).new_initial_state()  # type: ignore[attr-defined]
        for action in (0, first, second):
            state.apply_action(action)
        states.append(state)
    assert states[0].observation_string(0) == states[1].observation_string(0)
    assert states[0].information_state_string(0) != states[1].information_state_string(0)
    assert states[0].information_state_string(1) == states[1].information_state_string(1)


def test_a_public_observer_sees_what_a_spectator_sees() -> None:
    state = after_random_moves("xe_queo", 12, seed=1)
    kind = pyspiel.IIGObservationType(perfect_recall=False, public_info=True, private_info=pyspiel.PrivateInfoType.NONE)
    observer = state.get_game().make_py_observer(kind)  # type: ignore[attr-defined]
    observer.set_from(state, 1)
    assert observer.tensor.tolist() == state.match.sight(-1).observe().tolist()  # type: ignore[attr-defined]
    assert observer.string_from(state, 0) == observer.string_from(state, 1)
    assert sum(len(block) for block in observer.dict.values()) == len(observer.tensor)
    everything = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
    with pytest.raises(ValueError, match="never what all players know"):
        state.get_game().make_py_observer(everything)  # type: ignore[attr-defined]


def test_options_and_fields_are_named() -> None:
    game = load("skyjo", players=3, options="rows=on; opening=auto")
    state = game.new_initial_state()  # type: ignore[attr-defined]
    assert state.is_chance_node()
    assert len(state.chance_outcomes()) == 8
    state.apply_action(2)
    assert state.to_struct()["seats"] == 3
    assert state.to_struct()["options"][2] == 1
    assert "generator" not in state.to_struct()
    assert isinstance(game, adapter.TableGame)
