"""Numbered arrangements of cards, for the deals of reductions: each number gives another one, none is left out."""

from __future__ import annotations

from typing import Any

from tablee.core.compilation import kernel


@kernel
def arrangement_count(counts: Any) -> int:
    """Return in how many orders `counts[k]` cards of each kind k can lie, cards of one kind being alike."""
    orders, cards = 1, 0
    for count in counts:
        for card in range(1, count + 1):
            cards += 1
            orders = orders * cards // card
    return orders


@kernel
def write_arrangement(number: int, counts: Any, out: Any) -> None:
    """Write the kinds of the cards in their `number`-th order, lexicographically; `counts` becomes zeros.

    Dealing hands is the same: if kinds are seats, `out` says which seat gets each card.
    """
    orders = arrangement_count(counts)
    left = counts.sum()
    for index in range(left):
        kind = 0
        first = orders * counts[0] // left  # orders that go on with this kind
        while number >= first:
            number -= first
            kind += 1
            first = orders * counts[kind] // left
        out[index] = kind
        counts[kind] -= 1
        orders = first
        left -= 1
