"""Goals: what a side wants to keep, and the table of steps that docs/hold.md proves.

>>> from tbgen.score import parse_score
>>> goal = Goal(Color.WHITE, parse_score("-G3.0").outcome)
>>> goal.is_met_by(parse_score("-G4.5")), goal.is_met_by(parse_score("-G2.5")), goal.threshold(parse_score("G2.0"))
(True, False, 4)
>>> goal.after(5, 7, by_holder=False, reset=False), goal.after(5, 4, by_holder=False, reset=False)
(5, None)
"""

from __future__ import annotations

from dataclasses import dataclass

from tbgen.score import MATE_CODE, STALEMATE_CODE, Accrued, Color, Outcome


@dataclass(frozen=True, slots=True)
class Goal:
    """A side keeps an outcome, or a better one, after every ply."""

    side: Color
    outcome: Outcome

    def is_met_by(self, accrued: Accrued | Outcome) -> bool:
        """Whether a score is no worse than the goal for the side."""
        return accrued.worth_to(self.side) >= self.outcome.worth_to(self.side)

    @property
    def is_own(self) -> bool:
        """Whether the goal is a score that the side itself holds."""
        return self.outcome.holder is self.side

    def threshold(self, accrued: Accrued) -> int:
        """All that matters of the past: the other side breaks the hold with a code below this one."""
        return min(accrued.code, self.outcome.code)

    def after(self, threshold: int, code: int, *, by_holder: bool, reset: bool) -> int | None:
        """The threshold after a move to a position with an own code; None if the hold is broken."""
        best = self.outcome.code
        if by_holder:
            if reset:
                return None if self.is_own and code > best else min(code, best)
            return min(threshold, code)
        if reset:
            return None if self.is_own or code < best else best
        return threshold if code >= threshold else None


def not_mated(side: Color) -> Goal:
    """At least a draw, in ordinary chess: the side is not mated.

    >>> str(not_mated(Color.WHITE).outcome)
    '-G0.5'
    """
    return Goal(side, Outcome(side.other, STALEMATE_CODE))


def worst(side: Color) -> Outcome:
    """The outcome that any other is at least as good as."""
    return Outcome(side.other, MATE_CODE)
