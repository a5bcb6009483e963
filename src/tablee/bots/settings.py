"""The settings of a search."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchSettings:
    """How a search works. The same settings, seed and sight give the same move."""

    iterations: int  # worlds imagined per decision
    exploration: float = 1.5  # weight of the bonus for moves with few visits
    fpu_reduction: float = 0.2  # first-play urgency: an unvisited move has its node's mean minus this many spreads
    temperature: float = 1.0  # of the softmax that turns ratings into priors; above 1 it trusts the policy less
    rollout_noise: float = 0.5  # temperature of the policy in rollouts; 0 plays the best rated move
    rollout_moves: int = 2000  # after which a rollout is cut off and evaluated
    nodes_by_mover: bool = True  # a node is what the seat on turn knows; else what the searching seat knows
    spectator_interval: int = 0  # one world in N is a spectator's, and other seats learn from those alone; 0: none
    mixed_moves: range = range(0)  # if the best move is one of these, a move is drawn in proportion to the visits
