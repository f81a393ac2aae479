"""Own scores of many positions: legal moves counted by python-chess, or by a kernel where that pays."""

from __future__ import annotations

from collections.abc import Sequence

import chess
import numpy as np
import numpy.typing as npt

from tbgen.index.layout import Slot
from tbgen.rules.position import own_score
from tbgen.score import Color

Int64s = npt.NDArray[np.int64]

FEW = 3000
"""So many positions are counted one by one in less time than it takes to load a compiler."""


def board_of(slots: Sequence[Slot], side: int, squares: Sequence[int], en_passant: int = -1) -> chess.Board:
    """The board with the men of the slots on their squares; halfmove clock 0."""
    board = chess.Board(None)
    for (color, role), square in zip(slots, squares, strict=True):
        board.set_piece_at(int(square), chess.Piece(int(role), color is Color.WHITE))
    board.turn = side == Color.WHITE
    board.ep_square = None if en_passant < 0 else int(en_passant)
    return board


def own_codes(slots: Sequence[Slot], sides: Int64s, squares: Int64s, few: int = FEW) -> Int64s:
    """The own code of each legal position without en passant rights; squares by slots, side 0 = White to move."""
    if len(squares) > few:
        return _by_kernel(slots, sides, squares)
    positions = zip(sides.tolist(), squares.tolist(), strict=True)
    return np.array([own_score(board_of(slots, side, men)).code for side, men in positions], np.int64)


def _by_kernel(slots: Sequence[Slot], sides: Int64s, squares: Int64s) -> Int64s:
    from tbgen.board.board import BOARD_WORDS, KIND, TURN
    from tbgen.board.mobility import codes_on

    boards, codes = np.zeros((len(squares), BOARD_WORDS), np.uint64), np.zeros(len(squares), np.int64)
    for slot, (color, role) in enumerate(slots):
        bits = np.left_shift(np.uint64(1), squares[:, slot].astype(np.uint64))
        boards[:, int(color)] |= bits
        boards[:, KIND + int(role)] |= bits
    boards[:, TURN] = sides
    codes_on(boards, codes)
    return codes
