"""Export to Minari: one episode per seat of each game, as a single learner would see it."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tablee import __version__
from tablee.core.errors import TableeError
from tablee.datasets.rows import PlayedGame
from tablee.datasets.shards import Dataset, games_of


def export_to_minari(folder: Path, name: str) -> Any:
    """Write a dataset as the local Minari dataset `name`, such as `NAME/club-v0`; return it.

    Observations are those of the Gymnasium environment: `observation` and `action_mask`. A step lasts from one decision
    of the seat to its next one, and its reward is the sum of what the seat is given meanwhile. Raises TableeError if
    there is a dataset of that name.
    """
    path = new_minari_path(name)
    from gymnasium import spaces
    from minari import create_dataset_from_buffers

    dataset = Dataset.open(folder)
    game = dataset.game
    observed = spaces.Box(-np.inf, np.inf, (game.kernels.observation.size,), np.float32)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # Minari asks for an author, a page and an environment
            return create_dataset_from_buffers(
                name,
                _episodes(dataset),  # one at a time: masks of many moves would fill the memory
                observation_space=spaces.Dict({"action_mask": spaces.MultiBinary(game.moves), "observation": observed}),
                action_space=spaces.Discrete(game.moves),
                algorithm_name=json.dumps(dataset.description["source"]),
                description=f"{game.name}, version {game.version} of its rules, rewards by {dataset.reward}",
                requirements=[f"tablee=={__version__}"],
                data_format="arrow",
            )
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)  # else it would be in the way of the next attempt
        raise


def new_minari_path(name: str) -> Path:
    """Return where a new Minari dataset goes; raise TableeError if the name is taken or is none."""
    try:
        from minari.dataset.minari_dataset import parse_dataset_id
        from minari.storage import get_dataset_path
    except ImportError:
        raise TableeError("Minari is not installed: pip install 'tablee[research]'") from None
    try:
        parse_dataset_id(name)
    except ValueError:
        raise TableeError(f"{name!r} is no name of a Minari dataset; one is NAMESPACE/NAME-v0") from None
    path = Path(get_dataset_path(name))
    if path.exists():
        raise TableeError(f"there is a Minari dataset {name} in {path}: delete it, or choose another name or version")
    return path


def _episodes(dataset: Dataset) -> Iterator[Any]:
    from minari.data_collector import EpisodeBuffer

    number = 0
    for path in dataset.shards():
        for rows in games_of(path):
            played = PlayedGame.from_rows(rows)
            for steps in _seat_steps(played, dataset.reward):
                if steps["actions"]:
                    yield EpisodeBuffer(id=number, **steps)
                    number += 1


def _seat_steps(played: PlayedGame, reward: str) -> list[dict[str, Any]]:
    """Play a game again and divide it among its seats."""
    stepper = played.stepper(reward, observes=True)
    seats = range(played.setup.seats)
    episodes: list[dict[str, Any]] = [{"observations": [], "actions": [], "rewards": []} for _ in seats]
    for move in played.moves:
        mover = episodes[stepper.to_move]
        mover["observations"].append((stepper.observe(stepper.to_move), stepper.mask.copy()))
        mover["actions"].append(move)
        mover["rewards"].append(0.0)
        stepper.step(move)
        for seat in seats:
            if episodes[seat]["rewards"]:
                episodes[seat]["rewards"][-1] += float(stepper.rewards[seat])
    nothing = np.zeros(played.game.moves, np.int8)
    for seat in seats:
        episodes[seat]["observations"].append((stepper.observe(seat), nothing))
    return [_as_arrays(episode) for episode in episodes]


def _as_arrays(episode: dict[str, Any]) -> dict[str, Any]:
    numbers, masks = zip(*episode["observations"], strict=True)
    count = len(episode["actions"])
    return {
        "observations": {"action_mask": np.stack(masks), "observation": np.stack(numbers)},
        "actions": episode["actions"],
        "rewards": episode["rewards"],
        "terminations": [index == count - 1 for index in range(count)],
        "truncations": [False] * count,
    }
