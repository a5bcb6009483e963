"""Reading a text line by line, with errors that say where and what was expected."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from tablee.core.errors import BadRecord

# Characters that would break a line, hide, or turn the direction of what follows; a fixed list, the same for ever.
HIDDEN = r"\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff"
UNSAFE = re.compile(f"[{HIDDEN}]")
MAX_SHOWN = 60  # of a wrong line, in an error


class Shape(NamedTuple):
    """How a value is written: in words for errors, and as a pattern."""

    meaning: str
    pattern: str


NUMBER = Shape("a whole number", r"0|[1-9][0-9]{0,19}")
NUMBERS = Shape("whole numbers", r"(?:0|-?[1-9][0-9]{0,18})(?: (?:0|-?[1-9][0-9]{0,18}))*")
NAME = Shape("a name in lower case", r"[a-z_][a-z0-9_]*")
WORD = Shape("a word or a number", rf"[^\s\x00-\x1f{HIDDEN}]+")
WORDS = Shape("words with one space between", f"{WORD.pattern}(?: {WORD.pattern})*")
DIGITS_64 = Shape("64 hexadecimal digits", r"[0-9a-f]{64}")
DIGITS_16 = Shape("16 hexadecimal digits", r"[0-9a-f]{16}")
BYTES = Shape("bytes as hexadecimal digits", r"(?:[0-9a-f]{2})+")
QUOTED = Shape("a text in quotation marks", r'"(?:[^"\\]|\\.)*"')


class Lines:
    """A text, taken line by line."""

    def __init__(self, text: str) -> None:
        # What follows the last line end is empty, or a line that was cut off.
        self._lines = text.split("\n")[:-1]
        self.number = 0  # of the line taken last

    def shows(self, start: str) -> bool:
        """Say whether there is a next line that begins like this."""
        return self.number < len(self._lines) and self._lines[self.number].startswith(start)

    def shows_blank(self) -> bool:
        """Say whether the next line is empty."""
        return self.number < len(self._lines) and not self._lines[self.number]

    def take(self, expected: str) -> str:
        """Return the next line."""
        if self.number == len(self._lines):
            raise BadRecord(f"the file is cut off: {expected} should follow", self.number + 1)
        self.number += 1
        return self._lines[self.number - 1]

    def take_parts(self, expected: str, pattern: str) -> tuple[str, ...]:
        """Return the groups of the next line, which must fit the pattern."""
        line = self.take(expected)
        found = re.fullmatch(pattern, line)
        if found is None:
            raise self.wrong(f"expected {expected}, found {line[:MAX_SHOWN]!r}")
        return tuple("" if part is None else part for part in found.groups())

    def take_value(self, key: str, shape: Shape) -> str:
        """Return the value of the next line, `key: value`."""
        (value,) = self.take_parts(f"'{key}: ' and {shape.meaning}", f"{re.escape(key)}: ({shape.pattern})")
        return value

    def take_number(self, key: str, most: int) -> int:
        """Return the number of the next line, `key: number`."""
        number = int(self.take_value(key, NUMBER))
        if number > most:
            raise self.wrong(f"{key} is {number}, which is more than {most}")
        return number

    def take_blank(self) -> None:
        """Pass the empty line between two parts."""
        self.take_parts("an empty line", "")

    def finish(self) -> None:
        """See that nothing follows."""
        if self.number < len(self._lines):
            raise BadRecord("the record has ended, but the file goes on", self.number + 1)

    def wrong(self, message: str) -> BadRecord:
        """Return an error about the line taken last."""
        return BadRecord(message, self.number)


def quote(text: str) -> str:
    """Write any text on one line, in quotation marks, as JSON does."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadRecord(f"{text!r} is not Unicode text") from None
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def unquote(quoted: str, lines: Lines) -> str:
    """Read what `quote` wrote, in the line taken last."""
    try:
        text = str(json.loads(quoted))
        is_usual = quote(text) == quoted
    except (ValueError, BadRecord):
        is_usual = False
    if not is_usual:
        raise lines.wrong(f"the text {quoted[:MAX_SHOWN]} is not quoted as it should be")
    return text
