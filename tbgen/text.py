"""Numbers in words, for whatever speaks to people.

>>> counted(1, "table", "tables"), counted(1200, "game", "games"), in_plies(1)
('1 table', '1,200 games', '1 ply')
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

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


def in_plies(number: int) -> str:
    """A distance."""
    return counted(number, "ply", "plies")


def in_so_many(plies: int | None) -> str:
    """How far away something is, which may not be known.

    >>> in_so_many(5), in_so_many(None)
    ('in 5 plies', 'in some plies')
    """
    return "in some plies" if plies is None else f"in {in_plies(plies)}"
