"""What a process says of a failure to the one that started it, which may log it."""

from __future__ import annotations

import traceback
from pathlib import Path


def describe_failure(error: Exception) -> str:
    """Return the type of an exception and where it was raised, without its text, which may tell hidden pieces."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"
