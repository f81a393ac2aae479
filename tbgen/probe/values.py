"""The values of positions and moves with an accrued score.

`StoredPosition.value` finds a value in a table (docs/tables.md). Positions with a legal en passant capture are not in
the tables: one ply of search finds their value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import chess

from tbgen.errors import CastlingError, MissingDistancesError, TooManyMenError
from tbgen.material import MOST_BUILT_MEN, MOST_TABLE_MEN
from tbgen.probe.answers import At, LineStep, MoveProbe, Moves
from tbgen.probe.many import Value
from tbgen.probe.stored import Answering, OpenTables, Successor
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


@dataclass(slots=True, kw_only=True)
class Query(At):
    """What the door has let in: a legal position, and the table of its material.

    Nothing behind the door checks a board again.
    """

    table: Answering


class TableValues:
    """The values of positions under one mobility, from its tables."""

    def __init__(self, tables: OpenTables, mobility: Mobility, *, compiled: bool = False) -> None:
        """With `compiled`, kernels find moves and own scores of the men that they know."""
        self.tables, self.mobility = tables, mobility
        self._own_of: Callable[[chess.Board], Score] | None = None
        self._successors_of: Callable[[chess.Board, Answering], list[Successor]] | None = None
        if compiled:
            from tbgen.probe import successors  # which loads the compiler

            self._own_of, self._successors_of = successors.own_of, successors.successors_of

    def value(self, asked: Query) -> Value:
        """The value of a position by its table, or by its moves if no table has it."""
        if not asked.board.has_legal_en_passant():
            return asked.table.find(asked.board).value(asked.carried, asked.own)
        accrued = (
            asked.own() if asked.carried is None else asked.carried.after(asked.own(), reset=False)
        )
        best = self.moves(Query(asked.board, accrued, table=asked.table))[0]
        return best.outcome, 0 if best.outcome == accrued and best.dtg is not None else best.dtg

    def moves(self, asked: Query) -> Moves:
        """All moves with their values, best first."""
        board, successors = asked.board, self._successors(asked.board, asked.table)
        if not successors:
            return Moves()
        accrued = asked.carried or asked.counted or own_of(board, len(successors))
        walker, mover = board.copy(stack=False), Color.of(board.turn)
        held = accrued.worth_to(mover)

        def merit(weighed: tuple[Successor, Query, Value]) -> tuple[int, int, str]:
            successor, _, (outcome, dtg) = weighed
            good, plies = outcome.worth_to(mover), dtg or 0
            return -good, plies if good >= held else -plies, successor.move.uci()

        weighed = sorted(
            ((each, *self._after(walker, asked.table, each, accrued)) for each in successors),
            key=merit,
        )
        best = weighed[0][2]
        is_known = all(dtg is not None for *_, (outcome, dtg) in weighed if outcome == best[0])
        return Moves(
            MoveProbe(
                at,
                *value,
                move.uci(),
                reset,
                best=is_known and value == best,
                keeps=value[0] == best[0],
            )
            for (move, reset, *_), at, value in weighed
        )

    def _successors(self, board: chess.Board, table: Answering) -> list[Successor]:
        """The legal moves of a position that a table answers."""
        if self._successors_of is None or isinstance(board, OwnBoard):
            return [Successor(move, board.is_zeroing(move)) for move in board.legal_moves]
        return self._successors_of(board, table)

    def _after(
        self, board: chess.Board, table: Answering, successor: Successor, accrued: Score
    ) -> tuple[Query, Value]:
        """The position after a move, and the value of the move; `table` answers for the board before it."""
        move, reset, code, found = successor
        own = None if code is None else Score(code, Color.of(board.turn))
        after = Query(board, None if reset and self.mobility.forgets else accrued, own, table=table)
        if found is not None:
            outcome, dtg = found.value(after.carried, after.own)
        else:
            board.push(move)
            if reset:
                after.table = self.tables.answering(board)
            outcome, dtg = self.value(after)
            board.pop()
        own, carried = (
            after.counted,
            after.carried,
        )  # do not call `after.own()` from here on: the board has gone back
        keeps = (
            carried is not None
            and own is not None
            and outcome == carried
            and own.code >= carried.code
        )
        return after, (outcome, None if dtg is None else 0 if keeps else dtg + 1)

    def read(
        self, position: Position, given: Score | str | None
    ) -> tuple[chess.Board, Score | None]:
        """The board, and what has accrued as `given`, the FEN or the moves on the board say; None if they do not."""
        if isinstance(position, str):
            board, carried = parse_fen(position, mobility=self.mobility, men=self.tables.own)
        else:
            board, carried = expect_board(position), None
        if given is not None:
            return board, expect_score(given, "accrued")
        if (
            carried is None
            and board.move_stack
            and (board.halfmove_clock or not self.mobility.forgets)
        ):
            carried = accrued_of(board, self.mobility)
        return board, carried

    def answering(self, board: chess.Board) -> Answering:
        """The table that answers for a board; an error if the position is illegal or no table can have it.

        For a known material, this checks only facts that do not follow from its men. A table of six men may exist. It
        would not answer for castling rights, so with these six men are too many.
        """
        known = self.tables.known(board)
        if (
            not known
            or board.ep_square is not None
            or board.pawns & chess.BB_BACKRANKS
            or board.was_into_check()
        ):
            refuse_illegal(board)
        if board.occupied.bit_count() > (
            MOST_TABLE_MEN if board.castling_rights else MOST_BUILT_MEN
        ):
            raise TooManyMenError(
                str(material_on(board)), board.occupied.bit_count(), MOST_TABLE_MEN
            )
        if board.castling_rights:
            raise CastlingError(board.fen())
        return known or self.tables.answering(board)

    def asked(self, position: Position, given: Score | str | None) -> Query:
        """A position and its accrued score, checked."""
        board, carried = self.read(position, given)
        asked = Query(board, carried, table=self.answering(board))
        if self._own_of is not None and not isinstance(board, OwnBoard):
            asked.counted = self._own_of(board)
        if carried is not None:
            asked.carried = accrued_in(carried, asked.own(), bare_sides(board, self.mobility))
        return asked

    def line(self, asked: Query, max_plies: int) -> list[LineStep]:
        """Best play until the goal is reached and the position repeats, or the game ends."""
        walker, accrued = asked.board.copy(stack=False), asked.carried or asked.own()
        steps, seen = list[LineStep](), set[str]()
        while len(steps) < max_plies and (
            moves := self.moves(Query(walker, accrued, table=self.tables.answering(walker)))
        ):
            if not moves.best:
                raise MissingDistancesError(str(material_on(walker)), self.tables.named)
            if moves[0].outcome == accrued:
                if walker.epd() in seen:
                    break
                seen.add(walker.epd())
            steps.append(_step(walker, moves, seen))
            walker.push(steps[-1].move)
            accrued = steps[-1].accrued
        return steps


def _step(board: chess.Board, moves: Moves, seen: set[str]) -> LineStep:
    """The move to play: once the goal is reached, one that returns to an earlier position."""
    best = moves.best
    chosen = next(
        (each for each in best if seen and board_after(board, each.move).epd() in seen), best[0]
    )
    at, after = (
        At(board.copy(stack=False), chosen.accrued, chosen.own),
        max((chosen.dtg or 0) - 1, 0),
    )
    return LineStep(at, chosen.outcome, after, chosen.uci, chosen.reset, chosen.best, chosen.keeps)
