"""A game ply by ply: its scores, its value where tables know it, and the mistakes.

A line of best play is written as PGN, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import chess

from tbgen.apps.games.decide import FindSolved
from tbgen.apps.games.tags import Source, write_tags
from tbgen.apps.games.writing import format_game, last_move, numbered
from tbgen.errors import NO_TABLE, MissingTableError
from tbgen.facts import facts_of, plain
from tbgen.material import MOST_BUILT_MEN, Material
from tbgen.probe.answers import Grade, LineStep, MoveProbe, Probe, Valued
from tbgen.rules.notation import with_score
from tbgen.rules.points import Scoring
from tbgen.rules.position import is_standard
from tbgen.rules.stage import FiftyMoveSetting
from tbgen.score import Color, Score
from tbgen.text import in_plies

if TYPE_CHECKING:
    from tbgen.apps.games.read import PgnGame
    from tbgen.closures.answers import Solution
    from tbgen.probe import Tablebase
    from tbgen.rules.game import Ply

_MOST_NAMED = 3
_LEAST_SHOWN = Fraction(1, 20_000)


@dataclass(frozen=True)
class AnnotatedPly:
    """A ply with its scores, and with its value if a table has the position."""

    ply: Ply
    board: chess.Board
    """The position after it."""
    board_before: chess.Board | None
    """The position before it; None for the first position."""
    value: Probe | None
    """None if no table has the position after it."""
    before: Score | None
    """The outcome of best play before it; None for the first position, and if no table has it."""
    better: tuple[MoveProbe, ...]
    """The best moves instead, if the move gave something away."""
    lost: Fraction
    """The points of the mover that the move gave away."""

    @property
    def mover(self) -> Color:
        return self.ply.own.holder

    @property
    def grade(self) -> Grade | None:
        """The effect of the move on the value; None if a value is unknown."""
        if self.before is None or self.value is None:
            return None
        return Grade.of(self.before, self.value.outcome)

    @property
    def gives_away(self) -> bool:
        return self.grade in (Grade.COSTS, Grade.LOSES)

    @property
    def move(self) -> str:
        """The move with its number, such as `30... Kd6`; empty for the first position."""
        return last_move(self.board, self.ply.san)

    @property
    def worth(self) -> str:
        """The value after the ply, such as `G1.5 in 5 plies`; empty if it is not known."""
        if self.value is None:
            return ""
        return f"{self.value.outcome}, reached" if self.value.is_reached else str(self.value)

    @property
    def remark(self) -> str:
        """The value that the move gave away, and the moves that keep it.

        Empty if it gave nothing away.
        """
        if not self.gives_away or self.before is None:
            return ""
        remark = f"gives {self.before} away"
        if self.before.holder is not self.mover:
            remark = f"gives {self.mover.other} more than {self.before}"
        elif self.grade is Grade.LOSES:
            remark += f" to {self.mover.other}"
        moves = [move.san for move in self.better[:_MOST_NAMED]]
        if len(self.better) > _MOST_NAMED:
            moves.append("others")
        if moves:
            remark += f"; {' or '.join(moves)} kept it"
        return remark

    @property
    def lost_in_words(self) -> str:
        """The points that the move gave away, with four decimals; empty if it gave nothing away."""
        if not self.gives_away:
            return ""
        is_shown = self.lost <= 0 or self.lost >= _LEAST_SHOWN
        return f"{float(self.lost):.4f}" if is_shown else "<0.0001"

    @property
    def comment(self) -> str:
        """Value and remark in one line."""
        return "; ".join(text for text in (self.worth, self.remark) if text)

    def facts(self) -> dict[str, Any]:
        """The ply as JSON has it, with its value and its grade."""
        material = None
        outcome = None
        dtg = None
        if self.value is not None:
            material = str(self.value.material.canonical())
            outcome = str(self.value.outcome)
            dtg = self.value.dtg
        better = [move.san for move in self.better]
        return {
            **self.ply.facts(),
            "material": material,
            "outcome": outcome,
            "dtg": dtg,
            **facts_of(self, "before", "grade", better=better, points_lost=self.lost),
        }


@dataclass(frozen=True)
class Annotation:
    """A game with all its plies, the first position among them."""

    game: PgnGame
    plies: tuple[AnnotatedPly, ...]
    missing: Counter[Material]
    """Missing table -> the number of positions of the game in it."""
    solved: Solution | None = None
    """What a solve has proved of the last position, if no table has it."""

    @cached_property
    def lost(self) -> dict[Color, Fraction]:
        """The points that each side gave away in all, under the scoring of the game."""
        lost = dict.fromkeys(Color, Fraction(0))
        for ply in self.plies:
            lost[ply.mover] += ply.lost
        return lost

    @property
    def first(self) -> AnnotatedPly | None:
        """The first ply with a value from tables."""
        for ply in self.plies:
            if ply.value is not None:
                return ply
        return None

    @property
    def known_from(self) -> str:
        """The plies with values from tables, in words without a full stop."""
        first = self.first
        if first is None:
            return "no table knows a position of this game"
        known = [ply for ply in self.plies if ply.value is not None and ply.ply.move is not None]
        whence = f"from {first.move} on" if first.move else "all of the game"
        return f"tables know {in_plies(len(known))}, {whence}"

    @property
    def solved_in_words(self) -> str:
        """What is proved of the last position, and moves that keep it; empty without a proof.

        The line keeps the value, and need not be the shortest.
        """
        if self.solved is None:
            return ""
        words = f"{self.solved.bracket} with best play, solved"
        if not self.solved.line:
            return words
        board = self.plies[-1].board
        moves = [(step.san, "") for step in self.solved.line]
        line = numbered(board.fullmove_number, board.turn == chess.WHITE, moves)
        return f"{words}; a line that keeps it: {' '.join(line)}"

    @property
    def lost_in_words(self) -> str:
        """The points that each side gave away, in words without a full stop."""
        white = f"{float(self.lost[Color.WHITE]):.4f}"
        black = f"{float(self.lost[Color.BLACK]):.4f}"
        scheme = self.game.scoring.scheme.value
        return f"White gave away {white} and Black {black} points ({scheme})"

    def facts(self) -> dict[str, Any]:
        """The annotation as JSON has it."""
        game = self.game
        facts: dict[str, Any] = plain(
            {
                **game.heading,
                "scoring": game.scoring.scheme,
                "points_lost": {str(side).lower(): lost for side, lost in self.lost.items()},
                "missing": dict(self.missing.most_common()),
                "plies": self.plies,
                "solved": None if self.solved is None else self.solved.facts(game.scoring),
            }
        )
        return facts


def annotate(tables: Tablebase, game: PgnGame, find_solved: FindSolved | None = None) -> Annotation:
    """A game with the values of its positions, each with its accrued score.

    `find_solved` is asked about the last position if no table has it.
    """
    board = game.replayed.board.root()
    plies = list[AnnotatedPly]()
    missing = Counter[Material]()
    last_position: chess.Board | None = None
    last_value: Probe | None = None
    for ply in game.replayed.plies:
        if ply.move is not None:
            board.push(ply.move)
        position = board.copy(stack=False)
        value = _value(tables, position, ply, missing)
        lost = Fraction(0)
        better: tuple[MoveProbe, ...] = ()
        if last_value is not None and value is not None and last_value.outcome != value.outcome:
            mover = ply.own.holder
            points_before = game.scoring.points(last_value.outcome)[mover]
            points_after = game.scoring.points(value.outcome)[mover]
            lost = points_before - points_after
            better = _better(last_value)
        annotated = AnnotatedPly(
            ply=ply,
            board=position,
            board_before=last_position,
            value=value,
            before=None if last_value is None else last_value.outcome,
            better=better,
            lost=lost,
        )
        plies.append(annotated)
        last_position = position
        last_value = value
    solved = None
    last = plies[-1]
    may_be_solved = is_standard(last.board) and not last.board.castling_rights
    if find_solved is not None and last.value is None and may_be_solved:
        solved = find_solved(last.board, last.ply.accrued)
    return Annotation(game, tuple(plies), missing, solved)


def _value(
    tables: Tablebase, board: chess.Board, ply: Ply, missing: Counter[Material]
) -> Probe | None:
    """The value of a position with its accrued score; None if no table has it."""
    if chess.popcount(board.occupied) > MOST_BUILT_MEN or not is_standard(board):
        return None
    try:
        return tables.probe(board, ply.accrued)
    except NO_TABLE as error:
        if isinstance(error, MissingTableError):
            missing[Material.parse(error.material)] += 1
        return None


def _better(probe: Probe) -> tuple[MoveProbe, ...]:
    """The best moves in a position.

    Without distances all moves that keep its value; none if a table is missing.
    """
    try:
        if probe.best:
            return tuple(probe.best)
        return tuple(move for move in probe.moves if move.keeps)
    except NO_TABLE:
        return ()


def pgn_of(
    board: chess.Board,
    answer: Probe,
    steps: Sequence[LineStep],
    scoring: Scoring,
    *,
    clock: str | None = None,
) -> str:
    """A line as a PGN game that begins on the board.

    Comments say own score, accrued score and plies to go.

    `clock` says what the fifty-move rule makes of it, where that matters.
    """
    first = board
    accrued = None
    if answer.accrued != answer.own:
        first, accrued = with_score(board, answer.accrued)
    tags = {"Event": "Best play", "Round": "-", "White": "tbgen", "Black": "tbgen", "SetUp": "1"}
    tags["FEN"] = first.fen()
    if accrued is not None:
        tags["RMobilityAccrued"] = str(accrued)
    last_accrued = steps[-1].accrued if steps else answer.accrued
    if last_accrued == answer.outcome:
        tags |= write_tags(answer.outcome, scoring, fifty_moves=FiftyMoveSetting.NONE)
        tags["RMobilitySource"] = Source.TABLEBASE.value
    if clock is not None:
        tags["RMobilityClock"] = clock
    moves = list[tuple[str, str]]()
    for step in steps:
        to_go = "reached" if step.accrued == step.outcome else Valued.__str__(step)
        moves.append((step.san, f"{step.own}, accrued {step.accrued}, {to_go}"))
    return format_game(tags, numbered(first.fullmove_number, first.turn == chess.WHITE, moves))
