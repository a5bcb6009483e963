"""Reproducible tests: what is random is drawn from a base seed, the name of the running test, and a count.

Deals of servers, and of matches without a seed, are drawn so because `replace_secrets` replaces the source of secrets.
A server in a process of its own reads the name of the running test from a file that pytest keeps up to date.
"""

import hashlib
import os
from collections import Counter
from pathlib import Path

BASE_SEED = int(os.environ.get("TABLEE_TEST_SEED") or 0)  # another one plays other games in every test
TEST_FILE = "TABLEE_TEST_FILE"  # the variable with the path of the file that names the running test


def seed_for(*names: object) -> int:
    """Return the 256-bit seed for these names."""
    return int.from_bytes(hashlib.sha256(repr((BASE_SEED, *names)).encode()).digest())


def running_test() -> str:
    """Return the node id of the running test; nothing in a tool that uses the tests' browser and server."""
    path = os.environ.get(TEST_FILE)
    return Path(path).read_text(encoding="utf-8") if path else ""


class CountedSeeds:
    """Seeds of the running test, one after the other."""

    def __init__(self, purpose: str) -> None:
        self._purpose = purpose
        self._drawn: Counter[str] = Counter()

    def randbits(self, bits: int) -> int:
        """Return the next seed, as `secrets.randbits` does."""
        test = running_test()
        self._drawn[test] += 1
        return seed_for(self._purpose, test, self._drawn[test]) % (1 << bits)


def replace_secrets() -> None:
    """Draw secret seeds reproducibly in this process; ids and tokens stay secret."""
    from tablee.core import randomness

    randomness.secrets = CountedSeeds("deal")
