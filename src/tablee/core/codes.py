"""Named codes that kernels return: why a move is refused, why a game ended, which invariants are broken.

A game declares each set once, as a class; kernels use its members, which Numba compiles as integers. Flags are an
`IntEnum` too: Numba does not compile `IntFlag`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Self


class RefusalCode(IntEnum):
    """Why a move is refused, numbered from 1 in the order of declaration; 0 means that the move is legal.

    The value given is the clause: `MUST_FLIP = "R13"`. The key of its words is the name in lower case.
    """

    clause: str

    def __new__(cls, clause: str) -> Self:  # noqa: D102
        code = int.__new__(cls, len(cls.__members__) + 1)
        code._value_ = int(code)
        code.clause = clause
        return code

    @classmethod
    def of(cls, code: int) -> Self:
        """Return the refusal with a code."""
        return cls(code)  # type: ignore[arg-type]  # mypy reads __new__, which only declarations use

    @property
    def key(self) -> str:
        """The name of the refusal in catalogues, messages and records."""
        return self.name.lower()


class EndReasonCode(IntEnum):
    """Why a game ended, as stored in `end_reason`: 1, 2, …; 0 means that it goes on."""

    @property
    def key(self) -> str:
        """The name of the reason in catalogues, messages and records."""
        return self.name.lower()


class ProblemFlag(IntEnum):
    """A broken invariant, one bit each in the order of declaration; the value given is a sentence for authors."""

    sentence: str

    def __new__(cls, sentence: str) -> Self:  # noqa: D102
        flag = int.__new__(cls, 1 << len(cls.__members__))
        flag._value_ = int(flag)
        flag.sentence = sentence
        return flag

    @classmethod
    def sentences(cls, bits: int) -> list[str]:
        """Return the sentence of each flag that is set."""
        return [flag.sentence for flag in cls if bits & flag]
