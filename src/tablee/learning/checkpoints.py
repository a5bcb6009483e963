"""Checkpoints: files from which a run goes on exactly as if it had not been interrupted."""

from __future__ import annotations

import os
import subprocess
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from tablee.core.errors import TableeError
from tablee.learning.settings import TrainingSettings

if TYPE_CHECKING:
    from tablee.core.game import Game

FORMAT = 1
PACKAGE = str(Path(__file__).parents[1])


class BadCheckpoint(TableeError):
    """A checkpoint cannot be read, or does not fit the game that is installed."""


@dataclass
class Checkpoint:
    """The state of a run between two generations. The games are not in it: a generation deals them from its number."""

    game: str
    game_version: int
    layout: str  # digest of the observation's layout
    settings: TrainingSettings
    seed: int
    commit: str  # of the program; several, if a run went on with another one
    generation: int = 0  # finished ones
    moves: int = 0  # played
    seconds: float = 0.0  # of training
    network: dict[str, Any] = field(default_factory=dict)  # weights
    optimizer: dict[str, Any] = field(default_factory=dict)
    pool: list[dict[str, Any]] = field(default_factory=list)  # weights of earlier networks, float16, oldest first


def write_checkpoint(checkpoint: Checkpoint, path: Path) -> None:
    """Write a checkpoint; the file is replaced in one step, so that it is never half written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    content = {name: getattr(checkpoint, name) for name in Checkpoint.__dataclass_fields__}
    torch.save(content | {"format": FORMAT, "settings": asdict(checkpoint.settings)}, temporary)
    os.replace(temporary, path)


def read_checkpoint(path: Path, game: Game | None = None) -> Checkpoint:
    """Read a checkpoint; raise BadCheckpoint if it is none, or of another game, version or layout than `game`."""
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
        if content.pop("format") != FORMAT:
            raise BadCheckpoint(f"{path} is a checkpoint of another version of Tablée")
        content["settings"] = TrainingSettings(**content["settings"])
        checkpoint = Checkpoint(**content)
    except (OSError, RuntimeError, KeyError, TypeError, ValueError, AttributeError, EOFError) as error:
        raise BadCheckpoint(f"{path} is not a checkpoint of `tablee train`: {error}") from None
    except Exception as error:  # what unpickling refuses has a class of its own
        if isinstance(error, BadCheckpoint):
            raise
        raise BadCheckpoint(f"{path} is not a checkpoint of `tablee train`") from error
    if game is not None:
        _require_fit(checkpoint, game, path)
    return checkpoint


def _require_fit(checkpoint: Checkpoint, game: Game, path: Path) -> None:
    if checkpoint.game != game.name:
        raise BadCheckpoint(f"{path} is a checkpoint of {checkpoint.game}, not of {game.name}")
    if (checkpoint.game_version, checkpoint.layout) != (game.version, game.kernels.observation.digest):
        raise BadCheckpoint(
            f"{path} was trained on {game.name} {checkpoint.game_version} with observations {checkpoint.layout}; "
            f"installed is {game.version} with {game.kernels.observation.digest}: train again"
        )


def current_commit() -> str:
    """Return the commit of the program, from git or from `TABLEE_COMMIT`; "unknown" if there is neither.

    It ends with a plus where the program's files differ from those of the commit.
    """
    if "TABLEE_COMMIT" in os.environ:
        return os.environ["TABLEE_COMMIT"]
    try:
        head, changed = _git("rev-parse", "--short=12", "HEAD"), _git("status", "--porcelain", "--", PACKAGE)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head + ("+" if changed else "")


def _git(*arguments: str) -> str:
    """Return what a command of git prints in the folder of the program."""
    command = ["git", "-C", PACKAGE, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def commits_with(earlier: str) -> str:
    """Return the commits of a run that goes on: the earlier ones and, if it is another, the present one."""
    present = current_commit()
    return earlier if present in earlier.split() else f"{earlier} {present}"
