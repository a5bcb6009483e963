"""Trained networks as files of a game's folder, and what they say about a position, without PyTorch.

`network.npz` has the weights in float16 and a card: the game's version and the digests of its layouts that the network
was trained with, and where it comes from. A network that does not fit the game is refused.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tablee.bots.network_files import network_path
from tablee.core.compilation import kernel
from tablee.core.errors import TableeError
from tablee.core.observation import move_feature_table
from tablee.core.types import Moves, Numbers

if TYPE_CHECKING:
    from tablee.core.game import Game

MAX_BYTES = 2_000_000  # of a file
FORMAT = 1
UNREADABLE = (  # what NumPy and zipfile raise for a file that is damaged, or something else
    *(OSError, EOFError, LookupError, ValueError, TypeError, AttributeError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error),
)


class BadNetwork(TableeError):
    """A network cannot be read, or does not fit the game that is installed."""


class Weights(NamedTuple):
    """The weights of a network, float32. Layers are (inputs, outputs), so that inputs of zero cost nothing."""

    first: Numbers  # (observation, width)
    first_bias: Numbers
    second: Numbers  # (width, width)
    second_bias: Numbers
    third: Numbers  # (width, width)
    third_bias: Numbers
    value: Numbers  # (width, 1)
    value_bias: Numbers
    policy: Numbers  # (width, moves) or, where moves have features, (width, k)
    policy_bias: Numbers
    move_policy: Numbers  # (features of a move, k); (0, 0) without features
    rating: Numbers  # (k, 1); (0, 0) without features


class Card(NamedTuple):
    """What a network was trained on, and by which run."""

    game: str
    game_version: int
    observation: str  # digest of the layout
    move_features: str  # digest of the layout, empty if the game declares none
    run: dict[str, Any]  # commit, seed, settings, moves, seconds


class Network:
    """A network that is ready to rate moves, in any number of threads."""

    def __init__(self, game: Game, weights: Weights, card: Card) -> None:
        require_fit(game, weights, card)
        self.game = game
        self.weights = weights
        self.card = card
        features = move_feature_table(game)
        self._features = np.zeros((0, 0), np.float32) if features is None else np.array(features)

    def rate(self, observation: Numbers, moves: Moves) -> tuple[np.ndarray, float]:
        """Return a rating per move, logarithms of probabilities up to a constant, and the value of the position.

        `moves` are (n,) int32. The value is the reward that the observing seat can expect until the round ends.
        """
        ratings = np.empty(len(moves), np.float32)
        value = rate_moves(self.weights, observation, self._features, moves, ratings)
        return ratings, float(value)

    def probabilities(self, observation: Numbers, moves: Sequence[int]) -> dict[int, float]:
        """Return the probability of each of the legal moves."""
        ratings, _ = self.rate(observation, np.array(moves, np.int32))
        return dict(zip(moves, shares(ratings), strict=True))


def shares(ratings: Numbers) -> list[float]:
    """Return the probabilities of moves, in float64, from the network's ratings."""
    weights = np.exp(ratings - ratings.max(), dtype=np.float64)
    probabilities: list[float] = (weights / weights.sum()).tolist()
    return probabilities


@kernel
def apply_layer(inputs: Numbers, weights: Numbers, bias: Numbers, out: Numbers) -> None:
    """Write a dense layer's outputs; inputs of zero are skipped."""
    for column in range(len(bias)):
        out[column] = bias[column]
    for row in range(len(inputs)):
        number = inputs[row]
        if number != 0:
            own = weights[row]
            for column in range(len(bias)):
                out[column] += number * own[column]


@kernel
def rectify(numbers: Numbers) -> None:
    """Replace negative numbers by zero."""
    for index in range(len(numbers)):
        numbers[index] = max(numbers[index], np.float32(0))


@kernel
def rate_moves(weights: Weights, observation: Numbers, features: Numbers, moves: Moves, out: Numbers) -> float:
    """Write a rating of each move and return the value; `features` is the table of all moves, or empty."""
    first = np.empty(len(weights.first_bias), np.float32)
    second = np.empty(len(weights.second_bias), np.float32)
    value = np.empty(1, np.float32)
    rows = np.empty((2, len(weights.policy_bias)), np.float32)
    apply_layer(observation, weights.first, weights.first_bias, first)
    rectify(first)
    apply_layer(first, weights.second, weights.second_bias, second)
    rectify(second)
    apply_layer(second, weights.third, weights.third_bias, first)
    rectify(first)
    apply_layer(first, weights.value, weights.value_bias, value)
    apply_layer(first, weights.policy, weights.policy_bias, rows[0])
    for index in range(len(moves)):
        if len(features) == 0:
            out[index] = rows[0, moves[index]]
        else:
            apply_layer(features[moves[index]], weights.move_policy, rows[0], rows[1])
            rectify(rows[1])
            total = np.float32(0)
            for column in range(len(weights.rating)):
                total += rows[1, column] * weights.rating[column, 0]
            out[index] = total
    return float(value[0])


def require_fit(game: Game, weights: Weights, card: Card) -> None:
    """Raise BadNetwork unless a network fits the game that is installed."""
    layout = game.kernels.move_feature_layout
    installed = (game.name, game.version, game.kernels.observation.digest, layout.digest if layout else "")
    if card[:4] != installed:
        raise BadNetwork(
            f"this network was trained on {card.game} {card.game_version} with observations {card.observation}, not on "
            f"{game.name} {game.version} with {game.kernels.observation.digest}: train it again (docs/learning.md)"
        )
    if {name: array.shape for name, array in weights._asdict().items()} != expected_shapes(game, weights):
        raise BadNetwork(f"this network of {game.name} does not have the shape that its card says")
    if not all(np.isfinite(array).all() for array in weights):
        raise BadNetwork(f"this network of {game.name} has weights that are not numbers")


def expected_shapes(game: Game, weights: Weights) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of a network with layers as wide as those of some weights."""
    layout, width = game.kernels.move_feature_layout, weights.first.shape[-1]
    outputs = weights.policy.shape[-1] if layout else game.moves
    layers = {
        "first": (game.kernels.observation.size, width),
        "second": (width, width),
        "third": (width, width),
        "value": (width, 1),
        "policy": (width, outputs),
    }
    biases = {f"{name}_bias": shape[1:] for name, shape in layers.items()}
    pairs = {"move_policy": (layout.size, outputs) if layout else (0, 0), "rating": (outputs, 1) if layout else (0, 0)}
    return {**layers, **biases, **pairs}


def write_network(path: Path, weights: Weights, card: Card) -> None:
    """Write a network in float16; raise BadNetwork if the file would be larger than MAX_BYTES."""
    arrays: dict[str, Any] = {name: array.astype(np.float16) for name, array in weights._asdict().items()}
    temporary = path.with_suffix(".tmp.npz")
    np.savez_compressed(temporary, card=np.array(json.dumps({"format": FORMAT} | card._asdict())), **arrays)
    if temporary.stat().st_size > MAX_BYTES:
        temporary.unlink()
        raise BadNetwork(f"{path} would be larger than {MAX_BYTES:,} bytes: train a network with fewer weights")
    temporary.replace(path)


def read_network(path: Path, game: Game) -> Network:
    """Read a network; raise BadNetwork, with the path, if it cannot be read or does not fit the game."""
    try:
        if (size := path.stat().st_size) > MAX_BYTES:
            raise BadNetwork(f"it has {size:,} bytes, more than {MAX_BYTES:,}")
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as content:
            card = json.loads(str(content["card"]))
            arrays = {name: content[name].astype(np.float32) for name in Weights._fields}
        if card.pop("format") != FORMAT:
            raise BadNetwork("it is of another version of Tablée")
        return Network(game, Weights(**arrays), Card(**card))
    except BadNetwork as error:
        raise BadNetwork(f"{path}: {error}") from None
    except UNREADABLE as error:
        raise BadNetwork(f"{path} is not a network of Tablée: {error}") from None


@cache
def network_of(game: Game) -> Network:
    """Return the network of a game, read once; raise BadNetwork if there is none or it does not fit."""
    path = network_path(game)
    if path is None:
        raise BadNetwork(f"{game.name} has no trained network; `tablee train {game.name}` makes one")
    return read_network(path, game)
