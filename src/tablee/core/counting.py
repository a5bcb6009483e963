"""What hidden pieces can be, where a game can count it: the types that its `beliefs.py` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb

from tablee.core.view import Piece


@dataclass(frozen=True)
class CountedFace:
    """A face, and how likely it is."""

    piece: Piece  # any piece with this face; its id does not matter
    probability: float  # that one of the hidden pieces has it
    among: float  # that at least one of them has it


@dataclass(frozen=True)
class CountedPieces:
    """Hidden pieces of one zone, each of which can be the same with the same probabilities.

    If a zone has several of these, no face is on pieces of two of them in the same world.
    """

    ids: tuple[str, ...]
    faces: tuple[CountedFace, ...]  # of positive probability


def count_dealt(ids: tuple[str, ...], unseen: Mapping[Piece, int]) -> CountedPieces:
    """Return what pieces can be that were dealt at random from unseen ones, given with their numbers."""
    total, dealt = sum(unseen.values()), len(ids)
    faces = (
        CountedFace(piece, count / total, 1.0 - comb(total - count, dealt) / comb(total, dealt))
        for piece, count in unseen.items()
    )
    return CountedPieces(ids, tuple(faces))
