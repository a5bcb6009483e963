"""Playable examples of a rulebook: small positions that show a clause, from `examples.toml` in the game's folder."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache

from tablee.core.game import Game, Value
from tablee.core.languages import DEFAULT, languages
from tablee.core.match import Match

FILE = "examples.toml"


@dataclass(frozen=True)
class ExampleWords:
    """Texts of an example: its title, what to try, and what that has shown."""

    title: str
    prompt: str
    seen: str


@dataclass(frozen=True)
class Example:
    """A position (a deal, and moves after it) that shows a clause when the seat on turn plays `aim`."""

    name: str
    clause: str
    seats: int
    seed: int
    aim: tuple[str, ...]  # patterns: `flip *` is any move that begins so
    words: Mapping[str, ExampleWords]  # by language
    moves: tuple[str, ...] = ()
    options: Mapping[str, Value] = field(default_factory=dict)

    def words_in(self, language: str) -> ExampleWords:
        """Return the words in a language, in the default one where they are missing."""
        return self.words.get(language) or self.words[DEFAULT]

    def is_seen(self, played: Sequence[str]) -> bool:
        """Whether these moves have shown the clause."""
        pairs = zip(played, self.aim, strict=False)
        return len(played) == len(self.aim) and all(fnmatchcase(move, pattern) for move, pattern in pairs)

    def position(self, game: Game) -> Match:
        """Return the match where the example begins."""
        match = Match(game, seats=self.seats, seed=self.seed, options=self.options)
        for move in self.moves:
            match.play(move)
        return match


@cache
def examples_of(game: Game) -> tuple[Example, ...]:
    """Return a game's examples, in the order of its file; none if it has no file."""
    path = game.folder / FILE
    if not path.is_file():
        return ()
    translated = _translations(game)
    return tuple(
        _example(**{**entry, "words": {**translated.get(entry["name"], {}), **entry["words"]}})
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["example"]
    )


def _translations(game: Game) -> dict[str, dict[str, Mapping[str, str]]]:
    """Return the words of examples that language folders bring, by example and language."""
    found: dict[str, dict[str, Mapping[str, str]]] = {}
    for code, language in languages().items():
        path = language.folder / "games" / game.name / FILE
        if path.is_file():
            for name, texts in tomllib.loads(path.read_text(encoding="utf-8")).items():
                found.setdefault(name, {})[code] = texts
    return found


def _example(
    name: str,
    clause: str,
    seats: int,
    seed: int,
    aim: Sequence[str],
    words: Mapping[str, Mapping[str, str]],
    moves: Sequence[str] = (),
    options: Mapping[str, Value] | None = None,
) -> Example:
    said = {language: ExampleWords(**texts) for language, texts in words.items()}
    return Example(name, clause, seats, seed, tuple(aim), said, tuple(moves), dict(options or {}))
