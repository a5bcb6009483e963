"""Check the words of code, docs and English catalogues against the glossary in CONTRIBUTING.md.

The table "Words we do not use" is the only list: its first column holds the banned words in backticks, its second what
to write instead. Words in lower case are matched as whole words in any case; names with capitals or underscores match
exactly, and a trailing `_` or `*` matches any continuation. Prints each finding with file and line; exits 1 if there is
one.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
GLOSSARY = ROOT / "CONTRIBUTING.md"
HEADING = "Words we do not use"
CHECKED = (".py", ".js", ".mjs", ".ts", ".css", ".html", ".md", ".toml", ".json", ".yaml", ".conf")
SKIPPED = re.compile(
    r"(^|/)(vendor|fixtures|fonts)/|(^|/)(fr|rules\.fr)\.(toml|md)$|/languages/fr/"  # third-party, not English
    r"|^CONTRIBUTING\.md$|^CHANGELOG\.md$|^tests/test_language\.py$"  # the list itself, history
    r"|playthrough|^docs/clauses\.md$"  # generated
)


class BannedWord(NamedTuple):
    """A word, how to find it, and what to write instead."""

    word: str
    pattern: re.Pattern[str]
    instead: str


def banned_words(page: str) -> list[BannedWord]:
    """Read the table of the glossary."""
    _, _, section = page.partition(f"## {HEADING}")
    rows = re.findall(r"^\|(.+?)\|(.+?)\|\s*$", section.partition("\n## ")[0], re.MULTILINE)
    return [
        BannedWord(word, _pattern(word), instead.strip())
        for words, instead in rows
        for word in re.findall(r"`([^`]+)`", words)
    ]


def _pattern(word: str) -> re.Pattern[str]:
    is_name = word != word.lower() or "_" in word
    stem, is_open = (word[:-1], True) if word.endswith("*") else (word, word.endswith("_"))
    ending = r"\w*" if is_open else r"(?!\w)"
    return re.compile(rf"(?<!\w){re.escape(stem)}{ending}", 0 if is_name else re.IGNORECASE)


def findings(name: str, text: str, banned: list[BannedWord]) -> Iterator[str]:
    """Yield each use of a banned word."""
    for number, line in enumerate(text.splitlines(), 1):
        for word in banned:
            found = word.pattern.search(line)
            if found:
                yield f"{name}:{number}: {found[0]!r}: write {word.instead}"


def checked_files() -> list[str]:
    """Return the tracked files that are checked."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.splitlines() if name.endswith(CHECKED) and not SKIPPED.search(name)]


def main() -> int:
    """Check every file."""
    banned = banned_words(GLOSSARY.read_text(encoding="utf-8"))
    found = [
        finding
        for name in checked_files()
        if (ROOT / name).is_file()
        for finding in findings(name, (ROOT / name).read_text(encoding="utf-8"), banned)
    ]
    print("\n".join(found) if found else f"language: none of {len(banned)} banned words")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
