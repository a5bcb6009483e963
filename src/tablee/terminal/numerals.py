"""Large numerals: three lines of half blocks, as they are printed on the largest pieces."""

from __future__ import annotations

import re
from typing import NamedTuple

# Five rows of pixels each, a row as characters of `#` and `.`; two rows of pixels make a line of text.
GLYPHS = {
    "0": "### #.# #.# #.# ###",
    "1": ".#. ##. .#. .#. ###",
    "2": "### ..# ### #.. ###",
    "3": "### ..# .## ..# ###",
    "4": "#.# #.# ### ..# ..#",
    "5": "### #.. ### ..# ###",
    "6": "### #.. ### #.# ###",
    "7": "### ..# ..# .#. .#.",
    "8": "### #.# ### #.# ###",
    "9": "### #.# ### ..# ###",
    "-": ".. .. ## .. ..",
    "?": "### ..# .## ... .#.",
}
MINUS = "−"  # as some faces write it
HALF_BLOCKS = {"..": " ", "#.": "▀", ".#": "▄", "##": "█"}  # by the pixel above and the pixel below
FACE = re.compile(r"(\D*?)([-−]?\d+|\?)(\D*)")


class PrintedFace(NamedTuple):
    """A face with a number in it: `R8`, `5M`, `-2`."""

    number: str
    letters: str  # before or after the number


def printed_face(face: str) -> PrintedFace | None:
    """Return the number and the letters of a face; None if it is not a number with letters before or after it."""
    found = FACE.fullmatch(face)
    return PrintedFace(found[2].replace(MINUS, "-"), found[1] + found[3]) if found else None


def large_numeral(number: str) -> list[str]:
    """Return a number as three lines of text."""
    rows = [" ".join(row).replace(" ", ".") for row in zip(*(GLYPHS[digit].split() for digit in number), strict=True)]
    rows.append("." * len(rows[0]))
    return [
        "".join(HALF_BLOCKS[above + below] for above, below in zip(rows[line], rows[line + 1], strict=True))
        for line in (0, 2, 4)
    ]
