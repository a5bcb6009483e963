"""Moves as people type them in their language: the canonical text, with its words translated.

`swap b3` is `échanger b3` in French. The canonical text is the same in every language and is what records hold; it is
understood everywhere. A game translates words in the section `typed` of its catalogue, and may translate more with a
function `typed_words(words)` in its module `view`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablee.core.game import Game
    from tablee.core.words import Words

PREFIX = "typed."  # of the section of a catalogue


class MoveWords:
    """The words of a game's moves in one language, by the canonical word."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self.words = dict(words)
        self.differs = any(word != typed for word, typed in words.items())  # from the canonical words
        self._meanings = {plain(typed): word for word, typed in words.items()}

    def typed(self, text: str) -> str:
        """Return the canonical text of a move as it is typed in this language."""
        return " ".join(self.words.get(word, word) for word in text.split())

    def canonical(self, typed: str) -> str:
        """Return the canonical text of what was typed; words that are not of this language stay as they are."""
        return " ".join(self._meanings.get(plain(word), word) for word in typed.split())


@lru_cache(maxsize=512)
def read_move_words(words: Words, typed_words: Callable[[Words], Mapping[str, str]] | None) -> MoveWords:
    """Read the words of moves from a game's catalogue, and those that its function `typed_words` adds."""
    typed = {key.removeprefix(PREFIX): text for key, text in words.texts.items() if key.startswith(PREFIX)}
    return MoveWords(typed | dict(typed_words(words)) if typed_words is not None else typed)


def plain(word: str) -> str:
    """Return a word without case and accents."""
    return "".join(
        letter for letter in unicodedata.normalize("NFD", word.casefold()) if not unicodedata.combining(letter)
    )


# Kinds of moves, by which what happens often is counted


def kind_of_move(game: Game, move: int) -> str:
    """Return the kind of a move, by the function `move_kind` of the game's module `moves`; empty if it has none."""
    declared: Callable[[int], str] | None = getattr(game.module("moves"), "move_kind", None)
    return "" if declared is None else declared(move)


def move_kinds(game: Game) -> list[str]:
    """Return the kinds of a game's moves, in the order of their first moves; none if it declares none."""
    return list(filter(None, dict.fromkeys(kind_of_move(game, move) for move in range(game.moves))))
