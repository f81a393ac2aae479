"""Types of kernels' arguments as text, and back: what `kernels.json` is written in.

A number or array is `int64` or `uint8[2C]`, with `!` behind it if it is read only; a group of arrays, a named tuple,
is `@module:Class`, whose fields stand in a table of groups; a plain tuple is `(int64 int64)`.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numba

from tbgen.compiled.groups import GroupType, group_type

types: Any = numba.types

Groups = dict[str, list[str]]
"""The types of the fields of each group."""

_ARRAY = re.compile(r"(\w+)\[(\d+)([CFA])\](!?)")


def written(kind: Any, groups: Groups) -> str:
    """A type as text; what groups it has are added to the table."""
    if isinstance(kind, GroupType):
        kind = kind.fields
    if isinstance(kind, (types.NamedTuple, types.NamedUniTuple)):
        fields, name = [written(field, groups) for field in kind], f"@{_path(kind.instance_class)}"
        number = next(n for n in range(len(groups) + 1) if groups.get(_numbered(name, n), fields) == fields)
        groups[_numbered(name, number)] = fields
        return _numbered(name, number)
    if isinstance(kind, types.BaseTuple):
        return f"({' '.join(written(item, groups) for item in kind)})"
    if isinstance(kind, types.Array):
        return f"{kind.dtype}[{kind.ndim}{kind.layout}]{'' if kind.mutable else '!'}"
    return str(kind)


def read(text: str, groups: Mapping[str, Sequence[str]]) -> Any:
    """The type that a text stands for."""
    if text.startswith("@"):
        module, _, name = text[1:].partition("#")[0].partition(":")
        group = getattr(importlib.import_module(module), name)
        if len(group._fields) != len(groups[text]):
            raise ValueError(f"{text} has other fields now: run scripts/kernels.py")
        return group_type(types.BaseTuple.from_types([read(field, groups) for field in groups[text]], group))
    if text.startswith("("):
        return types.BaseTuple.from_types([read(item, groups) for item in text[1:-1].split()])
    if match := _ARRAY.fullmatch(text):
        scalar, ndim, layout, read_only = match.groups()
        return types.Array(getattr(types, scalar), int(ndim), layout, readonly=bool(read_only))
    return getattr(types, text)


def _path(group: type) -> str:
    return f"{group.__module__}:{group.__qualname__}"


def _numbered(name: str, number: int) -> str:
    return name if number == 0 else f"{name}#{number}"
