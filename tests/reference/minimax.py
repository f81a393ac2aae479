"""The value that the search beyond tables looks for, slowly.

It follows every line to its depth, and captures and promotions behind it. Values are White's, in
thousandths of a centipawn. Outcomes and accrued scores are pairs: 0 for White or 1 for Black, and
the code.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import chess

Score = tuple[int, int]
Entry = Callable[[chess.Board], Score | None]
"""The outcome that a table has for a position in its own score; None without a table."""

WORTHS = {
    chess.PAWN: 100,
    chess.KNIGHT: 300,
    chess.BISHOP: 320,
    chess.ROOK: 500,
    chess.QUEEN: 900,
    chess.KING: 0,
}
"""In centipawns, as all numbers of `evaluation` are."""
PAWN_STEP = 6
KING_SQUARE = 5
"""A square that a king may go to."""
CLOSER_KINGS = 4
"""Kings one step nearer to each other, for the side that is clearly ahead."""
CLEARLY_AHEAD = 250
PROVED_MATE = 20_000_000
"""A mate that the search has seen."""
TABLE_MATE = 19_000_000
"""A mate that a table promises."""
SCORES = 1_200_000


def own(board: chess.Board) -> Score:
    """The score of a position by itself. The side that has just moved holds it."""
    return int(board.turn), 2 * board.legal_moves.count() + (not board.is_check())


def no_tables(board: chess.Board) -> Score | None:
    return None


def for_white(score: Score, extra: int = 0, mate: int = TABLE_MATE) -> int:
    """The worth of a score to White. `extra` counts for its holder."""
    holder, code = score
    worth = mate if code == 0 else SCORES // (code + 2)
    worth += extra
    return worth if holder == 0 else -worth


def room(board: chess.Board, color: chess.Color) -> int:
    """The number of squares that a king may go to."""
    king = board.king(color)
    assert king is not None
    without_king = board.copy(stack=False)
    without_king.remove_piece_at(king)
    squares = 0
    for square in chess.SQUARES:
        is_near = chess.square_distance(square, king) == 1
        if is_near and board.color_at(square) is not color:
            squares += not without_king.is_attacked_by(not color, square)
    return squares


def evaluation(board: chess.Board, accrued: Score) -> int:
    """The value of a position at the end of a line."""
    ahead = 0
    for square, man in board.piece_map().items():
        worth = WORTHS[man.piece_type]
        if man.piece_type == chess.PAWN:
            rank = chess.square_rank(square)
            worth += PAWN_STEP * (rank - 1 if man.color == chess.WHITE else 6 - rank)
        ahead += worth if man.color == chess.WHITE else -worth
    total = ahead + KING_SQUARE * (room(board, chess.WHITE) - room(board, chess.BLACK))
    if abs(ahead) >= CLEARLY_AHEAD:
        white_king = board.king(chess.WHITE)
        black_king = board.king(chess.BLACK)
        assert white_king is not None
        assert black_king is not None
        nearness = CLOSER_KINGS * (7 - chess.square_distance(white_king, black_king))
        total += nearness if ahead > 0 else -nearness
    return 1000 * total + for_white(accrued)


def value(
    board: chess.Board,
    accrued: Score,
    depth: int,
    entry: Entry = no_tables,
    over: Collection[str] = (),
) -> int:
    """The value of a position that is not over.

    `over` has the EPDs of positions that end the game.
    """
    moves = list(board.legal_moves)
    values = list[int]()
    if depth <= 0:
        values.append(evaluation(board, accrued))
        moves = [move for move in moves if board.is_capture(move) or move.promotion]
    for move in moves:
        is_pawn_move = board.piece_type_at(move.from_square) == chess.PAWN
        is_reset = is_pawn_move or board.is_capture(move)
        board.push(move)
        values.append(_after(board, accrued, depth - 1, is_reset, entry, over))
        board.pop()
    return max(values) if board.turn == chess.WHITE else min(values)


def _after(
    board: chess.Board,
    accrued: Score,
    depth: int,
    is_reset: bool,
    entry: Entry,
    over: Collection[str],
) -> int:
    """The value of a position after a move."""
    own_score = own(board)
    _, code = own_score
    _, accrued_code = accrued
    if code <= 1:
        return for_white(own_score, depth, mate=PROVED_MATE)
    if is_reset or code < accrued_code:
        outcome = entry(board)
        if outcome is not None:
            return for_white(outcome, depth)
        return value(board, own_score, depth, entry, over)
    if board.epd() in over:
        return for_white(accrued)
    return value(board, accrued, depth, entry, over)
