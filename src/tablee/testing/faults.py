"""What a walk through random games can find (walk.py)."""

from __future__ import annotations

from enum import IntEnum
from typing import Self


class Fault(IntEnum):
    """What a walk can find, numbered from 1; 0 means nothing.

    `{detail}` is the number kept with the fault; `{element}` the field and index that this byte of a state belongs to,
    `{number}` the same for an observation, `{move}` the text of this move, `{problems}` the sentences of these flags.
    """

    sentence: str

    def __new__(cls, sentence: str) -> Self:  # noqa: D102
        fault = int.__new__(cls, len(cls.__members__) + 1)
        fault._value_ = int(fault)
        fault.sentence = sentence
        return fault

    @classmethod
    def of(cls, number: int) -> Self:
        """Return the fault with a number."""
        return cls(number)  # type: ignore[arg-type]  # mypy reads __new__, which only declarations use

    GOES_ON = "the game goes on after {detail} moves, more than `max_game_length`"
    HAS_PROBLEMS = "`problems` finds: {problems}"
    TOO_MANY = "{detail} moves are listed, more than `max_legal_moves`"
    NOT_A_MOVE = "the move {detail} is listed, which is not a move of the game"
    NOT_ASCENDING = "the list of legal moves is not strictly ascending at index {detail}"
    STUCK = "no move is legal, and the game is not over"
    MOVES_AFTER_END = "moves are still listed, and the game is over"
    REFUSES_LISTED = "`refusal` refuses move {move}, which is listed"
    ALLOWS_UNLISTED = "`refusal` allows move {move}, which is not listed"
    UNKNOWN_CODE = "`refusal` returns the code {detail}, which `Refusal` does not declare"
    NO_SEAT = "`to_move` is {detail} in a game that goes on"
    SEAT_AFTER_END = "`to_move` is {detail} in a game that is over"
    NOT_TRUE = "`viewer` is {detail} in the state of the game, not TRUTH"
    SCORE_OUTSIDE = "the score {detail} is outside `score_bounds`"
    WRONG_RANK = "the rank {detail} is not one more than the number of seats ranked better"
    RANKED_AGAINST_SCORES = "seat {detail} is ranked better than a seat whose score is better by `fewest_points_win`"
    ROUNDS_AT_DEAL = "`finished_rounds` is {detail} at the deal, not 0"
    NO_ROUND_AT_END = "the game is over, and `finished_rounds` is 0"
    ROUNDS_DECREASE = "`finished_rounds` has decreased, to {detail}"
    SCORES_WITHOUT_ROUND = "the score of seat {detail} has changed, and `finished_rounds` has not"
    ROUNDS_IN_SIGHT = "`finished_rounds` is {detail} in a sight, and different in the state"
    ROUNDS_IN_DISGUISE = "`disguise` changes `finished_rounds` to {detail}"
    ROUNDS_IN_WORLD = "`finished_rounds` is {detail} in an imagined world, and different in the sight"
    WRONG_VIEWER = "`viewer` is {detail} in a sight"
    GENERATOR_SHOWN = "a sight shows `{element}`"
    NOT_WRITTEN = "`see` does not write `{element}`"
    HIDDEN_FROM_MOVER = "`sees_move` hides move {move} from the seat that makes it"
    DISGUISE_PROBLEMS = "a state that `disguise` has changed has problems: {problems}"
    SIGHT_LEAKS = "`{element}` of the sight depends on what is hidden: it differs if `disguise` changes that"
    MOVES_LEAK = "the legal moves depend on what is hidden"
    MOVE_LEAKS = "`sees_move` depends on what is hidden, for move {move}"
    WORLD_PROBLEMS = "an imagined world has problems: {problems}"
    WORLD_DIFFERS = "an imagined world does not look like the sight it was made from: `{element}` differs"
    WORLD_MOVES_DIFFER = "the viewer on turn has other legal moves in an imagined world"
    WORLD_NOT_TRUE = "`viewer` is {detail} in an imagined world, not TRUTH"
    WORLD_WITHOUT_KEY = "an imagined world has no key in its generator"
    NOT_FINITE = "`{number}` of the observation is not finite"
    BEYOND_LAYOUT = "`observe` writes beyond its layout"
