"""What a check finds: the first law that a table breaks, or how much of it is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tbgen.facts import facts_of
from tbgen.material import TableMaterial
from tbgen.score import Score
from tbgen.text import in_plies

TellPhase = Callable[[str, int, int], None]
"""Receives the phase, the number of checked cells and that of all cells."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A law that a table breaks, and the position."""

    law: str
    stored: str
    expected: str
    fen: str | None = None
    accrued: Score | None = None

    def __str__(self) -> str:
        where = "" if self.fen is None else f"{self.fen}: "
        return f"{where}{self.law}: stored {self.stored}, expected {self.expected}"

    def facts(self) -> dict[str, Any]:
        """The violation as JSON has it, with the FEN as other programs read it."""
        fen = None
        if self.fen is not None:
            fen = " ".join(self.fen.split()[:6])
        return facts_of(self, fen=fen)


@dataclass(frozen=True, slots=True)
class Report:
    """The extent and the result of a check; `pairs` are of a position and an accrued score."""

    material: TableMaterial
    positions: int
    pairs: int
    seconds: float
    violation: Violation | None
    outcomes_only: bool = False
    """Whether there were no distances: outcomes that agree with the moves are not proved by that.
    """

    def facts(self) -> dict[str, Any]:
        """The report as JSON has it."""
        return facts_of(
            self,
            right=self.violation is None,
            symmetry_left_out=True,
            seconds=round(self.seconds, 3),
        )


def in_words(outcome: int, dtg: int) -> str:
    """A signed outcome and its distance.

    >>> in_words(-8, 3)
    '-G3.5 in 3 plies'
    """
    if outcome == 0:
        return "nothing"
    return f"{Score.from_signed(outcome)} in {in_plies(dtg)}"
