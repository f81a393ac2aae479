"""A verdict: the final score of a game, where it comes from, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tbgen.clock import ClockedValue
from tbgen.material import Material
from tbgen.pgn.tags import Source
from tbgen.rules.points import Points, points_facts
from tbgen.score import Outcome


@dataclass(frozen=True, slots=True)
class Verdict:
    """The final score of a game, its source and the reason."""

    final: Outcome
    source: Source
    points: Points
    why: str
    """The reason, as a sentence without its full stop."""
    material: Material | None = None
    """What stands on the board, where it is for a table to decide: its own, or one that is missing."""
    dtg: int | None = None
    """Plies of best play from the last position until the final score is reached; None without a table."""
    clocked: ClockedValue | None = None
    """What the game is worth under its fifty-move rule; None without a table."""

    @property
    def missing(self) -> Material | None:
        """The missing table that would decide the game."""
        return None if self.material is None or self.dtg is not None else self.material.canonical()

    def facts(self) -> dict[str, Any]:
        """The verdict for JSON."""
        return {
            "final": str(self.final),
            "source": self.source.value,
            "material": None if self.material is None else str(self.material),
            "dtg": self.dtg,
            "plies_left": None if self.clocked is None else self.clocked.plies_left,
            "within": None if self.clocked is None else self.clocked.within.value,
            "points": points_facts(self.points),
        }


__all__ = ["Source", "Verdict"]
