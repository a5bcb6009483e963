"""What a kernel is compiled for, where one way of computing is not the fastest on both CPUs and CUDA devices."""

from __future__ import annotations

from tablee.core.compilation import is_interpreted
from tablee.core.twins import set_twin


def is_on_cuda() -> bool:
    """Return whether the calling kernel is compiled for a CUDA device: a constant, False in interpreted code."""
    return False


if not is_interpreted():
    from tablee.core import numba_internals

    set_twin(numba_internals.is_on_cuda, is_on_cuda)
    from tablee.core.numba_internals import is_on_cuda
