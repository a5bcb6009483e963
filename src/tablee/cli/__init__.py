"""The command line. Each command imports only what it needs, so that short ones such as `tablee games` start fast."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Annotated

import typer

from tablee import __version__
from tablee.cli.shared import WRONG_USE, app
from tablee.core.errors import TableeError

for _module in (
    "info",
    "play",
    "daily",
    "research",
    "training",
    "datasets",
    "records",
    "review",
    "puzzles",
    "server",
    "authors",
):  # the order of `tablee --help`
    import_module(f"tablee.cli.{_module}")


def main() -> None:
    """Run the command line; errors are printed as one line on stderr."""
    try:
        app()
    except (TableeError, OSError) as error:
        print(f"tablee: {error}", file=sys.stderr)
        sys.exit(WRONG_USE)
    finally:
        _report_cache()


def _report_cache() -> None:
    if os.environ.get("TABLEE_CACHE_REPORT") == "1":
        from tablee.core.compilation import cache_counts

        hits, misses = cache_counts()
        print(f"cache: {hits} hits, {misses} misses", file=sys.stderr)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        print(f"tablee {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Play tabletop games and study them with the same rules."""
