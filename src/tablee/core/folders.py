"""Where tables of a server, records of games and results of arenas are kept unless a file or folder is named."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

SETTING = "TABLEE_DATA"  # the folder to use instead of the user's
DATABASE = "tablee.db"


def data_folder() -> Path:
    """Return the folder of the user's data, and make it if it is missing; it is readable by its owner alone."""
    folder = Path(os.environ.get(SETTING) or platformdirs.user_data_path("tablee"))
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def default_database() -> Path:
    """Return the database of a server: one in the current folder, as version 0.1 made it, else that of the user."""
    here = Path(DATABASE)
    return here if here.exists() else data_folder() / DATABASE
