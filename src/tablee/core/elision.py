"""Elision: a short word that loses its last vowel before a name that begins with one: "d’Ana", "de Ben".

A language lists such words in its `language.toml` (`elided`). Only parameters are looked at, as in "de {player}": what
else a text says is written as it should be.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from tablee.core.languages import Language

APOSTROPHE = "\u2019"
# Letters without accents. Most names with h, but few with y and a vowel, are pronounced from their next sound on. A
# letter alone, or with a digit as the fields of a board, is spelled.
SPOKEN_VOWEL = re.compile(r"(h?[aeiouœæ]|hy|y(?=[^\W\daeiou]))[^\W\d_]", re.IGNORECASE)


def begins_with_vowel(text: str) -> bool:
    """Whether what is filled in is spoken with a vowel at its beginning, as far as its letters tell."""
    if not text.isascii():
        text = "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))
    return SPOKEN_VOWEL.match(text) is not None


class ElidedText:
    """A text with parameters after words that may be elided; these are found once."""

    def __init__(self, text: str, language: Language) -> None:
        pattern = _pattern(language.elided)
        self._found: list[tuple[str, str]] = pattern.findall(text)
        self._template = pattern.sub(r"{\1 \2}", text)  # "{de player}": the word and what is filled in, as one

    def fill(self, parameters: Mapping[str, Any]) -> str:
        """Return the text with its parameters filled in, and the words before them elided; KeyError without one."""
        joined = {f"{word} {name}": _joined(word, str(parameters[name])) for word, name in self._found}
        return self._template.format_map({**parameters, **joined})


def is_elided(text: str, language: Language) -> bool:
    """Whether a text has a parameter after a word that may be elided."""
    return bool(language.elided) and _pattern(language.elided).search(text) is not None


def fill(text: str, language: Language, parameters: Mapping[str, Any]) -> str:
    """Return a text with its parameters filled in, and the words before them elided; raise KeyError without one."""
    return ElidedText(text, language).fill(parameters) if language.elided else text.format_map(parameters)


def _joined(word: str, value: str) -> str:
    return f"{word[:-1]}{APOSTROPHE}{value}" if begins_with_vowel(value) else f"{word} {value}"


@cache
def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern of one of the words before a parameter."""
    return re.compile(rf"\b({'|'.join(words)}) \{{(\w+)\}}", re.IGNORECASE)
