"""Brackets of positions and of their moves, from the blocks of a closure."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

import chess

from tbgen.closures.blocks import ANSWERS, ENTRY, RIGHTS, SolvedBlocks
from tbgen.closures.bracket import ANYTHING, Bracket, MoveBracket, Solution
from tbgen.closures.cuts import Bound
from tbgen.closures.nodes import Node, cell_on, node_on, shade_in
from tbgen.closures.planned import PlannedBlock
from tbgen.errors import UnprovedError
from tbgen.index.layout import HOW_MASK, TURNS
from tbgen.probe.syzygy import UNKNOWN, Winner, no_tables
from tbgen.retro.resets.destinations import en_passant_starts
from tbgen.rules.position import board_after, own_of
from tbgen.score import Color, Score

MATE_OF_WHITE: Final = Bracket(ANYTHING.upper, ANYTHING.upper)
MATE_OF_BLACK: Final = Bracket(ANYTHING.lower, ANYTHING.lower)
NO_MATE: Final = Bracket(Score("-G0.5"), Score("G0.5"))

BY_WINNER: Final = {1: MATE_OF_WHITE, 0: NO_MATE, -1: MATE_OF_BLACK, UNKNOWN: ANYTHING}
"""[winner] -> the possible outcomes, by who forces mate (see `Winner`)."""


class BlockOfPosition(NamedTuple):
    """The block of a position."""

    block: PlannedBlock
    is_reversed: bool
    """Whether it is the block of the position with reversed colours."""


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
        tables = self._closure.tables
        if tables.digest_on(board):
            outcome = tables.answering(board).find(board).outcome
            return Bracket(outcome, outcome)
        found = self.block_of(board)
        if found is None:
            return self._of_promotion(board)
        bracket = self._in_block(found, board, accrued)
        if board.move_stack and board.peek().promotion:
            return narrowed(bracket, self._of_promotion(board))
        return bracket

    def block_of(self, board: chess.Board) -> BlockOfPosition | None:
        """The block of a position or of its reversal in colours, if the closure has one."""
        own = self._block_with(board)
        if own is not None:
            return BlockOfPosition(own, is_reversed=False)
        reversed_ = self._block_with(board.mirror())
        if reversed_ is not None:
            return BlockOfPosition(reversed_, is_reversed=True)
        return None

    def _block_with(self, board: chess.Board) -> PlannedBlock | None:
        """The block in these colours that is solved for a position, if there is one."""
        node = node_on(board)
        block = self._closure.blocks.get(node)
        if block is None or shade_in(node, cell_on(node, board)) not in block.shades:
            return None
        return block

    def _in_block(
        self, found: BlockOfPosition, board: chess.Board, accrued: Score | None
    ) -> Bracket:
        """The bracket that a block has of a position."""
        if board.has_legal_en_passant() and accrued is not None:
            # Only the position that was asked about has one: blocks answer right after a double
            # step.
            return best_of(self.moves(board, accrued).values(), board)
        part, number = _place_of(found, board, accrued)
        ends = list[Score]()
        for bound in Bound:
            (signed,) = self.blocks.read(found.block, part, bound, number, number + 1)
            ends.append(Score.from_signed(int(signed)))
        lower, upper = ends
        bracket = narrowed(Bracket(lower, ANYTHING.upper), Bracket(ANYTHING.lower, upper))
        return bracket.flipped() if found.is_reversed else bracket

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
        """The bracket of a legal position, narrowed by who mates in Syzygy tables."""
        return narrowed(bracket, BY_WINNER[self._winner(board)])

    def improve(self, solution: Solution) -> Solution:
        """An answer made closer by these blocks; LookupError if one of them is not solved."""
        board = chess.Board(solution.fen)
        so_far = {move.move: move.bracket for move in solution.moves}
        bracket = narrowed(solution.bracket, self.bracket(board, solution.accrued))
        if board.turn == chess.WHITE:
            no_move_is_worth_more = Bracket(ANYTHING.lower, bracket.upper)
        else:
            no_move_is_worth_more = Bracket(bracket.lower, ANYTHING.upper)
        moves = dict[chess.Move, Bracket]()
        for move, by_blocks in self.moves(board, solution.accrued).items():
            closer = narrowed(so_far.get(move, ANYTHING), by_blocks)
            closer = self.closer(closer, board_after(board, move))
            moves[move] = narrowed(closer, no_move_is_worth_more)
        bracket = self.closer(bracket, board)
        if moves:
            # Syzygy tables may know more of the moves than of the position.
            bracket = narrowed(bracket, best_of(moves.values(), board))
        return replace(solution, bracket=bracket, moves=in_order(board, moves))


def _place_of(found: BlockOfPosition, board: chess.Board, accrued: Score | None) -> tuple[str, int]:
    """The part of a block that has the value of a position, and the value's number there."""
    block, is_reversed = found
    placed = board.mirror() if is_reversed else board
    if board.has_legal_en_passant():
        return RIGHTS, _right_on(block.node, placed)
    cell = cell_on(block.node, placed)
    if accrued is None or own_score_counts(own_of(board), accrued):
        return ENTRY, cell
    query = (accrued.flipped() if is_reversed else accrued, cell)
    return ANSWERS, block.queries.index(query)


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


def own_score_counts(own: Score, accrued: Score) -> bool:
    """Whether a position's own score is the accrued one, or replaces it.

    Then its value is its entry value.
    """
    return own.code < accrued.code or own == accrued


def best_of(brackets: Iterable[Bracket], board: chess.Board) -> Bracket:
    """The bracket of a position by those of its moves.

    The better of the lower bounds bounds the best move, and so does the better of the upper ones.
    """
    better = max if board.turn == chess.WHITE else min
    ends = [bracket.ends for bracket in brackets]
    lower = better(lower for lower, _ in ends)
    upper = better(upper for _, upper in ends)
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
