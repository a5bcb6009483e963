"""The output of benchmarks: one JSON object per line."""

from __future__ import annotations

import json
from typing import Any


def print_line(**values: Any) -> None:
    """Print some figures as a line of JSON, at once."""
    print(json.dumps(values, ensure_ascii=False), flush=True)
