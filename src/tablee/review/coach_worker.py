"""The process in which a coach thinks: tasks on stdin, answers on stdout, a line of JSON each.

    python -m tablee.review.coach_worker

Comparing moves computes for a second, and compiles first where that has not been done. In the server's own process it
would keep the tables waiting.
"""

from __future__ import annotations

import argparse
import os
import sys

from tablee.bots.simple import generator_for
from tablee.core.compilation import is_interpreted
from tablee.core.game import Game
from tablee.core.warmup import warm, without_scipy
from tablee.review.advice import DEPTHS, AdviceDepth, Adviser
from tablee.review.beliefs import find_beliefs
from tablee.review.coach_tasks import AdviceTask, BeliefTask, CoachAnswer, Task, decode_task, encode_line
from tablee.review.failures import describe_failure

NICENESS = 5  # tables and their bots come first, reviews of finished games later


def main() -> None:
    """Answer tasks until stdin ends."""
    parser = argparse.ArgumentParser(description="think about decisions: tasks on stdin, answers on stdout, as JSON")
    parser.add_argument("--depth", choices=DEPTHS, default="usual")
    depth = DEPTHS[parser.parse_args().depth]
    os.nice(NICENESS)
    advisers: dict[str, Adviser] = {}
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(encode_line(answer_task(decode_task(line), advisers, depth)))
        sys.stdout.buffer.flush()


def answer_task(task: Task, advisers: dict[str, Adviser], depth: AdviceDepth) -> CoachAnswer:
    """Return the answer; a game that fails must not end the process."""
    try:
        if task.game.name not in advisers:
            advisers[task.game.name] = _prepare(task.game, depth)
        return think(task, advisers[task.game.name])
    except Exception as error:
        return CoachAnswer(error=describe_failure(error))


def think(task: Task, adviser: Adviser) -> CoachAnswer:
    """Return the answer to a task; it follows from the task alone."""
    sight = task.position.read()
    if isinstance(task, AdviceTask):
        return CoachAnswer(advice=adviser.advise(sight, task.moves))
    assert isinstance(task, BeliefTask)
    words = task.game.words(task.language)
    return CoachAnswer(beliefs=find_beliefs(sight, task.worlds, generator_for(0, sight), words, task.names))


def _prepare(game: Game, depth: AdviceDepth) -> Adviser:
    """Compile what a game needs, if that has not been done."""
    if not is_interpreted():
        with without_scipy():
            from tablee.review.warmup import REVIEWING

            warm(game, REVIEWING, lambda done, steps: None)
    return Adviser(game, depth)


if __name__ == "__main__":
    main()
