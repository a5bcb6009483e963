"""Single instructions of the processor, for kernels: CPUs and CUDA devices both have them. Imports Numba.

Written out in Python, LLVM finds them for a CPU; NVIDIA's compiler does not, and takes some twenty instructions each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.core.cgutils import false_bit
from numba.core.extending import intrinsic


def _on_a_word(instruction: Callable[[Any, Any], Any]) -> Any:
    """Make an instruction on a 64-bit number callable from kernels."""

    def typed(_context: Any, _bits: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return instruction(builder, arguments[0])

        return types.int64(types.int64), generate

    return intrinsic(typed)


# `false_bit`: what is asked about zero must have an answer, too.
count_bits = _on_a_word(lambda builder, bits: builder.ctpop(bits))
zeros_below = _on_a_word(lambda builder, bits: builder.cttz(bits, false_bit))
zeros_above = _on_a_word(lambda builder, bits: builder.ctlz(bits, false_bit))
