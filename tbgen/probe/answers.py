"""Answers: what a probe says of a position, of a move, of a line, and of many positions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import chess
import numpy as np
import numpy.typing as npt

from tbgen.material import Material
from tbgen.rules.position import own_score
from tbgen.score import Accrued, Color, Outcome


@dataclass(frozen=True)
class Probe:
    """The value of a position with an accrued score."""

    material: Material
    """As it stands on the board."""
    outcome: Outcome
    """What the game ends with if both sides play their best."""
    dtg: int
    """Plies until the outcome's score is reached; 0 if it is already accrued."""
    _board: chess.Board = field(repr=False, compare=False)
    _accrued: Accrued | None = field(repr=False, compare=False)

    @cached_property
    def own(self) -> Accrued:
        """The score of the position itself; counted when it is asked for, since the value rarely needs it."""
        return own_score(self._board)

    @property
    def accrued(self) -> Accrued:
        """The accrued score that the value belongs to."""
        return self.own if self._accrued is None else self._accrued

    @property
    def is_reached(self) -> bool:
        """Whether the goal is already on the sheet: the outcome is the accrued score."""
        return self.outcome == self.accrued.outcome


@dataclass(frozen=True, slots=True)
class MoveProbe:
    """What a move is worth with best play after it.

    `dtg` counts plies from the position before the move until the outcome's score is reached. It is 0 only
    where that score is accrued already and the move leaves it so.
    """

    move: chess.Move
    outcome: Outcome
    dtg: int
    reset: bool
    """Whether the move is a capture or a pawn move, so that the score starts anew."""
    best: bool
    """Whether the move keeps the outcome of the position."""


@dataclass(frozen=True, slots=True)
class Step:
    """One move of a line of best play, and what stands after it."""

    move: chess.Move
    san: str
    reset: bool
    own: Accrued
    accrued: Accrued
    outcome: Outcome
    dtg: int


@dataclass(frozen=True, slots=True, eq=False)
class Many:
    """Entry values of many positions, one an index."""

    outcome: npt.NDArray[np.int8]
    """+(code + 1) where White holds the score, -(code + 1) where Black does, 0 for an illegal position."""
    dtg: npt.NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.outcome)

    def __getitem__(self, number: int) -> tuple[Outcome, int] | None:
        """Outcome and distance of one position; None if it is illegal."""
        byte = int(self.outcome[number])
        return (Outcome.from_byte(byte), int(self.dtg[number])) if byte else None


def worth(outcome: Outcome, side: Color) -> int:
    """A number that is the greater, the better an outcome is for a side."""
    good = 1024 - outcome.code
    return good if outcome.holder is side else -good
