"""The limits of `go`, and the time for a move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tbgen.errors import UsageError
from tbgen.score import Color

LINE_PLIES: Final = 24
"""How much of best play from tables is shown; it is looked up ply by ply."""
DEFAULT_NODES: Final = 200_000
"""How far is searched where nothing is said."""
MOST: Final = 10**12
"""Numbers beyond it count as this: of milliseconds it is thirty years."""

_LIMITS: Final = ("depth", "nodes", "mate", "movetime", "wtime", "btime", "winc", "binc", "movestogo")
_MOVES_TO_GO: Final = 30
_OVERHEAD_MILLISECONDS: Final = 20
"""The time that an answer takes on its way."""


@dataclass(frozen=True)
class Asked:
    """The parameters of `go`; times in milliseconds."""

    only: tuple[str, ...] = ()
    plies: int = LINE_PLIES
    """How long a line from tables may be."""
    milliseconds: int | None = None
    """That of a move, or the whole clock."""
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    """The limits of a search."""
    waits: bool = False
    """Whether the answer waits for `stop`."""
    ponders: bool = False


def asked_in(words: Sequence[str], mover: Color, complain: Callable[[str], None]) -> Asked:
    """The parameters of `go`; it ignores unknown words, and wrong numbers after a complaint.

    >>> asked_in("movetime 50 searchmoves e2e4 d2d4".split(), Color.WHITE, print).only
    ('e2e4', 'd2d4')
    >>> asked_in("wtime 60000 winc 1000 btime 1".split(), Color.WHITE, print).seconds
    2.73
    """
    numbers = dict[str, int]()
    for name, value in pairwise(words):
        if name in _LIMITS:
            try:
                numbers[name] = number_in(value, name)
            except UsageError as error:
                complain(str(error))
    only = list[str]()
    if "searchmoves" in words:
        for word in words[list(words).index("searchmoves") + 1 :]:
            if word in (*_LIMITS, "infinite", "ponder"):
                break
            only.append(word)
    clock, increment = ("wtime", "winc") if mover is Color.WHITE else ("btime", "binc")
    waits = is_endless(words)
    depth = numbers.get("depth", 2 * numbers["mate"] if "mate" in numbers else None)
    seconds = None if waits else _seconds(numbers, numbers.get(clock), numbers.get(increment, 0))
    is_free = depth is None and seconds is None and not waits
    return Asked(
        only=tuple(only),
        plies=min(LINE_PLIES, numbers.get("depth", LINE_PLIES)),
        milliseconds=numbers.get("movetime", numbers.get(clock)),
        depth=depth,
        nodes=numbers.get("nodes", DEFAULT_NODES if is_free else None),
        seconds=seconds,
        waits=waits,
        ponders="ponder" in words,
    )


def is_endless(words: Sequence[str]) -> bool:
    """Whether the answer to a `go` waits for `stop`."""
    return "infinite" in words or "ponder" in words


def _seconds(numbers: dict[str, int], clock: int | None, increment: int) -> float | None:
    """The limits of a search: the time for the move, or a fair part of the clock but never half of it."""
    milliseconds = numbers.get("movetime")
    if clock is not None:
        share = clock // max(1, numbers.get("movestogo", _MOVES_TO_GO)) + increment * 3 // 4
        share = min(share, clock // 2)
        milliseconds = share if milliseconds is None else min(share, milliseconds)
    return None if milliseconds is None else max(1, milliseconds - _OVERHEAD_MILLISECONDS) / 1000


def number_in(text: str, name: str) -> int:
    """A whole number that was sent, or the bound that it is beyond.

    >>> number_in("9" * 5000, "nodes"), number_in("-20", "wtime")
    (1000000000000, -20)
    """
    sign, digits = ("-", text[1:]) if text[:1] == "-" else ("", text)
    if not (digits.isascii() and digits.isdigit()):
        shown = text if len(text) <= 40 else f"{text[:40]}..."
        raise UsageError(f"{name} must be a number, not {shown!r}")
    return max(-MOST, min(MOST, int(sign + digits[:20])))
