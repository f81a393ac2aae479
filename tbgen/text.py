"""Values as text for people, and as facts for JSON.

>>> counted(1, "table", "tables"), counted(1200, "game", "games"), in_plies(1)
('1 table', '1,200 games', '1 ply')
"""

from __future__ import annotations

import enum
import math
import numbers
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufff9-\ufffb]"
)
"""Control characters, and characters that change the direction of text or cannot be seen."""


def printable(text: str) -> str:
    """A text from elsewhere as a terminal may show it: characters that would control the terminal are spelled out.

    >>> print(printable("a\\x1b[2Jb"))
    a\\x1b[2Jb
    """
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


def cleaned(text: str, most: int) -> str:
    """A text from elsewhere as a tag may hold it: without such characters, in one line, no longer than `most`.

    >>> cleaned("Deep\\n\\x07Thought", 8)
    'Deep Th…'
    """
    line = _UNSEEN.sub("", " ".join(text.split()))
    return line if len(line) <= most else line[: most - 1] + "…"


def trouble(error: Exception) -> str:
    """What is wrong with a file of ours that was tampered with, without the words of the interpreter.

    >>> trouble(KeyError("material")), trouble(TypeError("'int' object is not iterable"))
    ("it lacks 'material'", 'a value is not of its kind')
    """
    if isinstance(error, KeyError):
        return f"it lacks {error}"
    if isinstance(error, (TypeError, AttributeError, IndexError, ArithmeticError, RecursionError)):
        return "a value is not of its kind"
    return " ".join(str(error).split())


def counted(number: int, one: str, many: str) -> str:
    """A number of things."""
    return f"{number:,} {one if number == 1 else many}"


def in_gib(size: float, rounded: Callable[[float], int] = math.ceil) -> str:
    """Memory in GiB, below one in MiB, as `--memory` takes it; rounded up, so that what is written suffices.

    >>> in_gib(717.2 * 2**20), in_gib(3.86 * 2**30), in_gib(3.86 * 2**30, math.floor)
    ('718 MiB', '3.9 GiB', '3.8 GiB')
    """
    if size < 1 << 30:
        return f"{rounded(size / (1 << 20))} MiB"
    return f"{rounded(size * 10 / (1 << 30)) / 10} GiB"


def in_units(size: float) -> str:
    """Bytes for people.

    >>> in_units(44034)
    '44.0 kB'
    """
    if size < 1000:
        return f"{size:.0f} B"
    amount, units = size / 1000, ["kB", "MB", "GB"]
    while amount >= 1000 and len(units) > 1:
        amount, units = amount / 1000, units[1:]
    return f"{amount:.1f} {units[0]}"


def in_plies(number: int) -> str:
    """A distance."""
    return counted(number, "ply", "plies")


def in_so_many(plies: int | None) -> str:
    """How far away something is, which may not be known.

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
    return {key: plain(value) for key, value in ({name: getattr(thing, name) for name in taken} | derived).items()}


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
    if issubclass(kind, enum.Enum):
        return lambda value: value.value if isinstance(value.value, str) else value.name.lower()
    if issubclass(kind, (type(None), bool, str)):
        return lambda value: value
    if issubclass(kind, numbers.Real):
        return int if issubclass(kind, numbers.Integral) else float
    if issubclass(kind, Mapping):
        return lambda value: {plain(key): plain(each) for key, each in value.items()}
    if hasattr(kind, "facts"):
        return lambda value: plain(value.facts())
    if issubclass(kind, Iterable):
        return lambda value: [plain(each) for each in value]
    return str if has_own_text(kind) else facts_of


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
    """Whether a class says how its objects are written: `plain` writes such a one as a text."""
    return any("__str__" in vars(each) for each in kind.__mro__ if each is not object)
