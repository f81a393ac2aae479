"""Time controls as cutechess-cli writes them, and the clock of one side.

>>> str(parse_time_control("40/1:30+0.5"))
'40/90+0.5'
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tbgen.errors import UsageError

_CONTROL = re.compile(
    r"(?:(?P<moves>\d+)/)?(?:(?P<minutes>\d+(?:\.\d+)?):)?(?P<seconds>\d+(?:\.\d+)?)(?:\+(?P<increment>\d+(?:\.\d+)?))?"
)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time and the search limits of an engine; all times are in seconds.

    `base` for `moves` moves (all of them if None) with `increment` a move, or `each_move`; `nodes` and `plies`
    may limit the search besides. Without a `base` and `each_move` nobody loses on time.
    """

    moves: int | None = None
    base: float | None = None
    increment: float = 0.0
    each_move: float | None = None
    nodes: int | None = None
    plies: int | None = None
    margin: float = 0.0

    @property
    def is_timed(self) -> bool:
        return self.base is not None or self.each_move is not None

    @property
    def is_bounded(self) -> bool:
        """Whether time, nodes or plies limit a search."""
        return self.is_timed or self.nodes is not None or self.plies is not None

    def __str__(self) -> str:
        """As the TimeControl tag of a game."""
        parts = []
        if self.base is not None:
            moves = "" if self.moves is None else f"{self.moves}/"
            increment = f"+{self.increment:g}" if self.increment else ""
            parts.append(f"{moves}{self.base:g}{increment}")
        if self.each_move is not None:
            parts.append(f"{self.each_move:g}/move")
        if self.nodes is not None:
            parts.append(f"{self.nodes} nodes/move")
        if self.plies is not None:
            parts.append(f"{self.plies} plies/move")
        return ", ".join(parts) or "-"


def parse_time_control(text: str) -> TimeControl:
    """The control that `moves/time+increment` writes; time is seconds or minutes:seconds, `inf` is none."""
    if text in ("inf", "infinite"):
        return TimeControl()
    match = _CONTROL.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not a time control such as 10+0.1, 40/60, 1:30+0.5 or inf")
    moves, minutes, seconds, increment = match.group("moves", "minutes", "seconds", "increment")
    base = 60 * float(minutes or 0) + float(seconds)
    if base == 0 and not float(increment or 0):
        raise UsageError(f"{text!r} leaves no time to play; inf sets no limit")
    return TimeControl(int(moves or 0) or None, base, float(increment or 0))


class Clock:
    """The time that one side has left."""

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.remaining = control.base
        self.moves_to_go = control.moves
        """Moves until time is added."""

    @property
    def allowance(self) -> float | None:
        """Seconds within which the next move must arrive, margin included; None without a time limit."""
        limits = [limit for limit in (self.remaining, self.control.each_move) if limit is not None]
        return min(limits) + self.control.margin if limits else None

    def has_fallen(self, used: float) -> bool:
        """Whether `used` seconds for a move are too many."""
        allowance = self.allowance
        return allowance is not None and used > allowance

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
