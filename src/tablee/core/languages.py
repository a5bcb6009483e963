"""The languages that people can choose, one folder of files each.

A language folder is named by its code and holds `language.toml` (its own name), `common.toml` (words of no game),
`web.json` (words of the web front end) and, for games that do not bring the language themselves,
`games/<game>/words.toml`, `games/<game>/rules.md` and `games/<game>/examples.toml`. Besides `tablee/languages`, folders
listed in `TABLEE_LANGUAGES` are searched. Nothing else has to change for a new language (docs/languages.md).
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tablee.core.errors import TableeError, did_you_mean

SHIPPED = Path(__file__).resolve().parents[1] / "languages"
SETTING = "TABLEE_LANGUAGES"  # folders that hold language folders, separated as in PATH
DEFAULT = "en"  # what is used when nothing better is known; its catalogues define which keys there are


@dataclass(frozen=True)
class Language:
    """A language that people can choose."""

    code: str
    name: str  # in the language itself
    folder: Path
    largest_singular: int | None = None  # the largest number that takes the singular; None: exactly 1
    elided: tuple[str, ...] = ()  # words that lose their last letter before a vowel


@cache
def languages() -> dict[str, Language]:
    """Return all languages by code, the default first, the others in alphabetical order."""
    found: dict[str, Language] = {}
    for folder in _language_folders():
        language = _read(folder)
        if language.code in found:
            raise TableeError(f"{language.code!r} is in two folders: {found[language.code].folder} and {folder}")
        found[language.code] = language
    return {code: found[code] for code in sorted(found, key=lambda code: (code != DEFAULT, code))}


def _language_folders() -> Iterator[Path]:
    for parent in (SHIPPED, *map(Path, filter(None, os.environ.get(SETTING, "").split(os.pathsep)))):
        if not parent.is_dir():
            raise TableeError(f"{SETTING} names {parent}, which is not a folder")
        yield from sorted(file.parent for file in parent.glob("*/language.toml"))


def _read(folder: Path) -> Language:
    try:
        declared = tomllib.loads((folder / "language.toml").read_text(encoding="utf-8"))
        elided = tuple(map(str, declared.get("elided", ())))
        return Language(folder.name, str(declared["name"]), folder, declared.get("largest_singular"), elided)
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as why:
        raise TableeError(f"{folder / 'language.toml'} cannot be read: {why}") from None
    except KeyError:
        raise TableeError(f"{folder / 'language.toml'} does not give the language's name") from None


def find_language(code: str) -> Language:
    """Return the language with that code; TableeError if there is none."""
    known = languages()
    if code not in known:
        raise TableeError(f"there is no language {code!r}; {did_you_mean(code, known)}")
    return known[code]


def supported(code: str | None) -> str:
    """Return the code if there is such a language, else the default's."""
    return code if code in languages() else DEFAULT
