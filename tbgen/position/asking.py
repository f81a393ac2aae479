"""Asking: what solved blocks, tables and bounds say of a position and of its moves, from one bound or the other.

Moves are weighed as those of tables are (probe/values.py). That takes the same bound of every position: the better of
two lower bounds is a lower bound of the better value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final, NamedTuple

import chess

from tbgen.errors import UnprovedError
from tbgen.material import Role
from tbgen.position.blocks import BlockQuestion, ClosureBlocks
from tbgen.position.bounds import Bound
from tbgen.position.bracket import Bracket, MoveBracket, Solution
from tbgen.position.closure import Node, node_of
from tbgen.probe.answers import Moves
from tbgen.probe.many import Value
from tbgen.probe.stored import kinds_of, squares_on
from tbgen.probe.values import Located, Query, Values
from tbgen.retro.drive.single import Accrued
from tbgen.rules.position import board_after, is_reset, material_of, own_score
from tbgen.score import Color, Mobility, Score

ANYTHING: Final = Bracket(*(Score.from_signed(bound.value) for bound in Bound))
"""The bracket of a position that nothing is known of."""


class FoundPosition(NamedTuple):
    """A position and the source of its value."""

    board: chess.Board
    asking: Asking

    def value(self, carried: Score | None, own: Callable[[], Score]) -> Value:
        """The value with an accrued score, as `StoredPosition.value` has it; blocks have no distances."""
        return self.asking.known_value(self.board, carried, own), None


class _Values(Values):
    """Blocks have the values right after a double step; only that of the root, with a score accrued, is searched."""

    def value(self, asked: Query[Any]) -> Value:
        if asked.carried is None and asked.board.has_legal_en_passant():
            return asked.table.value_with_right(asked.board), None
        return super().value(asked)


class Asking:
    """One bound of the value of every position in a closure, of its moves and of what they lead to."""

    def __init__(self, blocks: ClosureBlocks, bound: Bound) -> None:
        self._blocks, self._bound, self._closure, self.classes = blocks, bound, blocks.closure, blocks.classes
        self.known, self._values = self._closure.known, _Values(lambda _: self, Mobility.RESET)

    def find(self, board: chess.Board) -> Located:
        """Where the value of a position lies."""
        return FoundPosition(board, self)

    def known_value(self, board: chess.Board, carried: Score | None, own: Callable[[], Score]) -> Score:
        """The value of a position by the tables, by its block, or by the bound of a promotion."""
        if self.known.has(material_of(board)):
            return self.known.answering(board).find(board).value(carried, own)[0]
        here, node, bound, turned = self._place_of(board)
        if node not in self._closure.edges:
            return self._of_promotion(board)
        cell = cell_on(node, here)
        if carried is None or own().code < carried.code or own() == carried:
            outcome = self._blocks.value(node, cell, bound)
        else:
            outcome = self._blocks.answer(node, cell, carried.flipped() if turned else carried, bound)
        return outcome.flipped() if turned else outcome

    def value_with_right(self, board: chess.Board) -> Score:
        """The value of a position right after a double step, with a right to take en passant."""
        here, node, bound, turned = self._place_of(board)
        assert here.ep_square is not None
        king = chess.msb(here.kings & here.occupied_co[chess.WHITE])
        outcome = self._blocks.value_with_right(node, cell_on(node, here), here.ep_square % 8, king, bound)
        return outcome.flipped() if turned else outcome

    def _place_of(self, board: chess.Board) -> tuple[chess.Board, Node, Bound, bool]:
        """A position in the colours of the closure, its node, and the bound there; whether colours are reversed."""
        turned = self._closure.is_turned
        here = board.mirror() if turned else board
        return here, node_on(here), Bound(-self._bound.value) if turned else self._bound, turned

    def _of_promotion(self, board: chess.Board) -> Score:
        """The bound of a position that a promotion has led to, as position/bounds.py finds it."""
        moves = list(board.legal_moves)
        if not moves:
            return own_score(board, 0)
        new_man, found = board.peek().to_square, list[Score]()
        for move in moves:
            if move.to_square == new_man:
                board.push(move)
                found.append(self.known_value(board, None, lambda: own_score(board)))
                board.pop()
        if len(found) < len(moves):
            found.append(Score.from_signed(self._bound.value))
        value = max(found, key=lambda outcome: outcome.worth_to(Color.of(board.turn)))
        limit = self._limit(board, new_man) if board.peek().promotion else value
        return (max if self._bound is Bound.LOWER else min)(value, limit)

    def _limit(self, board: chess.Board, new_man: int) -> Score:
        """The bound that classes of mates, or else Syzygy tables, give a position right after a promotion."""
        pawns = *board.pieces(chess.PAWN, chess.WHITE), *board.pieces(chess.PAWN, chess.BLACK)
        node, cell = Node(material_of(board), pawns), 0
        man = Color.of(not board.turn), Role(board.piece_type_at(new_man) or 0)
        limits = self.classes.limits(self._bound, node, man, new_man % 8)
        for square in squares_on(board, kinds_of(node.material))[len(node.pawns) :]:
            cell = cell if square == new_man else cell * 64 + square
        return Score.from_byte(int(limits[cell])) if len(limits) else self.classes.limit(self._bound, board)

    def closer(self, bracket: Bracket, board: chess.Board) -> Bracket:
        """The bracket of a legal position, within the bounds that Syzygy tables give it."""
        return narrowed(bracket, *(self.classes.limit(bound, board) for bound in Bound))

    def value(self, board: chess.Board, accrued: Score) -> Score:
        """The bound of a position with an accrued score that its own score has gone into."""
        return self._values.value(Query(board, self, accrued))[0]

    def moves(self, board: chess.Board, accrued: Score) -> Moves:
        """Every legal move with its bound, best first."""
        return self._values.moves(Query(board, self, accrued))


def node_on(board: chess.Board) -> Node:
    """The node of a position."""
    return node_of(material_of(board), [*board.pieces(chess.PAWN, True), *board.pieces(chess.PAWN, False)])


def shared_node(board: chess.Board) -> tuple[Node, bool]:
    """The node that a position shares with its reversal in colours, and whether that is the one of the reversal."""
    here, there = node_on(board), node_on(board.mirror())
    return min([(here, False), (there, True)], key=lambda each: (not each[0].material.is_canonical, each[0].pawns))


def question_of(board: chess.Board, accrued: Score, node: Node, *, turned: bool) -> BlockQuestion:
    """What is asked of the block of a position: the accrued score, there and after quiet moves."""
    boards = [board, *(board_after(board, move) for move in board.legal_moves if not is_reset(board, move))]
    cells = {cell_on(node, each.mirror() if turned else each) for each in boards}
    return BlockQuestion(node, Accrued(accrued.flipped() if turned else accrued, tuple(sorted(cells))))


def cell_on(node: Node, board: chess.Board) -> int:
    """The cell of a position in its block."""
    return node.layout.cell_of(int(not board.turn), squares_on(board, kinds_of(node.material)))


def answer(blocks: ClosureBlocks, board: chess.Board, accrued: Score) -> Solution:
    """The answer from blocks that are solved; LookupError if one of them is not."""
    lower, upper = (Asking(blocks, bound) for bound in Bound)
    bracket = narrowed(ANYTHING, lower.value(board, accrued), upper.value(board, accrued))
    plan, moves = blocks.closure.plan(), move_brackets(lower, upper, board, accrued, bracket)
    bracket, best = lower.closer(bracket, board), max if board.turn else min
    if moves:  # Syzygy tables may know more of them than of the position
        least, most = (best(ends) for ends in zip(*((e.bracket.lower, e.bracket.upper) for e in moves), strict=True))
        bracket = narrowed(bracket, least, most)
    return Solution(board.fen(), accrued, bracket, moves, plan, 0.0)


def narrowed(bracket: Bracket, least: Score, most: Score) -> Bracket:
    """The part of a bracket between two more bounds; UnprovedError if there is none."""
    low, high = max(bracket.lower, least), min(bracket.upper, most)
    if low > high:
        raise UnprovedError(
            f"classes of mates or Syzygy tables are wrong: they prove at least {low} and at most {high} for White; "
            "remove the folder 'classes' beside the tables, and try again"
        )
    return Bracket(low, high)


def move_brackets(
    lower: Asking, upper: Asking, board: chess.Board, accrued: Score, whole: Bracket
) -> list[MoveBracket]:
    """The brackets of all moves of a position with a bracket, those of the best guarantee first."""
    above, found = {each.move: each.outcome for each in upper.moves(board, accrued)}, list[MoveBracket]()
    most_here = (ANYTHING.lower, whole.upper) if board.turn else (whole.lower, ANYTHING.upper)  # no move is worth more
    for each in lower.moves(board, accrued):
        bracket = narrowed(ANYTHING, each.outcome, above[each.move])
        bracket = narrowed(lower.closer(bracket, board_after(board, each.move)), *most_here)
        found.append(MoveBracket(each.move, each.san, bracket, best=False))
    return in_order(found, Color.of(board.turn))


def in_order(moves: Iterable[MoveBracket], mover: Color) -> list[MoveBracket]:
    """Moves by what they guarantee; those are best of which no other can be better."""
    ranked = [(sorted(end.worth_to(mover) for end in (each.bracket.lower, each.bracket.upper)), each) for each in moves]
    most = max((worths[1] for worths, _ in ranked), default=0)
    ranked.sort(key=lambda each: (-each[0][0], -each[0][1], each[1].move.uci()))
    return [replace(each, best=worths[0] >= most) for worths, each in ranked]


def both(one: Solution, other: Solution) -> Solution:
    """Two answers for the same position as one: all bounds hold."""
    others = {each.move: each.bracket for each in other.moves}
    moves = [
        replace(each, bracket=narrowed(each.bracket, others[each.move].lower, others[each.move].upper))
        for each in one.moves
    ]
    bracket = narrowed(one.bracket, other.bracket.lower, other.bracket.upper)
    mover = Color.WHITE if one.fen.split()[1] == "w" else Color.BLACK
    return replace(one, bracket=bracket, moves=in_order(moves, mover))
