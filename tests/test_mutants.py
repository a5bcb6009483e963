"""The tool of source mutation, tried on a package of one function."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from mutants import MODULE_LEVEL, find_mutants, read_equivalent, sample

TOOLS = Path(__file__).resolve().parents[1] / "tools"

SOURCE = '''"""A clock that counts to twelve."""

from typing import TypeAlias

Hours: TypeAlias = tuple[int, 3]
FIRST = 1


def advance(hour: "int | 0") -> int:
    """Return the hour after this one, from 1 to 12."""
    check(hour)
    if hour >= 12 and not hour < 0:
        return FIRST
    return hour + 1


def check(hour):
    """Accept any hour below 13."""
    assert hour < 13
'''

TESTS = """import pytest

from clock.rules import advance, check


def test_the_hours_follow_each_other():
    assert [advance(hour) for hour in (1, 11, 12)] == [2, 12, 1]


def test_thirteen_is_no_hour():
    check(12)
    with pytest.raises(AssertionError):
        check(13)
"""

SCRIPT = """import sys
from pathlib import Path
sys.path[:0] = [{tools!r}, "."]
from mutants import MutationRun
run = MutationRun(Path("clock"), "clock", ["rules.py"], jobs=2)
run.start()
for mutant, killer in run.killers["rules.py"].items():
    print("RESULT", mutant.key.mutated, "->", killer)
"""


@pytest.fixture
def clock(tmp_path):
    """Write the package; return its folder."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    tests = tmp_path / "clock" / "tests"
    tests.mkdir(parents=True)
    (tests.parent / "__init__.py").touch()
    (tests / "__init__.py").touch()
    (tests.parent / "rules.py").write_text(SOURCE)
    (tests / "test_rules.py").write_text(TESTS)
    return tests.parent


def test_mutants_of_every_kind_are_found(clock):
    mutants = find_mutants(clock / "rules.py")
    assert {(mutant.key.function, mutant.kind, mutant.key.mutated) for mutant in mutants} == {
        (MODULE_LEVEL, "constant", "FIRST = 2"),
        (MODULE_LEVEL, "constant", "FIRST = (0)"),
        ("advance", "dropped call", "pass"),
        ("advance", "boolean", "if (hour >= 12 or not hour < 0):"),
        ("advance", "comparison", "if hour > 12 and not hour < 0:"),
        ("advance", "constant", "if hour >= 13 and not hour < 0:"),
        ("advance", "constant", "if hour >= (11) and not hour < 0:"),
        ("advance", "boolean", "if hour >= 12 and (hour < 0):"),
        ("advance", "comparison", "if hour >= 12 and not hour <= 0:"),
        ("advance", "constant", "if hour >= 12 and not hour < 1:"),
        ("advance", "constant", "if hour >= 12 and not hour < (-1):"),
        ("advance", "arithmetic", "return (hour - 1)"),
        ("advance", "constant", "return hour + 2"),
        ("advance", "constant", "return hour + (0)"),
        ("check", "comparison", "assert hour <= 13"),
        ("check", "constant", "assert hour < 14"),
        ("check", "constant", "assert hour < (12)"),
    }
    for mutant in mutants:
        compile(mutant.source, "rules.py", "exec")
        changed = zip(mutant.source.splitlines(), SOURCE.splitlines(), strict=True)
        assert sum(new != old for new, old in changed) == 1


def test_a_sample_is_spread_evenly(clock):
    mutants = find_mutants(clock / "rules.py")[:16]
    assert sample(mutants, 0, seed=1) == sample(mutants, 99, seed=1) == mutants
    chosen = [mutants.index(mutant) for mutant in sample(mutants, 4, seed=1)]
    assert [index // 4 for index in chosen] == [0, 1, 2, 3]


def test_killed_mutants_and_survivors_are_told_apart(clock):
    """Survivors are the dropped call, and what the condition says about hours that no test tries."""
    script = SCRIPT.format(tools=str(TOOLS))
    run = subprocess.run([sys.executable, "-c", script], cwd=clock.parent, capture_output=True, text=True, check=True)
    lines = [line.removeprefix("RESULT ") for line in run.stdout.splitlines() if line.startswith("RESULT ")]
    results = dict(line.split(" -> ") for line in lines)
    assert len(results) == 17
    assert {mutated for mutated, killer in results.items() if not killer} == {
        "pass",
        "if hour >= 12 and not hour <= 0:",
        "if hour >= 12 and not hour < 1:",
        "if hour >= 12 and not hour < (-1):",
    }
    assert results["FIRST = 2"] == "clock/tests/test_rules.py::test_the_hours_follow_each_other"
    assert results["assert hour < 14"] == "clock/tests/test_rules.py::test_thirteen_is_no_hour"


def test_equivalent_mutants_have_a_reason(tmp_path):
    path = tmp_path / "equivalent_mutants.toml"
    assert read_equivalent(path) == {}
    entry = {"file": "rules.py", "function": "advance", "line": "check(hour)", "mutated": ["pass"], "reason": "x"}
    path.write_text("[[equivalent]]\n" + "\n".join(f"{key} = {value!r}" for key, value in entry.items()))
    assert read_equivalent(path) == {("rules.py", "advance", "check(hour)", "pass", 1): "x"}


def test_a_line_that_occurs_twice_has_mutants_of_its_own_each_time(tmp_path):
    """Otherwise one of them that is listed as equivalent would hide the other."""
    path = tmp_path / "rules.py"
    path.write_text("def f(a):\n    a += b\n    if a:\n        a += b\n")
    first, second = (mutant.key for mutant in find_mutants(path))
    assert (first.line, first.mutated) == (second.line, second.mutated) == ("a += b", "a -= b")
    assert (first.occurrence, second.occurrence) == (1, 2)
