"""The score of a game of chess or of a variant, by python-chess alone: the rules of docs/rules.md, read once more.

Fifty moves count as under `reset`, with the default cutoff.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import chess

CUTOFF_CODE = 12


def code_of(board: chess.Board) -> int:
    return 2 * board.legal_moves.count() + (not board.is_check())


def key_of(board: chess.Board) -> str:
    """The position; in the FEN of three-check stand the checks that are left, in that of crazyhouse the pockets."""
    return " ".join(board.fen(en_passant="legal").split()[:-2])


def end_of(
    board: chess.Board, moves: Iterable[chess.Move], carried: str = ""
) -> tuple[str, list[str | None]]:
    """The final score of a game, and for its beginning and each ply why it is over there; None where it goes on.

    The moves are played on the board. `carried` is the score that had accrued before it.
    """
    own, white_holds, counter, seen = (
        code_of(board),
        not board.turn,
        board.halfmove_clock,
        Counter([key_of(board)]),
    )
    code = own
    if carried and counter and (given := round(2 * float(carried.lstrip("-G")))) <= own:
        code, white_holds = given, not carried.startswith("-")
    ends: list[str | None] = ["fifty moves" if counter >= 100 else None]
    had_eight_moves = False
    for move in moves:
        reset = board.is_zeroing(move)
        board.push(move)
        counter, seen[key] = 0 if reset else counter + 1, seen[key := key_of(board)] + 1
        lost, won = board.is_variant_loss(), board.is_variant_win()
        if lost or won or board.is_variant_draw():
            if lost or won:
                code, white_holds = 0, board.turn == (chess.WHITE if won else chess.BLACK)
            ends.append("variant end")
            continue
        own = code_of(board)
        if reset or own < code:
            code, white_holds, counter = own, not board.turn, 0 if own < CUTOFF_CODE else counter
        has_eight_moves = (
            board.uci_variant == "chess" and chess.popcount(board.occupied) == 2 and own == 17
        )
        over = {
            "checkmate": own == 0,
            "stalemate": own == 1,
            "bare kings": has_eight_moves and had_eight_moves,
        }
        over |= {"fifty moves": counter >= 100, "threefold repetition": seen[key] >= 3}
        ends.append(next((name for name, applies in over.items() if applies), None))
        had_eight_moves = has_eight_moves
    return f"{'' if white_holds else '-'}G{code // 2}.{5 * (code % 2)}", ends
