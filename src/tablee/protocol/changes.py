"""What changed between two tables as shown to a viewer: a JSON Patch (RFC 6902), a fraction of the whole table.

`find_changes` compares structures, as the server draws them; `apply_changes` works on plain JSON values, as a client
receives them. Nothing here knows what a table or a game is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Any, Literal, NamedTuple

import msgspec

PLAIN = frozenset({bool, int, float, str, type(None)})


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
    elif kind is list or (kind is tuple and old != new):
        _compare_lists(old, new, path, found)
    elif kind is dict:
        _compare_objects(old, new, path, found)
    elif (known := _fields_of(kind)) is not None:
        for name, before, after in zip(known.names, known.values(old), known.values(new), strict=True):
            if before is after:  # as what was drawn once
                continue
            if type(after) not in PLAIN:
                _compare(before, after, f"{path}/{name}", found)
            elif before != after or type(before) is not type(after):
                found.append(Change("replace", f"{path}/{name}", after))
    elif old != new:
        found.append(Change("replace", path, new))


class _Fields(NamedTuple):
    """The fields of a structure."""

    names: tuple[str, ...]
    values: Callable[[Any], tuple[Any, ...]]  # all at once


_known_fields: dict[type, _Fields | None] = {}


def _fields_of(kind: type) -> _Fields | None:
    if kind not in _known_fields:
        _known_fields[kind] = _find_fields(kind)
    return _known_fields[kind]


def _find_fields(kind: Any) -> _Fields | None:
    if issubclass(kind, msgspec.Struct):
        names = tuple(kind.__struct_fields__)
    elif is_dataclass(kind):
        names = tuple(field.name for field in fields(kind))
    else:
        return None
    return _Fields(names, attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, names[0]),))


def _compare_objects(old: dict[str, Any], new: dict[str, Any], path: str, found: list[Change]) -> None:
    if old.keys() != new.keys():
        found.append(Change("replace", path, new))
        return
    for key, after in new.items():
        if old[key] is not after:
            _compare(old[key], after, f"{path}/{_escaped(key)}", found)


def _compare_lists(old: Sequence[Any], new: Sequence[Any], path: str, found: list[Change]) -> None:
    """Compare element by element; a list of which more than half has changed is replaced, unless it holds lists."""
    others = [index for index, (before, after) in enumerate(zip(old, new, strict=False)) if before is not after]
    unshared = abs(len(old) - len(new))
    is_new = 2 * unshared > len(new) or (
        2 * (unshared + len(others)) > len(new)
        and 2 * (unshared + sum(old[index] != new[index] for index in others)) > len(new)
    )
    if is_new and not _holds_lists(new):
        found.append(Change("replace", path, new))
        return
    for index in others:
        _compare(old[index], new[index], f"{path}/{index}", found)
    shared = min(len(old), len(new))
    if unshared:
        found += [Change("remove", f"{path}/{index}") for index in reversed(range(shared, len(old)))]
        found += [Change("add", f"{path}/{index}", new[index]) for index in range(shared, len(new))]


def _holds_lists(values: Sequence[Any]) -> bool:
    """Whether the first element is a structure with a list of structures, of which most may not have changed."""
    known = _fields_of(type(values[0])) if values else None
    parts = known.values(values[0]) if known is not None else ()
    return any(type(part) in (tuple, list) and part and _fields_of(type(part[0])) is not None for part in parts)


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
