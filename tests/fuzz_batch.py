"""Fuzzing of batches (`make fuzz-batch`): calls with right and wrong arguments, each a clear error or as a `Match`.

    python tests/fuzz_batch.py [--calls 100000] [--seed 0] [--game NAME ...]

Prints how often each call returned or raised what. A crash or a hang ends the process, so that the caller sees it; any
other error, and any difference from the matches, is a bug and passed on.
"""

from __future__ import annotations

import io
import operator
from typing import Any

import numpy as np

from tablee.core.match import Match
from tablee.core.registry import find_game
from tablee.simulation import NO_MOVE, Batch
from wrong_arguments import Fuzzer, run_fuzzer

MAX_SIZE = 5
CALLS_PER_BATCH = 60
MAX_ROLLOUT = 40


class BatchFuzzer(Fuzzer):
    """Makes batches and calls their methods."""

    def run(self, calls: int) -> None:
        """Make so many calls."""
        while self.calls < calls:
            made, batch = self.call("Batch", Batch, **self.settings())
            if made:
                self.use(batch)

    def settings(self) -> dict[str, Any]:
        """Return arguments of `Batch`: mostly right, so that there are batches to use."""
        game = find_game(self.chooser.choice(self.games))
        setup = self.chooser.choice(list(game.setups()))
        chosen: dict[str, Any] = {
            "game": game.name,
            "size": self.chooser.randint(1, MAX_SIZE),
            "seats": setup.seats,
            "options": dict(setup.options),
            "seed": self.chooser.randrange(2**64),
            "reward": self.chooser.choice(("ranks", "places", "points", "round", "potential", None)),
            "episode": self.chooser.choice(("game", "round")),
            "max_moves": self.chooser.choice((None, 1, 7, 50)),
            "auto_reset": self.is_likely(0.5),
            "checked": self.is_likely(0.5),
            "mask": self.is_likely(0.5),
            "observations": self.is_likely(0.5),
        }
        if game.reductions and self.is_likely(0.2):
            chosen |= {"seats": None, "options": None, "reduction": self.chooser.choice(game.reductions).name}
        while self.is_likely(0.4):
            name = self.chooser.choice(sorted({*chosen, "threads", "device", "reduction"}))
            chosen[name] = self.mapping() if name == "options" else self.anything(MAX_SIZE)
            if name == "size" and self.is_large(chosen["size"]):
                chosen["size"] = 2**40
        return chosen

    @staticmethod
    def is_large(size: Any) -> bool:
        """Return whether a batch of that size would take long, but fit into memory."""
        return isinstance(size, int | np.integer) and MAX_SIZE < int(size) < 2**40

    def use(self, batch: Batch) -> None:
        """Call methods of a batch."""
        for _ in range(CALLS_PER_BATCH):
            self.chooser.choice(
                (
                    self.step_rightly,
                    self.step_rightly,
                    self.step_wrongly,
                    self.step_by_chance,
                    self.play_until,
                    self.roll_out,
                    self.reset,
                    self.observe,
                    self.read,
                    self.save,
                )
            )(batch)

    def step_rightly(self, batch: Batch) -> None:
        """Play legal moves, of any integer type, and compare each game with a match; some games keep their position."""
        moves = batch.random_moves()
        if self.is_likely(0.2):
            moves[self.chooser.randrange(batch.size)] = NO_MOVE
        matches = [Match.from_state(batch.game, state) for state in batch.states]
        streams = batch._arrays.streams.copy()
        listed = self.one_of(lambda: moves, moves.tolist, lambda: moves.astype(np.int64), lambda: tuple(moves.tolist()))
        assert self.call("step", batch.step, listed)[0]
        for index, (match, move) in enumerate(zip(matches, moves.tolist(), strict=True)):
            if move == NO_MOVE:
                assert batch.states[index].tobytes() == match.state.tobytes()
            elif move >= 0:
                match.play(move)
                self.compare(batch, index, match, was_dealt=streams[index] != batch._arrays.streams[index])

    def compare(self, batch: Batch, index: int, match: Match, was_dealt: bool) -> None:
        """Compare a game with the match in which the same move was played."""
        if was_dealt:
            assert batch.final_states[index].tobytes() == match.state.tobytes()
            assert batch.ended[index]
            match = Match.from_state(batch.game, batch.states[index])
            assert not match.moves
        assert batch.states[index].tobytes() == match.state.tobytes()
        assert not batch.game.kernels.problems(match.state)
        is_waiting = batch.to_move[index] < 0
        assert is_waiting or batch.to_move[index] == match.to_move
        moves = [] if is_waiting else match.legal_moves()
        assert batch.legal[index, : batch.counts[index]].tolist() == moves
        if len(batch.mask):
            assert np.flatnonzero(batch.mask[index]).tolist() == moves
        if len(batch.observations):
            seen = match.sight(int(batch.to_move[index])).observe()
            assert np.array_equal(batch.observations[index], seen)
        if match.is_over:
            assert batch.scores[index].tolist() == list(match.scores()) or batch.rule.per_round
        assert batch.rule.kind == 1 or sum(batch.rewards[index].tolist()) == 0.0

    def step_wrongly(self, batch: Batch) -> None:
        """Pass anything as moves: unless it happens to be a row of moves, nothing may change."""
        moves = self.anything(batch.size)
        if self.are_moves(batch, moves):
            return
        before = batch.states.tobytes()
        for name in ("step", "refusals"):
            assert not self.call(name, getattr(batch, name), moves)[0], self.shown(moves)
        assert batch.states.tobytes() == before

    def are_moves(self, batch: Batch, moves: Any) -> bool:
        """Return whether this is a row of moves, though perhaps illegal ones."""
        try:
            row = np.asarray(moves)
        except (TypeError, ValueError):
            return False
        if row.shape != (batch.size,) or row.dtype.kind not in "iu":
            return False
        waiting = batch.to_move < 0
        return all(
            0 <= int(move) < batch.game.moves or int(move) == NO_MOVE or (int(move) == -1 and waits)
            for move, waits in zip(row, waiting)
        )

    def step_by_chance(self, batch: Batch) -> None:
        """Play numbers that are moves, but perhaps illegal: refused by a checked batch, and by `refusals`."""
        moves = np.array([self.chooser.randrange(batch.game.moves) for _ in range(batch.size)])
        returned, codes = self.call("refusals", batch.refusals, moves)
        assert returned
        waiting = batch.to_move < 0
        for index, move in enumerate(moves.tolist()):
            if not waiting[index]:
                assert (codes[index] == 0) == (move in batch.legal[index, : batch.counts[index]])
        if batch.checked:
            before = batch.states.tobytes()
            is_legal = bool((waiting | (codes == 0)).all())
            assert self.call("step", batch.step, moves)[0] == is_legal
            assert is_legal or batch.states.tobytes() == before

    def play_until(self, batch: Batch) -> None:
        """Let others play until a seat is on turn, which may be none."""
        seat = self.chooser.randrange(batch.setup.seats) if self.is_likely(0.3) else self.anything(batch.size)
        policy = self.chooser.choice(("random", "policy")) if self.is_likely(0.8) else self.anything(batch.size)
        if self.call("play_until", batch.play_until, seat, policy)[0]:
            assert ((batch.to_move == seat) | (batch.to_move < 0)).all()

    def roll_out(self, batch: Batch) -> None:
        """Roll out a few moves, or anything; large numbers would only take long."""
        moves = self.chooser.randrange(MAX_ROLLOUT) if self.is_likely(0.3) else self.anything(batch.size)
        try:
            number = operator.index(moves)  # also of an array without dimensions
        except TypeError:
            number = 0
        if number > MAX_ROLLOUT:
            return
        self.call("rollout", batch.rollout, moves, "random" if self.is_likely(0.8) else self.anything(batch.size))
        self.check_states(batch)

    def reset(self, batch: Batch) -> None:
        """Deal again, from right or wrong seeds."""
        if self.is_likely(0.3):
            assert self.call("reset_ended", batch.reset_ended)[0]
            assert (batch.to_move >= 0).all()
            return
        seed = self.integer() if self.is_likely(0.5) else self.anything(batch.size)
        if self.call("reset", batch.reset, seed)[0] and isinstance(seed, int) and not isinstance(seed, bool):
            setup = batch.setup
            choices = {} if setup.reduction else {"seats": setup.seats, "options": setup.options}
            for index in range(batch.size):
                match = Match(batch.game, seed=seed, stream=index, reduction=setup.reduction, **choices)
                assert batch.states[index].tobytes() == match.state.tobytes()

    def observe(self, batch: Batch) -> None:
        """Observe right and wrong seats."""
        seats = self.chooser.randrange(-1, batch.setup.seats) if self.is_likely(0.3) else self.anything(batch.size)
        returned, seen = self.call("observe", batch.observe, seats)
        if returned:
            row = np.broadcast_to(np.asarray(seats), batch.size)
            for index in range(batch.size):
                match = Match.from_state(batch.game, batch.states[index])
                assert np.array_equal(seen[index], match.sight(int(row[index])).observe())
        self.call("final_observations", batch.final_observations, seats)

    def read(self, batch: Batch) -> None:
        """Call what takes few arguments or none."""
        moves, offsets = self.call("packed_legal", batch.packed_legal)[1]
        assert len(moves) == offsets[-1] == batch.counts.sum()
        self.call("full_state", batch.full_state)
        self.call("final_legal", batch.final_legal)
        self.call("move_features", batch.move_features, packed=True if self.is_likely(0.5) else self.scalar())

    def save(self, batch: Batch) -> None:
        """Save and load, sometimes with damaged bytes: then it is refused, or the damage made no difference."""
        file = io.BytesIO()
        assert self.call("save", batch.save, file)[0]
        content = bytearray(file.getvalue())
        is_damaged = self.is_likely(0.5)
        if is_damaged:
            for _ in range(self.chooser.randint(1, 4)):
                content[self.chooser.randrange(len(content))] = self.chooser.randrange(256)
            content = content[: self.chooser.randint(0, len(content))] if self.is_likely(0.5) else content
        loaded, again = self.call("load", Batch.load, io.BytesIO(bytes(content)))
        assert loaded or is_damaged
        if loaded and not is_damaged:
            assert again.states.tobytes() == batch.states.tobytes()

    @staticmethod
    def check_states(batch: Batch) -> None:
        """Check that all states are valid."""
        for index in range(batch.size):
            assert not batch.game.kernels.problems(Match.from_state(batch.game, batch.states[index]).state)


if __name__ == "__main__":
    run_fuzzer(BatchFuzzer)
