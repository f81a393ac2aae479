"""Bracket: the least and the greatest that a position is worth, and the answers that are made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import chess

from tbgen.rules.points import Scoring, points_facts
from tbgen.score import Color, Score
from tbgen.text import facts_of


@dataclass(frozen=True, slots=True)
class Bracket:
    """What a position is worth: no less for White than `lower`, and no more than `upper`.

    It is no outcome: only where both are equal is one proved, which `exact` gives.

    >>> bracket = Bracket(Score("G5.5"), Score("G4.0"))
    >>> str(bracket), bracket.is_exact, bracket.exact
    ('G5.5 to G4.0', False, None)
    """

    lower: Score
    upper: Score

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            raise ValueError(f"{self.lower} is better for White than {self.upper}")

    def __str__(self) -> str:
        return str(self.lower) if self.is_exact else f"{self.lower} to {self.upper}"

    @property
    def is_exact(self) -> bool:
        """Whether the value is proved."""
        return self.lower == self.upper

    @property
    def exact(self) -> Score | None:
        """The value, if it is proved."""
        return self.lower if self.is_exact else None

    def flipped(self) -> Bracket:
        """The same in the colour-reversed position."""
        return Bracket(self.upper.flipped(), self.lower.flipped())

    def worths_to(self, side: Color) -> tuple[int, int]:
        """The least and the greatest rank as `side` sees it."""
        least, greatest = sorted((self.lower.worth_to(side), self.upper.worth_to(side)))
        return least, greatest

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """Both bounds as JSON has them, with their points under a scoring scheme."""
        rule = Scoring() if scoring is None else scoring
        ends = {"lower": self.lower, "upper": self.upper}
        found = {name: {"outcome": str(end), "points": points_facts(rule.points(end))} for name, end in ends.items()}
        return {**found, "exact": self.is_exact}


@dataclass(frozen=True, slots=True)
class MoveBracket:
    """What a move is worth, and whether it is proved to be as good as any other."""

    move: chess.Move
    san: str
    bracket: Bracket
    best: bool

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The move as JSON has it."""
        return {"uci": self.move.uci(), "san": self.san, **self.bracket.facts(scoring), "best": self.best}


@dataclass(frozen=True)
class SolvePlan:
    """What it takes to solve a position."""

    nodes: int
    """Blocks to be solved."""
    cells: int
    """Their cells, of both sides to move; those of blocks that are solved twice count twice."""
    cpu_seconds: float
    memory_bytes: int
    disk_bytes: int
    exact: bool
    """Whether nothing is left to bounds."""
    most_free: int
    """Promotions are solved where so many men are not pawns at most."""
    missing: tuple[str, ...]
    """Tables of promoted men that are not there, and would make the answer closer."""

    def facts(self) -> dict[str, Any]:
        """The plan as JSON has it."""
        return facts_of(
            self, "nodes", "cells", "cpu_seconds", "memory_bytes", "disk_bytes", "exact", "most_free", "missing"
        )


@dataclass(frozen=True)
class Solution:
    """A solved position."""

    fen: str
    accrued: Score
    bracket: Bracket
    moves: Sequence[MoveBracket] = field(repr=False)
    """Every legal move, those of the best guarantee first."""
    plan: SolvePlan
    cpu_seconds: float

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The answer as JSON has it."""
        return {
            "fen": self.fen,
            "accrued": str(self.accrued),
            **self.bracket.facts(scoring),
            "moves": [move.facts(scoring) for move in self.moves],
            "nodes": self.plan.nodes,
            "cells": self.plan.cells,
            "cpu_seconds": round(self.cpu_seconds, 3),
        }
