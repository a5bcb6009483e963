"""The kernels of a game, the stubs that stand for them in generic code, and defaults for games without a policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tablee.core.codes import EndReasonCode, ProblemFlag, RefusalCode
from tablee.core.compilation import Kernel, kernel
from tablee.core.errors import BadGame
from tablee.core.randomness import below
from tablee.core.stubs import bind_stubs, stub
from tablee.core.types import Bits, Generator, Index, Move, Moves, Numbers, Points, Ratings, Seat, SightState, State

if TYPE_CHECKING:
    from tablee.core.game import Game
    from tablee.core.observation import Layout

# What each module of a game must define (docs/contract.md).
REQUIRED = {
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
REQUIRED_OF_POLICY = ("rate", "evaluate", "stage")  # of policy.py, where a game has one
FEATURES = ("move_features", "MOVE_FEATURES")  # of moves.py: both or neither
CHANCE = ("list_draws", "arrange_draw", "shuffle_unknown")  # of chance.py, where a game has one
MAX_DRAWS = 64  # values that `list_draws` may list
MANY = -1  # what it returns instead, if a move turns up many pieces


@dataclass(frozen=True)
class Kernels:
    """The kernels of a game, its state type, its layouts and its codes.

    The stubs below say what each kernel does. `move_features(move, out)`, which takes no state and so has no stub,
    writes what `move_feature_layout` describes, into zeros; both are None for games without features.
    """

    state_type: np.dtype[Any]
    deal: Kernel
    legal_moves: Kernel
    random_move: Kernel
    refusal: Kernel
    play: Kernel
    play_in_stage: Kernel
    scores: Kernel
    ranks: Kernel
    finished_rounds: Kernel
    problems: Kernel
    see: Kernel
    glimpse: Kernel
    sees_move: Kernel
    imagine: Kernel
    disguise: Kernel
    observe: Kernel
    rate: Kernel
    evaluate: Kernel
    stage: Kernel
    believe: Kernel
    potential: Kernel
    shares: Kernel
    list_draws: Kernel
    arrange_draw: Kernel
    shuffle_unknown: Kernel
    move_features: Kernel | None
    observation: Layout
    move_feature_layout: Layout | None
    refusal_codes: type[RefusalCode]
    end_reasons: type[EndReasonCode]
    problem_flags: type[ProblemFlag]


def load(game: Game) -> Kernels:
    """Import the modules of a game and collect what the contract requires."""
    found: dict[str, Any] = {}
    for name, members in REQUIRED.items():
        found |= _members(game, name, members)
    found |= {"rate": rate_equally, "evaluate": evaluate_ranks, "stage": one_stage, "believe": believe_all}
    found |= {"potential": evaluate_ranks, "shares": rank_shares}
    if (game.folder / "policy.py").exists():
        found |= _members(game, "policy", REQUIRED_OF_POLICY)
        found["believe"] = getattr(game.module("policy"), "believe", believe_all)
        found["potential"] = getattr(game.module("policy"), "potential", found["evaluate"])
    if (game.folder / "prospects.py").exists():
        found |= _members(game, "prospects", ("shares",))
    found |= dict(zip(CHANCE, (list_no_draws, arrange_nothing, shuffle_nothing), strict=True))
    if (game.folder / "chance.py").exists():
        found |= _members(game, "chance", CHANCE)
    found["random_move"] = getattr(game.module("rules"), "random_move", random_listed_move)
    found["play_in_stage"] = getattr(game.module("rules"), "play_in_stage", found["play"])
    found["glimpse"] = getattr(game.module("sight"), "glimpse", found["see"])
    has_features = any(hasattr(game.module("moves"), name) for name in FEATURES)
    found |= _members(game, "moves", FEATURES) if has_features else dict.fromkeys(FEATURES)
    kernels = Kernels(
        state_type=found.pop("STATE"),
        observation=found.pop("OBSERVATION"),
        move_feature_layout=found.pop("MOVE_FEATURES"),
        refusal_codes=found.pop("Refusal"),
        end_reasons=found.pop("EndReason"),
        problem_flags=found.pop("Problem"),
        **found,
    )
    bind_stubs(kernels)
    return kernels


def _members(game: Game, name: str, members: tuple[str, ...]) -> dict[str, Any]:
    module = game.module(name)
    for member in members:
        if not hasattr(module, member):
            raise BadGame(f"{game.name}: the contract requires {member!r} in {game.folder / name}.py")
    return {member: getattr(module, member) for member in members}


# Stubs: each stands for the kernel of the same name of the game whose state it is called with.


@stub
def deal(state: State) -> None:
    """Deal the first round into a blank state, in which seats, options and generator are set."""


@stub
def legal_moves(state: State, out: Moves) -> int:
    """Write the legal moves in ascending order and return how many there are: 0 exactly when the game is over."""


@stub
def random_move(state: State, generator: Generator, memory: Moves) -> Move:
    """Draw a legal move, each with the same probability; `memory` is for a list of them."""


@stub
def refusal(state: State, move: Move) -> int:
    """Return why a move is refused, a code of `Refusal`: 0 exactly for the legal moves."""


@stub
def play(state: State, move: Move) -> None:
    """Play a legal move, in place; nothing is checked."""


@stub
def play_in_stage(state: State, move: Move) -> None:
    """Play a legal move; at the end of a stage, leave out what changes no result, such as the next deal."""


@stub
def scores(state: State, out: Points) -> None:
    """Write the points of each seat from all finished rounds."""


@stub
def ranks(state: State, out: Points | Ratings) -> None:
    """Write the rank of each seat: 1 is best, ties share a rank."""


@stub
def finished_rounds(state: State) -> int:
    """Return how many rounds have ended with scoring: 0 at the deal."""


@stub
def problems(state: State) -> Bits:
    """Return the broken invariants, flags of `Problem`: 0 if there are none."""


@stub
def see(state: State, seat: Seat, out: SightState) -> None:
    """Write what a seat knows (SPECTATOR: what everyone knows)."""


@stub
def glimpse(state: State, seat: Seat, out: SightState) -> None:
    """Write the part of `see` that `observe` reads; `out` may be the state itself."""


@stub
def sees_move(state: State, move: Move, seat: Seat) -> bool:
    """Return whether a seat may know which move is played."""


@stub
def imagine(sight: SightState, seat: Seat, generator: Generator) -> None:
    """Fill in everything unknown at random, in place: the sight becomes a world consistent with it."""


@stub
def disguise(state: State, seat: Seat, generator: Generator) -> None:
    """Change everything that a seat cannot know at random, in place."""


@stub
def observe(sight: SightState, seat: Seat, out: Numbers) -> None:
    """Write the observation, numbers for learning, into zeros."""


@stub
def rate(state: State, moves: Moves, count: int, out: Ratings) -> None:
    """Rate each of the `count` moves for the seat to move, from its sight or a world; higher is better."""


@stub
def evaluate(state: State, out: Ratings) -> None:
    """Write the utility that each seat can expect, from 0 to 1."""


@stub
def stage(state: State) -> int:
    """Return a number that changes where simulated games may stop to be evaluated."""


@stub
def believe(state: State, viewer: Seat) -> float:
    """Return how likely the moves that others made are in a world, as a probability to keep it."""


@stub
def potential(state: State, out: Ratings) -> None:
    """Write how good the position is for each seat, as `evaluate` does, at any time: rewards are shaped by it."""


@stub
def shares(state: State, out: Ratings) -> None:
    """Write the share of the others that each seat can expect to finish ahead of, from 0 to 1; a tie counts half."""


@stub
def list_draws(state: State, move: Move, after: State, index: Index, values: Moves, weights: Moves) -> int:
    """List what can turn up when a move is played: the values and weights of the `index`-th piece that it turns up.

    `after` is the state after the move as the pieces lie now. Return how many values there are, 0 if the move turns up
    no more pieces, or MANY, for the first one already, if all are better drawn together by `shuffle_unknown`.
    """


@stub
def arrange_draw(state: State, move: Move, index: Index, value: int) -> None:
    """Exchange pieces that no seat knows, so that the `index`-th piece that a move turns up has a listed value."""


@stub
def shuffle_unknown(state: State) -> None:
    """Put the pieces that no seat knows in random order, by the state's generator."""


# Random moves


@kernel
def random_listed_move(state: State, generator: Generator, memory: Moves) -> Move:
    """List the legal moves and draw one: what every `random_move` does, by the same single number."""
    return int(memory[below(generator, legal_moves(state, memory))])


# Ranking


@kernel
def rank_by_score(points: Points, seats: int, fewest_first: bool, out: Points) -> None:
    """Rank seats by points: 1 is best, equal points share a rank."""
    for seat in range(seats):
        rank = 1
        for other in range(seats):
            if (points[other] < points[seat]) if fewest_first else (points[other] > points[seat]):
                rank += 1
        out[seat] = rank


@kernel
def evaluate_lead(points: Points | Ratings, seats: int, swing: float, out: Ratings) -> None:
    """Estimate each seat's utility from points that can still change.

    Of two seats, the one that is `swing` points ahead is e times as likely to finish ahead as not. Utility is divided
    as in `evaluate_ranks`. A negative swing is for games that the fewest points win.
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
def lead_shares(points: Points | Ratings, seats: int, swing: float, out: Ratings) -> None:
    """Estimate the share of the others that each seat will finish ahead of, from points that can still change.

    `swing` as in `evaluate_lead`.
    """
    for seat in range(seats):
        behind = 0.0
        for other in range(seats):
            if other != seat:
                behind += 1.0 / (1.0 + np.exp(min(50.0, (float(points[other]) - float(points[seat])) / swing)))
        out[seat] = behind / (seats - 1)


# Defaults for games without a policy

MAX_RANKED = 16  # seats
PACKED = 1024.0  # in `evaluate_ranks`: a rank is multiplied by it, and twice the number of seats behind is added


@kernel
def rate_equally(state: State, moves: Moves, count: int, out: Ratings) -> None:
    """Rate all moves the same."""
    for index in range(count):
        out[index] = 0.0


@kernel
def evaluate_ranks(state: State, out: Ratings) -> None:
    """Take the present ranks as final: half of the utility is for winning, half for the share of others behind.

    `out` holds rank and comparisons until the end: on CUDA there is no other array.
    """
    seats, winners = state.seats, 0
    ranks(state, out)
    for seat in range(seats):
        winners += 1 if out[seat] == 1 else 0
        out[seat] *= PACKED
    for seat in range(seats):
        behind = 0
        for other in range(seats):
            difference = out[other] // PACKED - out[seat] // PACKED
            behind += 2 if difference > 0 else 1 if difference == 0 and other != seat else 0
        out[seat] += behind
    for seat in range(seats):
        victory = 1.0 / winners if out[seat] // PACKED == 1 else 0.0
        out[seat] = 0.5 * victory + 0.5 * (0.5 * (out[seat] % PACKED)) / (seats - 1)


@kernel
def rank_shares(state: State, out: Ratings) -> None:
    """Take the present ranks as final."""
    order = np.empty(MAX_RANKED)
    ranks(state, order)
    for seat in range(state.seats):
        behind = 0.0
        for other in range(state.seats):
            behind += 1.0 if order[other] > order[seat] else 0.5 if order[other] == order[seat] else 0.0
        out[seat] = (behind - 0.5) / (state.seats - 1)


@kernel
def one_stage(state: State) -> int:
    """Return the same number always: simulated games are played to the end."""
    return 0


@kernel
def believe_all(state: State, viewer: Seat) -> float:
    """Find all worlds equally likely."""
    return 1.0


# Defaults for games without chance.py: the only chance is in shuffles


@kernel
def list_no_draws(state: State, move: Move, after: State, index: Index, values: Moves, weights: Moves) -> int:
    """List nothing: no move turns up a piece that no seat knows."""
    return 0


@kernel
def arrange_nothing(state: State, move: Move, index: Index, value: int) -> None:
    """Do nothing: there is no such piece."""


@kernel
def shuffle_nothing(state: State) -> None:
    """Do nothing: there are no such pieces."""
