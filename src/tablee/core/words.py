"""Catalogues: every word a person reads, one TOML file per language and part."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from tablee.core.elision import ElidedText, is_elided
from tablee.core.errors import TableeError
from tablee.core.languages import Language, find_language


class Words:
    """A catalogue in one language: `say("events.cleared", player="Ana", n=3)`.

    A key may hold two sentences, `one` and `other`, chosen by the parameter `n`.
    """

    def __init__(self, language: Language, texts: Mapping[str, Any], source: str) -> None:
        self.language = language.code
        self.source = source
        self.texts = dict(_flatten(texts))
        self._language = language
        elided = {key: text for key, text in self.texts.items() if is_elided(text, language)}
        self._elided = {key: ElidedText(text, language) for key, text in elided.items()}

    def __contains__(self, key: str) -> bool:
        return key in self.texts or f"{key}.other" in self.texts

    def say(self, key: str, **parameters: Any) -> str:
        """Return a sentence with its parameters filled in."""
        text = self.texts.get(key)
        try:
            if text is None:
                key = f"{key}.{self._plural_form(parameters.get('n', 2))}"
                text = self.texts[key]
            if not parameters and "{" not in text:
                return text
            if key in self._elided:
                return self._elided[key].fill(parameters)
            return text.format_map(parameters)
        except KeyError as missing:
            raise TableeError(f"{self.source}: no words or parameter {missing} for {key!r}") from None

    def _plural_form(self, n: int) -> str:
        largest = self._language.largest_singular
        is_singular = n == 1 if largest is None else abs(n) <= largest
        return "one" if is_singular else "other"


def _flatten(texts: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, text in texts.items():
        if isinstance(text, Mapping):
            yield from _flatten(text, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(text)


@cache
def common(code: str) -> Words:
    """Return the words of a language that belong to no game."""
    language = find_language(code)
    path = f"{language.folder}/common.toml"
    try:
        return read_words(code, path)
    except FileNotFoundError:
        raise TableeError(f"there are no words in {language.name}: {path} is missing") from None


def read_words(code: str, path: str) -> Words:
    """Read a catalogue; again if the file has changed since. Raises FileNotFoundError.

    Every view asks for words: of a known file this takes one `stat`, and a path that is text is hashed quickly.
    """
    return _read_words(code, path, os.stat(path).st_mtime_ns)


@lru_cache(maxsize=512)
def _read_words(code: str, path: str, _modified_ns: int) -> Words:
    try:
        return Words(find_language(code), tomllib.loads(Path(path).read_text(encoding="utf-8")), path)
    except tomllib.TOMLDecodeError as why:
        raise TableeError(f"{path}: {why}") from None
