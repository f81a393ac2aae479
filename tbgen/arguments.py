"""Arguments: what a caller hands over, checked where it comes in.

>>> expect(3, str, "text", "a score such as 'G3.5'")
Traceback (most recent call last):
tbgen.errors.UsageError: text must be a score such as 'G3.5', not 3
"""

from __future__ import annotations

import enum
import operator
import reprlib
from typing import TypeVar

from tbgen.errors import ScoreFormatError, UsageError

T = TypeVar("T")
M = TypeVar("M", bound=enum.Enum)


def expect(value: object, kind: type[T], name: str, wanted: str) -> T:
    """The argument called `name`, if it is of its kind; else a UsageError that says what is wanted."""
    if isinstance(value, kind):
        return value
    raise UsageError(f"{name} must be {wanted}, not {reprlib.repr(value)}")


def expect_number(value: object, name: str, least: int, most: int | None = None) -> int:
    """The argument called `name`, if it is a whole number in its range; a truth value is none."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or number < least or (most is not None and number > most):
        span = f"from {least} on" if most is None else f"from {least} to {most}"
        raise UsageError(f"{name} must be a whole number {span}, not {reprlib.repr(value)}")
    return number


def expect_member(value: object, kind: type[M], name: str, what: str) -> M:
    """The argument called `name` as a member of an enum, which its value as a text is too."""
    return member_of(kind, value, what) if isinstance(value, str) else expect(value, kind, name, f"{what}, or its name")


def member_of(kind: type[M], text: str, what: str) -> M:
    """The member of an enum whose value is this text, in upper or lower case; ScoreFormatError lists what there is."""
    try:
        return kind(text.lower())
    except ValueError:
        names = ", ".join(each.value for each in kind)
        raise ScoreFormatError(text, f"{what}; there are {names}") from None
