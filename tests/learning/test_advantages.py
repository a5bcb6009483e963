"""Advantages per seat over its own decisions, against a slow reference."""

from itertools import pairwise

import pytest

torch = pytest.importorskip("torch")

from tablee.learning.advantages import estimate_advantages  # noqa: E402

STEPS, GAMES, SEATS, TRACE = 40, 6, 3, 0.9


def random_rollout(seed):
    generator = torch.Generator().manual_seed(seed)
    values = torch.rand((STEPS, GAMES), generator=generator)
    movers = torch.randint(SEATS, (STEPS, GAMES), generator=generator)
    ended = torch.rand((STEPS, GAMES), generator=generator) < 0.15
    rewards = torch.rand((STEPS, GAMES, SEATS), generator=generator) * ended[:, :, None]
    return values, movers, rewards, ended


def reference(values, movers, rewards, ended, game):
    """Return (step, advantage) of every decision that its seat follows up, from the definition, one seat at a time."""
    found = {}
    for seat in range(SEATS):
        decisions = [step for step in range(STEPS) if movers[step, game] == seat]
        errors, continues = [], []
        for step, following in pairwise(decisions):
            ends = [later for later in range(step, following) if ended[later, game]]
            last = ends[0] if ends else following - 1
            gain = sum(float(rewards[later, game, seat]) for later in range(step, last + 1))
            errors.append(gain + (0.0 if ends else float(values[following, game])) - float(values[step, game]))
            continues.append(not ends)
        for index, step in enumerate(decisions[:-1]):
            total, weight = 0.0, 1.0
            for later in range(index, len(errors)):
                total += weight * errors[later]
                weight *= TRACE
                if not continues[later]:
                    break
            found[step] = total
    return found


@pytest.mark.parametrize("seed", range(5))
def test_advantages_are_those_of_the_definition(seed):
    rollout = random_rollout(seed)
    estimates = estimate_advantages(*rollout, TRACE)
    for game in range(GAMES):
        expected = reference(*rollout, game)
        known = [step for step in range(STEPS) if estimates.is_known[step, game]]
        assert sorted(expected) == known
        for step in known:
            assert float(estimates.advantages[step, game]) == pytest.approx(expected[step], abs=1e-5)
            target = expected[step] + float(rollout[0][step, game])
            assert float(estimates.targets[step, game]) == pytest.approx(target, abs=1e-5)


def test_what_others_do_counts_for_the_decision_before():
    values = torch.zeros((3, 1))
    movers = torch.tensor([[0], [1], [0]])
    rewards = torch.zeros((3, 1, 2))
    rewards[1, 0] = torch.tensor([-1.0, 1.0])
    ended = torch.tensor([[False], [True], [False]])
    estimates = estimate_advantages(values, movers, rewards, ended, 0.95)
    assert estimates.is_known[:, 0].tolist() == [True, False, False]
    assert float(estimates.advantages[0, 0]) == -1.0
