"""What moves and replies prove of a position that has no table.

Captures and promotions lead to tables. A move into one is worth at least that to its side. Where it
leads to none, the other side may reply into one, so it is worth at most that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import chess

from tbgen.probe.answers import Shown
from tbgen.rules.points import Scoring, points_facts
from tbgen.rules.position import accrued_in, bare_sides, own_score, play_move
from tbgen.score import MATE_CODE, Color, Score

if TYPE_CHECKING:  # it answers by this module
    from tbgen.probe.tablebase import Tablebase


@dataclass(frozen=True, slots=True)
class ProvedBounds:
    """The least and the most that the side to move gets."""

    side: Color
    least: Score
    most: Score

    @property
    def is_exact(self) -> bool:
        """Whether this is the value."""
        return self.least == self.most

    def facts(self, scoring: Scoring) -> dict[str, Any]:
        """Both bounds as JSON has them: what White gets at least, and at most."""
        lower, upper = self.least, self.most
        if self.side is Color.BLACK:
            lower, upper = upper, lower
        facts: dict[str, Any] = {}
        for name, score in (("lower", lower), ("upper", upper)):
            points = points_facts(scoring.points(score))
            facts[name] = {"outcome": str(score), "points": points}
        return facts | {"exact": self.is_exact}


@dataclass(frozen=True, slots=True)
class ProvedMove:
    """A move, what it is worth, and whether that proves that no move is better."""

    move: chess.Move
    san: str
    bounds: ProvedBounds
    best: bool

    def facts(self, scoring: Scoring) -> dict[str, Any]:
        """The move as JSON has it."""
        return {
            "uci": self.move.uci(),
            "san": self.san,
            **self.bounds.facts(scoring),
            "best": self.best,
        }


@dataclass(frozen=True)
class ProvedByMoves(Shown):
    """What moves and replies prove of a position: bounds of its value, or the value itself."""

    fen: str
    accrued: Score
    bounds: ProvedBounds
    moves: tuple[ProvedMove, ...] = field(repr=False)
    """Every legal move, those of the best guarantee first."""

    @property
    def is_exact(self) -> bool:
        """Whether the value is proved."""
        return self.bounds.is_exact

    def __str__(self) -> str:
        """What is proved, without a full stop; empty if nothing is. The explorer says the same."""
        side = self.bounds.side
        least = self.bounds.least
        most = self.bounds.most
        if not self.moves:
            return f"{least} {least.in_words()}: the game is over"
        board = chess.Board(self.fen)
        leading = "moves into tables" if board.castling_rights else "captures and promotions"
        way = f"what {leading} lead to"
        first = self.moves[0]
        is_any_known = first.bounds.least != Score(MATE_CODE, side.other)
        if is_any_known:
            way += f": {first.san}"
        if self.is_exact:
            return f"{least} {least.in_words()}, with best play; proved by {way}"
        parts = []
        if is_any_known:
            parts.append(f"at least {least}")
        if most != Score(MATE_CODE, side):
            parts.append(f"at most {most}")
        if not parts:
            return ""
        return f"{side} gets {' and '.join(parts)}, by {way}"

    def beside(self, facts: dict[str, Any], scoring: Scoring | None = None) -> dict[str, Any]:
        """The facts of an error with what is proved nevertheless, if anything is."""
        if not str(self):
            return facts
        return facts | {"proved": self.facts(scoring)}

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The answer as JSON has it, with the keys of a solved position.

        Arguments:
            scoring: The scheme of the points, `Scoring()` without it.
        """
        rule = Scoring() if scoring is None else scoring
        return {
            "fen": self.fen,
            "accrued": str(self.accrued),
            **self.bounds.facts(rule),
            "moves": [move.facts(rule) for move in self.moves],
        }


@dataclass(frozen=True, slots=True)
class _ProvedValue:
    """What a table, or the end of the game, says of a position."""

    outcome: Score
    plies: int | None
    """How far the move that leads there is from the outcome, if that is known."""


class _After(NamedTuple):
    """A position after a move, and what has accrued there."""

    move: chess.Move
    board: chess.Board
    accrued: Score


def proved_by_moves(
    tables: Tablebase, board: chess.Board, accrued: Score | None = None
) -> ProvedByMoves:
    """The bounds of a position, by its moves and the replies to them.

    Without an accrued score, the position's own one counts. AccruedError if no game can carry it
    into the position.
    """
    side = Color.of(board.turn)
    own = own_score(board)
    if accrued is not None:
        own = accrued_in(accrued, own, bare_sides(board, tables.mobility))
    moves = list[ProvedMove]()
    distances = dict[chess.Move, int | None]()
    replies = dict[chess.Move, int]()
    for after in _moves(tables, board, own):
        bounds, distances[after.move] = _bounds_of(tables, side, after)
        replies[after.move] = own_score(after.board).code
        moves.append(ProvedMove(after.move, board.san(after.move), bounds, best=False))
    if not moves:
        return ProvedByMoves(board.fen(), own, ProvedBounds(side, own, own), ())
    least = max((move.bounds.least for move in moves), key=lambda score: score.worth_to(side))
    most = max((move.bounds.most for move in moves), key=lambda score: score.worth_to(side))
    best = list[chess.Move]()
    if least == most:
        best = [move.move for move in moves if move.bounds.least == most]
        known = [plies for plies in map(distances.get, best) if plies is not None]
        if most == Score(MATE_CODE, side) and len(known) == len(best):
            best = [move for move in best if distances[move] == min(known)]

    def rank_of(move: ProvedMove) -> tuple[bool, int, int, str]:
        """Best moves first; of equal ones, those that leave the fewest replies."""
        worth = move.bounds.least.worth_to(side)
        return not move.best, -worth, replies[move.move], move.move.uci()

    marked = [replace(move, best=move.move in best) for move in moves]
    bounds = ProvedBounds(side, least, most)
    return ProvedByMoves(board.fen(), own, bounds, tuple(sorted(marked, key=rank_of)))


def _bounds_of(tables: Tablebase, side: Color, after: _After) -> tuple[ProvedBounds, int | None]:
    """What a side gets by a move, and how far away that is, if it is known."""
    value = _value(tables, after)
    if value is not None:
        return ProvedBounds(side, value.outcome, value.outcome), value.plies
    values = [_value(tables, reply) for reply in _moves(tables, after.board, after.accrued)]
    known = [value for value in values if value is not None]
    best_for_side = Score(MATE_CODE, side)
    worst_for_side = Score(MATE_CODE, side.other)
    most = min(
        (value.outcome for value in known),
        key=lambda score: score.worth_to(side),
        default=best_for_side,
    )
    if len(known) < len(values):
        return ProvedBounds(side, worst_for_side, most), None
    plies = None
    if most == best_for_side:
        distances = [value.plies for value in known]
        if None not in distances:
            plies = 1 + max(distance for distance in distances if distance is not None)
    return ProvedBounds(side, most, most), plies


def _moves(tables: Tablebase, board: chess.Board, accrued: Score) -> Iterator[_After]:
    """The positions after each legal move."""
    for move in board.legal_moves:
        after = board.copy(stack=False)
        reached = play_move(after, move, accrued, tables.mobility)
        yield _After(move, after.copy(stack=False), reached.accrued)


def _value(tables: Tablebase, after: _After) -> _ProvedValue | None:
    """The value of a position, if the game is over there or a table has it."""
    if not any(after.board.legal_moves):
        return _ProvedValue(own_score(after.board), 1)
    probe = tables.get(after.board, after.accrued)
    if probe is None:
        return None
    return _ProvedValue(probe.outcome, probe.dtg + 1 if probe.dtg else None)
