"""Tests are reproducible: the seeds that they draw depend on their names and on the base seed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import seeds
from tablee.core.randomness import secret_seed


def first_seed(**environment):
    """Return the seed of the first match in a process of its own."""
    script = (
        "import seeds; seeds.replace_secrets(); from tablee.core.randomness import secret_seed; print(secret_seed())"
    )
    path = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, **environment, "PYTHONPATH": path}
    return int(subprocess.check_output([sys.executable, "-c", script], env=environment))


def test_a_process_started_by_a_test_draws_the_seeds_of_the_test(request):
    assert seeds.running_test() == request.node.nodeid
    here = [secret_seed() for _ in range(3)]
    assert len(set(here)) == 3
    assert first_seed() == first_seed() == here[0]
    assert first_seed(TABLEE_TEST_SEED="7") != here[0]


@pytest.mark.parametrize("other", [1, 2])
def test_each_test_draws_its_own_seeds(other, request):
    names = [request.node.nodeid.replace(f"[{other}]", f"[{number}]") for number in (1, 2)]
    drawn = [seeds.seed_for("deal", name, 1) for name in names]
    assert drawn[0] != drawn[1]
    assert secret_seed() == drawn[other - 1]
