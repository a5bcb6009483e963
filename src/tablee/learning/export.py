"""Export: from a checkpoint to the file that bots read, and back to the start of a run."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from tablee.bots.networks import Card, Network, Weights, read_network, write_network
from tablee.learning.checkpoints import Checkpoint, read_checkpoint
from tablee.learning.settings import TrainingSettings

if TYPE_CHECKING:
    from tablee.core.game import Game

# Fields of `Weights` by the names of layers in PolicyNetwork.
LAYERS = {
    "first": "body.0",
    "second": "body.1",
    "third": "body.2",
    "value": "value",
    "policy": "policy",
    "move_policy": "move_policy",
    "rating": "rating",
}


def _layer_name(field: str) -> str:
    """Return the name in PolicyNetwork of a field of `Weights`."""
    return LAYERS[field.removesuffix("_bias")] + (".bias" if field.endswith("_bias") else ".weight")


def exported_weights(layers: dict[str, Any]) -> Weights:
    """Return the weights of a network's state as float32 arrays, rounded to float16 as in a file."""
    arrays = {}
    for name in Weights._fields:
        tensor = layers.get(_layer_name(name))
        array = np.zeros((0, 0)) if tensor is None else tensor.float().cpu().numpy().T
        arrays[name] = np.ascontiguousarray(array.astype(np.float16).astype(np.float32))
    return Weights(**arrays)


def exported_network(game: Game, checkpoint: Checkpoint) -> Network:
    """Return the network of a checkpoint as bots use it."""
    layout = game.kernels.move_feature_layout
    run = {
        "commit": checkpoint.commit,
        "seed": checkpoint.seed,
        "generations": checkpoint.generation,
        "moves": checkpoint.moves,
        "seconds": round(checkpoint.seconds),
        "settings": asdict(checkpoint.settings),
    }
    card = Card(checkpoint.game, checkpoint.game_version, checkpoint.layout, layout.digest if layout else "", run)
    return Network(game, exported_weights(checkpoint.network), card)


def export(game: Game, checkpoint: Checkpoint, path: Path) -> None:
    """Write the network of a checkpoint as a file for bots."""
    network = exported_network(game, checkpoint)
    write_network(path, network.weights, network.card)


def imported_weights(weights: Weights) -> dict[str, torch.Tensor]:
    """Return the state of a network from the weights of a file: the inverse of `exported_weights`, but for rounding."""
    arrays = weights._asdict().items()
    return {_layer_name(name): torch.from_numpy(array.T.copy()) for name, array in arrays if array.size}


def read_start(path: Path, game: Game) -> Checkpoint:
    """Read a checkpoint or, if its name ends with `.npz`, a network for bots, which is also the pool's first.

    Raise BadCheckpoint or BadNetwork if it cannot be read or does not fit the game.
    """
    if path.suffix != ".npz":
        return read_checkpoint(path, game)
    network = read_network(path, game)
    layers, run = imported_weights(network.weights), network.card.run
    settings = TrainingSettings(**run["settings"])
    start = Checkpoint(game.name, game.version, network.card.observation, settings, run["seed"], run["commit"])
    return replace(start, moves=run["moves"], network=layers, pool=[layers])
