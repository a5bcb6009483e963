"""Bring back, one by one, what players once stumbled over: the tests that docs/web.md names must notice it.

`python tools/player_faults.py [ROW ...]` copies the checkout, replaces a line there (tests/fixtures/player_faults.toml)
and runs the tests of that row of the table. Exits 1 if a fault is not noticed. It needs what the tests need, and takes
half an hour for all rows.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FAULTS = ROOT / "tests" / "fixtures" / "player_faults.toml"
QUIETLY = ("-q", "-x", "-n", "0", "-p", "no:cacheprovider")
TESTS_FAILED = 1  # the exit status of pytest; others are errors of ours


class Fault(NamedTuple):
    """A line of a file, what it is replaced by, and the arguments of pytest for tests that must fail then."""

    row: int
    file: str
    line: str
    replacement: str
    tests: str


def copy_checkout(target: Path) -> None:
    """Copy all files that git knows, as they are in the work tree."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name)


def is_noticed(fault: Fault, checkout: Path) -> bool:
    """Whether the tests of a fault fail with it; raises if they cannot run, or if the line is not there."""
    file = checkout / fault.file
    original = file.read_text(encoding="utf-8")
    if fault.line not in original:
        raise SystemExit(f"row {fault.row}: {fault.file} has no {fault.line!r}; see {FAULTS.name}")
    file.write_text(original.replace(fault.line, fault.replacement), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "pytest", *QUIETLY, *shlex.split(fault.tests)]
    try:
        ended = subprocess.run(command, check=False, cwd=checkout, env=environment, capture_output=True, text=True)
    finally:
        file.write_text(original, encoding="utf-8")
    if ended.returncode not in (0, TESTS_FAILED):
        raise SystemExit(f"row {fault.row}: {shlex.join(command)}\n{ended.stdout}{ended.stderr}")
    return ended.returncode == TESTS_FAILED


def main() -> None:
    """Try the faults of all rows, or of those named."""
    rows = {int(row) for row in sys.argv[1:]}
    faults = [Fault(**each) for each in tomllib.loads(FAULTS.read_text(encoding="utf-8"))["fault"]]
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy_checkout(Path(folder))
        for fault in faults:
            if rows and fault.row not in rows:
                continue
            start = time.monotonic()
            noticed = is_noticed(fault, Path(folder))
            missed += not noticed
            result = "noticed" if noticed else "NOT NOTICED"
            print(f"row {fault.row}: {result} by {fault.tests}, {time.monotonic() - start:.0f} s", flush=True)
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
