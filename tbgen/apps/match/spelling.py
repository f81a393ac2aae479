"""Suggestions for words that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_LIKENESS = 0.6
"""The least likeness of a suggestion, from 0 to 1; `difflib` has this default."""


def nearest(word: str, known: Iterable[str], before: str = "") -> str:
    """A suggestion for an unknown word, as the end of a sentence.

    `before` is what is written before the word, such as a dash.

    >>> nearest("concurency", ["concurrency", "games"], "-")
    '; did you mean -concurrency?'
    >>> nearest("xyz", ["games"])
    ''
    """
    by_lower_case = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), by_lower_case, n=1, cutoff=_LIKENESS)
    return f"; did you mean {before}{by_lower_case[close[0]]}?" if close else ""
