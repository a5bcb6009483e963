"""What changed between two tables as shown to a viewer: a JSON Patch (RFC 6902), a fraction of the whole table.

`find_changes` compares structures, as the server draws them; `apply_changes` works on plain JSON values, as a client
receives them. Nothing here knows what a table or a game is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, cast

import msgspec


class Change(msgspec.Struct, frozen=True):
    """An operation of JSON Patch (RFC 6902) on the table."""

    op: Literal["add", "remove", "replace"]  # "add" and "remove": an element of a list
    path: str  # a JSON Pointer (RFC 6901), such as "/view/zones/0/pieces/3"
    value: Any = None  # null if removed


def find_changes(old: Any, new: Any) -> tuple[Change, ...]:
    """Return the changes that lead from one value to another, both made of structures, dataclasses and JSON values."""
    found: list[Change] = []
    _compare(old, new, "", found)
    return tuple(found)


def _compare(old: Any, new: Any, path: str, found: list[Change]) -> None:
    kind: Any = type(new)
    if type(old) is not kind:
        found.append(Change("replace", path, new))
    elif kind in (tuple, list):
        _compare_lists(old, new, path, found)
    elif kind is dict:
        _compare_objects(old, new, path, found)
    elif names := _field_names(cast(Hashable, kind)):
        for name in names:
            before, after = getattr(old, name), getattr(new, name)
            if before is not after:
                _compare(before, after, f"{path}/{name}", found)
    elif old != new:
        found.append(Change("replace", path, new))


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    if issubclass(kind, msgspec.Struct):
        return tuple(kind.__struct_fields__)
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def _compare_objects(old: dict[str, Any], new: dict[str, Any], path: str, found: list[Change]) -> None:
    if old.keys() != new.keys():
        found.append(Change("replace", path, new))
        return
    for key, after in new.items():
        if old[key] is not after:
            _compare(old[key], after, f"{path}/{_escaped(key)}", found)


def _compare_lists(old: Sequence[Any], new: Sequence[Any], path: str, found: list[Change]) -> None:
    """Compare element by element; a list of which more than half has changed is replaced."""
    shared = min(len(old), len(new))
    changed = sum(before is not after and before != after for before, after in zip(old, new, strict=False))
    if 2 * (changed + abs(len(old) - len(new))) > len(new):
        found.append(Change("replace", path, new))
        return
    for index in range(shared):
        if old[index] is not new[index]:
            _compare(old[index], new[index], f"{path}/{index}", found)
    found += [Change("remove", f"{path}/{index}") for index in reversed(range(shared, len(old)))]
    found += [Change("add", f"{path}/{index}", new[index]) for index in range(shared, len(new))]


def apply_changes(changes: Iterable[Change], value: Any) -> Any:
    """Return a JSON value after changes; the value itself stays as it is.

    Raises LookupError or ValueError if they do not fit it.
    """
    for change in changes:
        keys = [_unescaped(key) for key in change.path.split("/")[1:]]
        value = _applied(change, value, keys)
    return value


def _applied(change: Change, value: Any, keys: Sequence[str]) -> Any:
    if not keys:
        return change.value
    key: Any = int(keys[0]) if isinstance(value, list) else keys[0]
    copy = value.copy()
    if len(keys) > 1 or change.op == "replace":
        copy[key] = _applied(change, value[key], keys[1:])
    elif change.op == "add":
        copy.insert(key, change.value)
    else:
        del copy[key]
    return copy


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _unescaped(key: str) -> str:
    return key.replace("~1", "/").replace("~0", "~")
