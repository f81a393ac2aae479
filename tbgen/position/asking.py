"""Asking: what solved blocks, tables and bounds say of a position and of its moves, from one bound or the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import chess

from tbgen.errors import UnprovedError
from tbgen.position.blocks import BlockQuestion, ClosureBlocks
from tbgen.position.bounds import Bound
from tbgen.position.bracket import Bracket, MoveBracket, Solution
from tbgen.position.closure import Node, node_of, plan_of
from tbgen.probe.stored import kinds_of, squares_on
from tbgen.probe.syzygy import Winner, no_tables
from tbgen.retro.drive.single import Accrued
from tbgen.rules.position import board_after, is_reset, material_of, own_score
from tbgen.score import Color, Score

ANYTHING: Final = Bracket(*(Score.from_signed(bound.value) for bound in Bound))
"""The bracket of a position that nothing is known of."""
_BY_WINNER: Final = {bound: [2 * bound.value, 1, bound.value, -1] for bound in Bound}
"""[bound][0, 1, UNKNOWN, -1]: the outcomes that are possible if nobody, White, anybody or Black forces mate."""


class Asking:
    """One bound of the value of every position in a closure, of its moves and of what they lead to.

    The better of two lower bounds is a lower bound of the better value, so moves are weighed by one bound.
    """

    def __init__(self, blocks: ClosureBlocks, bound: Bound, winner: Winner = no_tables) -> None:
        self._blocks, self._bound, self._closure, self._winner = blocks, bound, blocks.closure, winner

    def value(self, board: chess.Board, accrued: Score | None) -> Score:
        """The bound of a position with what has accrued in it, or without that where its own score counts."""
        if self._closure.known.has(material_of(board)):
            return self._closure.known.answering(board).find(board).outcome
        here, node, bound, turned = self._place_of(board)
        if node not in self._closure.edges:
            return self._of_promotion(board)
        if here.has_legal_en_passant():
            if accrued is not None:  # only the position itself has one: blocks answer right after a double step
                return max(self.moves(board, accrued).values(), key=lambda each: each.worth_to(Color.of(board.turn)))
            king = chess.msb(here.kings & here.occupied_co[chess.WHITE])
            outcome = self._blocks.value_with_right(
                node, cell_on(node, here), chess.square_file(here.ep_square or 0), king, bound
            )
        elif accrued is None or (own := own_score(board)).code < accrued.code or own == accrued:
            outcome = self._blocks.value(node, cell_on(node, here), bound)
        else:
            outcome = self._blocks.answer(node, cell_on(node, here), accrued.flipped() if turned else accrued, bound)
        return outcome.flipped() if turned else outcome

    def moves(self, board: chess.Board, accrued: Score) -> dict[chess.Move, Score]:
        """Every legal move with its bound."""
        found, walker = dict[chess.Move, Score](), board.copy()
        for move in board.legal_moves:
            carried = None if is_reset(board, move) else accrued
            walker.push(move)
            found[move] = self.value(walker, carried)
            walker.pop()
        return found

    def _place_of(self, board: chess.Board) -> tuple[chess.Board, Node, Bound, bool]:
        """A position in the colours of the closure, its node, and the bound there; whether colours are reversed."""
        here, there = node_on(board), node_on(board.mirror())
        if here in self._closure.edges or there not in self._closure.edges:
            return board, here, self._bound, False
        return board.mirror(), there, Bound(-self._bound.value), True

    def _of_promotion(self, board: chess.Board) -> Score:
        """The bound of a position that a promotion has led to, as position/bounds.py finds it."""
        moves = list(board.legal_moves)
        if not moves:
            return own_score(board, 0)
        new_man, found = board.peek().to_square, list[Score]()
        for move in moves:
            if move.to_square == new_man:
                board.push(move)
                found.append(self.value(board, None))
                board.pop()
        if len(found) < len(moves):
            found.append(Score.from_signed(self._bound.value))
        value = max(found, key=lambda outcome: outcome.worth_to(Color.of(board.turn)))
        return (max if self._bound is Bound.LOWER else min)(value, self.limit(board))

    def limit(self, board: chess.Board) -> Score:
        """The bound that Syzygy tables give a legal position."""
        return Score.from_signed(_BY_WINNER[self._bound][self._winner(board)])


def node_on(board: chess.Board) -> Node:
    """The node of a position."""
    return node_of(material_of(board), [*board.pieces(chess.PAWN, True), *board.pieces(chess.PAWN, False)])


def shared_node(board: chess.Board) -> tuple[Node, bool]:
    """The node that a position shares with its reversal in colours, and whether that is the one of the reversal."""
    here, there = node_on(board), node_on(board.mirror())
    return min([(here, False), (there, True)], key=lambda each: (not each[0].material.is_canonical, each[0].pawns))


def question_of(board: chess.Board, accrued: Score) -> BlockQuestion:
    """What is asked of the block of a position: the accrued score, there and after quiet moves."""
    boards = [board, *(board_after(board, move) for move in board.legal_moves if not is_reset(board, move))]
    node, turned = shared_node(board)
    cells = {cell_on(node, each.mirror() if turned else each) for each in boards}
    return BlockQuestion(node, Accrued(accrued.flipped() if turned else accrued, tuple(sorted(cells))))


def cell_on(node: Node, board: chess.Board) -> int:
    """The cell of a position in its block."""
    return node.layout.cell_of(int(not board.turn), squares_on(board, kinds_of(node.material)))


def answer(blocks: ClosureBlocks, board: chess.Board, accrued: Score, winner: Winner) -> Solution:
    """The answer from blocks that are solved; LookupError if one of them is not."""
    lower, upper = askings = [Asking(blocks, bound, winner) for bound in Bound]

    def closer(bracket: Bracket, there: chess.Board) -> Bracket:
        return narrowed(bracket, *(each.limit(there) for each in askings))

    whole = narrowed(ANYTHING, lower.value(board, accrued), upper.value(board, accrued))
    most_here = (ANYTHING.lower, whole.upper) if board.turn else (whole.lower, ANYTHING.upper)  # no move is worth more
    moves, most = list[MoveBracket](), upper.moves(board, accrued)
    for move, least in lower.moves(board, accrued).items():
        bracket = narrowed(closer(narrowed(ANYTHING, least, most[move]), board_after(board, move)), *most_here)
        moves.append(MoveBracket(move, board.san(move), bracket, best=False))
    bracket, best = closer(whole, board), max if board.turn else min
    if moves:  # Syzygy tables may know more of them than of the position
        bracket = narrowed(bracket, *(best(ends) for ends in zip(*(each.bracket.ends for each in moves), strict=True)))
    return Solution(
        board.fen(), accrued, bracket, in_order(moves, Color.of(board.turn)), plan_of([blocks.closure]), 0.0
    )


def narrowed(bracket: Bracket, least: Score, most: Score) -> Bracket:
    """The part of a bracket between two more bounds; UnprovedError if there is none."""
    low, high = max(bracket.lower, least), min(bracket.upper, most)
    if low > high:
        raise UnprovedError(
            f"at least {low} and at most {high} for White are proved, so solved blocks or Syzygy tables are wrong; "
            "remove the folder 'solved' beside the tables, and try again"
        )
    return Bracket(low, high)


def in_order(moves: Iterable[MoveBracket], mover: Color) -> list[MoveBracket]:
    """Moves by what they guarantee; those are best of which no other can be better."""
    ranked = [(sorted(end.worth_to(mover) for end in (each.bracket.lower, each.bracket.upper)), each) for each in moves]
    most = max((worths[1] for worths, _ in ranked), default=0)
    ranked.sort(key=lambda each: (-each[0][0], -each[0][1], each[1].move.uci()))
    return [replace(each, best=worths[0] >= most) for worths, each in ranked]


def both(before: Sequence[Solution], found: Solution) -> Solution:
    """An answer, and others for the same position, as one: all bounds hold."""
    for other in before:
        others = {each.move: each.bracket for each in other.moves}
        moves = [replace(each, bracket=narrowed(each.bracket, *others[each.move].ends)) for each in found.moves]
        mover = Color.WHITE if found.fen.split()[1] == "w" else Color.BLACK
        found = replace(found, bracket=narrowed(found.bracket, *other.bracket.ends), moves=in_order(moves, mover))
    return found
