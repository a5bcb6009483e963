"""Fuzzing of the adapters (`make fuzz-adapters`): calls with right and wrong arguments, each a clear error or right.

    python tests/fuzz_adapters.py [--calls 100000] [--seed 0] [--game NAME ...]

PettingZoo, Gymnasium (single and vector), OpenSpiel, and Stable-Baselines3 where it is installed. What returns is
compared with a `Match`; what raises must leave the position as it was. A crash or a hang ends the process; any other
error is a bug and passed on. `tests/test_adapters_fuzz.py` makes a few hundred calls.
"""

from __future__ import annotations

import operator
from importlib.util import find_spec
from typing import Any

import numpy as np
import pyspiel

import tablee.adapters.openspiel  # registers the games
from tablee.adapters.gymnasium import LearnerEnv
from tablee.adapters.openspiel.parameters import specification
from tablee.adapters.pettingzoo import TableEnv
from tablee.adapters.vector import BatchVectorEnv
from tablee.core.match import Match
from tablee.core.registry import find_game
from tablee.core.state import NOBODY
from wrong_arguments import Fuzzer, run_fuzzer

assert tablee.adapters.openspiel

CALLS_PER_TABLE = 20
GAMES_OF_VECTORS = 3
MAX_GAMES = 8  # in a vector: more would only take long
NEVER_ON_TURN = "before the seat was on turn"  # said after a move, where episodes are very short
SPIEL_PLAYERS = (-4, -2, -1, 0, 1, 2, 7, 8, 99, 2**31 - 1)


class AdapterFuzzer(Fuzzer):
    """Makes environments of every adapter and calls their methods."""

    expected = (*Fuzzer.expected, TypeError, ValueError, RuntimeError)  # the last one from OpenSpiel's C++

    def says_why(self, error: Exception) -> bool:
        """Return whether the message of an error is a sentence; OpenSpiel's own need not be."""
        return isinstance(error, RuntimeError) or super().says_why(error)

    def run(self, calls: int) -> None:
        """Make at least so many calls, as many environments of each adapter."""
        while self.calls < calls:
            self.use_zoo()
            self.use_gym()
            self.use_vector()
            self.use_spiel()
            if find_spec("stable_baselines3") is not None:
                self.use_baselines()

    # Settings

    def settings(self, **known: tuple[Any, ...]) -> dict[str, Any]:
        """Return settings of an environment, most of them right."""
        game = find_game(self.chooser.choice(self.games))
        setup = self.chooser.choice(list(game.setups()))
        chosen: dict[str, Any] = {"game": game.name, "seats": setup.seats, "options": dict(setup.options)}
        if game.reductions and self.is_likely(0.2):
            chosen = {"game": game.name, "reduction": self.chooser.choice(game.reductions).name}
        usual = {
            "reward": ("ranks", "places", "points", "round", "potential", None),
            "episode": ("game", "round"),
            "max_moves": (None, 7, 50),
            "illegal": ("raise", "lose"),
            "action_mask": (True, False),
            "move_list": (False, True),
        }
        for name, values in {**usual, **known}.items():
            if self.is_likely(0.4):
                chosen[name] = self.chooser.choice(values)
        if self.is_likely(0.4):
            name = self.chooser.choice(sorted({*chosen, *usual, *known, "reduction"}))
            chosen[name] = self.mapping() if name == "options" else self.anything(2)
        return chosen

    def move(self, legal: Any, moves: int) -> Any:
        """Return a move: mostly legal, sometimes of the game, sometimes anything."""
        if len(legal) and self.is_likely(0.6):
            return self.chooser.choice(list(legal))
        return self.chooser.randrange(moves) if self.is_likely(0.3) else self.anything(1)

    def reset_arguments(self, size: int = 1) -> dict[str, Any]:
        """Return arguments of `reset`."""
        seed = self.chooser.randrange(2**64) if self.is_likely(0.6) else self.anything(size)
        options = self.one_of(
            lambda: None, lambda: {"stream": self.scalar()}, self.mapping, lambda: {"reset_mask": self.anything(size)}
        )
        return {"seed": seed, "options": options}

    # PettingZoo

    def use_zoo(self) -> None:
        """Make and use a PettingZoo environment."""
        known = {"render_mode": (None, "ansi"), "viewer": (-1, 0)}
        made, table = self.call("TableEnv", TableEnv, **self.settings(**known))
        if not made or not self.call("TableEnv.reset", table.reset, seed=3)[0]:
            return
        for _ in range(CALLS_PER_TABLE):
            self.step_zoo(table)
            self.call("TableEnv.state", table.state)
            self.call("TableEnv.observe", table.observe, self.chooser.choice(table.possible_agents))
            if not table.agents or self.is_likely(0.1):
                if not self.call("TableEnv.reset", table.reset, **self.reset_arguments())[0] and not table.agents:
                    return

    def step_zoo(self, table: TableEnv) -> None:
        """Play a move; compare with a match."""
        before, match = table.stepper.state.tobytes(), table.match
        is_over = table.terminations[table.agent_selection] or table.truncations[table.agent_selection]
        legal = [] if is_over else table.stepper.legal.tolist()
        move = None if is_over and self.is_likely(0.8) else self.move(legal, table.game.moves)
        returned, _ = self.call("TableEnv.step", table.step, move)
        if not returned or is_over:
            assert table.stepper.state.tobytes() == before
        elif whole(move) in legal:
            match.play(whole(move))
            assert table.stepper.state.tobytes() == match.state.tobytes()
        else:
            assert table.illegal == "lose", self.shown(move)
            assert all(table.terminations.values())

    # Gymnasium

    OPPONENTS = {"seat": (0, 1, "rotate", "random"), "bots": ("random", "greedy", "policy")}  # noqa: RUF012

    def use_gym(self) -> None:
        """Make and use a Gymnasium environment."""
        made, table = self.call("LearnerEnv", LearnerEnv, **self.settings(**self.OPPONENTS))
        if not made:
            return
        for _ in range(CALLS_PER_TABLE):
            if self.is_likely(0.2):
                returned, result = self.call("LearnerEnv.reset", table.reset, **self.reset_arguments())
                if returned:
                    self.compare_gym(table, result[0])
            self.step_gym(table)

    def step_gym(self, table: LearnerEnv) -> None:
        """Play a move; what is observed afterwards is what a match shows."""
        before, legal = table.stepper.state.tobytes(), table.stepper.legal.tolist()
        move = self.move(legal, table.game.moves)
        returned, result = self.call("LearnerEnv.step", table.step, move)
        if not returned:
            assert table.stepper.state.tobytes() == before
            return
        seen, _, ended, truncated, info = result
        assert (whole(move) in legal) != ("illegal" in info), self.shown(move)
        self.compare_gym(table, seen)
        if ended or truncated:
            self.call("LearnerEnv.reset", table.reset)

    def compare_gym(self, table: LearnerEnv, seen: dict[str, Any]) -> None:
        """Compare an observation with a match."""
        match = table.match
        assert not table.game.kernels.problems(match.state)
        assert np.array_equal(seen["observation"], match.sight(table.seat).observe())
        if "action_mask" in seen and table.stepper.to_move != NOBODY:
            assert np.flatnonzero(seen["action_mask"]).tolist() == match.legal_moves()

    def use_vector(self) -> None:
        """Make and use a vector environment."""
        known = {**self.OPPONENTS, "autoreset_mode": ("NextStep", "SameStep", "Disabled"), "threads": (None, 1)}
        known["seat"] = (*known["seat"], "all")
        made, tables = self.call("BatchVectorEnv", BatchVectorEnv, self.count(), **self.settings(**known))
        if not made or tables.num_envs > MAX_GAMES:
            return
        for _ in range(CALLS_PER_TABLE // GAMES_OF_VECTORS):
            if self.is_likely(0.3):
                self.call("BatchVectorEnv.reset", tables.reset, **self.reset_arguments(tables.num_envs))
            before = tables.batch.states.tobytes()
            returned, result = self.call("BatchVectorEnv.step", tables.step, self.moves(tables))
            if returned:
                self.compare_vector(tables, result[0])
            else:
                assert tables.batch.states.tobytes() == before or NEVER_ON_TURN in str(result)

    def count(self) -> Any:
        """Return a number of environments."""
        count = GAMES_OF_VECTORS if self.is_likely(0.8) else self.anything(2)
        return 2**40 if (whole(count) or 0) > MAX_GAMES else count

    def moves(self, tables: BatchVectorEnv) -> Any:
        """Return moves of all games: mostly legal."""
        if self.is_likely(0.6):
            return tables.action_space.sample()
        if self.is_likely(0.4):
            return [self.chooser.randrange(tables.game.moves) for _ in range(tables.num_envs)]
        return self.anything(tables.num_envs)

    def compare_vector(self, tables: BatchVectorEnv, seen: dict[str, Any]) -> None:
        """Compare the games that go on with matches."""
        for row in np.flatnonzero(~tables._waits).tolist():
            match = Match.from_state(tables.game, tables.batch.states[row])
            assert not tables.game.kernels.problems(match.state)
            assert np.array_equal(seen["observation"][row], match.sight(match.to_move).observe())
            if "action_mask" in seen:
                assert np.flatnonzero(seen["action_mask"][row]).tolist() == match.legal_moves()

    def use_baselines(self) -> None:
        """Make and use an environment of Stable-Baselines3."""
        from tablee.adapters.stable_baselines import BatchVecEnv

        made, tables = self.call("BatchVecEnv", BatchVecEnv, self.count(), **self.settings(**self.OPPONENTS))
        if not made or tables.num_envs > MAX_GAMES:
            return
        for _ in range(CALLS_PER_TABLE // GAMES_OF_VECTORS):
            if self.is_likely(0.3):
                self.call("BatchVecEnv.seed", tables.seed, self.integer())
                self.call("BatchVecEnv.reset", tables.reset)
            before = tables.tables.batch.states.tobytes()
            returned, result = self.call("BatchVecEnv.step", tables.step, self.moves(tables.tables))
            is_same = tables.tables.batch.states.tobytes() == before
            assert returned or is_same or NEVER_ON_TURN in str(result)

    # OpenSpiel

    def use_spiel(self) -> None:
        """Load a game of OpenSpiel and use a state."""
        loaded, game = self.call("load_game", pyspiel.load_game, *self.spiel_arguments())
        if not loaded:
            return
        state = game.new_initial_state()
        for _ in range(CALLS_PER_TABLE):
            if state.is_terminal():
                state = game.new_initial_state()
            self.step_spiel(state)
            self.look_spiel(state)

    def spiel_arguments(self) -> tuple[Any, ...]:
        """Return arguments of `load_game`."""
        game = find_game(self.chooser.choice(self.games))
        setup = self.chooser.choice(list(game.setups()))
        chosen: dict[str, Any] = {"players": setup.seats, "max_moves": 60, **setup.options}
        if game.reductions and self.is_likely(0.2):
            chosen = {"reduction": self.chooser.choice(game.reductions).name}
        usual = {"reward": ("ranks", "points", "round", "potential"), "episode": ("game", "round")}
        usual |= {"chance": ("draws", "deal"), "history": (0, 3), "deals": (1, 4), "seed": (0, 9)}
        for name, values in usual.items():
            if self.is_likely(0.3):
                chosen[name] = self.chooser.choice(values)
        if self.is_likely(0.4):
            name = self.chooser.choice([*specification(game), *usual, "", "rows"])
            chosen[name] = self.scalar()
        if self.is_likely(0.1):
            return (f"tablee_{game.name}({self.chooser.choice(list(chosen))}={self.scalar()!r})",)
        return (f"tablee_{game.name}", chosen)

    def step_spiel(self, state: Any) -> None:
        """Apply an action; one that is not listed is refused, and nothing changes."""
        listed, before = state.legal_actions(), bytes(state.position.memory)
        action = self.move(listed, state.get_game().num_distinct_actions())
        returned, _ = self.call("State.apply_action", state.apply_action, action)
        assert returned == (whole(action) in listed) or not isinstance(action, int), self.shown(action)
        if not returned:
            assert bytes(state.position.memory) == before
        elif not state.is_chance_node():
            assert not state.position.model.game.kernels.problems(state.position.state())

    def look_spiel(self, state: Any) -> None:
        """Ask what a player sees, who may not exist."""
        player = self.chooser.choice(SPIEL_PLAYERS) if self.is_likely(0.8) else self.anything(1)
        for name in ("observation_tensor", "observation_string", "information_state_tensor", "legal_actions"):
            if self.is_likely(0.3):
                self.call(f"State.{name}", getattr(state, name), player)
        if self.is_likely(0.2):
            self.call("State.information_state_string", state.information_state_string, player)
            self.call("State.action_to_string", state.action_to_string, player, self.integer())
            self.call("State.resample_from_infostate", state.resample_from_infostate, player, self.chooser.random)
        if self.is_likely(0.1):
            assert str(state.clone()) == str(state)


def whole(value: Any) -> int | None:
    """Return a value as a whole number, None if it is none."""
    try:
        return operator.index(value)
    except TypeError:
        return None


if __name__ == "__main__":
    run_fuzzer(AdapterFuzzer)
