"""Choosing a move by selecting its targets, in order. Pure, and the same as in a browser (`web/selection.js`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablee.core.view import Choice, View, Zone


Targets = tuple[str, ...]  # ids of pieces or zones, in the order of selection


@dataclass(frozen=True)
class Selection:
    """The selected targets and how they can be continued."""

    selected: Targets = ()
    next: frozenset[str] = frozenset()  # ids that may be selected next
    complete: tuple[Choice, ...] = ()  # choices that need no further target

    @property
    def decided(self) -> Choice | None:
        """The only choice with these targets, if none can be added; else None."""
        return self.complete[0] if self.selected and len(self.complete) == 1 and not self.next else None


def selection_of(view: View, selected: Targets = ()) -> Selection:
    """Return how the selected targets can be continued."""
    zones = zones_by_id(view)
    matching = [choice for choice in view.choices if _matches(choice, selected, zones)]
    next_ids = frozenset(target for choice in matching for target in _continuations(choice, selected, zones))
    complete = tuple(choice for choice in matching if len(choice.targets) == len(selected))
    return Selection(selected, next_ids, complete)


def select(view: View, selected: Targets, identity: str) -> Selection | None:
    """Select a target: add it, deselect it, or start a new selection with it. None if no choice has it."""
    zone = zones_by_id(view).get(identity)
    candidates = [identity] if zone is None else [identity, zone.id]
    continuing = selection_of(view, selected).next
    for candidate in candidates:
        if candidate in continuing:
            return selection_of(view, (*selected, candidate))
    for candidate in candidates:
        if candidate in selected:
            return selection_of(view, tuple(other for other in selected if other != candidate))
    starting = selection_of(view).next
    for candidate in candidates:
        if candidate in starting:
            return selection_of(view, (candidate,))
    return None


def zones_by_id(view: View) -> dict[str, Zone]:
    """Map the id of each zone, and of each piece in it, to the zone."""
    return {identity: zone for zone in view.zones for identity in (zone.id, *(piece.id for piece in zone.pieces))}


def _is_unordered(choice: Choice, zones: Mapping[str, Zone]) -> bool:
    """Whether the targets may be selected in any order: they are all cards of one hand."""
    if not choice.targets:
        return False
    zone = zones.get(choice.targets[0])
    is_hand = zone is not None and zone.kind in ("fan", "row")
    return is_hand and all(zones.get(target) is zone for target in choice.targets)


def _matches(choice: Choice, selected: Targets, zones: Mapping[str, Zone]) -> bool:
    if _is_unordered(choice, zones):
        return set(selected) <= set(choice.targets)
    return choice.targets[: len(selected)] == selected


def _continuations(choice: Choice, selected: Targets, zones: Mapping[str, Zone]) -> Sequence[str]:
    if _is_unordered(choice, zones):
        return [target for target in choice.targets if target not in selected]
    return choice.targets[len(selected) : len(selected) + 1]
