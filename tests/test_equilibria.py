"""Exact methods on reductions: trees, best responses and CFR+, beside OpenSpiel's on the same game."""

import re
from pathlib import Path

import numpy as np
import pytest

from tablee import all_games, find_game
from tablee.simulation.equilibria import RegretSolver, best_response_value, exploitability, nash_conv, values
from tablee.simulation.trees import build_tree

pytestmark = pytest.mark.xdist_group("equilibria")  # the trees are built once

GAMES = ("skyjo", "xylo")
DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.fixture(scope="module", params=GAMES)
def tree(request):
    game = find_game(request.param)
    return build_tree(game, game.setup(reduction="tiny"))


def test_levels_are_connected(tree):
    for above, below in zip(tree.levels, tree.levels[1:], strict=False):
        children = np.bincount(below.parents, minlength=len(above.seats))
        assert ((children > 0) == (above.seats >= 0)).all()
        owners = tree.owners[above.info_states[below.parents]]
        assert (owners == above.seats[below.parents]).all()
        starts = tree.first_choices[above.info_states[below.parents]]
        assert (below.choices >= starts).all()
    assert tree.depth == tree.game.reduction("tiny").max_moves
    assert tree.deals == tree.game.reduction("tiny").deals
    assert (tree.levels[-1].seats < 0).all()


def test_rewards_sum_to_zero(tree):
    policy = tree.uniform_policy()
    assert values(tree, policy).sum() == pytest.approx(0.0, abs=1e-12)
    assert all((level.rewards.sum(axis=1) == 0.0).all() for level in tree.levels)


def test_a_best_response_is_at_least_as_good_as_any_policy(tree):
    policy = tree.uniform_policy()
    for seat in range(tree.setup.seats):
        best = best_response_value(tree, policy, seat)
        assert best >= values(tree, policy)[seat]
        for seed in range(5):
            other = random_policy(tree, seed)
            mixed = np.where(np.repeat(tree.owners, np.diff(tree.first_choices)) == seat, other, policy)
            assert best >= values(tree, mixed)[seat] - 1e-12


def random_policy(tree, seed):
    weights = np.random.default_rng(seed).exponential(size=len(tree.moves))
    counts = np.diff(tree.first_choices)
    return weights / np.repeat(np.add.reduceat(weights, tree.first_choices[:-1]), counts)


def test_exploitability_falls_below_a_tenth_of_that_of_random_moves(tree):
    solver = RegretSolver(tree)
    solver.run(30)
    policy = solver.average_policy()
    assert 0.0 <= exploitability(tree, policy) < exploitability(tree, tree.uniform_policy()) / 10
    assert np.add.reduceat(policy, tree.first_choices[:-1]) == pytest.approx(1.0)


def documented_sizes():
    """Return the sizes in docs/reductions.md: deals, histories, information states and moves of each reduction."""
    rows = re.findall(
        r"^\| ([^|]+) \| `(\w+)` \| \d \|((?: [\d,]+ \|){4})",
        (DOCS / "reductions.md").read_text(encoding="utf-8"),
        re.M,
    )
    titles = {game.words("en").say("title"): game.name for game in all_games()}
    return {
        (titles[title], name): tuple(int(cell.replace(",", "")) for cell in cells.strip(" |").split("|"))
        for title, name, cells in rows
    }


def test_documented_sizes_are_those_of_the_trees(tree):
    sizes = documented_sizes()
    assert set(sizes) == {(game.name, reduction.name) for game in all_games() for reduction in game.reductions}
    assert sizes[tree.game.name, "tiny"] == (tree.deals, tree.histories, tree.info_states, tree.depth)


def test_all_pages_give_the_same_sizes():
    (research,) = re.findall(
        r"Lexio's reduction `tiny` \(([\d,]+) information", (DOCS / "research.md").read_text(encoding="utf-8")
    )
    (learning,) = re.findall(
        r"`tiny` of Xe Queo! \(([\d,]+) information", (DOCS / "learning.md").read_text(encoding="utf-8")
    )
    sizes = documented_sizes()
    assert int(research.replace(",", "")) == sizes["lexio", "tiny"][2]
    assert int(learning.replace(",", "")) == sizes["xe_queo", "tiny"][2]


def test_openspiel_agrees():
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy as policies
    from open_spiel.python.algorithms import exploitability as openspiel

    import tablee.adapters.openspiel  # noqa: F401  # registers the games

    tree = build_tree(find_game("xylo"), find_game("xylo").setup(reduction="tiny"))
    game = pyspiel.load_game("tablee_xylo(reduction=tiny)")
    uniform = policies.UniformRandomPolicy(game)
    assert openspiel.nash_conv(game, uniform) == pytest.approx(nash_conv(tree, tree.uniform_policy()))
    assert len(policies.TabularPolicy(game).states) == tree.info_states
