"""Export: from a checkpoint to the file that bots read."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tablee.bots.networks import Card, Network, Weights, write_network
from tablee.learning.checkpoints import Checkpoint

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


def exported_weights(layers: dict[str, Any]) -> Weights:
    """Return the weights of a network's state as float32 arrays, rounded to float16 as in a file."""
    arrays = {}
    for name in Weights._fields:
        layer, kind = LAYERS[name.removesuffix("_bias")], "bias" if name.endswith("_bias") else "weight"
        tensor = layers.get(f"{layer}.{kind}")
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
