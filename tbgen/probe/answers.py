"""Answers of a probe: a position, its moves, a line."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import InitVar, dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

import chess

from tbgen.errors import TbgenError, UsageError
from tbgen.facts import facts_of
from tbgen.material import Material
from tbgen.rules.notation import san_of
from tbgen.rules.own_board import OwnBoard
from tbgen.rules.points import Points, Scoring, points_facts
from tbgen.rules.position import board_after, own_of
from tbgen.score import Score
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
        return cls.COSTS if before.holder is after.holder else cls.LOSES


_SIZE: Final = 320
_MOST_ARROWS: Final = 6


class Shown:
    """An answer about a position. A notebook shows its text and the board, with arrows for its moves."""

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
        return chess.svg.board(
            board, arrows=[(m.from_square, m.to_square) for m in moves[:_MOST_ARROWS]], size=_SIZE
        )

    def _repr_html_(self) -> str:
        from html import escape

        return (
            f"<p>{escape(str(self))}</p>{self._repr_svg_() or f'<pre>{self._drawing()[0]}</pre>'}"
        )


@dataclass(slots=True)
class At:
    """The position that an answer belongs to; for a move, the board before it and the scores after it."""

    board: chess.Board
    carried: Score | None = None
    """The score that had accrued before the position; None if its own score counts in any case."""
    counted: Score | None = None
    """The own score, if it has been counted: counting takes as long as a look into the table."""
    ask: Callable[[chess.Board, Score], Moves] | None = None
    """The function that finds the moves of a position with an accrued score."""

    def own(self) -> Score:
        """The own score of the board's position."""
        if self.counted is None:
            self.counted = own_of(self.board)
        return self.counted


@dataclass(frozen=True, repr=False)
class Valued(Shown):
    """A value and its position, which is no field, because a frame of answers has a column for each field."""

    at: InitVar[At]
    outcome: Score
    """The score at the end of best play by both sides, for a move after it."""
    dtg: int | None
    """Plies until the outcome's score is reached, for a move from the position before it; None without distances.

    It is 0 if that score is already accrued and stays so.
    """

    def __post_init__(self, at: At) -> None:
        vars(self)["_at"] = at

    @property
    def _here(self) -> At:
        found: At = vars(self)["_at"]
        return found

    def __getstate__(self) -> dict[str, Any]:
        """A pickled answer leaves its tables out: nobody would close them after opening it again."""
        return {**vars(self), "_at": At(self._here.board, self._here.carried, self._here.counted)}

    def __str__(self) -> str:
        return str(self.outcome) if self.dtg is None else f"{self.outcome} in {in_plies(self.dtg)}"

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


@dataclass(frozen=True, repr=False)
class Probe(Valued):
    """The value of a position with an accrued score, as `Tablebase.probe` gives it.

    A notebook shows it with the board, and the best moves as arrows.

    >>> board = chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30")
    >>> found = Probe(At(board, Score("G4.0")), Score("G1.5"), 5, Material.parse("KBvK"))
    >>> str(found), str(found.own), found.is_reached, found.points()[0], found.facts()["dtg"]
    ('G1.5 in 5 plies', '-G14.5', False, Fraction(9, 16), 5)
    """

    material: Material
    """The men on the board, with their colours."""

    def __repr__(self) -> str:
        return f"<Probe {self.material}: {self}>"

    @property
    def own(self) -> Score:
        """The score of the position itself."""
        return self._here.own()

    @property
    def accrued(self) -> Score:
        """The accrued score that the value belongs to."""
        return self._here.carried or self.own

    @property
    def is_reached(self) -> bool:
        """Whether the accrued score is the outcome already."""
        return self.outcome == self.accrued

    @cached_property
    def moves(self) -> Moves:
        """All moves with their values, best first. The first access needs open tables."""
        if self._here.ask is None:
            raise UsageError(
                "a pickled answer has no tables; ask a tablebase for the moves: tables.probe_moves(board)"
            )
        return self._here.ask(self._here.board, self.accrued)

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
            "fen": self._here.board.fen(),
            "material": str(self.material.canonical()),
            **facts_of(self, "own", "accrued", "outcome", "dtg"),
            "points": {**_points(scoring, self.outcome)},
            "scoring": (scoring or Scoring()).scheme.value,
        }

    def _drawing(self) -> tuple[chess.Board, Sequence[chess.Move]]:
        best = list[chess.Move]()
        with suppress(TbgenError):  # without its moves it is a complete answer
            best = [each.move for each in self.best]
        return self._here.board, best


@dataclass(frozen=True, repr=False)
class MoveProbe(Valued):
    """The value of a move with best play after it, as `Tablebase.probe_moves` gives it.

    >>> board = chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30")
    >>> found = MoveProbe(At(board, Score("G4.0")), Score("G1.5"), 5, "e6e5", False, True, True)
    >>> str(found), str(found.accrued), found.points()[0], found.facts()["uci"]
    ('Ke5 G1.5 in 5 plies', 'G3.5', Fraction(9, 16), 'e6e5')
    """

    uci: str
    """The move as text."""
    reset: bool
    """Whether the move is a capture or a pawn move."""
    best: bool
    """Whether the move is best play, with the best outcome at the right distance. False without distances."""
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
        return san_of(self._here.board, self.move, self.own)

    @cached_property
    def own(self) -> Score:
        """The score of the position after the move."""
        return self._here.counted or own_of(board_after(self._here.board, self.move))

    @property
    def accrued(self) -> Score:
        """The accrued score after the move."""
        carried = self._here.carried
        return self.own if carried is None else carried.after(self.own, reset=False)

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
        return self._here.board, [self.move]


class LineStep(MoveProbe):
    """A move of a line of best play, as `Tablebase.line` gives it. Its `dtg` counts from the position after the move.

    >>> board = chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30")
    >>> step = LineStep(At(board, Score("G4.0")), Score("G1.5"), 4, "e6e5", False, True, True)
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
    """The moves of a position, best first.

    >>> board = chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30")
    >>> move = MoveProbe(At(board, Score("G4.0")), Score("G1.5"), 5, "e6e5", False, True, True)
    >>> moves = Moves([move])
    >>> list(moves.groups()), moves.columns()["san"], moves.facts()[0]["dtg"]
    ([('keep G1.5', [<MoveProbe Ke5 G1.5 in 5 plies>])], ['Ke5'], 5)
    """

    @property
    def best(self) -> list[MoveProbe]:
        """The moves of best play."""
        return [each for each in self if each.best]

    def groups(self) -> Iterator[tuple[str, list[MoveProbe]]]:
        """The moves by their effect on the value.

        Returns:
            Groups, each with a title such as `keep G1.5`.
        """
        if not self:
            return
        value, mover = self[0].outcome, self[0].own.holder
        titles = {
            Grade.KEEPS: f"keep {value}",
            Grade.COSTS: "give away part of it"
            if value.holder is mover
            else f"give {mover.other} more",
            Grade.LOSES: f"give the score to {mover.other}",
        }
        for grade, moves in itertools.groupby(self, lambda each: Grade.of(value, each.outcome)):
            yield titles[grade], list(moves)

    def columns(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The moves as columns by name, which pandas and polars take as a frame.

        Arguments:
            scoring: The scheme of the points, `Scoring()` without it.

        Returns:
            Lists and arrays by name.
        """
        from tbgen.probe.many import columns_of

        return {
            "uci": [each.uci for each in self],
            "san": [each.san for each in self],
            **columns_of([each.outcome for each in self], [each.dtg for each in self], scoring),
            **{name: [getattr(each, name) for each in self] for name in ("reset", "best", "keeps")},
        }

    def facts(self, scoring: Scoring | None = None) -> list[dict[str, Any]]:
        """The moves as JSON has them.

        Arguments:
            scoring: The scheme of the points, `Scoring()` without it.

        Returns:
            The `moves` that `tbgen probe --json` prints.
        """
        return [each.facts(scoring) for each in self]


@lru_cache(maxsize=1 << 12)
def _points(scoring: Scoring | None, outcome: Score) -> Mapping[str, float]:
    """The points for an outcome as JSON has them. Cached, because fractions are slow and outcomes few."""
    return points_facts((scoring or Scoring()).points(outcome))


def _move_facts(each: MoveProbe) -> dict[str, Any]:
    """A move, the scores after it and its value."""
    return {  # written out, because a server answers with thousands of them
        "uci": each.uci,
        "san": each.san,
        "reset": each.reset,
        "own": str(each.own),
        "accrued": str(each.accrued),
        "outcome": str(each.outcome),
        "dtg": each.dtg,
    }
