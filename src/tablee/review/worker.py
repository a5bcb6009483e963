"""The process in which a server reviews one game: a record on stdin, JSON lines on stdout, the review in the last one.

    python -m tablee.review.worker --depth usual < game.tablee

A review computes for up to a minute, and compiles first where that has not been done. In the server's own process it
would keep the tables waiting.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from typing import BinaryIO

from tablee.core.registry import find_game
from tablee.core.warmup import warm, without_scipy
from tablee.records import Record
from tablee.review.analysis import DEPTHS, Cancelled, review
from tablee.review.failures import describe_failure
from tablee.review.files import ReviewProgress, encode_progress

NICENESS = 10  # tables come first
SECONDS_BETWEEN_REPORTS = 0.3


def main() -> None:
    """Review the game on stdin."""
    parser = argparse.ArgumentParser(description="review a game: a record on stdin, JSON lines on stdout")
    parser.add_argument("--depth", choices=DEPTHS, default="usual")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    os.nice(NICENESS)
    try:
        record = Record.parse(sys.stdin.read())
        with without_scipy():
            from tablee.review.warmup import REVIEWING

            warm(find_game(record.header.game), REVIEWING, lambda done, steps: None)
        match = record.replay(trust_start=True)
        found = review(match, DEPTHS[arguments.depth], arguments.threads, _reporter(sys.stdout.buffer))
        _write(sys.stdout.buffer, ReviewProgress(len(found.steps), len(found.steps), found))
    except (BrokenPipeError, Cancelled, KeyboardInterrupt):
        sys.exit(1)
    except Exception as error:
        _write(sys.stdout.buffer, ReviewProgress(error=describe_failure(error)))
        sys.exit(1)


def _reporter(out: BinaryIO) -> Callable[[int, int], bool]:
    """Return a function that reports progress now and then; it returns False once the server has gone."""
    parent, reported_at = os.getppid(), -SECONDS_BETWEEN_REPORTS

    def report(done: int, positions: int) -> bool:
        nonlocal reported_at
        if time.monotonic() - reported_at >= SECONDS_BETWEEN_REPORTS:
            reported_at = time.monotonic()
            _write(out, ReviewProgress(done, positions))
        return os.getppid() == parent

    return report


def _write(out: BinaryIO, report: ReviewProgress) -> None:
    out.write(encode_progress(report) + b"\n")
    out.flush()


if __name__ == "__main__":
    main()
