"""Dates of games, as tags have them and as people read them.

>>> in_words([Day(2020, 5, 12), Day(2020, 5, 13)])
'12–13 May 2020'
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from typing import NamedTuple

_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


class Day(NamedTuple):
    """A day, or a month or a year if no more is known."""

    year: int
    month: int = 0
    """0 if it is unknown; the day is 0 then, too."""
    day: int = 0

    def __str__(self) -> str:
        """The day as people read it.

        >>> str(Day(2020, 5, 12)), str(Day(2020, 5)), str(Day(2020))
        ('12 May 2020', 'May 2020', '2020')
        """
        words = [str(self.day)] if self.day else []
        if self.month:
            words.append(_MONTHS[self.month - 1])
        return " ".join([*words, f"{self.year:04d}"])


def day_in(tag: str) -> Day | None:
    """The day in the value of a tag; None without a year, and no more than is a date.

    >>> day_in("2020.05.12"), day_in("2020.05.??"), day_in("????.??.??")
    (Day(year=2020, month=5, day=12), Day(year=2020, month=5, day=0), None)
    >>> day_in("2026.02.30"), day_in("2020.13.01")
    (Day(year=2026, month=2, day=0), Day(year=2020, month=0, day=0))
    """
    parts = tag.strip().replace("-", ".").replace("/", ".").split(".")
    numbers = []
    for part in parts[:3]:
        if not (part.isascii() and part.isdecimal() and len(part) <= len("2020")):
            break
        numbers.append(int(part))
    year, month, day, *_ = [*numbers, 0, 0, 0]
    if not year:
        return None
    if not 1 <= month <= len(_MONTHS):
        return Day(year)
    _, days_in_month = monthrange(year, month)
    if not 1 <= day <= days_in_month:
        return Day(year, month)
    return Day(year, month, day)


def in_words(days: Iterable[Day]) -> str:
    """The span from the first to the last of some days; empty without any.

    >>> in_words([Day(2020, 6, 2), Day(2020, 5, 28)]), in_words([])
    ('28 May – 2 June 2020', '')
    """
    in_order = sorted(days)
    if not in_order:
        return ""
    first = in_order[0]
    last = in_order[-1]
    if first == last:
        return str(first)
    is_whole = first.day and last.day
    if is_whole and first[:2] == last[:2]:
        return f"{first.day}–{last}"
    if is_whole and first.year == last.year:
        return f"{first.day} {_MONTHS[first.month - 1]} – {last}"
    return f"{first} – {last}"
