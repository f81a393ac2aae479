"""Values as text for people."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from fractions import Fraction

_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069"
    "\ud800-\udfff\ufeff\ufff9-\ufffb]"
)
"""Control characters, characters that change the direction of text, and invisible ones."""
_LIKENESS = 0.6
"""The least likeness of a suggestion, from 0 to 1; `difflib` has this default."""
_LEAST_DIFFERENCE = Fraction(1, 10**9)
"""Smaller differences are only called that."""
_MIB = 1 << 20
_GIB = 1 << 30


def printable(text: str) -> str:
    """A text from elsewhere, safe to print: characters that would control the terminal are spelled.

    >>> print(printable("a\\x1b[2Jb"))
    a\\x1b[2Jb
    """
    return _UNSEEN.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]


def cleaned(text: str, most: int) -> str:
    """A text from elsewhere, safe in a tag: one visible line of at most `most` characters.

    >>> cleaned("Deep\\n\\x07Thought", 8)
    'Deep Th…'
    """
    line = _UNSEEN.sub("", " ".join(text.split()))
    if len(line) > most:
        return line[: most - 1] + "…"
    return line


def nearest(word: str, known: Iterable[str], before: str = "") -> str:
    """A suggestion for an unknown word, as the end of a sentence.

    `before` is what is written before the word, such as a dash.

    >>> nearest("concurency", ["concurrency", "games"], "-")
    '; did you mean -concurrency?'
    >>> nearest("xyz", ["games"])
    ''
    """
    from difflib import get_close_matches  # only an error needs it

    by_lower_case = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), by_lower_case, n=1, cutoff=_LIKENESS)
    return f"; did you mean {before}{by_lower_case[close[0]]}?" if close else ""


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun, singular or plural."""
    noun = one if number == 1 else many
    return f"{number:,} {noun}"


def in_gib(size: float, rounded: Callable[[float], int] = math.ceil) -> str:
    """Memory in GiB, or in MiB below 1 GiB, as `--memory` reads it.

    It is rounded up, so that it suffices.

    >>> in_gib(717.2 * 2**20), in_gib(3.86 * 2**30), in_gib(3.86 * 2**30, math.floor)
    ('718 MiB', '3.9 GiB', '3.8 GiB')
    """
    if size < _GIB:
        return f"{rounded(size / _MIB)} MiB"
    return f"{rounded(size * 10 / _GIB) / 10} GiB"


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
    if plies is None:
        return "in some plies"
    return f"in {in_plies(plies)}"


def in_decimals(points: Fraction) -> str:
    """Points with no more than four decimals.

    >>> in_decimals(Fraction(9, 16)), in_decimals(Fraction(1, 3)), in_decimals(Fraction(2))
    ('0.5625', '0.3333', '2')
    """
    return f"{float(round(points, 4)):.15g}"


def small_difference(difference: Fraction) -> str:
    """A difference that `in_decimals` does not show.

    >>> small_difference(Fraction(3, 100_000)), small_difference(Fraction(1, 10**12))
    ('0.00003', 'less than a billionth')
    """
    if difference < _LEAST_DIFFERENCE:
        return "less than a billionth"
    decimals = -math.floor(math.log10(difference))
    return f"{float(difference):.{decimals}f}"
