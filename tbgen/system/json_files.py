"""JSON that people can edit: values with their names, and one line that says which of them is wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

ANY: Final = "*"
"""In a form: the name of every member."""


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

    def text_or_none(self) -> str | None:
        return None if self.value is None else self.text()

    def whole(self) -> int:
        """A number of things."""
        is_whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        self._check(is_whole and self.value >= 0, "a whole number from 0 on")
        return int(self.value)

    def whole_or_none(self) -> int | None:
        return None if self.value is None else self.whole()

    def positive(self) -> int:
        self._check(self.whole() > 0, "a number of things from 1 on")
        return self.whole()

    def number(self) -> float:
        """A finite number."""
        is_number = isinstance(self.value, (int, float)) and not isinstance(self.value, bool)
        self._check(is_number and abs(self.value) <= sys.float_info.max, "a finite number")
        return float(self.value)

    def truth(self) -> bool:
        self._check(isinstance(self.value, bool), "true or false")
        return bool(self.value)

    def expect(self, form: Any) -> None:
        """Raise ValueError unless the value has a form: members by name, a list of one form for each item, or a getter.

        >>> parse_json('{"games": [{"plies": "x"}]}').expect({"games": [{"plies": Field.whole}]})
        Traceback (most recent call last):
        ValueError: games[0].plies is 'x', not a whole number from 0 on
        """
        if isinstance(form, dict):
            for name, wanted in form.items():
                for each in (field for _, field in self.members()) if name == ANY else (self[name],):
                    each.expect(wanted)
        elif isinstance(form, list):
            for each in self.each():
                each.expect(form[0])
        else:
            form(self)

    def _check(self, holds: bool, kind: str) -> None:
        if not holds:
            shown = repr(self.value) if len(repr(self.value)) < 40 else "something else"
            raise ValueError(f"{self.name or 'it'} is {shown}, not {kind}")


def parse_json(text: str | bytes) -> Field:
    """The value of a JSON text; ValueError if it is none, or nested too deep."""
    try:
        return Field(json.loads(text))
    except RecursionError:
        raise ValueError("it is nested too deep") from None
