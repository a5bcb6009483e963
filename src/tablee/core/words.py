"""Catalogues: every word a person reads, one TOML file per language."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tablee.core.errors import TableeError, did_you_mean

LANGUAGES = ("en", "fr")
SINGULAR_UP_TO = {"fr": 1}  # French says "0 carte"; other languages say "one" for 1 alone


class Words:
    """A catalogue in one language: `say("events.cleared", player="Ana", n=3)`.

    A key may hold two sentences, `one` and `other`, chosen by the parameter `n`.
    """

    def __init__(self, language: str, texts: Mapping[str, Any], source: str) -> None:
        self.language = language
        self.source = source
        self.texts = dict(_flat(texts))

    def __contains__(self, key: str) -> bool:
        return key in self.texts or f"{key}.other" in self.texts

    def say(self, key: str, **parameters: Any) -> str:
        """Return a sentence with its parameters filled in."""
        if key not in self.texts:
            key = f"{key}.{self._number(parameters.get('n', 2))}"
        try:
            return self.texts[key].format(**parameters)
        except KeyError as missing:
            raise TableeError(f"{self.source}: no words or parameter {missing} for {key!r}") from None

    def _number(self, n: int) -> str:
        if self.language in SINGULAR_UP_TO:
            return "one" if abs(n) <= SINGULAR_UP_TO[self.language] else "other"
        return "one" if n == 1 else "other"


def _flat(texts: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, text in texts.items():
        if isinstance(text, Mapping):
            yield from _flat(text, f"{before}{key}.")
        else:
            yield f"{before}{key}", str(text)


@cache
def load(folder: Path, language: str) -> Words:
    """Read the catalogue of a language from a folder."""
    path = folder / f"{language}.toml"
    if not path.is_file():
        known = [file.stem for file in folder.glob("*.toml")]
        raise TableeError(f"there are no words in {language!r} in {folder}; {did_you_mean(language, known)}")
    return Words(language, tomllib.loads(path.read_text(encoding="utf-8")), str(path))


@cache
def common(language: str) -> Words:
    """Return the words that belong to no game."""
    return load(Path(__file__).resolve().parents[1] / "words", language)
