"""What changed between two tables as shown to a viewer: a JSON Patch (RFC 6902), a fraction of the whole table.

`find_changes` compares structures, as the server draws them; `apply_changes` works on plain JSON values, as a client
receives them. Nothing here knows what a table or a game is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import compress
from operator import is_not
from typing import Any, Literal, get_args, get_type_hints

import msgspec
from msgspec.structs import astuple

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
    _compare(old, new, "", found)
    return tuple(found)


def _compare(old: Any, new: Any, path: str, found: list[Change]) -> None:
    """Add what differs between two values, which are not the same object: what is drawn once need not be compared."""
    kind: Any = type(new)
    if type(old) is not kind:
        found.append(Change("replace", path, new))
    elif kind in PLAIN:
        if old != new:
            found.append(Change("replace", path, new))
    elif kind is tuple or kind is list:
        _compare_lists(old, new, path, found)
    elif kind is dict:
        _compare_objects(old, new, path, found)
    elif names := _parts_of(kind):
        olds, news = astuple(old), astuple(new)
        for index in compress(range(len(names)), map(is_not, olds, news)):
            _compare(olds[index], news[index], f"{path}/{names[index]}", found)
    elif old != new:
        found.append(Change("replace", path, new))


def _find_parts(kind: type) -> tuple[str, ...]:
    """Return the fields of a structure that is compared field by field; none of a small one, which is sent whole."""
    names = tuple(kind.__struct_fields__) if issubclass(kind, msgspec.Struct) else ()
    hints = get_type_hints(kind)
    types = [part for name in names for part in _types_in(hints[name])]
    has_structures = any(isinstance(part, type) and issubclass(part, msgspec.Struct | dict) for part in types)
    return names if has_structures else ()


_parts_of: Callable[[Any], tuple[str, ...]] = cache(_find_parts)


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
        if before is not after:
            _compare(before, after, f"{path}/{_escaped(key)}", found)


def _compare_lists(old: Sequence[Any], new: Sequence[Any], path: str, found: list[Change]) -> None:
    """Compare two lists, but not the elements that are alike at the ends of lists of different lengths.

    A list of which more than half has changed is replaced, unless its elements have parts that are compared.
    """
    shared, unshared = min(len(old), len(new)), abs(len(old) - len(new))
    max_changed = len(new) // 2 if not new or not _parts_of(type(new[0])) else shared + unshared
    if unshared > max_changed:
        found.append(Change("replace", path, new))
        return
    first, last = _ends_alike(old, new, shared) if unshared else (0, 0)
    end = shared - last  # from here on, the longer list has elements that the other has not
    changed = []
    for index in range(first, end):
        if old[index] is not new[index] and not _is_alike(old[index], new[index]):
            changed.append(index)
    if unshared + len(changed) > max_changed:
        found.append(Change("replace", path, new))
        return
    for index in changed:
        _compare(old[index], new[index], f"{path}/{index}", found)
    if len(old) > len(new):
        found += [Change("remove", f"{path}/{index}") for index in reversed(range(end, end + unshared))]
    elif unshared:
        found += [Change("add", f"{path}/{index}", new[index]) for index in range(end, end + unshared)]


def _ends_alike(old: Sequence[Any], new: Sequence[Any], shared: int) -> tuple[int, int]:
    """Return how many of the shared elements are alike at the start, and how many of the others at the end."""
    first = last = 0
    while first < shared and (old[first] is new[first] or _is_alike(old[first], new[first])):
        first += 1
    while last < shared - first and _is_alike(old[-1 - last], new[-1 - last]):
        last += 1
    return first, last


def _is_alike(old: Any, new: Any) -> bool:
    """Whether two values are the same in JSON, which tells 1, 1.0 and true apart; structures have typed fields."""
    kind = type(new)
    if kind is list or kind is dict:
        return bool(old == new) and _encode(old) == _encode(new)
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
