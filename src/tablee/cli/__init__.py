"""The command line. Every command loads what it needs and nothing more: `tablee games` must answer at once."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Annotated

import typer

from tablee import __version__
from tablee.cli.shared import WRONG_USE, app
from tablee.core.errors import TableeError

for _commands in ("info", "play", "research", "records", "server", "authors"):  # as `tablee --help` lists them
    import_module(f"tablee.cli.{_commands}")


def main() -> None:
    """Run the command line; what goes wrong is said in one line."""
    try:
        app()
    except (TableeError, OSError) as why:
        print(f"tablee: {why}", file=sys.stderr)
        sys.exit(WRONG_USE)
    finally:
        _report_cache()


def _report_cache() -> None:
    if os.environ.get("TABLEE_CACHE_REPORT") == "1":
        from tablee.core.compilation import cache_counts

        hits, misses = cache_counts()
        print(f"cache: {hits} hits, {misses} misses", file=sys.stderr)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"tablee {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Tabletop games to play and to study, from one set of rules."""
