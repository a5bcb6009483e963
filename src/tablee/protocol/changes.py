"""What changed between two tables as shown to a viewer: a JSON Patch (RFC 6902), a fraction of the whole table.

`find_changes` compares structures, as the server draws them; `apply_changes` works on plain JSON values, as a client
receives them. Nothing here knows what a table or a game is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, Literal, NamedTuple, get_args, get_type_hints

import msgspec

PLAIN = frozenset({bool, int, float, str, type(None)})
_encode = msgspec.json.Encoder().encode


class Change(msgspec.Struct, frozen=True, gc=False):
    """An operation of JSON Patch (RFC 6902) on the table."""

    op: Literal["add", "remove", "replace"]  # "add" and "remove": an element of a list
    path: str  # a JSON Pointer (RFC 6901), such as "/view/zones/0/pieces/3"
    value: Any = None  # null if removed


def find_changes(old: Any, new: Any) -> tuple[Change, ...]:
    """Return the changes that lead from one value to another, both made of structures and JSON values."""
    found: list[Change] = []
    if not _is_alike(old, new):
        _compare(old, new, "", found)
    return tuple(found)


def _compare(old: Any, new: Any, path: str, found: list[Change]) -> None:
    """Add what differs between two values that are not alike."""
    kind: Any = type(new)
    if type(old) is not kind or kind in PLAIN:
        found.append(Change("replace", path, new))
    elif kind is tuple or kind is list:
        _compare_lists(old, new, path, found)
    elif kind is dict:
        _compare_objects(old, new, path, found)
    elif (parts := _parts_of(kind)) is not None:
        for name, before, after in zip(parts.names, parts.values(old), parts.values(new), strict=True):
            if before is after:  # as what was drawn once
                continue
            if type(after) in PLAIN:
                if before != after or type(before) is not type(after):
                    found.append(Change("replace", f"{path}/{name}", after))
            elif not _is_alike(before, after):
                _compare(before, after, f"{path}/{name}", found)
    else:
        found.append(Change("replace", path, new))


class _Parts(NamedTuple):
    """The fields of a structure that is compared field by field."""

    names: tuple[str, ...]
    values: Callable[[Any], tuple[Any, ...]]  # all at once


def _find_parts(kind: type) -> _Parts | None:
    """Return the fields of a structure that holds other structures; None for a small one, which is sent whole."""
    names = tuple(kind.__struct_fields__) if issubclass(kind, msgspec.Struct) else ()
    hints = get_type_hints(kind)
    types = [part for name in names for part in _types_in(hints[name])]
    if not any(isinstance(part, type) and issubclass(part, msgspec.Struct | dict) for part in types):
        return None
    return _Parts(names, attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, names[0]),))


_parts_of: Callable[[Any], _Parts | None] = cache(_find_parts)


def _types_in(hint: Any) -> Iterable[Any]:
    """Yield an annotated type and those that it is made of."""
    yield getattr(hint, "__origin__", hint)
    for part in get_args(hint):
        yield from _types_in(part)


def _compare_objects(old: dict[str, Any], new: dict[str, Any], path: str, found: list[Change]) -> None:
    if old.keys() != new.keys():
        found.append(Change("replace", path, new))
        return
    for key, after in new.items():
        before = old[key]
        if before is not after and not _is_alike(before, after):
            _compare(before, after, f"{path}/{_escaped(key)}", found)


def _compare_lists(old: Sequence[Any], new: Sequence[Any], path: str, found: list[Change]) -> None:
    """Compare two lists that differ, without the elements that are alike at the ends of lists of different lengths.

    A list of which more than half has changed is replaced, unless its elements have parts that are compared.
    """
    unshared = abs(len(old) - len(new))
    first, last = _ends_alike(old, new) if unshared else (0, 0)
    end = min(len(old), len(new)) - last  # from here on, the longer list has elements that the other has not
    pairs = zip(old[first:end], new[first:end], strict=True)
    changed = [index for index, (a, b) in enumerate(pairs, first) if a is not b and not _is_alike(a, b)]
    if 2 * (unshared + len(changed)) > len(new) and not (new and _parts_of(type(new[0]))):
        found.append(Change("replace", path, new))
        return
    for index in changed:
        _compare(old[index], new[index], f"{path}/{index}", found)
    if unshared:
        found += [Change("remove", f"{path}/{index}") for index in reversed(range(end, len(old) - last))]
        found += [Change("add", f"{path}/{index}", new[index]) for index in range(end, len(new) - last)]


def _ends_alike(old: Sequence[Any], new: Sequence[Any]) -> tuple[int, int]:
    """Return how many elements are alike at the start, and how many of the others at the end."""
    shared, first, last = min(len(old), len(new)), 0, 0
    while first < shared and _is_alike(old[first], new[first]):
        first += 1
    while last < shared - first and _is_alike(old[-1 - last], new[-1 - last]):
        last += 1
    return first, last


def _is_alike(old: Any, new: Any) -> bool:
    """Whether two values are the same in JSON, which tells 1, 1.0 and true apart; structures have typed fields."""
    kind = type(new)
    if kind is list or kind is dict:
        return _encode(old) == _encode(new)
    return type(old) is kind and bool(old == new)


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
