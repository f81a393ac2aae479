"""Objects as facts: what JSON has of them, and programs read. `tbgen.reading` is the way back."""

from __future__ import annotations

import enum
import numbers
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from types import NoneType
from typing import Any


def facts_of(thing: Any, *names: str, **derived: object) -> dict[str, Any]:
    """The facts of an object: its public fields or the attributes in `names`, and derived values.

    To rename a field or to add a value, give it by keyword; to leave fields out, name those that
    stay.

    Arguments:
        thing: The object; a dataclass unless there are names.
        names: The attributes to take, which may be properties.
        derived: More values by key; a value replaces an attribute of the same name in its place.

    >>> from fractions import Fraction
    >>> facts_of(Fraction(1, 4), "numerator", half=Fraction(1, 8))
    {'numerator': 1, 'half': 0.125}
    """
    if not names:
        names = tuple(name for name in thing.__dataclass_fields__ if not name.startswith("_"))
    values = {name: getattr(thing, name) for name in names}
    values.update(derived)
    return {name: plain(value) for name, value in values.items()}


def plain(value: Any) -> Any:
    """A value as JSON has it.

    Numbers, texts, truth values and None stay; fractions become numbers; enums their value, or
    their name in lower case where the value is a number. An object is what its method `facts`
    returns, else its text if its class has one of its own (scores, materials, paths, moves), else
    its public fields.

    >>> plain({"line": ("e4", "e5"), "found": None})
    {'line': ['e4', 'e5'], 'found': None}
    """
    kind: Any = type(value)  # of type[Any] mypy says that it has no hash
    return _converter_of(kind)(value)


@cache
def _converter_of(kind: type) -> Callable[[Any], Any]:
    """The function that makes a value of some type as JSON has it."""
    if hasattr(kind, "facts"):
        return _own_facts
    if issubclass(kind, enum.Enum):
        return _word_of
    if issubclass(kind, (NoneType, bool, str)):
        return _unchanged
    if issubclass(kind, numbers.Integral):
        return int
    if issubclass(kind, numbers.Real):
        return float
    if issubclass(kind, Mapping):
        return _object_of
    if issubclass(kind, Iterable):
        return _list_of
    if has_own_text(kind):
        return str
    return facts_of


def _own_facts(value: Any) -> Any:
    return plain(value.facts())


def _word_of(member: enum.Enum) -> str:
    if isinstance(member.value, str):
        return member.value
    return member.name.lower()


def _unchanged(value: object) -> object:
    return value


def _object_of(mapping: Mapping[Any, Any]) -> dict[Any, Any]:
    return {plain(key): plain(value) for key, value in mapping.items()}


def _list_of(values: Iterable[Any]) -> list[Any]:
    return [plain(value) for value in values]


def has_own_text(kind: type) -> bool:
    """Whether a class defines its own text, which `plain` then takes."""
    return any("__str__" in vars(base) for base in kind.__mro__ if base is not object)


def flattened(facts: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The values of facts by name; a dot joins the names of inner objects.

    >>> dict(flattened({"dtg": 5, "points": {"white": 1.0}}))
    {'dtg': 5, 'points.white': 1.0}
    """
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield from flattened(value, f"{before}{name}.")
        else:
            yield before + name, value
