"""Brackets of positions and of their moves, from the blocks of a closure."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

import chess

from tbgen.closures.blocks import ANSWERS, ENTRY, RIGHTS, SolvedBlocks
from tbgen.closures.bracket import ANYTHING, Bracket, MoveBracket, Solution
from tbgen.closures.cuts import Bound
from tbgen.closures.nodes import Node, cell_on, node_on
from tbgen.errors import UnprovedError
from tbgen.index.layout import HOW_MASK, TURNS
from tbgen.probe.syzygy import Winner, no_tables
from tbgen.retro.resets.destinations import en_passant_starts
from tbgen.rules.position import board_after, own_of
from tbgen.score import Color, Score

MATE_OF_WHITE: Final = Bracket(ANYTHING.upper, ANYTHING.upper)
MATE_OF_BLACK: Final = Bracket(ANYTHING.lower, ANYTHING.lower)
NO_MATE: Final = Bracket(Score("-G0.5"), Score("G0.5"))

BY_WINNER: Final = (NO_MATE, MATE_OF_WHITE, ANYTHING, MATE_OF_BLACK)
"""[winner] -> the possible outcomes, if it forces mate: nobody, White, unknown, or Black.

A `Winner` is 0, 1, UNKNOWN or -1, and the last one counts from the end.
"""


class Brackets:
    """The brackets of positions, by the blocks of a closure and by Syzygy tables."""

    def __init__(self, blocks: SolvedBlocks, winner: Winner = no_tables) -> None:
        self.blocks = blocks
        self._closure = blocks.closure
        self._winner = winner

    def bracket(self, board: chess.Board, accrued: Score | None) -> Bracket:
        """The bracket of a position with an accrued score.

        `accrued` is None where the position's own score counts.
        """
        if self._closure.known.digest_on(board):
            outcome = self._closure.known.answering(board).find(board).outcome
            return Bracket(outcome, outcome)
        node = node_on(board)
        if node in self._closure.blocks:
            bracket = self._in_block(node, board, accrued, is_reversed=False)
        else:
            node = node_on(board.mirror())
            if node not in self._closure.blocks:
                return self._of_promotion(board)
            bracket = self._in_block(node, board, accrued, is_reversed=True)
        if board.move_stack and board.peek().promotion:
            return narrowed(bracket, self._of_promotion(board))
        return bracket

    def _in_block(
        self, node: Node, board: chess.Board, accrued: Score | None, *, is_reversed: bool
    ) -> Bracket:
        """The bracket that a block has of a position, or of its reversal in colours."""
        if board.has_legal_en_passant() and accrued is not None:
            # Only the position that was asked about has one: blocks answer right after a double
            # step.
            return best_of(self.moves(board, accrued).values(), board)
        block = self._closure.blocks[node]
        placed = board.mirror() if is_reversed else board
        if board.has_legal_en_passant():
            part = RIGHTS
            index = _right_on(node, placed)
        elif accrued is not None and not _own_score_counts(board, accrued):
            part = ANSWERS
            asked = accrued.flipped() if is_reversed else accrued
            index = block.queries.index((asked, cell_on(node, placed)))
        else:
            part = ENTRY
            index = cell_on(node, placed)
        bracket = ANYTHING
        for bound in Bound:
            (signed,) = self.blocks.read(block, part, bound, index, index + 1)
            end = Score.from_signed(int(signed))
            if bound is Bound.LOWER:
                bracket = narrowed(bracket, Bracket(end, ANYTHING.upper))
            else:
                bracket = narrowed(bracket, Bracket(ANYTHING.lower, end))
        return bracket.flipped() if is_reversed else bracket

    def moves(self, board: chess.Board, accrued: Score) -> dict[chess.Move, Bracket]:
        """Every legal move with its bracket."""
        brackets = dict[chess.Move, Bracket]()
        for move in board.legal_moves:
            carried = None if board.is_zeroing(move) else accrued
            brackets[move] = self.bracket(board_after(board, move), carried)
        return brackets

    def _of_promotion(self, board: chess.Board) -> Bracket:
        """The bracket of a position that a promotion has just led to, as `promotions` finds it."""
        new_man = board.peek().to_square
        replies = list(board.legal_moves)
        if not replies:
            end = own_of(board, 0)
            return Bracket(end, end)
        brackets = list[Bracket]()
        for reply in replies:
            if reply.to_square == new_man:
                brackets.append(self.bracket(board_after(board, reply), None))
            else:
                brackets.append(ANYTHING)
        return self.closer(best_of(brackets, board), board)

    def closer(self, bracket: Bracket, board: chess.Board) -> Bracket:
        """The bracket of a legal position within that which Syzygy tables give."""
        return narrowed(bracket, BY_WINNER[self._winner(board)])

    def improve(self, solution: Solution) -> Solution:
        """An answer made closer by these blocks; LookupError if one of them is not solved."""
        board = chess.Board(solution.fen)
        known = {move.move: move.bracket for move in solution.moves}
        bracket = narrowed(solution.bracket, self.bracket(board, solution.accrued))
        if board.turn == chess.WHITE:
            no_move_is_worth_more = Bracket(ANYTHING.lower, bracket.upper)
        else:
            no_move_is_worth_more = Bracket(bracket.lower, ANYTHING.upper)
        moves = dict[chess.Move, Bracket]()
        for move, by_blocks in self.moves(board, solution.accrued).items():
            by_both = narrowed(known.get(move, ANYTHING), by_blocks)
            by_tables = self.closer(by_both, board_after(board, move))
            moves[move] = narrowed(by_tables, no_move_is_worth_more)
        bracket = self.closer(bracket, board)
        if moves:
            # Syzygy tables may know more of the moves than of the position.
            bracket = narrowed(bracket, best_of(moves.values(), board))
        return replace(solution, bracket=bracket, moves=in_order(board, moves))


def _right_on(node: Node, board: chess.Board) -> int:
    """The index of a position among those with a right to take en passant.

    A pawn has just made a double step.
    """
    layout = node.layout
    cell = cell_on(node, board)
    half = node.cells // 2
    turn = TURNS[layout.address_of(node.pawns) & HOW_MASK, board.king(chess.WHITE)]
    file = chess.square_file(board.ep_square or 0)
    if turn != 0:
        file = 7 - file
    starts, _ = en_passant_starts(layout)
    return int(starts[0, cell // half, file]) + cell % half


def _own_score_counts(board: chess.Board, accrued: Score) -> bool:
    """Whether a position's own score is the accrued one, or replaces it.

    Then its value is its entry value.
    """
    own = own_of(board)
    return own.code < accrued.code or own == accrued


def best_of(brackets: Iterable[Bracket], board: chess.Board) -> Bracket:
    """The bracket of a position by those of its moves.

    The better of the lower bounds bounds the best move, and so does the better of the upper ones.
    """
    better = max if board.turn == chess.WHITE else min
    every = list(brackets)
    lower = better(bracket.lower for bracket in every)
    upper = better(bracket.upper for bracket in every)
    return Bracket(lower, upper)


def narrowed(bracket: Bracket, other: Bracket) -> Bracket:
    """What two brackets of one value have in common; UnprovedError if that is nothing."""
    lower = max(bracket.lower, other.lower)
    upper = min(bracket.upper, other.upper)
    if lower > upper:
        raise UnprovedError(
            f"at least {lower} and at most {upper} for White are proved, "
            "so solved blocks or Syzygy tables are wrong; "
            "remove the folder 'solved' beside the tables, and try again"
        )
    return Bracket(lower, upper)


def in_order(board: chess.Board, moves: Mapping[chess.Move, Bracket]) -> list[MoveBracket]:
    """Moves by what they guarantee; those are best of which no other can be better."""
    mover = Color.of(board.turn)
    least = dict[chess.Move, int]()
    most = dict[chess.Move, int]()
    for move, bracket in moves.items():
        worths = [end.worth_to(mover) for end in bracket.ends]
        least[move] = min(worths)
        most[move] = max(worths)
    most_of_all = max(most.values(), default=0)
    order = sorted(moves, key=lambda move: (-least[move], -most[move], move.uci()))
    return [
        MoveBracket(move, board.san(move), moves[move], best=least[move] >= most_of_all)
        for move in order
    ]
