"""A verdict: the final score of a game, where it comes from, and why."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

from tbgen.apps.games.tags import Source
from tbgen.apps.play.within import ClockedValue
from tbgen.material import Material
from tbgen.rules.points import Points, points_facts
from tbgen.rules.stage import End
from tbgen.score import Outcome


class Ground(enum.Enum):
    """What a verdict rests on, as a summary of many games has it."""

    BOARD = "mate or stalemate"
    RESULT = "their result"
    BEST_PLAY = "best play"
    RULES = "what had accrued when the rules ended them"
    STOPPED = "what had accrued when they stopped"
    """And no table can decide them: too many men, castling rights, or tables are not wanted."""
    PROVISIONAL = "what had accrued, until a missing table decides"

    @classmethod
    def of(cls, source: Source, end: End | None) -> Ground:
        """The ground of a score with a source, in a game that the rules ended or not."""
        if source is Source.GAME:
            if end is None:
                return cls.STOPPED
            return cls.BOARD if end in (End.CHECKMATE, End.STALEMATE) else cls.RULES
        return {Source.RESULT: cls.RESULT, Source.TABLEBASE: cls.BEST_PLAY}.get(source, cls.PROVISIONAL)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The final score of a game, its source and the reason."""

    final: Outcome
    source: Source
    points: Points
    why: str
    """The reason, as a sentence without its full stop."""
    material: Material | None = None
    """The table that decides the game: its own, or one that is missing."""
    dtg: int | None = None
    """Plies of best play from the last position until the final score is reached; None where no table says."""
    clocked: ClockedValue | None = None
    """What the game is worth under its fifty-move rule; None without a table."""

    @property
    def missing(self) -> Material | None:
        """The missing table that would decide the game."""
        return self.material if self.source is Source.PROVISIONAL else None

    @property
    def table(self) -> str | None:
        """The table that decided the game, with the plies of best play if it knows them."""
        if self.source is not Source.TABLEBASE:
            return None
        return str(self.material) if self.dtg is None else f"{self.material} {self.dtg}"

    def facts(self) -> dict[str, Any]:
        """The verdict for JSON."""
        return {
            "final": str(self.final),
            "source": self.source.value,
            "material": None if self.material is None else str(self.material),
            "missing": None if self.missing is None else str(self.missing),
            "dtg": self.dtg,
            "plies_left": None if self.clocked is None else self.clocked.plies_left,
            "within": None if self.clocked is None else self.clocked.within.value,
            "points": points_facts(self.points),
        }


__all__ = ["Ground", "Source", "Verdict"]
