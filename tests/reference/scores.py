"""The score of a game of chess or of a variant, by python-chess alone.

These are the rules of docs/rules.md, read once more. Fifty moves count as under `reset`, with the
default cutoff.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import chess

CUTOFF_CODE = 12
"""The least improved code that does not restart the count of fifty moves."""
FIFTY_MOVES = 100
"""In plies."""
EIGHT_MOVES = 17
"""The code of a position with eight legal moves and no check."""


def code_of(board: chess.Board) -> int:
    return 2 * board.legal_moves.count() + (not board.is_check())


def key_of(board: chess.Board) -> str:
    """The position, with the checks that are left in three-check and the pockets in crazyhouse."""
    return " ".join(board.fen(en_passant="legal").split()[:-2])


def end_of(
    board: chess.Board, moves: Iterable[chess.Move], carried: str = ""
) -> tuple[str, list[str | None]]:
    """The final score of a game, and for its beginning and each ply why it is over there.

    None stands where it goes on. The moves are played on the board. `carried` is the score that had
    accrued before it.
    """
    plies = [*plies_of(board, moves, carried)]
    score, _ = plies[-1]
    return score, [end for _, end in plies]


def plies_of(
    board: chess.Board, moves: Iterable[chess.Move], carried: str = ""
) -> Iterator[tuple[str, str | None]]:
    """The score that has accrued at the beginning of a game and after each ply, and why it ends."""
    code = code_of(board)
    white_holds = not board.turn
    counter = board.halfmove_clock
    seen = Counter([key_of(board)])
    if carried and counter:
        given = round(2 * float(carried.lstrip("-G")))
        if given <= code:
            code = given
            white_holds = not carried.startswith("-")
    yield _text_of(code, white_holds), "fifty moves" if counter >= FIFTY_MOVES else None
    had_eight_moves = False
    for move in moves:
        reset = board.is_zeroing(move)
        board.push(move)
        counter = 0 if reset else counter + 1
        key = key_of(board)
        seen[key] += 1
        lost = board.is_variant_loss()
        won = board.is_variant_win()
        if lost or won or board.is_variant_draw():
            if lost or won:
                code = 0
                white_holds = board.turn == (chess.WHITE if won else chess.BLACK)
            yield _text_of(code, white_holds), "variant end"
            continue
        own = code_of(board)
        if reset or own < code:
            code = own
            white_holds = not board.turn
            if own < CUTOFF_CODE:
                counter = 0
        bare_kings = board.uci_variant == "chess" and chess.popcount(board.occupied) == 2
        has_eight_moves = bare_kings and own == EIGHT_MOVES
        end = None
        if own == 0:
            end = "checkmate"
        elif own == 1:
            end = "stalemate"
        elif has_eight_moves and had_eight_moves:
            end = "bare kings"
        elif counter >= FIFTY_MOVES:
            end = "fifty moves"
        elif seen[key] >= 3:
            end = "threefold repetition"
        yield _text_of(code, white_holds), end
        had_eight_moves = has_eight_moves


def _text_of(code: int, white_holds: bool) -> str:
    sign = "" if white_holds else "-"
    return f"{sign}G{code // 2}.{5 * (code % 2)}"
