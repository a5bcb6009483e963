"""Games that bots play among themselves, kept as their seeds and moves."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from journals import read, run_missing
from tablee.bots.roster import NAMES, make_bot
from tablee.core.match import Match
from tablee.core.registry import find_game

# Stronger bots take longer: of each 20 games among equals, so many are played by each.
FIRST_EQUALS = ("greedy",) * 9 + ("novice",) * 9 + ("club",) * 2
LATER_EQUALS = ("greedy",) * 15 + ("novice",) * 5
FIRST_GAMES = 200
EXPERT_INTERVAL = 10  # one mixed game in so many has an expert


class PlayedGame(NamedTuple):
    """A finished game, and the bot of each seat."""

    seed: int
    bots: list[str]
    match: Match


def mixed_lineup(name: str, seed: int) -> list[str]:
    """Return different bots of the roster for all seats, in an order that the seed decides."""
    draw, seats = random.Random(f"{name} {seed}"), find_game(name).usual_seats
    *others, expert = NAMES
    bots = draw.sample(others, seats)
    if seed % EXPERT_INTERVAL == 0:
        bots[draw.randrange(seats)] = expert
    return bots


def equal_lineup(name: str, seed: int) -> list[str]:
    """Return the same bot for all seats."""
    equals = FIRST_EQUALS if seed < FIRST_GAMES else LATER_EQUALS
    return [equals[seed % len(equals)]] * find_game(name).usual_seats


LINEUPS = {"mixed": mixed_lineup, "equal": equal_lineup}


def play(name: str, lineup: str, seed: int) -> dict[str, Any]:
    """Play a game of the usual setup."""
    game = find_game(name)
    match = Match(game, seed=seed)
    bots = LINEUPS[lineup](name, seed)
    players = [make_bot(bot, game, seed * match.seats + seat) for seat, bot in enumerate(bots)]
    while not match.is_over:
        match.push(players[match.to_move].decide(match.sight(match.to_move), match.legal_moves()).move)
    return {"bots": bots, "moves": match.moves}


def path_of(folder: Path, name: str, lineup: str) -> Path:
    """Return the journal of some games."""
    return folder / f"games-{lineup}-{name}.jsonl"


def play_missing(folder: Path, name: str, lineup: str, seeds: Sequence[int], jobs: int) -> None:
    """Play the games that a folder does not have yet."""
    run_missing(path_of(folder, name, lineup), [(name, lineup, seed) for seed in seeds], play, jobs)


def replay(name: str, seed: int, moves: Sequence[int]) -> Match:
    """Play the moves of a game again."""
    match = Match(find_game(name), seed=seed)
    for move in moves:
        match.push(move)
    return match


def played(folder: Path, name: str, lineup: str) -> Iterator[PlayedGame]:
    """Yield the games of a folder."""
    for line in read(path_of(folder, name, lineup)):
        seed = line["key"][2]
        yield PlayedGame(seed, line["bots"], replay(name, seed, line["moves"]))
