"""The same seed and moves through every interface: Match, batches, PettingZoo, Gymnasium (also vectors), OpenSpiel.

    python tests/adapter_suites.py GAME STEPS DEVICE ...

`tests/test_adapter_suites.py` calls it, also under the CUDA simulator, which needs a process of its own.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyspiel
from gymnasium.vector import AutoresetMode

import tablee.adapters.openspiel  # registers the games
from tablee.adapters.gymnasium import LearnerEnv
from tablee.adapters.openspiel.parameters import parameter_of
from tablee.adapters.pettingzoo import TableEnv
from tablee.adapters.vector import BatchVectorEnv
from tablee.bots.bot import Decision
from tablee.core.game import Game, Setup
from tablee.core.match import Match
from tablee.core.registry import find_game
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR
from tablee.simulation.batch import Batch

SEED, STREAM = 11, 1  # row 1 of a batch of two
LEARNER = 0
ROLLOUT_MOVES = 3
ROUNDING = 2.0**-36  # of rewards

assert tablee.adapters.openspiel


@dataclass
class Scripted:
    """Chooses by a digest of its sight, so that all interfaces play the same game."""

    name: str = "scripted"
    version: int = 1

    def decide(self, sight: Sight, moves: Sequence[int]) -> Decision:
        return Decision(moves[zlib.crc32(sight.to_bytes()) % len(moves)])


class Interfaces:
    """One game played through all interfaces at once."""

    def __init__(self, game: Game, setup: Setup, devices: Sequence[str]) -> None:
        choices = {"seats": setup.seats, "options": setup.options}
        self.match = Match(game, seed=SEED, stream=STREAM, **choices)
        self.batches = [Batch(game, 2, seed=SEED, device=device, auto_reset=False, **choices) for device in devices]
        self.zoo = TableEnv(game, **choices)
        self.zoo.reset(seed=SEED, options={"stream": STREAM})
        self.gym = LearnerEnv(game, seat=LEARNER, bots=[Scripted()] * (setup.seats - 1), **choices)
        self.gym_last = (*self.gym.reset(seed=SEED, options={"stream": STREAM}), 0.0, False)
        self.learners = Vector(game, choices, seat=LEARNER, bots=Scripted())
        self.self_play = Vector(game, choices, seat="all")
        options = {parameter_of(option): setup.options[option.name] for option in game.options}
        parameters = {"players": setup.seats, "chance": "deal", "deals": 2, "deal_nodes": 1, "seed": SEED, **options}
        self.spiel = pyspiel.load_game(f"tablee_{game.name}", parameters).new_initial_state()
        self.spiel.apply_action(STREAM)

    def play(self) -> None:
        """Play the scripted move through every interface."""
        seat = self.match.to_move
        move = Scripted().decide(self.match.sight(seat), self.match.legal_moves()).move
        for batch in self.batches:
            others = batch.on_host(batch.legal)[0, 0]
            batch.step([others, move])
        self.zoo.step(move)
        self.spiel.apply_action(move)
        self.self_play.step(move)
        if seat == LEARNER:
            self.learners.step(move)
            observed, reward, ended, _, info = self.gym.step(move)
            self.gym_last = (observed, info, reward, ended)
        self.match.play(move)

    def compare(self) -> None:
        """Compare what each interface reports of the position with the match."""
        self.observed = {seat: self.match.sight(seat).observe() for seat in range(SPECTATOR, self.match.seats)}
        self.compare_vector(self.self_play)
        for batch in self.batches:
            self.compare_batch(batch)
        self.compare_zoo()
        self.compare_spiel()
        if self.match.to_move in (LEARNER, -1):
            self.compare_gym()
            self.compare_vector(self.learners)

    def compare_rollouts(self) -> None:
        """Continue at random in all batches, with equal states."""
        for batch in self.batches:
            batch.rollout(ROLLOUT_MOVES)
        states = {batch.on_host(batch.states).tobytes() for batch in self.batches}
        assert len(states) == 1

    def expected_rewards(self) -> list[float]:
        """Compute the rewards from the outcome, not with the code that the interfaces share."""
        outcome = self.match.outcome
        if outcome is None:
            return [0.0] * self.match.seats
        if self.match.game.utility == "scores":
            return [float(points) for points in outcome.scores]
        shares = [sum(np.sign(other - mine) for other in outcome.ranks) for mine in outcome.ranks]
        return [share / (self.match.seats - 1) for share in shares]

    def compare_rewards(self, found: Sequence[float]) -> None:
        """Compare rewards with the outcome's, up to the rounding that makes their sum exactly 0."""
        assert np.allclose(found, self.expected_rewards(), rtol=0, atol=ROUNDING)
        assert self.match.game.utility == "scores" or sum(found) == 0.0

    def compare_batch(self, batch: Batch) -> None:
        host = batch.on_host
        moves = self.match.legal_moves()
        assert host(batch.states)[STREAM].tobytes() == self.match.state.tobytes()
        assert host(batch.to_move)[STREAM] == self.match.to_move
        assert host(batch.legal)[STREAM, : host(batch.counts)[STREAM]].tolist() == moves
        assert np.flatnonzero(host(batch.mask)[STREAM]).tolist() == moves
        assert np.array_equal(host(batch.observations)[STREAM], self.observed[self.match.to_move])
        self.compare_rewards(host(batch.rewards)[STREAM].tolist())
        assert bool(host(batch.ended)[STREAM]) == self.match.is_over

    def compare_zoo(self) -> None:
        for seat, agent in enumerate(self.zoo.possible_agents):
            seen = self.zoo.observe(agent)
            moves = self.match.legal_moves() if seat == self.match.to_move else []
            assert np.array_equal(seen["observation"], self.observed[seat])
            assert np.flatnonzero(seen["action_mask"]).tolist() == moves
            assert np.flatnonzero(self.zoo.infos[agent].get("action_mask", [])).tolist() == moves
        self.compare_rewards(list(self.zoo.rewards.values()))
        assert set(self.zoo.terminations.values()) == {self.match.is_over}

    def compare_spiel(self) -> None:
        assert self.spiel.is_terminal() == self.match.is_over
        self.compare_rewards(self.spiel.returns())
        for seat in range(self.match.seats):
            assert np.array_equal(np.float32(self.spiel.observation_tensor(seat)), self.observed[seat])
        if not self.match.is_over:
            assert self.spiel.current_player() == self.match.to_move
            assert self.spiel.legal_actions() == self.match.legal_moves()

    def compare_vector(self, vector: Vector) -> None:
        """At the end of an episode the observation and the reward are those of the learner, or of who moved last."""
        is_over = self.match.is_over
        assert bool(vector.ended[STREAM]) == is_over
        seat = int((vector.info["final_info"] if is_over else vector.info)["seat"][STREAM])
        assert is_over or seat == self.match.to_move
        assert np.array_equal(vector.seen["observation"][STREAM], self.observed[seat])
        moves = self.match.legal_moves()
        assert np.flatnonzero(vector.seen["action_mask"][STREAM]).tolist() == moves
        assert np.flatnonzero(vector.info["action_mask"][STREAM]).tolist() == moves
        assert abs(vector.rewards[STREAM] - self.expected_rewards()[seat]) <= ROUNDING
        if "rewards" in vector.info:
            self.compare_rewards(vector.info["rewards"][STREAM].tolist())
        if not is_over:
            assert vector.tables.batch.states[STREAM].tobytes() == self.match.state.tobytes()

    def compare_gym(self) -> None:
        observed, info, reward, ended = self.gym_last
        assert self.gym.match.digest() == self.match.digest()
        assert np.array_equal(observed["observation"], self.observed[LEARNER])
        moves = self.match.legal_moves()
        assert np.flatnonzero(observed["action_mask"]).tolist() == moves
        assert np.flatnonzero(info["action_mask"]).tolist() == moves
        assert abs(reward - self.expected_rewards()[LEARNER]) <= ROUNDING
        assert ended == self.match.is_over


class Vector:
    """A vector environment of two games, of which the one in row STREAM is compared, and its last results."""

    def __init__(self, game: Game, choices: dict[str, Any], **settings: Any) -> None:
        self.tables = BatchVectorEnv(2, game, autoreset_mode=AutoresetMode.NEXT_STEP, **choices, **settings)
        self.seen, self.info = self.tables.reset(seed=SEED)
        self.rewards, self.ended = np.zeros(2), np.zeros(2, np.bool_)

    def step(self, move: int) -> None:
        """Play a move in the row that is compared, and a legal one in the other."""
        other = self.tables.batch.legal[0, 0]
        self.seen, self.rewards, self.ended, _, self.info = self.tables.step([other, move])


def setup_per_seats(game: Game) -> Iterator[Setup]:
    """Yield one setup for each number of seats, with as many default options as it allows."""
    for seats in game.seats:
        defaults = {option.name: option.default for option in game.options}
        setups = [setup for setup in game.setups() if setup.seats == seats]
        yield min(setups, key=lambda setup: sum(setup.options[name] != value for name, value in defaults.items()))


def compare_interfaces(name: str, steps: int, devices: Sequence[str]) -> list[int]:
    """Compare at every step, for each number of seats; return the numbers of moves played."""
    played = []
    for setup in setup_per_seats(find_game(name)):
        interfaces = Interfaces(find_game(name), setup, devices)
        interfaces.compare()
        while len(interfaces.match.moves) < steps and not interfaces.match.is_over:
            interfaces.play()
            interfaces.compare()
        interfaces.compare_rollouts()
        played.append(len(interfaces.match.moves))
    return played


if __name__ == "__main__":
    print(compare_interfaces(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))  # noqa: T201
