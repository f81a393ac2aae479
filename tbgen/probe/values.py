"""The values of positions and moves with an accrued score.

`StoredPosition.value` finds a value in a table (docs/tables.md). Positions with a legal en passant
capture are not in the tables: one ply of search finds their value.

All this is plain Python. Kernels find the moves and count own scores if somebody who asks for
thousands has loaded them, and only those two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import NamedTuple

import chess

from tbgen.errors import CastlingError, MissingDistancesError, TooManyMenError
from tbgen.material import MOST_BUILT_MEN, MOST_TABLE_MEN, Material
from tbgen.probe.answers import At, LineStep, MoveProbe, Moves
from tbgen.probe.many import Value
from tbgen.probe.opened import Answering, OpenTables, Successor
from tbgen.rules.notation import parse_fen, refuse_illegal
from tbgen.rules.own_board import OwnBoard
from tbgen.rules.position import (
    accrued_in,
    accrued_of,
    bare_sides,
    board_after,
    expect_board,
    material_on,
    own_of,
)
from tbgen.score import Color, Mobility, Score, expect_score

Position = chess.Board | str
"""A board, or a FEN, whose seventh field is the accrued score."""


@dataclass(slots=True)
class Query:
    """A legal position whose value is wanted, and the table of its material.

    Nobody checks the board again.
    """

    board: chess.Board
    carried: Score | None
    """The score that had accrued before the position; None if its own score counts in any case."""
    table: Answering
    counted: Score | None = None
    """The own score, once it has been counted."""
    count_own: Callable[[chess.Board], Score] = own_of
    """The function that counts it."""

    def own(self) -> Score:
        """The own score.

        Counting it takes as long as a look into the table, and is rarely needed.
        """
        if self.counted is None:
            self.counted = self.count_own(self.board)
        return self.counted


class WeighedMove(NamedTuple):
    """A move and its value."""

    successor: Successor
    at: At
    outcome: Score
    dtg: int | None


class TableValues:
    """The values of positions under one mobility, from its tables."""

    def __init__(self, tables: OpenTables, mobility: Mobility) -> None:
        self.tables = tables
        self.mobility = mobility
        self._kernels: ModuleType | None = None
        """`tbgen.probe.successors`, once somebody has loaded it."""

    def load_kernels(self) -> None:
        """Find moves and own scores by kernels from now on.

        Until they are loaded, other threads do without them.
        """
        from tbgen.probe import successors  # which loads the compiler

        successors.load()
        self._kernels = successors

    def _successors_of(self, board: chess.Board, table: Answering) -> list[Successor]:
        """The legal moves of a position. Kernels know the men of chess alone."""
        if self._kernels is None or isinstance(board, OwnBoard):
            return [Successor(move, board.is_zeroing(move)) for move in board.legal_moves]
        successors: list[Successor] = self._kernels.successors_of(board, table)
        return successors

    def value(self, query: Query) -> Value:
        """The value of a position by its table, or by its moves if no table has it."""
        if not query.board.has_legal_en_passant():
            return query.table.find(query.board).value(query.carried, query.own)
        accrued = query.own()
        if query.carried is not None:
            accrued = query.carried.after(accrued, reset=False)
        best = self.moves(replace(query, carried=accrued))[0]
        if best.outcome == accrued and best.dtg is not None:
            return accrued, 0
        return best.outcome, best.dtg

    def moves(self, query: Query) -> Moves:
        """All moves with their values, best first."""
        board = query.board
        successors = self._successors_of(board, query.table)
        if not successors:
            return Moves()
        accrued = query.carried or query.counted or own_of(board, len(successors))
        mover = Color.of(board.turn)
        held = accrued.worth_to(mover)

        def merit(move: WeighedMove) -> tuple[int, int, str]:
            """Who makes progress hurries, and the other side delays."""
            worth = move.outcome.worth_to(mover)
            plies = move.dtg or 0
            if worth < held:
                plies = -plies
            return -worth, plies, move.successor.move.uci()

        walker = board.copy(stack=False)
        weighed = [self._weigh(walker, query.table, move, accrued) for move in successors]
        weighed.sort(key=merit)
        best = weighed[0]
        keeping = [move for move in weighed if move.outcome == best.outcome]  # the first ones
        # Without distances, a move is known to be best play if no other keeps the outcome.
        is_known = len(keeping) == 1 or all(move.dtg is not None for move in keeping)
        return Moves(
            MoveProbe(
                move.outcome,
                move.dtg,
                move.successor.move.uci(),
                move.successor.reset,
                best=is_known and number < len(keeping) and move.dtg == best.dtg,
                keeps=number < len(keeping),
                at=move.at,
            )
            for number, move in enumerate(weighed)
        )

    def _weigh(
        self, board: chess.Board, table: Answering, successor: Successor, accrued: Score
    ) -> WeighedMove:
        """A move with its value; `table` answers for the board before it."""
        carried: Score | None = accrued
        if successor.reset and self.mobility.forgets:
            carried = None
        after = Query(board, carried, table)
        if successor.code is not None:
            after.counted = Score(successor.code, Color.of(board.turn))
        if successor.stored is not None:
            outcome, dtg = successor.stored.value(carried, after.own)
        else:
            board.push(successor.move)
            if successor.reset:
                after.table = self.tables.answering(board)
            outcome, dtg = self.value(after)
            board.pop()
        own = after.counted
        if dtg is not None:
            # A value that equals the accrued score has had the own score counted.
            stays = outcome == carried and own is not None and own.code >= outcome.code
            dtg = 0 if stays else dtg + 1
        return WeighedMove(successor, At(board, carried, own), outcome, dtg)

    def read(
        self, position: Position, given: Score | str | None
    ) -> tuple[chess.Board, Score | None]:
        """The board, and what has accrued as `given`, the FEN or the moves on the board say.

        None if they do not.
        """
        carried: Score | None = None
        if isinstance(position, str):
            board, carried = parse_fen(position, mobility=self.mobility, men=self.tables.own)
        else:
            board = expect_board(position)
        if given is not None:
            return board, expect_score(given, "accrued")
        if carried is not None or not board.move_stack:
            return board, carried
        if self.mobility.forgets and board.halfmove_clock == 0:
            return board, None
        return board, accrued_of(board, self.mobility)

    def answering(self, board: chess.Board) -> Answering:
        """The table that answers for a board.

        An error if the position is illegal or no table can have it.

        For a known material, this checks only facts that do not follow from its men. A table of six
        men may exist. It would not answer for castling rights, so with these six men are too many.
        """
        known = self.tables.known(board)
        if (
            not known
            or board.ep_square is not None
            or board.pawns & chess.BB_BACKRANKS
            or board.promoted & board.kings
            or board.was_into_check()
        ):
            refuse_illegal(board)
        men = board.occupied.bit_count()
        if men > MOST_BUILT_MEN or (men > MOST_TABLE_MEN and board.castling_rights):
            raise TooManyMenError(str(material_on(board)), men, MOST_TABLE_MEN, is_position=True)
        if board.castling_rights:
            raise CastlingError(board.fen())
        return known or self.tables.answering(board)

    def query(self, position: Position, given: Score | str | None) -> Query:
        """A position and its accrued score, checked."""
        board, carried = self.read(position, given)
        query = Query(board, carried, self.answering(board))
        if self._kernels is not None and not isinstance(board, OwnBoard):
            query.count_own = self._kernels.own_score_of
        if carried is not None:
            query.carried = accrued_in(carried, query.own(), bare_sides(board, self.mobility))
        return query

    def _without_distances(self, board: chess.Board, moves: Moves) -> Material:
        """The table whose distances are missing, if no move is known to be best play."""
        unknown = next(move for move in moves if move.keeps and move.dtg is None)
        after = board_after(board, unknown.move)
        return self.tables.answering(after).table.file.material

    def line(self, query: Query, max_plies: int) -> list[LineStep]:
        """Best play until the goal is reached and the position repeats, or the game ends."""
        walker = query.board.copy(stack=False)
        accrued = query.carried or query.own()
        steps = list[LineStep]()
        seen = set[str]()
        while len(steps) < max_plies:
            moves = self.moves(Query(walker, accrued, self.tables.answering(walker)))
            if not moves:
                break
            if not moves.best:
                material = self._without_distances(walker, moves)
                raise MissingDistancesError(str(material), self.tables.named)
            if moves[0].outcome == accrued:
                if walker.epd() in seen:
                    break
                seen.add(walker.epd())
            step = _step(walker, moves, seen)
            steps.append(step)
            walker.push(step.move)
            accrued = step.accrued
        return steps


def _step(board: chess.Board, moves: Moves, seen: set[str]) -> LineStep:
    """The move to play: once the goal is reached, one that returns to an earlier position."""
    chosen = moves.best[0]
    if seen:
        for move in moves.best:
            if board_after(board, move.move).epd() in seen:
                chosen = move
                break
    return LineStep(
        chosen.outcome,
        max((chosen.dtg or 0) - 1, 0),
        chosen.uci,
        chosen.reset,
        best=chosen.best,
        keeps=chosen.keeps,
        at=At(board.copy(stack=False), chosen.accrued, chosen.own),
    )
