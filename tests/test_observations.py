"""Observations tell apart what matters; layouts, move features, and docs/observations.md, which is generated."""

from __future__ import annotations

import importlib.util
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from observation_pairs import (
    HEAD,
    Observations,
    base_setups,
    differences,
    exchanges,
    neighbouring_setups,
    reachable_states,
    relevance,
    sight_of,
    states_of,
)
from tablee import all_games
from tablee.core.game import Game, Setup
from tablee.core.observation import Layout, move_feature_table
from tablee.core.sight import Sight
from tablee.core.state import copy_state

GOLDEN = Path(__file__).parent / "golden"
TOOL = Path(__file__).resolve().parents[1] / "tools" / "observations.py"


def test_docs_observations_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("observations", TOOL)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.PAGE.read_text(encoding="utf-8") == tool.page(), "run: python tools/observations.py"


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_the_table_of_move_features_has_a_row_per_move(game: Game) -> None:
    table, layout = move_feature_table(game), game.kernels.move_feature_layout
    if layout is None:
        assert table is None
        assert game.kernels.move_features is None
        return
    assert table is not None
    assert game.kernels.move_features is not None
    assert (table.shape, table.dtype, table.flags.writeable) == ((game.moves, layout.size), np.float32, False)
    last = np.zeros(layout.size, np.float32)
    game.kernels.move_features(game.moves - 1, last)
    assert table[-1].tolist() == last.tolist()


def test_layouts_are_frozen() -> None:
    """Networks are trained on them. A digest here changes only together with the weights that are shipped."""
    layouts = {f"{game.name} observation": game.kernels.observation for game in all_games()} | {
        f"{game.name} move features": game.kernels.move_feature_layout
        for game in all_games()
        if game.kernels.move_feature_layout is not None
    }
    found = {name: layout.digest for name, layout in layouts.items()}
    assert found == json.loads((GOLDEN / "layouts.json").read_text(encoding="utf-8"))


def test_a_digest_identifies_a_layout() -> None:
    blocks = ("hand", 4, "cards"), ("points", 2, "per seat")
    digest = Layout(*blocks).digest
    assert Layout(("hand", 4, "said in other words"), blocks[1]).digest == digest
    others = (
        Layout(*blocks, version=2),
        Layout(*reversed(blocks)),
        Layout(blocks[0]),
        Layout(("hand", 5, ""), blocks[1]),
    )
    assert len({digest, *(other.digest for other in others)}) == 5


GAMES = pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)


@GAMES
def test_sights_of_random_games_that_differ_in_what_matters_are_observed_differently(game: Game) -> None:
    observations = Observations(game)
    for setup in base_setups(game):
        for number, state in enumerate(states_of(game, setup, count=20, gap=40)):
            observations.add(state, f"{setup}, position {number}")
    for setup in neighbouring_setups(game):
        for number, state in enumerate(states_of(game, setup, count=4, gap=6)):
            observations.add(state, f"{setup}, early position {number}")
    assert len(observations.seen) > observations.compared / 2


@pytest.mark.parametrize(
    ("game", "setup"),
    [(game, setup) for game in all_games() for setup in game.reduced_setups()],
    ids=lambda value: value.name if isinstance(value, Game) else value.reduction,
)
def test_sights_of_a_reduction_that_differ_in_what_matters_are_observed_differently(game: Game, setup: Setup) -> None:
    """From one deal in many, and not all states: `benchmarks/observations.py` goes through all of them."""
    deals = game.reduction(setup.reduction).deals
    observations = Observations(game)
    for number, state in enumerate(reachable_states(game, setup, range(0, deals, max(1, deals // 5)))):
        observations.add(state, f"{setup}, state {number}")
        if number == 400:
            break
    assert observations.compared > 10


@GAMES
def test_a_change_of_a_state_that_matters_is_observed(game: Game) -> None:
    chance = np.random.default_rng(1)
    changed = 0
    for setup in base_setups(game):
        for state, other in pairwise(states_of(game, setup, count=10, gap=100, seed=2)):
            seat = int(chance.integers(setup.seats))
            before = sight_of(game, state, seat)
            assert before is not None
            for name, twin in exchanges(state, other, chance, count=30):
                after = sight_of(game, twin, seat)
                if after is not None and after[0] != before[0]:
                    difference = differences(before[0], after[0])
                    assert after[1] != before[1], f"{setup}, seat {seat}, another {name}: {difference}"
                    changed += 1
    assert changed > 20


@GAMES
def test_an_observation_does_not_depend_on_what_a_glimpse_is_written_over(game: Game) -> None:
    """In a batch, it is the last one of another game."""
    for setup in base_setups(game):
        states = list(states_of(game, setup, count=15, gap=4, seed=4))
        for state in states:
            for seat in range(setup.seats):
                stale = copy_state(states[-1])
                game.kernels.glimpse(state, seat, stale)
                seen = Sight.of(game, state, seat).observe()
                assert Sight(game, seat, stale).observe().tobytes() == seen.tobytes()


@GAMES
def test_every_field_of_a_state_matters_or_has_a_reason_why_not(game: Game) -> None:
    relevant, reasons = relevance(game).relevant, relevance(game).NOT_OBSERVED
    names = {name for name in game.kernels.state_type.names or () if name not in HEAD}
    assert names > reasons.keys()
    assert all(reasons.values())
    matters = set()
    for setup in neighbouring_setups(game):
        sights = [Sight.of(game, state, 0).state for state in states_of(game, setup, count=4, gap=50, seed=3)]
        for sight, other in pairwise(sights):
            before = relevant(sight, 0)
            for name in names - matters:
                for value in (other[name],) if name in reasons else (other[name], sight[name] ^ 1):
                    twin = copy_state(sight)
                    twin[name] = value
                    if relevant(twin, 0) != before:
                        matters.add(name)
    assert matters == names - reasons.keys()
