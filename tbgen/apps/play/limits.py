"""The parameters of `go`: which moves to look at, and how long."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tbgen.errors import UsageError
from tbgen.score import Color

LINE_PLIES: Final = 24
"""The most plies of best play that are shown; each takes a probe."""
DEFAULT_NODES: Final = 200_000
"""The nodes of a search without a limit."""
MOST: Final = 10**12
"""Greater numbers count as this one: as milliseconds it is thirty years."""
_MOST_DIGITS: Final = 21
"""A sign and more digits than `MOST` has; further digits are not read."""
_MOST_SHOWN: Final = 40
"""The most characters of a wrong number that an error quotes."""

_HURRY_MILLISECONDS: Final = 200
"""If a move has less time than this, its line is not shown."""
_MOVES_TO_GO: Final = 30
"""The moves that a clock is for, if the host does not say."""
_OVERHEAD_MILLISECONDS: Final = 20
"""The time that is reserved for sending an answer."""
_RESERVE_MILLISECONDS: Final = 150
"""The part of a clock that the inner engine does not know of, for slow moments of the player."""

_LIMITS: Final = (
    "depth",
    "nodes",
    "mate",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
)
_INCREMENTS: Final = {"wtime": "winc", "btime": "binc"}
_FLAGS: Final = ("infinite", "ponder")
_KEYWORDS: Final = (*_LIMITS, *_FLAGS)


@dataclass(frozen=True)
class GoLimits:
    """The parameters of `go`."""

    only: tuple[str, ...] = ()
    """The moves to choose from; none means all."""
    plies: int = LINE_PLIES
    """The most moves of a line from tables, including the move itself."""
    depth: int | None = None
    """The limits of a search: this depth, nodes and time."""
    nodes: int | None = None
    seconds: float | None = None
    numbers: Mapping[str, int] = field(default_factory=dict)
    """The limits by name, for the inner engine."""
    clock: str = "wtime"
    """The name of the mover's own."""
    flags: tuple[str, ...] = ()
    """`infinite` or `ponder`."""

    @property
    def most_seconds(self) -> float:
        """The time of a search; longer than any game, if there is no limit."""
        return MOST / 1000 if self.seconds is None else self.seconds

    @property
    def can_be_shared(self) -> bool:
        """Whether a part of the limits can be left to a second search."""
        if self.numbers.get(self.clock, MOST) < _HURRY_MILLISECONDS:
            return False
        return self.flags != ("infinite",) and not {"mate"} >= self.numbers.keys()

    def command(self, part: float) -> str:
        """The command to search within a part of the limits.

        >>> limits_in("wtime 60150 btime 1 winc 100".split(), Color.WHITE, print).command(0.5)
        'go wtime 30000 btime 1 winc 50'
        """
        words = ["go", *self.flags]
        for name, number in self.numbers.items():
            kept = number
            if name == self.clock:
                kept = max(1, round((number - _RESERVE_MILLISECONDS) * part))
            elif name == "movetime":
                kept = max(1, round((number - _OVERHEAD_MILLISECONDS) * part))
            elif name in (_INCREMENTS[self.clock], "nodes"):
                kept = max(1, round(number * part))
            words += [name, str(kept)]
        return " ".join(words)

    def seconds_of(self, part: float) -> float | None:
        """The time after which a search within a part of the limits is stopped.

        An engine that has a clock may take half of it.
        """
        if "infinite" in self.flags:
            return None
        milliseconds = self.numbers.get("movetime", MOST)
        if self.clock in self.numbers:
            milliseconds = min(milliseconds, self.numbers[self.clock] // 2)
        if milliseconds == MOST:
            return None
        return max(1, (milliseconds - _OVERHEAD_MILLISECONDS) * part) / 1000


def limits_in(words: Sequence[str], mover: Color, complain: Callable[[str], None]) -> GoLimits:
    """The parameters of `go`. It ignores unknown words, and reports and ignores wrong numbers.

    >>> limits_in("movetime 50 searchmoves e2e4 d2d4".split(), Color.WHITE, print).only
    ('e2e4', 'd2d4')
    >>> limits_in("wtime 60000 winc 1000 btime 1".split(), Color.WHITE, print).seconds
    2.73
    """
    numbers = _numbers_in(words, complain)
    clock_name = "wtime" if mover is Color.WHITE else "btime"
    clock = numbers.get(clock_name)
    increment = numbers.get(_INCREMENTS[clock_name], 0)

    depth = numbers.get("depth")
    if depth is None and "mate" in numbers:
        depth = 2 * numbers["mate"]
    seconds = None if is_endless(words) else _seconds_for(numbers, clock, increment)
    nodes = numbers.get("nodes")
    if nodes is None and depth is None and seconds is None and not is_endless(words):
        nodes = DEFAULT_NODES
        numbers["nodes"] = nodes

    milliseconds = numbers.get("movetime", MOST if clock is None else clock)
    plies = max(1, min(LINE_PLIES, numbers.get("depth", LINE_PLIES)))
    if milliseconds < _HURRY_MILLISECONDS:
        plies = 1
    flags = tuple(flag for flag in _FLAGS if flag in words)
    only = _moves_named_in(words)
    return GoLimits(only, plies, depth, nodes, seconds, numbers, clock_name, flags)


def is_endless(words: Sequence[str]) -> bool:
    """Whether the answer to a `go` waits for `stop`."""
    return "infinite" in words or "ponder" in words


def _numbers_in(words: Sequence[str], complain: Callable[[str], None]) -> dict[str, int]:
    """The limits that have a number after them."""
    numbers = dict[str, int]()
    for name, value in itertools.pairwise(words):
        if name in _LIMITS:
            try:
                numbers[name] = number_in(value, name)
            except UsageError as error:
                complain(str(error))
    return numbers


def _moves_named_in(words: Sequence[str]) -> tuple[str, ...]:
    """The words between `searchmoves` and the next keyword."""
    if "searchmoves" not in words:
        return ()
    after = words[words.index("searchmoves") + 1 :]
    return tuple(itertools.takewhile(lambda word: word not in _KEYWORDS, after))


def _seconds_for(numbers: dict[str, int], clock: int | None, increment: int) -> float | None:
    """The time for the move, or a fair part of the clock, but never half of it."""
    limits = list[int]()
    if "movetime" in numbers:
        limits.append(numbers["movetime"])
    if clock is not None:
        moves_to_go = max(1, numbers.get("movestogo", _MOVES_TO_GO))
        limits.append(clock // moves_to_go + increment * 3 // 4)
        limits.append(clock // 2)
    if not limits:
        return None
    return max(1, min(limits) - _OVERHEAD_MILLISECONDS) / 1000


def option_number(text: str, name: str, least: int, most: int) -> int:
    """The value of an option of the player."""
    number = number_in(text, name)
    if not least <= number <= most:
        raise UsageError(f"{name} is from {least} to {most}, not {number}")
    return number


def number_in(text: str, name: str) -> int:
    """A whole number from the host, limited to the bounds.

    >>> number_in("9" * 5000, "nodes"), number_in("-20", "wtime")
    (1000000000000, -20)
    """
    if not re.fullmatch(r"-?[0-9]+", text):
        shown = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
        raise UsageError(f"{name} must be a number, not {shown!r}")
    return max(-MOST, min(MOST, int(text[:_MOST_DIGITS])))
