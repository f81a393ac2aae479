"""Answers of a probe: a position, its moves, a line."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import InitVar, dataclass, field, fields
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

import chess

from tbgen.errors import TbgenError, UsageError
from tbgen.facts import facts_of
from tbgen.material import Material
from tbgen.rules.notation import san_of
from tbgen.rules.own_board import OwnBoard
from tbgen.rules.points import Points, Scoring, points_facts
from tbgen.rules.position import board_after, own_of
from tbgen.score import Color, Score
from tbgen.text import in_plies


class Grade(enum.Enum):
    """The effect of a move on the value of a position."""

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
        if before.holder is after.holder:
            return cls.COSTS
        return cls.LOSES


_SIZE: Final = 320
_MOST_ARROWS: Final = 6


class Shown:
    """An answer about a position.

    A notebook shows its text and the board, with arrows for its moves.
    """

    def facts(self) -> Any:
        """The answer as JSON has it."""
        raise NotImplementedError

    def _drawing(self) -> tuple[chess.Board, Sequence[chess.Move]]:
        return chess.Board(self.facts()["fen"]), ()

    def _repr_svg_(self) -> str | None:
        import chess.svg  # costs more than a probe

        board, moves = self._drawing()
        if isinstance(board, OwnBoard):  # men of your own have no pictures
            return None
        arrows = [(move.from_square, move.to_square) for move in moves[:_MOST_ARROWS]]
        return chess.svg.board(board, arrows=arrows, size=_SIZE)

    def _repr_html_(self) -> str:
        from html import escape

        picture = self._repr_svg_()
        if picture is None:
            board, _ = self._drawing()
            picture = f"<pre>{board}</pre>"
        return f"<p>{escape(str(self))}</p>{picture}"


class At(NamedTuple):
    """The position that an answer belongs to.

    For a move, the board before it and the scores after it.
    """

    board: chess.Board
    carried: Score | None = None
    """The score that had accrued before the position; None if its own score counts in any case."""
    own: Score | None = None
    """The own score, if it has been counted: counting takes as long as a look into the table."""
    count_own: Callable[[chess.Board], Score] = own_of
    """The function that counts it."""
    ask: Callable[[chess.Board, Score], Moves] | None = None
    """The function that finds the moves of a position with an accrued score."""


@dataclass(frozen=True, repr=False, eq=False)
class Valued(Shown):
    """A value and its position.

    The position is no field, because a frame of answers has a column for each field. Answers are
    equal if they say the same of one position with one accrued score.
    """

    outcome: Score
    """The score at the end of best play by both sides, for a move after it."""
    dtg: int | None
    """Plies until the outcome's score is reached; None without distances.

    For a move they count from the position before it. It is 0 if that score is already accrued and
    stays so.
    """
    at: InitVar[At | None] = field(default=None, kw_only=True)

    # `dataclasses.replace` reads `at` from the answer.
    def __post_init__(self, at: At | None) -> None:
        if at is None:
            raise TypeError("an answer belongs to a position: at=At(board)")
        vars(self)["at"] = at

    @property
    def _at(self) -> At:
        at: At = vars(self)["at"]
        return at

    @property
    def accrued(self) -> Score:
        """The accrued score that the value belongs to."""
        raise NotImplementedError

    def _identity(self) -> tuple[object, ...]:
        values = [getattr(self, field.name) for field in fields(self)]
        return (type(self), self._at.board.fen(), self.accrued, *values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Valued):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __getstate__(self) -> dict[str, Any]:
        """A pickled answer leaves its tables out: nobody would close them after unpickling.

        It leaves kernels out as well, so that unpickling loads no compiler.
        """
        return {**vars(self), "at": self._at._replace(count_own=own_of, ask=None)}

    def __str__(self) -> str:
        if self.dtg is None:
            return str(self.outcome)
        return f"{self.outcome} in {in_plies(self.dtg)}"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def points(self, scoring: Scoring | None = None) -> Points:
        """The points if the game ends with the outcome.

        Arguments:
            scoring: The scheme of the points, `Scoring()` without it.

        Returns:
            White's and Black's points, as fractions.
        """
        return (scoring or Scoring()).points(self.outcome)


@dataclass(frozen=True, repr=False, eq=False)
class Probe(Valued):
    """The value of a position with an accrued score, as `Tablebase.probe` gives it.

    A notebook shows it with the board, and the best moves as arrows.

    >>> board = chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30")
    >>> probe = Probe(Score("G1.5"), 5, Material.parse("KBvK"), at=At(board, Score("G4.0")))
    >>> str(probe), str(probe.own), probe.is_reached, probe.points()[0], probe.facts()["dtg"]
    ('G1.5 in 5 plies', '-G14.5', False, Fraction(9, 16), 5)
    """

    material: Material
    """The men on the board, with their colours."""

    def __repr__(self) -> str:
        return f"<Probe {self.material}: {self}>"

    @cached_property
    def own(self) -> Score:
        """The score of the position itself."""
        return self._at.own or self._at.count_own(self._at.board)

    @property
    def accrued(self) -> Score:
        """The accrued score that the value belongs to."""
        return self._at.carried or self.own

    @property
    def is_reached(self) -> bool:
        """Whether the accrued score is the outcome already."""
        return self.outcome == self.accrued

    @cached_property
    def moves(self) -> Moves:
        """All moves with their values, best first. The first access needs open tables."""
        if self._at.ask is None:
            raise UsageError(
                "a pickled answer has no tables; ask a tablebase for the moves: "
                "tables.probe_moves(board)"
            )
        return self._at.ask(self._at.board, self.accrued)

    @property
    def best(self) -> list[MoveProbe]:
        """The moves of best play."""
        return self.moves.best

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The answer as JSON has it.

        Arguments:
            scoring: The scheme of the points, `Scoring()` without it.

        Returns:
            The keys and values that `tbgen probe --json` prints, without the moves.
        """
        return {
            "fen": self._at.board.fen(),
            "material": str(self.material.canonical()),
            **facts_of(self, "own", "accrued", "outcome", "dtg"),
            "points": {**_points(scoring, self.outcome)},
            "scoring": (scoring or Scoring()).scheme.value,
        }

    def _drawing(self) -> tuple[chess.Board, Sequence[chess.Move]]:
        best = list[chess.Move]()
        with suppress(TbgenError):  # without its moves it is a complete answer
            best = [move.move for move in self.best]
        return self._at.board, best


@dataclass(frozen=True, repr=False, eq=False)
class MoveProbe(Valued):
    """The value of a move with best play after it, as `Tablebase.probe_moves` gives it.

    >>> board = chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30")
    >>> at = At(board, Score("G4.0"))
    >>> move = MoveProbe(Score("G1.5"), 5, "e6e5", reset=False, best=True, keeps=True, at=at)
    >>> str(move), str(move.accrued), move.points()[0], move.facts()["uci"]
    ('Ke5 G1.5 in 5 plies', 'G3.5', Fraction(9, 16), 'e6e5')
    """

    uci: str
    """The move as text."""
    reset: bool
    """Whether the move is a capture or a pawn move."""
    best: bool
    """Whether the move is best play: the best outcome at the right distance.

    Without distances, only a move that alone keeps the outcome is.
    """
    keeps: bool
    """Whether the move keeps the outcome of the position, at any distance."""

    def __str__(self) -> str:
        """The move and its value in short, such as `Ke5 G1.5 in 5 plies`."""
        return f"{self.san} {super().__str__()}"

    @cached_property
    def move(self) -> chess.Move:
        """The move."""
        return chess.Move.from_uci(self.uci)

    @cached_property
    def san(self) -> str:
        """The move in short notation."""
        return san_of(self._at.board, self.move, self.own)

    @cached_property
    def own(self) -> Score:
        """The score of the position after the move."""
        return self._at.own or own_of(board_after(self._at.board, self.move))

    @property
    def accrued(self) -> Score:
        """The accrued score after the move."""
        carried = self._at.carried
        if carried is None:
            return self.own
        return carried.after(self.own, reset=False)

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The move as JSON has it.

        Arguments:
            scoring: The scheme of the points, `Scoring()` without it.

        Returns:
            The keys and values of a move in `tbgen probe --json`.
        """
        return {
            **_move_facts(self),
            "points": {**_points(scoring, self.outcome)},
            "best": self.best,
            "keeps": self.keeps,
        }

    def _drawing(self) -> tuple[chess.Board, Sequence[chess.Move]]:
        return self._at.board, [self.move]


class LineStep(MoveProbe):
    """A move of a line of best play, as `Tablebase.line` gives it.

    Its `dtg` counts from the position after the move.

    >>> board = chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30")
    >>> at = At(board, Score("G4.0"))
    >>> step = LineStep(Score("G1.5"), 4, "e6e5", reset=False, best=True, keeps=True, at=at)
    >>> str(step), step.points()[0], step.facts()["accrued"]
    ('Ke5 G1.5 in 4 plies', Fraction(9, 16), 'G3.5')
    """

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The step as JSON has it.

        Arguments:
            scoring: Changes nothing, as a step has no points.

        Returns:
            The keys and values of a step in `tbgen probe --line --json`.
        """
        return _move_facts(self)


class Moves(list[MoveProbe]):
    """The moves of a position, best first: `merit` in `values` orders them.

    >>> board = chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30")
    >>> at = At(board, Score("G4.0"))
    >>> move = MoveProbe(Score("G1.5"), 5, "e6e5", reset=False, best=True, keeps=True, at=at)
    >>> moves = Moves([move])
    >>> list(moves.groups()), moves.columns()["san"], moves.facts()[0]["dtg"]
    ([('keep G1.5', [<MoveProbe Ke5 G1.5 in 5 plies>])], ['Ke5'], 5)
    """

    @property
    def best(self) -> list[MoveProbe]:
        """The moves of best play."""
        return [move for move in self if move.best]

    def groups(self) -> Iterator[tuple[str, list[MoveProbe]]]:
        """The moves by their effect on the value.

        Returns:
            Groups, each with a title such as `keep G1.5`.
        """
        if not self:
            return
        value = self[0].outcome
        mover = self[0].own.holder

        def grade_of(move: MoveProbe) -> Grade:
            return Grade.of(value, move.outcome)

        for grade, moves in itertools.groupby(self, grade_of):
            yield _title(grade, value, mover), list(moves)

    def columns(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The moves as columns by name, which pandas and polars take as a frame.

        Arguments:
            scoring: The scheme of the points, `Scoring()` without it.

        Returns:
            Lists and arrays by name.
        """
        from tbgen.probe.many import columns_of

        return {
            "uci": [move.uci for move in self],
            "san": [move.san for move in self],
            **columns_of([move.outcome for move in self], [move.dtg for move in self], scoring),
            "reset": [move.reset for move in self],
            "best": [move.best for move in self],
            "keeps": [move.keeps for move in self],
        }

    def facts(self, scoring: Scoring | None = None) -> list[dict[str, Any]]:
        """The moves as JSON has them.

        Arguments:
            scoring: The scheme of the points, `Scoring()` without it.

        Returns:
            The `moves` that `tbgen probe --json` prints.
        """
        return [move.facts(scoring) for move in self]


def _title(grade: Grade, value: Score, mover: Color) -> str:
    if grade is Grade.KEEPS:
        return f"keep {value}"
    if grade is Grade.LOSES:
        return f"give the score to {mover.other}"
    if value.holder is mover:
        return "give away part of it"
    return f"give {mover.other} more"


@lru_cache(maxsize=1 << 12)
def _points(scoring: Scoring | None, outcome: Score) -> Mapping[str, float]:
    """The points for an outcome as JSON has them.

    Cached, because fractions are slow and outcomes few.
    """
    return points_facts((scoring or Scoring()).points(outcome))


def _move_facts(move: MoveProbe) -> dict[str, Any]:
    """A move, the scores after it and its value."""
    # Written out, because a server answers with thousands of them.
    return {
        "uci": move.uci,
        "san": move.san,
        "reset": move.reset,
        "own": str(move.own),
        "accrued": str(move.accrued),
        "outcome": str(move.outcome),
        "dtg": move.dtg,
    }
