"""OpenSpiel's learners on every game, unmodified: DQN, NFSP, MCCFR (outcome and external sampling), IS-MCTS.

    python benchmarks/learners.py [GAME ...] [--episodes 20] [--moves 40] [--iterations 20] [--simulations 50]

Shows that they run, not that they learn: games are cut off after `--moves`, and episodes are few (`benchmarks/exact.py`
shows learning on reductions). Prints one JSON line per learner and game, with the seconds it took. DQN and NFSP need
PyTorch and dm-tree, and are left out, with a line that says so, where these are not installed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import external_sampling_mccfr, ismcts, mcts, outcome_sampling_mccfr

import tablee.adapters.openspiel  # registers the games
from json_lines import print_line
from tablee import all_games

assert tablee.adapters.openspiel

EXTERNAL_MOVES = 2  # external sampling tries every move of a player: the tree grows exponentially with the moves


def main() -> None:
    """Run every learner on every game."""
    parser = argparse.ArgumentParser(description="OpenSpiel's learners on every game")
    parser.add_argument("games", nargs="*", default=[game.name for game in all_games()])
    parser.add_argument("--episodes", type=int, default=20, help="of DQN and NFSP")
    parser.add_argument("--moves", type=int, default=40, help="after which games are cut off")
    parser.add_argument("--iterations", type=int, default=20, help="of MCCFR")
    parser.add_argument("--simulations", type=int, default=50, help="of IS-MCTS, per move")
    arguments = parser.parse_args()
    for name in arguments.games:
        cut = f"tablee_{name}(max_moves={arguments.moves},reward=round)"
        learners: dict[str, Callable[[], dict[str, Any]]] = {
            "DQN": lambda cut=cut: train(cut, dqn_agent, arguments.episodes),
            "NFSP": lambda cut=cut: train(cut, nfsp_agent, arguments.episodes),
            "MCCFR, outcome sampling": lambda cut=cut: outcome_sampling(cut, arguments.iterations),
            "MCCFR, external sampling": lambda name=name: external_sampling(
                f"tablee_{name}(max_moves={EXTERNAL_MOVES})", arguments.iterations
            ),
            "IS-MCTS": lambda cut=cut: search(cut, arguments.simulations),
        }
        for learner, run in learners.items():
            report(name, learner, run)


def report(game: str, learner: str, run: Callable[[], dict[str, Any]]) -> None:
    """Run a learner, and print what it did."""
    if learner in ("DQN", "NFSP") and (find_spec("torch") is None or find_spec("tree") is None):
        print_line(game=game, learner=learner, left_out="PyTorch or dm-tree is not installed")
        return
    start = time.process_time()
    done = run()
    print_line(game=game, learner=learner, seconds=round(time.process_time() - start, 1), **done)


# Learners with networks


def train(name: str, make_agent: Callable[[Any, int, int, int], Any], episodes: int) -> dict[str, Any]:
    """Let agents play episodes against each other, and learn; return how often they learned and their last losses."""
    game = pyspiel.load_game(name)
    environment = rl_environment.Environment(game)
    environment.seed(1)
    numbers = environment.observation_spec()["info_state"][0]
    moves = environment.action_spec()["num_actions"]
    agents = [make_agent(game, player, numbers, moves) for player in range(game.num_players())]
    steps = 0
    for _ in range(episodes):
        step = environment.reset()
        while not step.last():
            player = step.observations["current_player"]
            step = environment.step([agents[player].step(step).action])
            steps += 1
        for agent in agents:
            agent.step(step)
    return {"episodes": episodes, "steps": steps, "loss": [_rounded(agent.loss) for agent in agents]}


def _rounded(loss: Any) -> Any:
    """Round a loss, or each of several; None where the agent has not learned yet."""
    if isinstance(loss, tuple | list):
        return [_rounded(part) for part in loss]
    return None if loss is None else round(float(loss), 5)


def dqn_agent(game: Any, player: int, numbers: int, moves: int) -> Any:
    """Return a DQN agent that learns early."""
    from open_spiel.python.pytorch import dqn

    return dqn.DQN(player, numbers, moves, hidden_layers_sizes=[64], batch_size=16, min_buffer_size_to_learn=16)


def nfsp_agent(game: Any, player: int, numbers: int, moves: int) -> Any:
    """Return an NFSP agent that learns early."""
    from open_spiel.python.pytorch import nfsp

    return nfsp.NFSP(
        player,
        numbers,
        moves,
        hidden_layers_sizes=[64],
        reservoir_buffer_capacity=2000,
        anticipatory_param=0.5,  # best responses in half of the episodes: few episodes fill both buffers
        batch_size=16,
        min_buffer_size_to_learn=16,
        learn_every=16,
        replay_buffer_capacity=2000,
    )


# Tabular learners and search


def outcome_sampling(name: str, iterations: int) -> dict[str, Any]:
    """Run MCCFR with outcome sampling; return how many information states it has met."""
    np.random.seed(1)
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(pyspiel.load_game(name))
    for _ in range(iterations):
        solver.iteration()
    return {"iterations": iterations, "information_states": len(solver._infostates)}


def external_sampling(name: str, iterations: int) -> dict[str, Any]:
    """Run MCCFR with external sampling; return how many information states it has met."""
    np.random.seed(1)
    solver = external_sampling_mccfr.ExternalSamplingSolver(
        pyspiel.load_game(name), external_sampling_mccfr.AverageType.SIMPLE
    )
    for _ in range(iterations):
        solver.iteration()
    return {"iterations": iterations, "information_states": len(solver._infostates)}


def search(name: str, simulations: int) -> dict[str, Any]:
    """Play one game by IS-MCTS for the first player, and at random for the others; return its result."""
    game = pyspiel.load_game(name)
    chooser = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, chooser)
    bot = ismcts.ISMCTSBot(game, evaluator, uct_c=1.0, max_simulations=simulations, random_state=chooser)
    state = game.new_initial_state()
    searched = 0
    while not state.is_terminal():
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(chooser.choice(actions, p=weights)))
        elif state.current_player() == 0:
            state.apply_action(bot.step(state))
            searched += 1
        else:
            state.apply_action(int(chooser.choice(state.legal_actions())))
    return {"searches": searched, "returns": state.returns()}


if __name__ == "__main__":
    main()
