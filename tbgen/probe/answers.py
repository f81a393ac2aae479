"""Answers: what a probe says of a position, of its moves, and of a line."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import chess

from tbgen.errors import UsageError
from tbgen.material import Material
from tbgen.rules.notation import san_of
from tbgen.rules.points import Points, Scoring, points_facts
from tbgen.rules.position import own_score
from tbgen.score import Score
from tbgen.text import facts_of, in_plies


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

        >>> Grade.of(Score("G0.5"), Score("G1.5")), Grade.of(Score("G1.5"), Score("-G1.5"))
        (<Grade.COSTS: 'costs'>, <Grade.LOSES: 'loses'>)
        """
        if before == after:
            return cls.KEEPS
        return cls.COSTS if before.holder is after.holder else cls.LOSES


class Valued:
    """What has a value: an outcome, and a distance that may not be known."""

    outcome: Score
    dtg: int | None

    def __str__(self) -> str:
        return str(self.outcome) if self.dtg is None else f"{self.outcome} in {in_plies(self.dtg)}"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def points(self, scoring: Scoring | None = None) -> Points:
        """White's and Black's points if the game ends with the outcome."""
        return (Scoring() if scoring is None else scoring).points(self.outcome)


@dataclass(frozen=True, repr=False)
class Probe(Valued):
    """The value of a position with an accrued score.

    A notebook shows it with the board, the best moves as arrows, and all moves in groups.
    """

    material: Material
    """As it stands on the board."""
    outcome: Score
    """What the game ends with if both sides play their best."""
    dtg: int | None
    """Plies until the outcome's score is reached; 0 if it is already accrued, None if the table has no distances."""
    _board: chess.Board = field(compare=False)
    _accrued: Score | None = field(compare=False)
    _own: Score | None = field(default=None, compare=False)
    """The score of the position itself, if it has been counted."""
    _ask: Callable[[chess.Board, Score], Moves] | None = field(default=None, compare=False)
    """What finds the moves of a position with an accrued score."""

    def __getstate__(self) -> dict[str, Any]:
        """A pickled answer has no tables: opened again, nobody would close them."""
        return {**vars(self), "_ask": None}

    def __repr__(self) -> str:
        return f"<Probe {self.material}: {self}>"

    @cached_property
    def own(self) -> Score:
        """The score of the position itself; counted when it is asked for, since the value rarely needs it."""
        return own_score(self._board) if self._own is None else self._own

    @property
    def accrued(self) -> Score:
        """The accrued score that the value belongs to."""
        return self.own if self._accrued is None else self._accrued

    @property
    def is_reached(self) -> bool:
        """Whether the goal is already on the sheet: the outcome is the accrued score."""
        return self.outcome == self.accrued

    @cached_property
    def moves(self) -> Moves:
        """All moves with their values, best first; looked up when you first ask, so the tables must be open."""
        if self._ask is None:
            raise UsageError("a pickled answer has no tables; ask a tablebase for the moves: tables.probe_moves(board)")
        return self._ask(self._board, self.accrued)

    @property
    def best(self) -> list[MoveProbe]:
        """The moves of best play."""
        return [each for each in self.moves if each.best]

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The answer as JSON has it, with the points under a scoring scheme."""
        rule = Scoring() if scoring is None else scoring
        material, points = self.material.canonical(), _points(rule, self.outcome)
        values = facts_of(self, "own", "accrued", "outcome", "dtg", points=points, scoring=rule.scheme)
        return {"fen": self._board.fen(), "material": str(material), **values}

    def _repr_svg_(self) -> str:
        from tbgen.probe.display import svg_of

        return svg_of(self._board, [each.move for each in self.best])

    def _repr_html_(self) -> str:
        from tbgen.probe.display import html_of

        return html_of(self)

    def __rich__(self) -> str:
        from tbgen.probe.display import text_of

        return text_of(self._board, self)


@dataclass(frozen=True, repr=False)
class MoveProbe(Valued):
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
    """Whether the move is best play: the best outcome, at the best distance.

    Without distances no move is: which of those that keep the outcome makes progress is not known.
    """
    keeps: bool
    """Whether the move keeps the outcome of the position, be it on a way too long or too short."""
    _board: chess.Board = field(compare=False)
    """The position before the move, and what had accrued there."""
    _accrued: Score = field(compare=False)
    _own: Score | None = field(compare=False)
    """The score of the position after the move, if finding its value took it: the value of a reset does not."""
    _forgets: bool = field(default=True, compare=False)
    """Whether a reset wipes out what has accrued."""

    def __str__(self) -> str:
        """The move and its value in short, such as `Ke5 G1.5 in 5 plies`."""
        return f"{self.san} {super().__str__()}"

    @cached_property
    def san(self) -> str:
        """The move in short notation."""
        return san_of(self._board, self.move, self.own)

    @cached_property
    def own(self) -> Score:
        """The score of the position after the move."""
        if self._own is not None:
            return self._own
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
        points = _points(Scoring() if scoring is None else scoring, self.outcome)
        return {**_move_facts(self), "points": {**points}, "best": self.best, "keeps": self.keeps}

    def _repr_svg_(self) -> str:
        from tbgen.probe.display import svg_of

        return svg_of(self._board, [self.move])


class Moves(list[MoveProbe]):
    """The moves of a position, best first."""

    def groups(self) -> Iterator[tuple[str, list[MoveProbe]]]:
        """The moves by what they make of the value, each group with a title such as `keep G1.5`."""
        if not self:
            return
        value, mover = self[0].outcome, self[0].own.holder
        titles = {
            Grade.KEEPS: f"keep {value}",
            Grade.COSTS: "give away part of it" if value.holder is mover else f"give {mover.other} more",
            Grade.LOSES: f"give the score to {mover.other}",
        }
        for grade, moves in itertools.groupby(self, lambda each: Grade.of(value, each.outcome)):
            yield titles[grade], list(moves)

    def columns(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The moves as columns by name, which pandas and polars take as a frame."""
        from tbgen.probe.many import columns_of

        return {
            "uci": [each.move.uci() for each in self],
            "san": [each.san for each in self],
            **columns_of([each.outcome for each in self], [each.dtg for each in self], scoring),
            **{name: [getattr(each, name) for each in self] for name in ("reset", "best", "keeps")},
        }

    def _repr_html_(self) -> str:
        from tbgen.probe.display import table_of

        return table_of(self)


def moves_facts(moves: Iterable[MoveProbe], scoring: Scoring | None = None) -> list[dict[str, Any]]:
    """The facts of some moves."""
    return [each.facts(scoring) for each in moves]


@lru_cache(maxsize=1 << 12)
def _points(rule: Scoring, outcome: Score) -> Mapping[str, float]:
    """The points for an outcome as JSON has them: fractions take long, and outcomes are few."""
    return points_facts(rule.points(outcome))


@dataclass(frozen=True, slots=True, repr=False)
class LineStep(Valued):
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
        return f"{self.san} {Valued.__str__(self)}"

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
