"""`tablee check --watch`: check a game again whenever one of its files is saved.

Each check is a process of its own, so that it loads the files as they are now.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer

from tablee.cli.shared import INTERRUPTED, is_folder
from tablee.core.registry import folder_of
from tablee.core.words import common

POLL_SECONDS = 0.3
IGNORED = "__pycache__"


def watch_game(game: str, flags: list[str], language: str, *, is_brief: bool) -> NoReturn:
    """Check a game, given by its name or folder, now and after every save, until interrupted.

    First briefly with interpreted kernels, which takes seconds; then compiled, unless something was found.
    """
    folder = Path(game) if is_folder(game) else folder_of(game)
    command = [sys.executable, "-m", "tablee", "check", game, *flags]
    passes = [([*_without(command, "--thorough"), "--brief"], "1"), (command + ["--brief"] * is_brief, "0")]
    words = common(language)
    try:
        while True:
            seen = _modification_times(folder)
            print(words.say("check.watching", path=folder, time=time.strftime("%H:%M:%S")), flush=True)
            _run_passes(passes, folder, seen)
            while _modification_times(folder) == seen:
                time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def _without(command: list[str], flag: str) -> list[str]:
    return [part for part in command if part != flag]


def _run_passes(passes: list[tuple[list[str], str]], folder: Path, seen: dict[Path, int]) -> None:
    """Run each command until one fails, or a file is saved meanwhile."""
    for command, disable_jit in passes:
        with _process(command, disable_jit) as process:
            while process.poll() is None:
                if _modification_times(folder) != seen:
                    return
                time.sleep(POLL_SECONDS)
            if process.returncode:
                return


@contextmanager
def _process(command: list[str], disable_jit: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process and yield it; it is ended if it still runs afterwards."""
    process = subprocess.Popen(command, env=os.environ | {"NUMBA_DISABLE_JIT": disable_jit})
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
            _clear_progress_bar()


def _clear_progress_bar() -> None:
    """Remove the progress bar of a process that was ended, and show the cursor that it has hidden."""
    from rich.console import Console
    from rich.control import Control
    from rich.segment import ControlType

    console = Console(stderr=True)
    console.control(Control((ControlType.ERASE_IN_LINE, 2), ControlType.CARRIAGE_RETURN))
    console.show_cursor()


def _modification_times(folder: Path) -> dict[Path, int]:
    """Return when each file of a folder was last changed, in nanoseconds; bytecode is left out."""
    found = {}
    for path in folder.rglob("*"):
        try:
            if IGNORED not in path.parts and path.is_file():
                found[path] = path.stat().st_mtime_ns
        except FileNotFoundError:
            continue  # editors replace files
    return found
