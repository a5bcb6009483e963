"""Where trained networks are. Loads neither NumPy nor Numba: menus ask which games have one."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablee.core.game import Game

FILE = "network.npz"  # in the folder of a game
SETTING = "TABLEE_NETWORKS"  # a folder with networks to use instead: GAME.npz, or network.npz for one run


def network_path(game: Game) -> Path | None:
    """Return the file of a game's network; None if it has none."""
    folder = os.environ.get(SETTING)
    paths = [Path(folder) / f"{game.name}.npz", Path(folder) / FILE] if folder else []
    return next((path for path in (*paths, game.folder / FILE) if path.is_file()), None)


def network_digest(game: Game) -> str:
    """Return a digest of the file of a game's network, empty if it has none."""
    path = network_path(game)
    return "" if path is None else hashlib.blake2b(path.read_bytes(), digest_size=4).hexdigest()
