"""The steps of `simulation/steps.py` for CUDA, without what a batch does not need.

CUDA kernels can call a game's kernels, but not through the stubs. So the steps are bound to one game: the same code,
with the names of the stubs meaning that game's kernels. Import this module only where CUDA is wanted.
"""

from __future__ import annotations

import math
from types import FunctionType
from typing import Any

from tablee.core.compilation import Kernel
from tablee.core.game import Game
from tablee.core.kernels import evaluate_lead, evaluate_ranks
from tablee.core.numba_internals import copy_words
from tablee.core.stubs import stubs
from tablee.core.types import Index, State, States
from tablee.simulation import steps
from tablee.simulation.cuda_memory import IS_SIMULATED, device_function
from tablee.simulation.rewards import GAME_STEPS, RewardRule


def batch_steps(
    game: Game, rule: RewardRule, is_reduced: bool, is_limited: bool, is_mask_cleared: bool
) -> dict[str, Kernel]:
    """Return the steps by name for batches of a game, or its reductions, with one kind of reward.

    What is the same in all games of a batch is a constant in them: less code, which runs faster. `is_mask_cleared`:
    the kernel clears the block's rows of the mask first, so that the steps need not clear single entries.
    """
    replaced = {"rule_of": constant_rule(rule)}
    if not IS_SIMULATED:
        replaced["copy_state"] = copy_state
    if not is_reduced:
        replaced["draw_deal"] = no_deal
    if not is_limited:
        replaced["is_limited"] = no_limit
    if is_mask_cleared:
        replaced["unmark_moves"] = leave_mask
    return bind_steps(game, **replaced)


def bind_steps(game: Game, **replacements: Kernel) -> dict[str, Kernel]:
    """Return the steps of `simulation/steps.py` by name, bound to one game's kernels and to each other.

    `potential` is bound too, and what it may call of `core/kernels.py`: one uses a stub, and numba-cuda has no `np.exp`
    of numbers, but `math.exp`.
    """
    names: dict[str, Kernel] = {name: getattr(game.kernels, name) for name in stubs}
    names["evaluate_ranks"] = device_function(with_globals(evaluate_ranks, names))
    names["evaluate_lead"] = device_function(with_globals(evaluate_lead, {"np": math}))
    names["potential"] = device_function(with_globals(game.kernels.potential, names))
    for step in GAME_STEPS:
        name = step.__name__
        names[name] = replacements.get(name) or device_function(with_globals(step, names))
    return names


def with_globals(function: Kernel, names: dict[str, Any]) -> FunctionType:
    """Return a function with the same code, in which some global names have other values."""
    plain: Any = getattr(function, "py_func", function)
    return FunctionType(plain.__code__, {**plain.__globals__, **names}, plain.__name__)


# In place of steps: constants, nothing where nothing is needed, and a faster copy


@device_function
def no_deal(slot: States, deals: States) -> None:
    """Do nothing, in place of `draw_deal`."""


@device_function
def no_limit(arrays: steps.BatchArrays) -> bool:
    """Return False, in place of `is_limited`."""
    return False


@device_function
def copy_state(slot: States, source: State) -> None:
    """Copy a state into `slot[0]` by words."""
    copy_words(slot[0], source)


@device_function
def leave_mask(arrays: steps.BatchArrays, game: Index) -> None:
    """Do nothing, in place of `unmark_moves`."""


def constant_rule(rule: RewardRule) -> Kernel:
    """Make what replaces `rule_of`."""

    @device_function
    def rule_of(arrays: steps.BatchArrays) -> RewardRule:
        return rule

    return rule_of
