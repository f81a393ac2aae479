"""Answers: what a probe says of a position, of a move, of a line, and of many positions."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import chess
import numpy as np
import numpy.typing as npt

from tbgen.material import Material
from tbgen.probe.stored import UNKNOWN_DTG
from tbgen.rules.notation import san_of
from tbgen.rules.points import Scoring, points_facts
from tbgen.rules.position import own_score
from tbgen.score import Score
from tbgen.text import facts_of, in_plies


@dataclass(frozen=True)
class Probe:
    """The value of a position with an accrued score."""

    material: Material
    """As it stands on the board."""
    outcome: Score
    """What the game ends with if both sides play their best."""
    dtg: int | None
    """Plies until the outcome's score is reached; 0 if it is already accrued, None if the table has no distances."""
    _board: chess.Board = field(repr=False, compare=False)
    _accrued: Score | None = field(repr=False, compare=False)
    _own: Score | None = field(default=None, repr=False, compare=False)
    """The score of the position itself, if it has been counted."""

    def __str__(self) -> str:
        """The value in short, such as `G1.5 in 5 plies`."""
        return _in_short(self.outcome, self.dtg)

    @property
    def own(self) -> Score:
        """The score of the position itself; counted when it is asked for, since the value rarely needs it."""
        return self._counted if self._own is None else self._own

    @cached_property
    def _counted(self) -> Score:
        return own_score(self._board)

    @property
    def accrued(self) -> Score:
        """The accrued score that the value belongs to."""
        return self.own if self._accrued is None else self._accrued

    @property
    def is_reached(self) -> bool:
        """Whether the goal is already on the sheet: the outcome is the accrued score."""
        return self.outcome == self.accrued

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The answer as JSON has it, with the points under a scoring scheme."""
        rule = Scoring() if scoring is None else scoring
        material, points = self.material.canonical(), _points(rule, self.outcome)
        values = facts_of(self, "own", "accrued", "outcome", "dtg", points=points, scoring=rule.scheme)
        return {"fen": self._board.fen(), "material": str(material), **values}


@dataclass(frozen=True)
class MoveProbe:
    """What a move is worth with best play after it.

    `dtg` counts plies from the position before the move until the outcome's score is reached. It is 0 only
    where that score is accrued already and the move leaves it so, and None where a table has no distances.
    """

    move: chess.Move
    outcome: Score
    dtg: int | None
    reset: bool
    """Whether the move is a capture or a pawn move; unless the game is whole-game mobility, the score starts anew."""
    best: bool
    """Whether the move is best play: the best outcome there is, in the right number of plies.

    Without distances no move is: which of those that keep the outcome makes progress is not known.
    """
    keeps: bool
    """Whether the move keeps the outcome of the position, be it on a way too long or too short."""
    _board: chess.Board = field(repr=False, compare=False)
    """The position before the move, and what had accrued there."""
    _accrued: Score = field(repr=False, compare=False)
    _own: Score | None = field(repr=False, compare=False)
    """The score of the position after the move, if finding its value took it: the value of a reset does not."""
    _forgets: bool = field(default=True, repr=False, compare=False)
    """Whether a reset wipes out what has accrued."""

    def __str__(self) -> str:
        """The move and its value in short, such as `Ke5 G1.5 in 5 plies`."""
        return f"{self.san} {_in_short(self.outcome, self.dtg)}"

    @cached_property
    def san(self) -> str:
        """The move in short notation."""
        return san_of(self._board, self.move, self.own)

    @property
    def own(self) -> Score:
        """The score of the position after the move."""
        return self._counted if self._own is None else self._own

    @cached_property
    def _counted(self) -> Score:
        after = self._board.copy(stack=False)
        after.push(self.move)
        return own_score(after)

    @property
    def accrued(self) -> Score:
        """What has accrued after the move."""
        return self._accrued.after(self.own, reset=self.reset and self._forgets)

    @property
    def dtg_after(self) -> int | None:
        """Plies from the position after the move until the outcome's score is reached."""
        return None if self.dtg is None else max(self.dtg - 1, 0)

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The move as JSON has it, with its points; own and accrued score are those after it."""
        return moves_facts([self], scoring)[0]


def moves_facts(moves: Sequence[MoveProbe], scoring: Scoring | None = None) -> list[dict[str, Any]]:
    """The facts of some moves; points are found once for each outcome."""
    rule = Scoring() if scoring is None else scoring
    points = {outcome: _points(rule, outcome) for outcome in {each.outcome for each in moves}}
    return [
        {**_move_facts(each), "points": {**points[each.outcome]}, "best": each.best, "keeps": each.keeps}
        for each in moves
    ]


@lru_cache(maxsize=1 << 12)
def _points(rule: Scoring, outcome: Score) -> Mapping[str, float]:
    """The points for an outcome as JSON has them: fractions take long, and outcomes are few."""
    return points_facts(rule.points(outcome))


@dataclass(frozen=True, slots=True)
class LineStep:
    """One move of a line of best play, and what stands after it."""

    move: chess.Move
    san: str
    reset: bool
    own: Score
    accrued: Score
    outcome: Score
    dtg: int | None

    def __str__(self) -> str:
        """The move and what stands after it in short, such as `Ke5 G1.5 in 4 plies`."""
        return f"{self.san} {_in_short(self.outcome, self.dtg)}"

    def facts(self) -> dict[str, Any]:
        """The step as JSON has it."""
        return _move_facts(self)


def _move_facts(each: MoveProbe | LineStep) -> dict[str, Any]:
    """A move, the scores after it and its value."""
    return {  # written out, since a server answers with thousands of them
        "uci": each.move.uci(),
        "san": each.san,
        "reset": each.reset,
        "own": str(each.own),
        "accrued": str(each.accrued),
        "outcome": str(each.outcome),
        "dtg": each.dtg,
    }


def _in_short(outcome: Score, dtg: int | None) -> str:
    return str(outcome) if dtg is None else f"{outcome} in {in_plies(dtg)}"


class Grade(enum.Enum):
    """What a move makes of the value of a position."""

    KEEPS = "keeps"
    COSTS = "costs"
    """It gives away a part: the same side holds the score, to more or to fewer legal moves."""
    LOSES = "loses"
    """It gives the score to the other side."""

    @classmethod
    def of(cls, before: Score, after: Score) -> Grade:
        """The grade of a move after which a position of one value has another.

        >>> stalemate, one, other = (Score.from_byte(byte) for byte in (2, 4, -4))
        >>> Grade.of(stalemate, one), Grade.of(one, other)
        (<Grade.COSTS: 'costs'>, <Grade.LOSES: 'loses'>)
        """
        if before == after:
            return cls.KEEPS
        return cls.COSTS if before.holder is after.holder else cls.LOSES


class Fault(enum.IntEnum):
    """Why there is no answer for one position of many."""

    NONE = 0
    """There is one."""
    ILLEGAL = 1
    """The position breaks a rule of chess."""
    CASTLING = 2
    """It has castling rights, which tables do not know."""
    TOO_MANY_MEN = 3
    """It has more men than tables are made for."""
    MISSING_TABLE = 4
    """Its table is not there."""
    ACCRUED = 5
    """No game can carry this accrued score into it."""

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True, slots=True, eq=False)
class BulkProbe:
    """The values of many positions, one an index, and why there is none for some.

    >>> many = BulkProbe(np.array([4, -1, 0], np.int8), np.array([5, 0, 0], np.uint16), np.array([0, 0, 1], np.uint8))
    >>> [found and (str(found[0]), found[1]) for found in many], str(many.fault_of(2))
    ([('G1.5', 5), ('-G0.0', 0), None], 'illegal')
    """

    outcome: npt.NDArray[np.int8]
    """+(code + 1) where White holds the score, -(code + 1) where Black does, 0 where there is no answer.

    A code is twice the number of legal moves, and one more if there is no check: G1.5 is +4, -G0.0 is -1.
    """
    dtg: npt.NDArray[np.uint16]
    """Plies until the outcome's score is reached; 65,535 where the table has no distances."""
    fault: npt.NDArray[np.uint8]
    """A number of `Fault`; 0 where there is an answer."""

    def __len__(self) -> int:
        return len(self.outcome)

    def __iter__(self) -> Iterator[tuple[Score, int | None] | None]:
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number: int) -> tuple[Score, int | None] | None:
        """Outcome and distance of one position; None where there is no answer, or no distance."""
        byte, dtg = int(self.outcome[number]), int(self.dtg[number])
        return (Score.from_byte(byte), None if dtg == UNKNOWN_DTG else dtg) if byte else None

    def fault_of(self, number: int) -> Fault:
        """Why there is no answer for one position; Fault.NONE if there is one."""
        return Fault(int(self.fault[number]))

    def facts(self) -> list[dict[str, Any]]:
        """The answers as JSON has them."""
        return [
            {
                "outcome": None if found is None else str(found[0]),
                "dtg": None if found is None else found[1],
                "fault": str(self.fault_of(number)) if found is None else None,
            }
            for number, found in enumerate(self)
        ]
