"""Asking: what solved blocks, tables and bounds say of a position and of its moves, from one bound or the other.

Moves are weighed as those of tables are (probe/values.py). That takes the same bound of every position: the better of
two lower bounds is a lower bound of the better value.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import cast

import chess
import numpy as np

from tbgen.errors import CastlingError, IllegalPositionError
from tbgen.index.layout import Layout
from tbgen.position.blocks import Bound, SolvedBlock
from tbgen.position.bracket import Bracket, MoveBracket
from tbgen.position.closure import Closure, Node, node_of
from tbgen.position.known import KnownTables
from tbgen.probe.many import Value
from tbgen.probe.stored import Answering, OpenTables, StoredPosition
from tbgen.probe.values import Asked, Position, Values, check_accrued
from tbgen.rules.fen import broken_rule, parse_fen
from tbgen.rules.position import accrued_of, expect_board, material_of, own_score
from tbgen.score import Color, Mobility, Score, expect_score

BlockOf = Callable[[Node, Bound], SolvedBlock]


class FixedPosition:
    """A position that is only asked for its entry value."""

    def __init__(self, outcome: Score) -> None:
        self.outcome = outcome

    def value(self, carried: Score | None, own: Callable[[], Score]) -> Value:
        """The value with an accrued score, as `StoredPosition.value` has it."""
        if carried is None or self.outcome.code < carried.code or own().code < carried.code or own() == carried:
            return self.outcome, None
        return self.held(carried), None

    def held(self, accrued: Score) -> Score:
        """The value where nobody can better the accrued score for its holder."""
        raise ValueError("nothing can have accrued right after a reset")


class SolvedPosition(FixedPosition):
    """A position of a solved block."""

    def __init__(self, block: SolvedBlock, cell: int) -> None:
        super().__init__(Score.from_byte(int(block.cells.entry[cell])))
        self._block, self._cell = block, cell

    def held(self, accrued: Score) -> Score:
        pattern = self._block.cells.pattern[self._cell : self._cell + 1]
        outcome, _ = self._block.patterns.values(pattern, np.array([accrued.signed], np.int64))
        return Score.from_signed(int(outcome[0]))


class Asking:
    """One bound of the value of every position in a closure, of its moves and of what they lead to."""

    def __init__(self, closure: Closure, known: KnownTables, blocks: BlockOf, bound: Bound) -> None:
        self._closure, self._known, self._blocks, self._bound = closure, known, blocks, bound
        # Values asks of tables no more than `answering`, and of an answer no more than `find`.
        self.values = Values(cast("OpenTables", self), Mobility.RESET)

    def answering(self, board: chess.Board) -> Answering:
        """What answers for a board."""
        is_known = self._known.has(material_of(board).canonical())
        return self._known.answering(board) if is_known else cast("Answering", self)

    def find(self, board: chess.Board) -> StoredPosition:
        """What is known of a position that no table answers for."""
        material = material_of(board)
        node = node_of(material, pawns_on(board))
        if node in self._closure.edges:
            block = self._blocks(node, self._bound)
            cell = node.layout.cell_of(int(not board.turn), squares_on(board, node.layout))
            return cast("StoredPosition", SolvedPosition(block, cell))
        return cast("StoredPosition", FixedPosition(self._of_promotion(board)))

    def _of_promotion(self, board: chess.Board) -> Score:
        """The bound of a position that a promotion has led to, as position/bounds.py finds it."""
        moves = list(board.legal_moves)
        if not moves:
            return own_score(board, 0)
        new_man, found = board.peek().to_square, list[Score]()
        for move in moves:
            if move.to_square == new_man:
                board.push(move)
                found.append(self.answering(board).find(board).outcome)
                board.pop()
        if len(found) < len(moves):
            found.append(Score.from_signed(self._bound.value))
        return max(found, key=lambda outcome: outcome.worth_to(Color.of(board.turn)))

    def value(self, board: chess.Board, accrued: Score) -> Score:
        """The bound of a position with an accrued score that its own score has gone into."""
        return self.values.value(Asked(board, self.answering(board), accrued, None))[0]

    def moves(self, board: chess.Board, accrued: Score) -> dict[chess.Move, tuple[str, Score]]:
        """The SAN and the bound of every legal move."""
        found = self.values.moves(Asked(board, self.answering(board), accrued, None))
        return {each.move: (each.san, each.outcome) for each in found}


def squares_on(board: chess.Board, layout: Layout) -> list[int]:
    """The squares of a layout's slots, equal men in ascending order."""
    squares = list[int]()
    for (color, role), group in itertools.groupby(layout.slots):
        men = board.pieces(int(role), color.chess)
        assert len(men) == len(list(group))
        squares += men
    return squares


def pawns_on(board: chess.Board) -> list[int]:
    """The squares of the pawns, White's first."""
    return [*board.pieces(chess.PAWN, chess.WHITE), *board.pieces(chess.PAWN, chess.BLACK)]


def read_position(position: Position, accrued: Score | str | None) -> tuple[chess.Board, Score]:
    """A legal position, and what has accrued in it; an error if no game can carry that into it."""
    board, carried = parse_fen(position) if isinstance(position, str) else (position, None)
    check_board(board)
    own = own_score(board)
    if accrued is not None:
        carried = expect_score(accrued, "accrued")
    elif carried is None:
        carried = accrued_of(board)
    if carried != own:
        check_accrued(board, carried)
    return board, carried.after(own, reset=False)


def check_board(board: chess.Board) -> None:
    """Refuse a position that breaks a rule of chess, or has castling rights."""
    rule = broken_rule(expect_board(board))
    if rule is not None:
        raise IllegalPositionError(board.fen(), rule)
    if board.castling_rights:
        raise CastlingError(board.fen())


def bracket_of(lower: Asking, upper: Asking, board: chess.Board, accrued: Score) -> Bracket:
    """The bracket of a position."""
    return Bracket(lower.value(board, accrued), upper.value(board, accrued))


def move_brackets(lower: Asking, upper: Asking, board: chess.Board, accrued: Score) -> list[MoveBracket]:
    """The brackets of all moves, those of the best guarantee first."""
    mover, above = Color.of(board.turn), upper.moves(board, accrued)
    found = [(move, san, Bracket(least, above[move][1])) for move, (san, least) in lower.moves(board, accrued).items()]
    most = max((bracket.worths_to(mover)[1] for _, _, bracket in found), default=0)
    found.sort(key=lambda each: (*(-worth for worth in each[2].worths_to(mover)), each[0].uci()))
    return [MoveBracket(*each, best=each[2].worths_to(mover)[0] >= most) for each in found]
