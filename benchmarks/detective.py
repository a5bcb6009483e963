"""How far Xe Queo! bots can be seen through: a detective who knows the bot tries to find out its secret pawn.

    python benchmarks/detective.py [--iterations 200] [--games 20] [--minutes 5] [--bot "search plain" ...]

The detective knows how the bot decides, not its seed. It begins with the chances with which the bot chooses each pawn,
and after every move asks what the bot would have done with each of the seven discs (Bayes). As soon as a pawn is more
likely than not the bot's, it names it; until then it plays what another bot of the same strength would. What it wins
above one half is what a best response of this kind gains. One JSON line per kind of bot: greedy that always plays its
best, greedy that mixes, search that plays its most visited move, search that mixes, and search that mixes and in whose
simulated games every second world is a spectator's, so that its opponent cannot learn its disc.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, TypeAlias

from machine import description
from tablee.bots.search import SearchBot, Strength
from tablee.bots.simple import GreedyBot
from tablee.core.match import Match
from tablee.core.sight import Sight
from tablee.games.xe_queo.moves import ACCUSE_FIRST, PAWNS, pawn_of
from tablee.games.xe_queo.policy import SEARCH
from tablee.games.xe_queo.state import CHOOSE, TURN

Mixer: TypeAlias = GreedyBot | SearchBot

SURE = 0.5  # from this belief on it names the pawn
LAPSE = 0.02  # chance that it grants to any move, for what a search does not find twice


def main() -> None:
    """Measure each kind of bot."""
    parser = argparse.ArgumentParser(description="how far Xe Queo! bots can be seen through")
    parser.add_argument("--iterations", type=int, default=200, help="of the bots that search")
    parser.add_argument("--games", type=int, default=20, help="per kind of bot, at most")
    parser.add_argument("--minutes", type=float, default=5.0, help="for all kinds together")
    parser.add_argument("--bot", action="append", help="only this kind (may be repeated)")
    arguments = parser.parse_args()
    print(json.dumps({"run": datetime.now(UTC).isoformat(timespec="seconds"), **description()}), flush=True)
    kinds = kinds_of_bots(arguments.iterations)
    chosen = arguments.bot or list(kinds)
    for name in chosen:
        won = list(rounds_won(*kinds[name], arguments.games, 60 * arguments.minutes / len(chosen)))
        print(json.dumps({"suspect": name, **summary(won)}), flush=True)


def kinds_of_bots(iterations: int) -> dict[str, tuple[Mixer, Mixer]]:
    """Return by name: the bot that is watched, and one like it that the detective asks."""
    mixed: dict[str, Any] = {"mixed_moves": SEARCH["mixed_moves"]}
    outside = {**mixed, "outside_worlds": 2}
    wishes: dict[str, dict[str, Any]] = {"search plain": {}, "search mixed": mixed, "search outside": outside}
    kinds: dict[str, tuple[Mixer, Mixer]] = {
        "greedy best": (GreedyBot(1), GreedyBot(2)),
        "greedy mixed": (GreedyBot(1, **mixed), GreedyBot(2, **mixed)),
    }
    for name, wish in wishes.items():
        strength = Strength(iterations=iterations, **wish)
        kinds[name] = (SearchBot(name, 1, strength, 1), SearchBot(name, 1, strength, 2))
    return kinds


def summary(won: list[tuple[bool, bool]]) -> dict[str, float]:
    """Return the detective's share of the rounds, with twice the standard error, and how often it named a pawn."""
    share = sum(is_won for is_won, _ in won) / len(won)
    error = 2 * math.sqrt(share * (1 - share) / len(won))
    named = sum(is_named for _, is_named in won) / len(won)
    return {"rounds": len(won), "detective": round(share, 3), "error": round(error, 3), "named": round(named, 3)}


def rounds_won(suspect: Mixer, twin: Mixer, games: int, seconds: float) -> Iterator[tuple[bool, bool]]:
    """Play games; yield for each round whether the detective won it, and whether by naming a pawn."""
    end = time.monotonic() + seconds
    for number in range(games):
        yield from play_game(suspect, twin, seed=number, detective=number % 2)
        if time.monotonic() > end:
            return


def play_game(suspect: Mixer, twin: Mixer, seed: int, detective: int) -> Iterator[tuple[bool, bool]]:
    """Play one game."""
    match = Match("xe_queo", seed=seed)
    belief = [1 / PAWNS] * PAWNS
    while not match.is_over:
        number, is_detective = int(match.state.rounds_played), match.to_move == detective
        named = accusation(belief) if is_detective and match.state.phase == TURN else None
        move = named
        if move is None:
            bot = twin if is_detective else suspect
            move = bot.decide(match.sight(match.to_move), match.legal_moves()).move
        if not is_detective:
            belief = watch(match, twin, move, belief)
        match.play(move)
        if match.state.rounds_played > number:
            yield bool(match.state.winners[number] == detective), named is not None
            belief = [1 / PAWNS] * PAWNS


def accusation(belief: list[float]) -> int | None:
    """Return the move that names a pawn, if one is likely enough."""
    pawn = max(range(PAWNS), key=lambda pawn: belief[pawn])
    return ACCUSE_FIRST + pawn if belief[pawn] > SURE else None


def watch(match: Match, twin: Mixer, move: int, belief: list[float]) -> list[float]:
    """Return the belief after a move of the suspect, by what it would have done with each disc."""
    if match.state.phase == CHOOSE:  # nobody saw the move: only how the suspect chooses is known
        chances = shares_of(twin, match.sight(match.to_move), match.legal_moves())
        return [chances.get(choice, 0.0) for choice in sorted(match.legal_moves(), key=pawn_of)]
    if match.state.phase != TURN:
        return belief
    weights = [belief[pawn] * likelihood(match, twin, move, pawn) for pawn in range(PAWNS)]
    return [weight / sum(weights) for weight in weights]


def likelihood(match: Match, twin: Mixer, move: int, pawn: int) -> float:
    """Return the chance of a move if a pawn were the suspect's."""
    world = match.copy()
    world.state.chosen[match.to_move] = pawn
    moves = world.legal_moves()
    if move not in moves:
        return LAPSE / 100
    chances = shares_of(twin, world.sight(match.to_move), moves)
    return (1 - LAPSE) * chances.get(move, 0.0) + LAPSE / len(moves)


def shares_of(bot: Mixer, sight: Sight, moves: list[int]) -> dict[int, float]:
    """Return with which chance a bot plays each move."""
    decision = bot.decide(sight, moves)
    return bot.shares(decision.candidates) if decision.candidates else {decision.move: 1.0}


if __name__ == "__main__":
    main()
