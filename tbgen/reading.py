"""JSON that people can edit, read back as the objects of which `tbgen.facts` wrote it."""

from __future__ import annotations

import enum
import json
import sys
from collections.abc import Sequence
from dataclasses import MISSING, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, NoReturn, get_args, get_origin, get_type_hints

from tbgen.facts import has_own_text, plain

_LONGEST_SHOWN = 40
"""An error shows a wrong value of fewer characters."""


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text; ValueError if it is none, or nested too deep."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def read_as(kind: Any, value: Any, name: str = "") -> Any:
    """The object of some type that `plain` wrote as a value.

    ValueError gives the path of a value of another kind.

    A dataclass has a member for each field; a field with a default may be missing. An object whose
    keys are an enum has all of them. A class with a text of its own is made from that.

    >>> read_as(dict[str, tuple[int, ...]], {"plies": [3, 4]})
    {'plies': (3, 4)}
    >>> read_as(list[int], [3, True])
    Traceback (most recent call last):
    ValueError: [1] is True, not a whole number from 0 on
    >>> read_as(tuple[str, int], ["1.2"])
    Traceback (most recent call last):
    ValueError: it is ['1.2'], not a list of 2
    >>> read_as(dict[str, tuple[str, int]], {"games": ["1.2", -4]})
    Traceback (most recent call last):
    ValueError: games[1] is -4, not a whole number from 0 on
    """
    kind = getattr(kind, "__supertype__", kind)  # such as Material, of a TableMaterial
    if kind in (str, int, float, bool):
        return _read_scalar(kind, value, name)
    origin = get_origin(kind)
    parts = get_args(kind)
    if origin is UnionType:
        return _read_one_of(parts, value, name)
    if origin in (tuple, list):
        return _read_list(origin, parts, value, name)
    if origin is not None:
        key_kind, value_kind = parts
        return _read_mapping(key_kind, value_kind, value, name)
    if issubclass(kind, enum.Enum):
        return _read_member(kind, value, name)
    if has_own_text(kind):
        parse = getattr(kind, "parse", kind)
        return parse(read_as(str, value, name))
    return _read_fields(kind, value, name)


def _refuse(value: object, name: str, wanted: str) -> NoReturn:
    shown = repr(value)
    if len(shown) >= _LONGEST_SHOWN:
        shown = "something else"
    raise ValueError(f"{name or 'it'} is {shown}, not {wanted}")


def _read_scalar(kind: Any, value: Any, name: str) -> Any:
    """A text, a number or a truth value, which is no number."""
    if kind is str and type(value) is not str:
        _refuse(value, name, "a text")
    if kind is bool and type(value) is not bool:
        _refuse(value, name, "true or false")
    if kind is int and not _is_count(value):
        _refuse(value, name, "a whole number from 0 on")
    if kind is float and not _is_finite(value):
        _refuse(value, name, "a finite number")
    return kind(value)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_finite(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _read_one_of(kinds: Sequence[Any], value: Any, name: str) -> Any:
    """The object of the first type that fits."""
    if value is None and NoneType in kinds:
        return None
    faults = []
    for kind in kinds:
        if kind is NoneType:
            continue
        try:
            return read_as(kind, value, name)
        except ValueError as error:
            faults.append(str(error))
    raise ValueError(", and ".join(faults))


def _read_list(origin: Any, parts: Sequence[Any], value: Any, name: str) -> Any:
    """A list, a tuple of any length, or a tuple with a type for each item."""
    if type(value) is not list:
        _refuse(value, name, "a list")
    item_kind = parts[0]
    has_any_length = origin is list or parts[1:] == (...,)
    if not has_any_length:
        if len(value) != len(parts):
            _refuse(value, name, f"a list of {len(parts)}")
        items = zip(parts, value, strict=True)
        return tuple(read_as(kind, item, f"{name}[{n}]") for n, (kind, item) in enumerate(items))
    # Records have hundreds of thousands of whole numbers. A call for each takes most of the time.
    if item_kind is int and all(type(item) is int and item >= 0 for item in value):
        return origin(value)
    return origin(read_as(item_kind, item, f"{name}[{n}]") for n, item in enumerate(value))


def _read_mapping(key_kind: Any, value_kind: Any, value: Any, name: str) -> dict[Any, Any]:
    """An object with any keys of a type; with all of them if they are the members of an enum."""
    members = _members(value, name)
    if issubclass(key_kind, enum.Enum):
        _expect_keys([plain(key) for key in key_kind], members, name)
    mapping = {}
    for key, member in members.items():
        item = read_as(value_kind, member, _path(name, key))
        mapping[read_as(key_kind, key, name)] = item
    return mapping


def _read_member(kind: type[enum.Enum], value: Any, name: str) -> enum.Enum:
    members = {plain(member): member for member in kind}
    if type(value) is not str or value not in members:
        _refuse(value, name, " or ".join(members))
    return members[value]


def _read_fields(kind: Any, value: Any, name: str) -> Any:
    """A dataclass, from an object with a member for each field. Other members are ignored."""
    members = _members(value, name)
    values = {}
    for field in fields(kind):
        is_needed = field.default is MISSING and field.default_factory is MISSING
        if is_needed:
            _expect_keys([field.name], members, name)
        if field.name in members:
            field_kind = _hints_of(kind)[field.name]
            values[field.name] = read_as(field_kind, members[field.name], _path(name, field.name))
    return kind(**values)


@cache
def _hints_of(kind: type) -> dict[str, Any]:
    """The types of a class's fields by name."""
    return get_type_hints(kind)


def _members(value: Any, name: str) -> dict[str, Any]:
    if type(value) is not dict:
        _refuse(value, name, "an object")
    return value


def _expect_keys(keys: Sequence[str], members: dict[str, Any], name: str) -> None:
    for key in keys:
        if key not in members:
            raise ValueError(f"it lacks {_path(name, key)}")


def _path(name: str, key: str) -> str:
    if not name:
        return key
    return f"{name}.{key}"
