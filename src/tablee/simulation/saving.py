"""Saved batches: a NumPy archive with a header that names the game, its version and the layout of its state."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import numpy as np

from tablee.core.cache_files import digest_of
from tablee.core.errors import BadSave
from tablee.core.game import Game
from tablee.core.registry import find_game

PathOrFile: TypeAlias = str | os.PathLike[str] | BinaryIO

FORMAT, VERSION = "tablee batch", 1
HEADER = "header"


class SavedBatch(NamedTuple):
    """What a file holds."""

    game: Game
    settings: dict[str, Any]  # arguments of `Batch`
    arrays: dict[str, np.ndarray]  # structures as bytes, in one more dimension


def write_batch(target: PathOrFile, game: Game, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write the settings and the arrays of a batch."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "game": game.name,
        "game_version": game.version,
        "layout": layout_digest(game),
        "settings": dict(settings),
    }
    content = {name: as_bytes(array) if array.dtype.names else array for name, array in arrays.items()}
    content[HEADER] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(target, **content)  # type: ignore[arg-type]  # NumPy's annotation has another keyword in mind


def read_batch(source: PathOrFile) -> SavedBatch:
    """Read what `write_batch` wrote; raise BadSave for anything else, or if the game has changed."""
    if isinstance(source, str | os.PathLike):
        with open(source, "rb") as file:
            return _read_file(file, repr(os.fspath(source)))
    return _read_file(source, "the file")


def _read_file(file: BinaryIO, name: str) -> SavedBatch:
    try:
        with np.load(file, allow_pickle=False) as archive:
            arrays = {key: np.asarray(archive[key]) for key in archive.files}
        header = json.loads(bytes(arrays.pop(HEADER)))
        found = (header["format"], header["version"])
        game_name, settings = str(header["game"]), dict(header["settings"])
        written_for = (header["game_version"], header["layout"])
    except Exception as why:  # NumPy and zipfile raise errors of a dozen types for damaged files
        raise BadSave(f"{name} is no saved batch: {why}") from None
    if found != (FORMAT, VERSION):
        raise BadSave(f"{name} is of the format {found}; this version reads {(FORMAT, VERSION)}")
    game = find_game(game_name)
    if written_for[0] != game.version:
        raise BadSave(f"{name} is of version {written_for[0]} of {game.name}; installed is version {game.version}")
    if written_for[1] != layout_digest(game):
        raise BadSave(f"{name} was saved with another layout of the states of {game.name}")
    return SavedBatch(game, settings, arrays)


def layout_digest(game: Game) -> str:
    """Digest what the bytes of a state mean."""
    return digest_of([repr(game.kernels.state_type.descr), *(option.name for option in game.options)])


def as_bytes(array: np.ndarray) -> np.ndarray:
    """Return structures as bytes, in one more dimension."""
    plain = np.ascontiguousarray(array).view(np.ndarray)
    return plain.view(np.uint8).reshape(*array.shape, array.dtype.itemsize)


def from_bytes(name: str, content: np.ndarray | None, like: np.ndarray) -> np.ndarray:
    """Return a saved array with the type and shape of another; raise BadSave if it has others."""
    expected = as_bytes(like) if like.dtype.names else like
    if content is None or content.shape != expected.shape or content.dtype != expected.dtype:
        found = "nothing" if content is None else f"{content.dtype} {content.shape}"
        raise BadSave(f"a saved batch has {expected.dtype} {expected.shape} for {name!r}, not {found}")
    return content.reshape(-1).view(like.dtype).reshape(like.shape) if like.dtype.names else content
