"""Limits: what `go` asks, and how long a move may take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tbgen.errors import UsageError
from tbgen.score import Color

LINE_PLIES: Final = 24
"""How much of best play from tables is shown; it is looked up ply by ply."""
DEFAULT_NODES: Final = 200_000
"""How far is searched where nothing is said."""

_LIMITS: Final = ("depth", "nodes", "mate", "movetime", "wtime", "btime", "winc", "binc", "movestogo")
_MOVES_TO_GO: Final = 30
_OVERHEAD_MILLISECONDS: Final = 20
"""What an answer takes on its way."""


@dataclass(frozen=True)
class Asked:
    """What `go` says; times in milliseconds."""

    only: tuple[str, ...] = ()
    plies: int = LINE_PLIES
    """How long a line from tables may be."""
    milliseconds: int | None = None
    """That of a move, or the whole clock."""
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    """What a search may take."""
    waits: bool = False
    """Whether the answer waits for `stop`."""
    ponders: bool = False


def asked_in(words: Sequence[str], mover: Color | None) -> Asked:
    """What the words after `go` ask; those that are unknown are left aside, as UCI wants it.

    >>> asked_in("movetime 50 searchmoves e2e4 d2d4".split(), Color.WHITE).only
    ('e2e4', 'd2d4')
    >>> asked_in("wtime 60000 winc 1000 btime 1".split(), Color.WHITE).seconds
    2.73
    """
    numbers = {name: number_in(value, name) for name, value in pairwise(words) if name in _LIMITS}
    only = list[str]()
    if "searchmoves" in words:
        for word in words[list(words).index("searchmoves") + 1 :]:
            if word in (*_LIMITS, "infinite", "ponder"):
                break
            only.append(word)
    clock, increment = ("wtime", "winc") if mover is Color.WHITE else ("btime", "binc")
    waits = "infinite" in words or "ponder" in words
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


def _seconds(numbers: dict[str, int], clock: int | None, increment: int) -> float | None:
    """What a search may take: the time for the move, or a fair part of the clock but never half of it."""
    milliseconds = numbers.get("movetime")
    if clock is not None:
        share = clock // max(1, numbers.get("movestogo", _MOVES_TO_GO)) + increment * 3 // 4
        share = min(share, clock // 2)
        milliseconds = share if milliseconds is None else min(share, milliseconds)
    return None if milliseconds is None else max(1, milliseconds - _OVERHEAD_MILLISECONDS) / 1000


def number_in(text: str, name: str) -> int:
    """A number that was sent."""
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"{name} must be a number, not {text!r}") from None
