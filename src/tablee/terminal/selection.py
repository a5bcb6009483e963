"""Making a move by touching what it concerns, in order. Pure, and the same as in a browser (`web/selection.js`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tablee.core.view import Choice, View, Zone

Picked = tuple[str, ...]


@dataclass(frozen=True)
class Picking:
    """What can come of the things picked so far."""

    picked: Picked = ()  # ids, in order
    next: frozenset[str] = frozenset()  # ids that lead on from here
    complete: tuple[Choice, ...] = ()  # choices that ask for nothing more

    @property
    def decided(self) -> Choice | None:
        """The one choice that the picked things mean, if nothing can be added to them."""
        return self.complete[0] if self.picked and len(self.complete) == 1 and not self.next else None


def follow(view: View, picked: Picked = ()) -> Picking:
    """See where the picked things lead."""
    zones = zones_of_ids(view)
    fitting = [choice for choice in view.choices if _fits(choice, picked, zones)]
    leading = frozenset(target for choice in fitting for target in _continuations(choice, picked, zones))
    return Picking(picked, leading, tuple(choice for choice in fitting if len(choice.targets) == len(picked)))


def touch(view: View, picked: Picked, identity: str) -> Picking | None:
    """Touch something: it is added, taken back, or begins anew. None if nothing can come of it."""
    zone = zones_of_ids(view).get(identity)
    candidates = [identity] if zone is None else [identity, zone.id]
    leading = follow(view, picked).next
    for candidate in candidates:
        if candidate in leading:
            return follow(view, (*picked, candidate))
    for candidate in candidates:
        if candidate in picked:
            return follow(view, tuple(other for other in picked if other != candidate))
    first = follow(view).next
    for candidate in candidates:
        if candidate in first:
            return follow(view, (candidate,))
    return None


def guessed_text(view: View, picked: Picked, identity: str) -> str | None:
    """Guess the text of a move that is not possible, to ask why: `flip b2` with another cell's name in it."""
    zone = zones_of_ids(view).get(identity)
    for choice in view.choices:
        target = choice.targets[len(picked)] if len(picked) < len(choice.targets) else None
        if target is not None and choice.targets[: len(picked)] == picked and _is_sibling(target, identity, zone):
            return _renamed(choice.text, _local_name(target), _local_name(identity))
    return None


def zones_of_ids(view: View) -> dict[str, Zone]:
    """Return the zone of every piece, and of itself."""
    return {identity: zone for zone in view.zones for identity in (zone.id, *(piece.id for piece in zone.pieces))}


def _is_sibling(target: str, identity: str, zone: Zone | None) -> bool:
    is_place = zone is not None and zone.kind != "fan"  # a card in a hand has no name of its own
    return is_place and target != identity and zone is not None and any(piece.id == target for piece in zone.pieces)


def _renamed(text: str, old: str, name: str) -> str | None:
    words = text.split(" ")
    return " ".join(name if word == old else word for word in words) if old in words else None


def _local_name(identity: str) -> str:
    return identity.rpartition(".")[2]


def _is_unordered(choice: Choice, zones: Mapping[str, Zone]) -> bool:
    """Several cards out of one hand may be touched in any order; from one place to another, order matters."""
    if not choice.targets:
        return False
    zone = zones.get(choice.targets[0])
    is_hand = zone is not None and zone.kind in ("fan", "row")
    return is_hand and all(zones.get(target) is zone for target in choice.targets)


def _fits(choice: Choice, picked: Picked, zones: Mapping[str, Zone]) -> bool:
    if _is_unordered(choice, zones):
        return set(picked) <= set(choice.targets)
    return choice.targets[: len(picked)] == picked


def _continuations(choice: Choice, picked: Picked, zones: Mapping[str, Zone]) -> Sequence[str]:
    if _is_unordered(choice, zones):
        return [target for target in choice.targets if target not in picked]
    return choice.targets[len(picked) : len(picked) + 1]
