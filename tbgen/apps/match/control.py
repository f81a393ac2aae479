"""The time and the limits of an engine, and its clock."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from tbgen.errors import UsageError

_NUMBER = r"\d+(?:\.\d+)?"
_CONTROL = re.compile(
    rf"(?:(?P<moves>\d+)/)?"
    rf"(?:(?P<minutes>{_NUMBER}):)?(?P<seconds>{_NUMBER})"
    rf"(?:\+(?P<increment>{_NUMBER}))?"
)
_NO_LIMIT = ("inf", "infinite")


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time and the search limits of an engine; all times are in seconds.

    An engine has `base` for `moves` moves (all of them if None) with `increment` a move, or
    `each_move`; `nodes` and `plies` may limit the search besides. Without a `base` and `each_move`
    nobody loses on time.
    """

    moves: int | None = None
    base: float | None = None
    increment: float = 0.0
    each_move: float | None = None
    nodes: int | None = None
    plies: int | None = None
    margin: float = 0.0

    def __str__(self) -> str:
        """As the TimeControl tag of a game."""
        limits = list[str]()
        if self.base is not None:
            moves = "" if self.moves is None else f"{self.moves}/"
            increment = f"+{self.increment:g}" if self.increment else ""
            limits.append(f"{moves}{self.base:g}{increment}")
        if self.each_move is not None:
            limits.append(f"{self.each_move:g}/move")
        if self.nodes is not None:
            limits.append(f"{self.nodes} nodes/move")
        if self.plies is not None:
            limits.append(f"{self.plies} plies/move")
        return ", ".join(limits) or "-"


def parse_time_control(text: str) -> TimeControl:
    """The control that `moves/time+increment` writes.

    The time is seconds or minutes:seconds; `inf` is no limit.
    """
    if text in _NO_LIMIT:
        return TimeControl()
    match = _CONTROL.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not a time control such as 10+0.1, 40/60, 1:30+0.5 or inf")
    moves = int(match["moves"] or 0)
    base = 60 * float(match["minutes"] or 0) + float(match["seconds"])
    increment = float(match["increment"] or 0)
    if base == 0:
        raise UsageError(
            f"{text!r} leaves no time for the first move; "
            "st=1 gives each move a second, inf sets no limit"
        )
    return TimeControl(moves or None, base, increment)


class Clock:
    """The time that one side has left."""

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.remaining = control.base
        self.moves_to_go = control.moves
        """Moves until time is added."""

    @property
    def allowance(self) -> float:
        """Seconds within which the next move must arrive; infinite without a limit."""
        limits = [limit for limit in (self.remaining, self.control.each_move) if limit is not None]
        return min(limits, default=math.inf) + self.control.margin

    def stop(self, used: float) -> None:
        """Take the time of a move off, and add what the control gives for it."""
        if self.remaining is None:
            return
        self.remaining = max(0.0, self.remaining - used) + self.control.increment
        if self.moves_to_go is not None:
            self.moves_to_go -= 1
            if self.moves_to_go == 0:
                self.moves_to_go = self.control.moves
                self.remaining += self.control.base or 0.0
