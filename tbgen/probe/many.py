"""Many answers at once, as arrays."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from tbgen.index.outcomes import ranks_of
from tbgen.rules.points import Scoring, points_facts
from tbgen.score import Score

Floats = npt.NDArray[np.float64]
Value = tuple[Score, int | None]
"""An outcome and the plies to it; None if they are unknown."""


class Fault(enum.IntEnum):
    """The reason why a position of many has no answer.

    >>> Fault(3), str(Fault.TOO_MANY_MEN)
    (<Fault.TOO_MANY_MEN: 3>, 'too many men')
    """

    NONE = 0
    """It has an answer."""
    ILLEGAL = 1
    """The position breaks a rule of chess."""
    CASTLING = 2
    """The position has castling rights, which tables do not support."""
    TOO_MANY_MEN = 3
    """The position has more men than tables have."""
    MISSING_TABLE = 4
    """The table of the position is missing."""
    ACCRUED = 5
    """No game can carry this accrued score into the position."""
    UNREADABLE = 6
    """The FEN or the accrued score is malformed."""

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BulkProbe:
    """The values of many positions, as arrays with an entry for each position.

    An index gives one value, as `(Score, plies)`. Slices, masks and arrays of indices give a
    smaller BulkProbe.

    >>> outcome = np.array([4, -1, 0], np.int8)
    >>> dtg = np.array([5, 0, np.nan], np.float32)
    >>> many = BulkProbe(outcome, dtg, fault=np.array([0, 0, 1]))
    >>> [value and (str(value[0]), value[1]) for value in many], str(many.fault_of(2))
    ([('G1.5', 5), ('-G0.0', 0), None], 'illegal')
    >>> many[many.dtg > 0], [str(value[0]) for value in many[np.argsort(many.rank)] if value]
    (<BulkProbe: 1 of 1 answered>, ['-G0.0', 'G1.5'])
    >>> many.points().tolist(), many.columns()["holder"]
    ([0.5625, 0.0, nan], ['white', 'black', None])
    """

    outcome: npt.NDArray[np.int8]
    """+(code + 1) if White holds the score, -(code + 1) if Black does, 0 without an answer.

    A code is twice the number of legal moves, and one more without check: G1.5 is +4, -G0.0 is -1.
    """
    dtg: npt.NDArray[np.float32]
    """Plies until the outcome's score is reached; NaN without an answer or without distances."""
    fault: npt.NDArray[np.uint8]
    """A number of `Fault`; 0 if the position has an answer."""

    def __len__(self) -> int:
        return len(self.outcome)

    def __iter__(self) -> Iterator[Value | None]:
        return (self[number] for number in range(len(self)))

    @overload
    def __getitem__(self, which: int | np.integer[Any]) -> Value | None: ...

    @overload
    def __getitem__(self, which: slice | npt.ArrayLike) -> BulkProbe: ...

    def __getitem__(self, which: Any) -> Value | BulkProbe | None:
        """Outcome and distance of one position, None without an answer; or the answers for some."""
        if not isinstance(which, (int, np.integer)):
            if not isinstance(which, slice):
                which = np.asarray(which)
            return BulkProbe(self.outcome[which], self.dtg[which], self.fault[which])
        signed = int(self.outcome[which])
        if signed == 0:
            return None
        dtg = self.dtg[which]
        return Score.from_signed(signed), None if np.isnan(dtg) else int(dtg)

    def __repr__(self) -> str:
        return f"<BulkProbe: {np.count_nonzero(self.outcome)} of {len(self)} answered>"

    def fault_of(self, number: int) -> Fault:
        """The reason why a position has no answer.

        Arguments:
            number: The index of the position.

        Returns:
            The fault; `Fault.NONE` if the position has an answer.
        """
        return Fault(int(self.fault[number]))

    @property
    def rank(self) -> Floats:
        """Numbers for sorting, the greater the better for White; NaN without an answer."""
        return np.where(self.outcome != 0, ranks_of(self.outcome.astype(np.int64)), np.nan)

    def points(self, scoring: Scoring | None = None) -> Floats:
        """White's points for each outcome.

        Arguments:
            scoring: The scheme of the points, `Scoring()` without it.

        Returns:
            Numbers from 0 to 1; NaN without an answer. Black has the rest of one point.
        """
        different, which = np.unique(self.outcome, return_inverse=True)
        points = columns_of(map(_score_of, different.tolist()), (), scoring)["points"]
        return np.take(points, which)

    def columns(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The answers as columns by name, which pandas and polars take as a frame.

        Arguments:
            scoring: The scheme of the points, `Scoring()` without it.

        Returns:
            Lists and arrays by name; `points` are White's. Without an answer, numbers are NaN and
            all else is None. `polars.DataFrame(many.columns(), nan_to_null=True)` makes null of
            both.
        """
        faults = list[str | None]()
        for number in range(len(self)):
            faults.append(None if self.outcome[number] else str(self.fault_of(number)))
        scores = map(_score_of, self.outcome.tolist())
        return {**columns_of(scores, self.dtg, scoring), "fault": faults}


def _score_of(signed: int) -> Score | None:
    """The outcome that a number of an array means; None for 0."""
    if signed == 0:
        return None
    return Score.from_signed(signed)


def columns_of(
    scores: Iterable[Score | None], dtg: Iterable[float | None], scoring: Scoring | None = None
) -> dict[str, Any]:
    """Outcomes and distances as columns by name."""
    rows = [_row_of(score, scoring or Scoring()) for score in scores]
    return {
        "outcome": [row.outcome for row in rows],
        "holder": [row.holder for row in rows],
        "check": [row.check for row in rows],
        "moves": np.array([row.moves for row in rows], float),
        "rank": np.array([row.rank for row in rows], float),
        "points": np.array([row.points for row in rows], float),
        "dtg": np.array(list(dtg), float),
    }


class _OutcomeRow(NamedTuple):
    """An outcome in columns: numbers are NaN without an answer, and all else is None."""

    outcome: str | None = None
    holder: str | None = None
    check: bool | None = None
    moves: float = np.nan
    rank: float = np.nan
    points: float = np.nan


@cache
def _row_of(score: Score | None, scoring: Scoring) -> _OutcomeRow:
    if score is None:
        return _OutcomeRow()
    points = points_facts(scoring.points(score))["white"]
    holder = str(score.holder).lower()
    return _OutcomeRow(str(score), holder, score.check, score.moves, score.rank, points)
