"""Bracket: the least and the greatest that a position is worth, and answers that have one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

import chess

from tbgen.facts import facts_of
from tbgen.probe.answers import LineStep, Shown
from tbgen.rules.points import Scoring, points_facts
from tbgen.score import Score


@dataclass(frozen=True, slots=True)
class Bracket:
    """Proved bounds of the value of a position. Equal bounds prove the value.

    Raises:
        ValueError: The lower bound is better for White than the upper bound.

    >>> bracket = Bracket(Score("G5.5"), Score("G4.0"))
    >>> str(bracket), bracket.is_exact, bracket.exact
    ('G5.5 to G4.0', False, None)
    >>> bracket.facts()["lower"]["outcome"]
    'G5.5'
    >>> str(bracket.flipped())
    '-G4.0 to -G5.5'
    """

    lower: Score
    """White gets at least this score."""
    upper: Score
    """White gets at most this score."""

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            raise ValueError(f"{self.lower} is better for White than {self.upper}")

    def __str__(self) -> str:
        if self.is_exact:
            return str(self.lower)
        return f"{self.lower} to {self.upper}"

    @property
    def ends(self) -> tuple[Score, Score]:
        """Both bounds, the lower one first."""
        return self.lower, self.upper

    @property
    def is_exact(self) -> bool:
        """Whether the value is proved."""
        return self.lower == self.upper

    @property
    def exact(self) -> Score | None:
        """The value; None unless it is proved."""
        return self.lower if self.is_exact else None

    def flipped(self) -> Self:
        """The bracket of the colour-reversed position.

        Returns:
            Both ends, flipped and exchanged.
        """
        return type(self)(self.upper.flipped(), self.lower.flipped())

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """Both bounds as JSON has them.

        Arguments:
            scoring: The scheme of the points, `Scoring()` without it.

        Returns:
            Outcome and points of each bound, and whether they prove the value.
        """
        rule = Scoring() if scoring is None else scoring
        return {
            "lower": _end_facts(self.lower, rule),
            "upper": _end_facts(self.upper, rule),
            "exact": self.is_exact,
        }


def _end_facts(end: Score, scoring: Scoring) -> dict[str, Any]:
    return {"outcome": str(end), "points": points_facts(scoring.points(end))}


ANYTHING: Final = Bracket(Score("-G0.0"), Score("G0.0"))
"""The bracket of a position that nothing is known of."""


@dataclass(frozen=True, slots=True)
class MoveBracket:
    """The bounds of a move, and whether they prove that no move is better."""

    move: chess.Move
    san: str
    bracket: Bracket
    best: bool

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The move as JSON has it."""
        return {
            "uci": self.move.uci(),
            "san": self.san,
            **self.bracket.facts(scoring),
            "best": self.best,
        }


@dataclass(frozen=True)
class SolvePlan:
    """The cost of solving a position, or one block."""

    nodes: int
    """Blocks to be solved."""
    cells: int
    """Their cells that are solved, of both sides to move.

    Those that are solved twice count twice.
    """
    cpu_seconds: float
    """CPU seconds of the first question of each way."""
    memory_bytes: int
    disk_bytes: int
    exact: bool
    """Whether nothing is left to bounds."""
    missing: tuple[str, ...] = ()
    """Tables of promoted men that are not there, and would make the answer closer."""
    scratch_bytes: int = 0
    """Disk for large arrays of one block at a time, while it is solved."""
    first_seconds: float = 0.0
    """CPU seconds until there is a first answer."""
    expected_seconds: float = 0.0
    """CPU seconds of all ways with their later questions, within the budget.

    A solve ends before if its answer is exact.
    """


@dataclass(frozen=True)
class Solution(Shown):
    """A solved position."""

    fen: str
    accrued: Score
    bracket: Bracket
    moves: Sequence[MoveBracket] = field(repr=False)
    """Every legal move, those of the best guarantee first."""
    plan: SolvePlan
    cpu_seconds: float
    line: Sequence[LineStep] | None = field(default=None, repr=False)
    """Moves that keep the value and make progress; None if nobody has asked, or no value is proved.
    """

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The answer as JSON has it."""
        facts = facts_of(
            self,
            "fen",
            "accrued",
            **self.bracket.facts(scoring),
            moves=[move.facts(scoring) for move in self.moves],
            nodes=self.plan.nodes,
            cells=self.plan.cells,
            cpu_seconds=round(self.cpu_seconds, 3),
        )
        if self.line is not None:
            facts["line"] = [step.facts() for step in self.line]
        return facts
