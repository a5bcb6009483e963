"""Reading a text line by line, with errors that name the line and what was expected."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from tablee.core.errors import BadRecord

# Control characters, invisible characters and those that change the direction of writing. Part of the format: a
# change of this list would change the text of existing records.
HIDDEN = r"\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff"
UNSAFE = re.compile(f"[{HIDDEN}]")
MAX_SHOWN = 60  # characters of a wrong line in an error


class Syntax(NamedTuple):
    """How a value is written: a description for errors, and a regular expression."""

    description: str
    pattern: str


NUMBER = Syntax("a whole number", r"0|[1-9][0-9]{0,19}")
NUMBERS = Syntax("whole numbers", r"(?:0|-?[1-9][0-9]{0,18})(?: (?:0|-?[1-9][0-9]{0,18}))*")
NAME = Syntax("a name in lower case", r"[a-z_][a-z0-9_]*")
WORD = Syntax("a word or a number", rf"[^\s\x00-\x1f{HIDDEN}]+")
WORDS = Syntax("words with one space between", f"{WORD.pattern}(?: {WORD.pattern})*")
DIGITS_64 = Syntax("64 hexadecimal digits", r"[0-9a-f]{64}")
DIGITS_16 = Syntax("16 hexadecimal digits", r"[0-9a-f]{16}")
BYTES = Syntax("bytes as hexadecimal digits", r"(?:[0-9a-f]{2})+")
QUOTED = Syntax("a text in quotation marks", r'"(?:[^"\\]|\\.)*"')


class Lines:
    """A text that is read line by line. Methods raise BadRecord, with the number of the line."""

    def __init__(self, text: str) -> None:
        # After the last line break there is nothing, or a truncated line.
        self._lines = text.split("\n")[:-1]
        self.number = 0  # of the line read last, from 1

    def next_starts_with(self, start: str) -> bool:
        """Whether there is a next line and it begins like this."""
        return self.number < len(self._lines) and self._lines[self.number].startswith(start)

    def next_is_blank(self) -> bool:
        """Whether there is a next line and it is empty."""
        return self.number < len(self._lines) and not self._lines[self.number]

    def _next(self, expected: str) -> str:
        """Return the next line; `expected` describes it for the error at the end of the text."""
        if self.number == len(self._lines):
            raise BadRecord(f"the record is cut off: expected {expected}", self.number + 1)
        self.number += 1
        return self._lines[self.number - 1]

    def read_groups(self, expected: str, pattern: str) -> tuple[str, ...]:
        """Return the groups of the next line, which must match the pattern; groups that did not take part are empty."""
        line = self._next(expected)
        found = re.fullmatch(pattern, line)
        if found is None:
            raise self.error(f"expected {expected}, found {line[:MAX_SHOWN]!r}")
        return found.groups(default="")

    def read_value(self, key: str, syntax: Syntax) -> str:
        """Return the value of the next line, which must be `key: value`."""
        (value,) = self.read_groups(f"'{key}: ' and {syntax.description}", f"{re.escape(key)}: ({syntax.pattern})")
        return value

    def read_number(self, key: str, maximum: int) -> int:
        """Return the number of the next line, which must be `key: number`."""
        number = int(self.read_value(key, NUMBER))
        if number > maximum:
            raise self.error(f"{key} is {number}, which is more than {maximum}")
        return number

    def read_blank(self) -> None:
        """Read the empty line between two parts."""
        self.read_groups("an empty line", "")

    def read_end(self) -> None:
        """Check that no line follows."""
        if self.number < len(self._lines):
            raise BadRecord("unexpected text after the end of the record", self.number + 1)

    def error(self, message: str) -> BadRecord:
        """Return an error about the line read last."""
        return BadRecord(message, self.number)


def quote(text: str) -> str:
    """Return a text as a JSON string, with invisible characters escaped."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadRecord(f"{text!r} is not Unicode text") from None
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def unquote(quoted: str, lines: Lines) -> str:
    """Return the text of a quoted string in the line read last; only the form that `quote` writes is accepted."""
    try:
        text = str(json.loads(quoted))
        is_canonical = quote(text) == quoted
    except (ValueError, BadRecord):
        is_canonical = False
    if not is_canonical:
        raise lines.error(f"the text {quoted[:MAX_SHOWN]} is not quoted in the usual form")
    return text
