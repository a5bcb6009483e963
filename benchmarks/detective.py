"""How predictable Xe Queo! bots are: a detective that knows the bot tries to infer its secret pawn.

    python benchmarks/detective.py play FOLDER [--iterations 200] [--rounds 100] [--bot "search plain" ...]
                                               [--minutes 5] [--jobs 2]
    python benchmarks/detective.py report FOLDER

The detective knows how the bot decides, but not its seed. It starts with the probabilities with which the bot chooses
each pawn, and after every move updates them by what the bot would have done with each of the seven discs (Bayes). As
soon as a pawn is more likely than not, it accuses it; until then it plays like a bot of the same strength. Its share
of the rounds above one half is the gain of such a best response. The kinds of bots: greedy with its best move, greedy
with mixed play, search with its most visited move, search with mixed play, and search with mixed play in which one
world in two is imagined by a spectator, so that the simulated opponent cannot learn the bot's disc; then the network
alone, search with the network that is mixed like that without, and `master`, which hides its secret. The first command
writes a line of JSON per game and continues where it was stopped; the second prints a line per kind.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import journals
from series import Key, Series, play
from tablee.bots.master import MasterBot
from tablee.bots.networks import network_of
from tablee.bots.prodigy import NetworkBot
from tablee.bots.roster import pin
from tablee.bots.search import SearchBot
from tablee.bots.settings import SearchSettings
from tablee.bots.simple import GreedyBot
from tablee.core.match import Match
from tablee.core.randomness import new_generator
from tablee.core.registry import find_game
from tablee.core.sight import Sight
from tablee.games.xe_queo.moves import ACCUSE_FIRST, PAWNS, pawn_of
from tablee.games.xe_queo.policy import SEARCH
from tablee.games.xe_queo.state import CHOOSE, TURN

Suspect: TypeAlias = GreedyBot | SearchBot | NetworkBot

PREFIX = "detective-"  # of the journals
MIN_BELIEF = 0.5  # above it the detective accuses
LAPSE = 0.02  # probability given to all moves alike, because a search with another seed may find another move


def main() -> None:
    """Play or report."""
    parser = argparse.ArgumentParser(description="how predictable Xe Queo! bots are")
    parser.add_argument("command", choices=("play", "report"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--iterations", type=int, default=200, help="of the bots that search")
    parser.add_argument("--rounds", type=int, default=100, help="per kind of bot")
    parser.add_argument("--minutes", type=float, default=5.0, help="total, for all kinds")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--bot", action="append", help="only this kind (may be repeated)")
    arguments = parser.parse_args()
    if arguments.command == "play":
        names = arguments.bot or list(kinds_of_bots(arguments.iterations))
        series = [DetectiveSeries(name, arguments.iterations, arguments.folder, arguments.rounds) for name in names]
        play([series], arguments.folder, arguments.jobs, time.monotonic() + 60 * arguments.minutes)
    else:
        for path in sorted(arguments.folder.glob(f"{PREFIX}*.jsonl")):
            print(json.dumps({"suspect": path.stem.removeprefix(PREFIX), **summary(list(journals.read(path)))}))


class DetectiveSeries(Series):
    """Games of the detective against a kind of bot, until so many rounds were played."""

    def __init__(self, name: str, iterations: int, folder: Path, rounds: int) -> None:
        self.game = find_game("xe_queo")
        self.path = folder / f"{PREFIX}{name.replace(' ', '-')}-{iterations}-{pin('master', self.game).policy}.jsonl"
        self.function = rounds_of_game
        self._name, self._iterations, self._rounds = name, iterations, rounds

    def deals(self) -> Iterator[list[Key]]:
        """Yield games one by one."""
        for number in range(self._rounds):
            yield [(self._name, self._iterations, number)]

    def missing_deals(self) -> float:
        """Return how many more games have the missing rounds."""
        lines = list(journals.read(self.path))
        rounds = sum(len(line["rounds"]) for line in lines)
        return max(0.0, self._rounds - rounds) * max(1, len(lines)) / max(1, rounds)

    def summary(self) -> dict[str, Any]:
        """Return the detective's share of the rounds so far."""
        return summary(list(journals.read(self.path)))


def kinds_of_bots(iterations: int) -> dict[str, tuple[Suspect, Suspect]]:
    """Return by name: the suspect, and a bot of the same kind that the detective asks."""
    mixed: dict[str, Any] = {"mixed_moves": SEARCH["mixed_moves"]}
    spectator = {**mixed, "spectator_interval": 2}
    searches: dict[str, dict[str, Any]] = {"search plain": {}, "search mixed": mixed, "search spectator": spectator}
    kinds: dict[str, tuple[Suspect, Suspect]] = {
        "greedy best": (GreedyBot(1), GreedyBot(2)),
        "greedy mixed": (GreedyBot(1, **mixed), GreedyBot(2, **mixed)),
    }
    for name, changes in searches.items():
        settings = SearchSettings(iterations=iterations, **changes)
        kinds[name] = (SearchBot(name, 1, settings, 1), SearchBot(name, 1, settings, 2))
    network, settings = network_of(find_game("xe_queo")), SearchSettings(iterations=iterations, **mixed)
    kinds["network"] = (NetworkBot(network, 1, **mixed), NetworkBot(network, 2, **mixed))
    for name, kind in (("search network", OpenMaster), ("master", MasterBot)):
        kinds[name] = (kind(name, 1, settings, network, 1), kind(name, 1, settings, network, 2))
    return kinds


class OpenMaster(MasterBot):
    """A master that draws among moves by their visits alone, whatever they give away."""

    mixture = SearchBot.mixture


def summary(lines: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return the detective's share of the rounds, with twice the standard error, and how often it accused."""
    rounds = [found for line in lines for found in line["rounds"]]
    if not rounds:
        return {"rounds": 0}
    share = sum(is_won for is_won, _ in rounds) / len(rounds)
    error = 2 * math.sqrt(share * (1 - share) / len(rounds))
    accused = sum(has_accused for _, has_accused in rounds) / len(rounds)
    return {"rounds": len(rounds), "detective": round(share, 3), "error": round(error, 3), "accused": round(accused, 3)}


def rounds_of_game(name: str, iterations: int, number: int) -> dict[str, Any]:
    """Play a game; return for each round whether the detective won it, and whether it ended with an accusation."""
    suspect, twin = kinds_of_bots(iterations)[name]
    return {"rounds": list(play_game(suspect, twin, seed=number, detective=number % 2))}


def play_game(suspect: Suspect, twin: Suspect, seed: int, detective: int) -> Iterator[tuple[bool, bool]]:
    """Play one game; yield for each round whether the detective won it, and whether it ended with an accusation."""
    match = Match("xe_queo", seed=seed)
    belief = [1 / PAWNS] * PAWNS
    while not match.is_over:
        number, is_detective = int(match.state.rounds_played), match.to_move == detective
        accused = accusation(belief) if is_detective and match.state.phase == TURN else None
        move = accused
        if move is None:
            bot = twin if is_detective else suspect
            move = bot.decide(match.sight(match.to_move), match.legal_moves()).move
        if not is_detective:
            belief = updated_belief(match, twin, move, belief)
        match.play(move)
        if match.state.rounds_played > number:
            yield bool(match.state.winners[number] == detective), accused is not None
            belief = [1 / PAWNS] * PAWNS


def accusation(belief: list[float]) -> int | None:
    """Return the move that accuses the likeliest pawn, None if it is not likely enough."""
    pawn = max(range(PAWNS), key=lambda pawn: belief[pawn])
    return ACCUSE_FIRST + pawn if belief[pawn] > MIN_BELIEF else None


def updated_belief(match: Match, twin: Suspect, move: int, belief: list[float]) -> list[float]:
    """Return the probability of each pawn after a move of the suspect."""
    if match.state.phase == CHOOSE:  # the move is hidden: only the suspect's probabilities are known
        chances = probabilities_of(twin, match.sight(match.to_move), match.legal_moves())
        return [chances.get(choice, 0.0) for choice in sorted(match.legal_moves(), key=pawn_of)]
    if match.state.phase != TURN:
        return belief
    weights = [belief[pawn] * likelihood(match, twin, move, pawn) for pawn in range(PAWNS)]
    return [weight / sum(weights) for weight in weights]


def likelihood(match: Match, twin: Suspect, move: int, pawn: int) -> float:
    """Return the probability of a move if a pawn were the suspect's."""
    world = match.copy()
    world.state.chosen[match.to_move] = pawn
    moves = world.legal_moves()
    if move not in moves:
        return LAPSE / 100
    chances = probabilities_of(twin, world.sight(match.to_move), moves)
    return (1 - LAPSE) * chances.get(move, 0.0) + LAPSE / len(moves)


def probabilities_of(bot: Suspect, sight: Sight, moves: list[int]) -> dict[int, float]:
    """Return the probability of each move that a bot may play."""
    decision = bot.decide(sight, moves)
    if not decision.candidates:
        return {decision.move: 1.0}
    if isinstance(bot, SearchBot):
        return bot.mixture(sight, decision.candidates, new_generator(2))
    return bot.probabilities(decision.candidates)


if __name__ == "__main__":
    main()
