"""Values as text for people, as facts for JSON, and read back from JSON that people can edit."""

from __future__ import annotations

import enum
import json
import math
import numbers
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from functools import cache
from types import UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufff9-\ufffb]"
)
"""Control characters, and characters that change the direction of text or cannot be seen."""


def printable(text: str) -> str:
    """A text from elsewhere, safe to print: characters that would control the terminal are spelled out.

    >>> print(printable("a\\x1b[2Jb"))
    a\\x1b[2Jb
    """
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


def cleaned(text: str, most: int) -> str:
    """A text from elsewhere, safe in a tag: one line without such characters, of at most `most` characters.

    >>> cleaned("Deep\\n\\x07Thought", 8)
    'Deep Th…'
    """
    line = _UNSEEN.sub("", " ".join(text.split()))
    return line if len(line) <= most else line[: most - 1] + "…"


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun, singular or plural."""
    return f"{number:,} {one if number == 1 else many}"


def in_gib(size: float, rounded: Callable[[float], int] = math.ceil) -> str:
    """Memory in GiB, or in MiB below 1 GiB, as `--memory` reads it. It is rounded up, so that it suffices.

    >>> in_gib(717.2 * 2**20), in_gib(3.86 * 2**30), in_gib(3.86 * 2**30, math.floor)
    ('718 MiB', '3.9 GiB', '3.8 GiB')
    """
    if size < 1 << 30:
        return f"{rounded(size / (1 << 20))} MiB"
    return f"{rounded(size * 10 / (1 << 30)) / 10} GiB"


def in_units(size: float) -> str:
    """Bytes for people.

    >>> in_units(999), in_units(44034), in_units(10**12)
    ('999 bytes', '44.0 kB', '1.0 TB')
    """
    from rich import filesize  # the start of the program does not need it

    return filesize.decimal(round(size))


def in_plies(number: int) -> str:
    """A number of plies, with the noun."""
    return counted(number, "ply", "plies")


def in_so_many(plies: int | None) -> str:
    """A distance in words; it may be unknown.

    >>> in_so_many(5), in_so_many(None)
    ('in 5 plies', 'in some plies')
    """
    return "in some plies" if plies is None else f"in {in_plies(plies)}"


def facts_of(thing: Any, *names: str, **derived: object) -> dict[str, Any]:
    """The facts of an object as JSON has them: its public fields, or the attributes in `names`, and what is derived.

    To rename a field or to add a value, give it by keyword; to leave fields out, name those that stay.

    Arguments:
        thing: The object; a dataclass unless there are names.
        names: The attributes to take, which may be properties.
        derived: More values by key; a value replaces an attribute of the same name in its place.

    >>> from fractions import Fraction
    >>> facts_of(Fraction(1, 4), "numerator", half=Fraction(1, 8))
    {'numerator': 1, 'half': 0.125}
    """
    taken = names or [name for name in thing.__dataclass_fields__ if not name.startswith("_")]
    return {
        key: plain(value)
        for key, value in ({name: getattr(thing, name) for name in taken} | derived).items()
    }


def plain(value: Any) -> Any:
    """A value as JSON has it.

    Numbers, texts, truth values and None stay; fractions become numbers; enums their value, or their name in lower
    case where the value is a number. An object is what its method `facts` returns, else its text if its class
    has one of its own (scores, materials, paths, moves), else its public fields.

    >>> plain({"line": ("e4", "e5"), "found": None})
    {'line': ['e4', 'e5'], 'found': None}
    """
    kind: Any = type(value)  # of type[Any] mypy says that it has no hash
    return _converter_of(kind)(value)


@cache
def _converter_of(kind: type) -> Callable[[Any], Any]:
    """The function that makes a value of some type as JSON has it."""
    if hasattr(kind, "facts"):
        return lambda value: plain(value.facts())
    for base, converter in _CONVERTERS.items():
        if issubclass(kind, base):
            return converter
    return str if has_own_text(kind) else facts_of


_CONVERTERS: Final[Mapping[Any, Callable[[Any], Any]]] = {
    enum.Enum: lambda value: value.value if isinstance(value.value, str) else value.name.lower(),
    (type(None), bool, str): lambda value: value,
    numbers.Integral: int,
    numbers.Real: float,
    Mapping: lambda value: {plain(key): plain(each) for key, each in value.items()},
    Iterable: lambda value: [plain(each) for each in value],
}
"""Type -> the function that makes its values fit for JSON; the first type that fits decides."""


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


def has_own_text(kind: type) -> bool:
    """Whether a class defines its own text, which `plain` then takes."""
    return any("__str__" in vars(each) for each in kind.__mro__ if each is not object)


def read_as(kind: Any, value: Any, name: str = "") -> Any:
    """The object of some type that `plain` wrote as a value; ValueError gives the path of a value of another kind.

    A dataclass has a member for each field; a field with a default may be missing. An object whose keys are an enum has
    all of them. A class with a text of its own is made from that.

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

    def expect(holds: bool, wanted: str) -> None:
        if not holds:
            shown = repr(value) if len(repr(value)) < 40 else "something else"
            raise ValueError(f"{name or 'it'} is {shown}, not {wanted}")

    origin, args = get_origin(kind), get_args(kind)
    if kind in _SCALARS:
        wanted, is_one = _SCALARS[kind]
        expect(is_one(value), wanted)
        return kind(value)
    if origin is UnionType:
        return None if value is None else read_as(args[0], value, name)
    if origin in (tuple, list):
        expect(type(value) is list, "a list")
        # Records have hundreds of thousands of whole numbers: a call for each takes most of the time.
        if args[0] is int and all(type(n) is int and n >= 0 for n in value):
            return origin(value)
        kinds = args if origin is tuple and args[-1] is not ... else args[:1] * len(value)
        expect(len(value) == len(kinds), f"a list of {len(kinds)}")
        items = enumerate(zip(kinds, value, strict=True))
        return origin(read_as(each, item, f"{name}[{n}]") for n, (each, item) in items)
    if origin is None and issubclass(kind, enum.Enum):
        named = {plain(each): each for each in kind}
        expect(type(value) is str and value in named, " or ".join(named))
        return named[value]
    if origin is None and has_own_text(kind):
        return getattr(kind, "parse", kind)(read_as(str, value, name))
    expect(type(value) is dict, "an object")
    if origin is None:
        members = {each.name: _hints_of(kind)[each.name] for each in fields(kind)}
        needed = [
            each.name for each in fields(kind) if each.default is each.default_factory is MISSING
        ]
    else:
        members = dict.fromkeys(value, args[1])
        needed = [plain(each) for each in args[0]] if issubclass(args[0], enum.Enum) else []
    before = f"{name}." if name else ""
    if missing := [key for key in needed if key not in value]:
        raise ValueError(f"it lacks {before}{missing[0]}")
    found = {
        key: read_as(each, value[key], before + key)
        for key, each in members.items()
        if key in value
    }
    return (
        kind(**found)
        if origin is None
        else {read_as(args[0], key, name): each for key, each in found.items()}
    )


_SCALARS: Final[Mapping[Any, tuple[str, Callable[[Any], bool]]]] = {
    str: ("a text", lambda value: type(value) is str),
    int: ("a whole number from 0 on", lambda value: type(value) is int and value >= 0),
    float: (
        "a finite number",
        lambda value: type(value) in (int, float) and abs(value) <= sys.float_info.max,
    ),
    bool: ("true or false", lambda value: type(value) is bool),
}
"""Type -> its name in errors, and its test. A bool is not a number."""


_hints_of = cache(get_type_hints)
"""The types of a class's fields by name."""


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text; ValueError if it is none, or nested too deep."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
