"""JSON that people can edit: values with their names, and one line that says which of them is wrong."""

from __future__ import annotations

import enum
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

from tbgen.text import has_own_text, plain


@dataclass(frozen=True, slots=True)
class Field:
    """A value in a JSON text and its name there; a getter raises ValueError if the value is of another kind.

    >>> field = parse_json('{"games": [{"round": "1.2", "plies": -4}]}')
    >>> [(game["round"].text(), game.get("fen").value) for game in field["games"].each()]
    [('1.2', None)]
    >>> next(field["games"].each())["plies"].whole()
    Traceback (most recent call last):
    ValueError: games[0].plies is -4, not a whole number from 0 on
    """

    value: Any
    name: str = ""

    def __getitem__(self, name: str) -> Field:
        """The member of a name, which has to be there."""
        found = self.get(name)
        if name not in self.value:
            raise ValueError(f"it lacks {found.name}")
        return found

    def get(self, name: str, default: Any = None) -> Field:
        """The member of a name, or one with a default value if it is not there."""
        self._check(isinstance(self.value, dict), "an object")
        return Field(self.value.get(name, default), f"{self.name}.{name}" if self.name else name)

    def members(self) -> Iterator[tuple[str, Field]]:
        """The names and members of an object."""
        self._check(isinstance(self.value, dict), "an object")
        return ((name, self[name]) for name in self.value)

    def each(self) -> Iterator[Field]:
        """The items of a list."""
        self._check(isinstance(self.value, list), "a list")
        return (Field(value, f"{self.name}[{place}]") for place, value in enumerate(self.value))

    def text(self) -> str:
        self._check(isinstance(self.value, str), "a text")
        return str(self.value)

    def whole(self) -> int:
        """A number of things."""
        is_whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        self._check(is_whole and self.value >= 0, "a whole number from 0 on")
        return int(self.value)

    def number(self) -> float:
        """A finite number."""
        is_number = isinstance(self.value, (int, float)) and not isinstance(self.value, bool)
        self._check(is_number and abs(self.value) <= sys.float_info.max, "a finite number")
        return float(self.value)

    def truth(self) -> bool:
        self._check(isinstance(self.value, bool), "true or false")
        return bool(self.value)

    def read(self, kind: Any) -> Any:
        """The value as an object of some type, which `text.plain` wrote.

        A dataclass has a member for each field; a field with a default may be missing. An object whose keys are an
        enum has all of them. A class with a text of its own is made from that.

        >>> parse_json('{"plies": [3, 4]}').read(dict[str, tuple[int, ...]])
        {'plies': (3, 4)}
        """
        getter, args = _GETTERS.get(kind), get_args(kind)
        if getter is not None:
            return getter(self)
        origin = get_origin(kind)
        if origin is UnionType:
            return None if self.value is None else self.read(args[0])
        if origin in (tuple, list):
            return origin(each.read(args[0]) for each in self.each())
        if origin is not None:
            return self._read_members(*args)
        if issubclass(kind, enum.Enum):
            return self._one_of({plain(each): each for each in kind})
        if has_own_text(kind):
            return getattr(kind, "parse", kind)(self.text())
        return kind(**self._read_fields(kind))

    def _read_members(self, key: Any, kind: Any) -> dict[Any, Any]:
        if issubclass(key, enum.Enum):
            return {each: self[plain(each)].read(kind) for each in key}
        return {Field(name, self.name).read(key): each.read(kind) for name, each in self.members()}

    def _read_fields(self, kind: Any) -> dict[str, Any]:
        there, hints = dict(self.members()), _hints_of(kind)
        wanted = [each.name for each in fields(kind) if each.name in there or each.default is MISSING]
        return {name: self[name].read(hints[name]) for name in wanted}

    def _one_of(self, names: Mapping[str, Any]) -> Any:
        self._check(isinstance(self.value, str) and self.value in names, " or ".join(names))
        return names[self.value]

    def _check(self, holds: bool, kind: str) -> None:
        if not holds:
            shown = repr(self.value) if len(repr(self.value)) < 40 else "something else"
            raise ValueError(f"{self.name or 'it'} is {shown}, not {kind}")


_GETTERS: Final = {str: Field.text, int: Field.whole, float: Field.number, bool: Field.truth}


@cache
def _hints_of(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def parse_json(text: str | bytes) -> Field:
    """The value of a JSON text; ValueError if it is none, or nested too deep."""
    try:
        return Field(json.loads(text))
    except RecursionError:
        raise ValueError("it is nested too deep") from None
