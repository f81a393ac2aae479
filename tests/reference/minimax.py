"""What the search beyond tables looks for, slowly: every line to its depth, and captures and promotions behind it.

Values are White's, in thousandths of a centipawn. Outcomes and accrued scores are pairs: 0 for White or 1 for Black,
and the code. `entry` gives the outcome that a table has for a position in its own score, None without a table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import chess

Score = tuple[int, int]
Entry = Callable[[chess.Board], Score | None]

MEN = {
    chess.PAWN: 100,
    chess.KNIGHT: 300,
    chess.BISHOP: 320,
    chess.ROOK: 500,
    chess.QUEEN: 900,
    chess.KING: 0,
}


def own(board: chess.Board) -> Score:
    """The score of a position by itself; the side that has just moved holds it."""
    return int(board.turn), 2 * len(list(board.legal_moves)) + (not board.is_check())


def no_tables(board: chess.Board) -> Score | None:
    return None


def for_white(score: Score, extra: int = 0, mate: int = 19_000_000) -> int:
    """What a score is worth to White; `extra` counts for its holder."""
    holder, code = score
    worth = (mate if code == 0 else 1_200_000 // (code + 2)) + extra
    return worth if holder == 0 else -worth


def room(board: chess.Board, color: chess.Color) -> int:
    """The squares that a king may go to."""
    king = board.king(color)
    assert king is not None
    empty = board.copy(stack=False)
    empty.remove_piece_at(king)
    squares = [square for square in chess.SQUARES if chess.square_distance(square, king) == 1]
    return sum(
        board.color_at(at) is not color and not empty.is_attacked_by(not color, at)
        for at in squares
    )


def evaluation(board: chess.Board, accrued: Score) -> int:
    """What a position promises that is looked at no further."""
    ahead = 0
    for square, man in board.piece_map().items():
        steps = 0
        if man.piece_type == chess.PAWN:
            steps = chess.square_rank(square) - 1 if man.color else 6 - chess.square_rank(square)
        ahead += (MEN[man.piece_type] + 6 * steps) * (1 if man.color else -1)
    total = ahead + 5 * (room(board, chess.WHITE) - room(board, chess.BLACK))
    if abs(ahead) >= 250:
        kings = [board.king(color) for color in chess.COLORS]
        assert None not in kings
        near = 7 - chess.square_distance(*kings)  # type: ignore[arg-type]
        total += 4 * near if ahead > 0 else -4 * near
    return 1000 * total + for_white(accrued)


def value(
    board: chess.Board,
    accrued: Score,
    depth: int,
    entry: Entry = no_tables,
    over: Collection[str] = (),
) -> int:
    """The value of a position that is not over; `over` has the EPDs of positions that end the game."""
    moves, found = list(board.legal_moves), list[int]()
    if depth <= 0:
        found.append(evaluation(board, accrued))
        moves = [move for move in moves if board.is_capture(move) or move.promotion]
    for move in moves:
        reset = board.is_capture(move) or board.piece_type_at(move.from_square) == chess.PAWN
        board.push(move)
        found.append(_after(board, accrued, depth - 1, reset, entry, over))
        board.pop()
    return max(found) if board.turn == chess.WHITE else min(found)


def _after(
    board: chess.Board, accrued: Score, left: int, reset: bool, entry: Entry, over: Collection[str]
) -> int:
    score = own(board)
    if score[1] <= 1:
        return for_white(score, left, mate=20_000_000)
    if reset or score[1] < accrued[1]:
        outcome = entry(board)
        return (
            value(board, score, left, entry, over) if outcome is None else for_white(outcome, left)
        )
    if board.epd() in over:
        return for_white(accrued)
    return value(board, accrued, left, entry, over)
