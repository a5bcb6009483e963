"""Mines puzzles: lets a strong bot play games, examines the positions, and chooses puzzles of many kinds.

What was found is kept in a journal after every game, so that a run that was stopped continues.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tablee.bots.roster import find_kind
from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.puzzles import Puzzle, PuzzleSource, encode_line, plain_puzzle, puzzle_of
from tablee.review.examination import Criteria, Examiner

SURPLUS = 1.2  # times as many puzzles are found as are chosen, so that there is a choice
MIN_DISTANCE = 6  # moves between two puzzles of one game: neighbours look alike
MAX_PER_GAME = 4


@dataclass(frozen=True)
class MiningSettings:
    """Where puzzles are looked for: the same settings find the same puzzles."""

    game: str
    version: int
    seats: tuple[int, ...]  # numbers of players, in turns
    seed: int = 1
    bot: str = "expert"  # plays the games
    max_moves: int = 250  # of a game that are played
    criteria: Criteria = field(default_factory=Criteria)

    def source(self) -> PuzzleSource:
        """Return what a file says about its puzzles."""
        bot = find_kind(self.bot)
        return PuzzleSource(
            self.game, self.version, f"{bot.name} {bot.version}", self.seed, self.criteria.thorough_worlds
        )


@dataclass(frozen=True)
class MinedGame:
    """A game that was played and examined."""

    number: int
    moves: int
    puzzles: tuple[Puzzle, ...]


def usual_seats(game: Game) -> tuple[int, ...]:
    """Return the numbers of players that puzzles are for: up to the usual one, with the usual options."""
    options = {option.name: option.default for option in game.options}
    possible = [seats for seats in game.seats if game.refuses_setup(seats, options) is None]
    return tuple(seats for seats in possible if seats <= game.usual_seats) or (game.usual_seats,)


class MiningJournal:
    """The games that were examined so far, in a file: the settings in its first line, then a line per game."""

    def __init__(self, path: Path, settings: MiningSettings) -> None:
        self.path = path
        self.games: list[MinedGame] = []
        heading = encode_line(asdict(settings))
        if not path.exists():
            path.write_text(f"{heading}\n", encoding="utf-8")
            return
        first, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
        if json.loads(first) != json.loads(heading):
            raise TableeError(
                f"{path} was begun with other settings: {first.strip()}; delete it, or name another --out"
            )
        whole = [line for line in rest if line.endswith("\n")]  # the last one may have been cut off
        self.games = [_mined_game(json.loads(line)) for line in whole]
        path.write_text("".join([first, *whole]), encoding="utf-8")

    def add(self, mined: MinedGame) -> None:
        """Add a game."""
        plain = {"number": mined.number, "moves": mined.moves, "puzzles": [plain_puzzle(p) for p in mined.puzzles]}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{encode_line(plain)}\n")
        self.games.append(mined)

    @property
    def puzzles(self) -> list[Puzzle]:
        """All puzzles so far."""
        return [puzzle for mined in self.games for puzzle in mined.puzzles]


def _mined_game(plain: dict[str, Any]) -> MinedGame:
    return MinedGame(plain["number"], plain["moves"], tuple(puzzle_of(puzzle) for puzzle in plain["puzzles"]))


def mine(
    game: Game,
    settings: MiningSettings,
    count: int,
    journal: MiningJournal,
    progress: Callable[[int, int, str], None] = lambda done, wanted, step: None,
) -> list[Puzzle]:
    """Play and examine games until there are enough puzzles, and return the chosen ones, the easiest first."""
    wanted = round(SURPLUS * count)
    examiner = Examiner(game, settings.criteria)
    while len(journal.puzzles) < wanted:
        number = len(journal.games)
        progress(len(journal.puzzles), wanted, f"{number}")
        journal.add(mine_game(game, settings, number, examiner))
    progress(wanted, wanted, f"{len(journal.games)}")
    return sorted(choose_varied(journal.puzzles, count), key=lambda puzzle: (puzzle.rating, puzzle.id))


def mine_game(game: Game, settings: MiningSettings, number: int, examiner: Examiner) -> MinedGame:
    """Let the bot play a game, and return the puzzles in it."""
    seats = settings.seats[number % len(settings.seats)]
    match = Match(game, seats=seats, seed=settings.seed, stream=number)
    puzzles: list[Puzzle] = []
    while not match.is_over and len(match.moves) < settings.max_moves and len(puzzles) < MAX_PER_GAME:
        sight, moves = match.sight(match.to_move), match.legal_moves()
        move = find_kind(settings.bot).make(game, number).decide(sight, moves).move
        is_far = not puzzles or len(match.moves) - len(puzzles[-1].moves) >= MIN_DISTANCE
        if is_far and examiner.screen(match, move):
            found = examiner.examine(match, move)
            puzzles += [found] if found else []
        match.push(move)
    return MinedGame(number, len(match.moves), tuple(puzzles))


# The choice


def choose_varied(puzzles: Iterable[Puzzle], count: int) -> list[Puzzle]:
    """Choose puzzles of as many kinds as possible: in turns by what the best move does, and there by kind.

    Of each kind, those with the largest gap come first.
    """
    groups: dict[Any, dict[Any, list[Puzzle]]] = defaultdict(lambda: defaultdict(list))
    for puzzle in sorted(puzzles, key=lambda puzzle: (-puzzle.gap, puzzle.id)):
        groups[_verb(puzzle.solution)][kind_of(puzzle)].append(puzzle)
    by_verb = [list(_in_turns(list(kinds.values()))) for kinds in groups.values()]
    return list(_in_turns(by_verb))[:count]


def kind_of(puzzle: Puzzle) -> tuple[Any, ...]:
    """Return what makes puzzles alike: the players, the level, and what the best move and that of `greedy` do."""
    return puzzle.seats, puzzle.level, _verb(puzzle.solution), _verb(puzzle.greedy), len(puzzle.moves) // 100


def _verb(text: str) -> tuple[str, int]:
    """Return what a move does: its first word, and how many words follow."""
    first, *rest = text.split()
    return first, len(rest)


def _in_turns(groups: Sequence[Sequence[Puzzle]]) -> Iterator[Puzzle]:
    for index in range(max((len(group) for group in groups), default=0)):
        for group in groups:
            if index < len(group):
                yield group[index]
