"""A suggestion for an unknown word."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str]) -> str:
    """What was probably meant, as the end of a sentence.

    >>> nearest("concurency", ["concurrency", "games"])
    '; did you mean concurrency?'
    >>> nearest("xyz", ["games"])
    ''
    """
    lower = {each.lower(): each for each in known}
    close = get_close_matches(word.lower(), lower, n=1, cutoff=0.6)
    return f"; did you mean {lower[close[0]]}?" if close else ""
