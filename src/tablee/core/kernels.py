"""The kernels of a game, and stubs that find them by the record's type.

A compiled function that calls the stubs (`play(state, move)`) serves every game, and is itself compiled once per game
and then found in the cache. Interpreted, a stub looks the game up by the record's dtype.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tablee.core.codes import EndReasonCode, ProblemFlag, RefusalCode
from tablee.core.compilation import Kernel, kernel
from tablee.core.errors import BadGame
from tablee.core.stubs import bind_stubs, stub

if TYPE_CHECKING:
    from tablee.core.game import Game
    from tablee.core.observation import Layout


@dataclass(frozen=True)
class Kernels:
    """Everything compiled that a game brings, with the tables that give its numbers a meaning."""

    state_type: np.dtype[Any]
    deal: Kernel  # (state): fill a blank record
    legal_moves: Kernel  # (state, out) -> count: ascending move numbers; none exactly when over
    refusal: Kernel  # (state, move) -> code: 0 exactly for the listed moves
    play: Kernel  # (state, move): change the record in place; trusts its caller
    scores: Kernel  # (state, out): points so far
    ranks: Kernel  # (state, out): 1 for the best, equal for a tie
    finished_rounds: Kernel  # (state) -> count: rounds that ended with scoring, 0 at the deal
    problems: Kernel  # (state) -> bits: broken invariants, of `problem_flags`
    see: Kernel  # (state, seat, out): the record as that seat knows it
    glimpse: Kernel  # (state, seat, out): that part of it which `observe` reads
    sees_move: Kernel  # (state, move, seat) -> bool: may the seat know which move was just made?
    imagine: Kernel  # (sight, seat, generator): fill in the unknown, in place
    disguise: Kernel  # (state, seat, generator): change what the seat cannot notice, in place
    observe: Kernel  # (sight, seat, out): numbers for learning
    rate: Kernel  # (record, moves, count, out): how good each listed move looks to the seat on turn
    evaluate: Kernel  # (state, out): what each seat may expect, from 0 to 1
    stage: Kernel  # (state) -> number: changes where a simulated game may stop and be evaluated
    believe: Kernel  # (state, viewer) -> chance: how well a world fits what the others have done
    observation: Layout
    refusal_codes: type[RefusalCode]
    end_reasons: type[EndReasonCode]
    problem_flags: type[ProblemFlag]


def load(game: Game) -> Kernels:
    """Import the modules of a game and gather what the contract asks for."""
    wanted = {
        "state": ("STATE", "Problem", "problems"),
        "rules": (
            "Refusal",
            "EndReason",
            "deal",
            "legal_moves",
            "refusal",
            "play",
            "scores",
            "ranks",
            "finished_rounds",
        ),
        "sight": ("OBSERVATION", "see", "sees_move", "imagine", "disguise", "observe"),
    }
    found: dict[str, Any] = {"rate": rate_equally, "evaluate": evaluate_ranks, "stage": one_stage}
    found["believe"] = believe_all
    if (game.folder / "policy.py").exists():
        wanted["policy"] = ("rate", "evaluate", "stage")
        found["believe"] = getattr(game.module("policy"), "believe", believe_all)
    for name, members in wanted.items():
        module = game.module(name)
        for member in members:
            if not hasattr(module, member):
                raise BadGame(f"{game.name}: the contract asks for {member!r} in {game.folder / name}.py")
            found[member] = getattr(module, member)
    found["glimpse"] = getattr(game.module("sight"), "glimpse", found["see"])
    kernels = Kernels(
        state_type=found.pop("STATE"),
        observation=found.pop("OBSERVATION"),
        refusal_codes=found.pop("Refusal"),
        end_reasons=found.pop("EndReason"),
        problem_flags=found.pop("Problem"),
        **found,
    )
    bind_stubs(kernels)
    return kernels


# The stubs


@stub
def deal(state):
    """Fill a blank record."""


@stub
def legal_moves(state, out):
    """List the legal moves."""


@stub
def refusal(state, move):
    """Say why a move is refused."""


@stub
def play(state, move):
    """Play a move."""


@stub
def scores(state, out):
    """Write the points."""


@stub
def ranks(state, out):
    """Write the places."""


@stub
def finished_rounds(state):
    """Count the rounds that ended with scoring."""


@stub
def problems(state):
    """Check the invariants."""


@stub
def see(state, seat, out):
    """Write what a seat knows."""


@stub
def glimpse(state, seat, out):
    """Write the part of what a seat knows that `observe` reads."""


@stub
def sees_move(state, move, seat):
    """Say whether a seat may know which move is made."""


@stub
def imagine(sight, seat, generator):
    """Fill in the unknown."""


@stub
def disguise(state, seat, generator):
    """Change what a seat cannot notice."""


@stub
def observe(sight, seat, out):
    """Write numbers for learning."""


@stub
def rate(state, moves, count, out):
    """Rate the listed moves."""


@stub
def evaluate(state, out):
    """Write what each seat may expect."""


@stub
def stage(state):
    """Return the number of the stage."""


@stub
def believe(state, viewer):
    """Return how well a world fits what the others have done."""


@kernel
def rank_by_score(points, seats, fewest_first, out):
    """Rank seats by points: 1 for the best, and equal points share a place."""
    for seat in range(seats):
        rank = 1
        for other in range(seats):
            if (points[other] < points[seat]) if fewest_first else (points[other] > points[seat]):
                rank += 1
        out[seat] = rank


# What a game without a policy of its own gets.


@kernel
def rate_equally(state, moves, count, out):
    """Find all moves equally good."""
    for index in range(count):
        out[index] = 0.0


@kernel
def evaluate_ranks(state, out):
    """Take the places as they are now: half for a (shared) victory, half for how many are behind."""
    seats = state.seats
    placing = np.empty(seats, np.int64)
    ranks(state, placing)
    winners = 0
    for seat in range(seats):
        winners += 1 if placing[seat] == 1 else 0
    for seat in range(seats):
        behind = 0.0
        for other in range(seats):
            if other != seat:
                behind += 1.0 if placing[other] > placing[seat] else 0.5 if placing[other] == placing[seat] else 0.0
        victory = 1.0 / winners if placing[seat] == 1 else 0.0
        out[seat] = 0.5 * victory + 0.5 * behind / (seats - 1)


@kernel
def evaluate_lead(points, seats, swing, out):
    """Blur the places by what can still change: who is `swing` points ahead is e times as likely to end so as not.

    Shared out like `evaluate_ranks`. A negative swing is for games that the fewest points win.
    """
    for seat in range(seats):
        rivals, behind = 0.0, 0.0
        for other in range(seats):
            if other != seat:
                odds = np.exp(min(50.0, (float(points[other]) - float(points[seat])) / swing))
                rivals += odds
                behind += 1.0 / (1.0 + odds)
        out[seat] = 0.5 / (1.0 + rivals) + 0.5 * behind / (seats - 1)


@kernel
def one_stage(state):
    """Play to the end."""
    return 0


@kernel
def believe_all(state, viewer):
    """Find all worlds equally likely."""
    return 1.0
