"""Puzzles with made-up values, for tests of what shows them."""

from tablee import Match
from tablee.core.puzzles import MoveValue, Puzzle, PuzzleFile, PuzzleSource


def made_up_puzzle(game, stream=0, rating=1200, best=0, moves=0):
    """Return a puzzle whose solution is the legal move number `best`, in a position with at least three moves."""
    match = Match(game, seed=4, stream=stream)
    while len(match.moves) < moves or len(match.legal_moves()) < 3:
        match.push(match.legal_moves()[-1])
    texts = [match.text(move) for move in match.legal_moves()]
    texts.insert(0, texts.pop(best))
    values = (MoveValue(texts[0], 600), *(MoveValue(text, 500 - n, 4, 400, 100) for n, text in enumerate(texts[1:])))
    position = (match.seats, 4, stream, tuple(match.moves), match.digest())
    return Puzzle(*position, values=values, greedy=texts[1], level="club", rating=rating)


def made_up_file(game, *puzzles):
    """Return puzzles as if they had been read."""
    return PuzzleFile(PuzzleSource(game.name, game.version, "expert 2", 4, 2400), puzzles)
