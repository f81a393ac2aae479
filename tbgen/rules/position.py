"""Questions about one position or one move that the rules of the variant rest on."""

from __future__ import annotations

import chess

from tbgen.material import Material, Role
from tbgen.score import Accrued, Color, code_of


def color_of(color: chess.Color) -> Color:
    """python-chess's colour as ours."""
    return Color.WHITE if color == chess.WHITE else Color.BLACK


def own_score(board: chess.Board) -> Accrued:
    """The score of the position itself, held by the side that has just moved.

    >>> str(own_score(chess.Board()))
    '-G20.5'
    """
    code = code_of(board.legal_moves.count(), in_check=board.is_check())
    return Accrued(code, color_of(not board.turn))


def is_reset(board: chess.Board, move: chess.Move) -> bool:
    """Whether `move`, not yet played on `board`, is a capture or a pawn move."""
    return board.is_zeroing(move)


def is_bare_kings(board: chess.Board) -> bool:
    """Whether only kings are left."""
    return board.occupied == board.kings


def material_of(board: chess.Board) -> Material:
    """The material on the board as it stands, not brought into canonical form."""
    white, black = (
        [Role(man.piece_type) for man in board.piece_map().values() if man.color == color] for color in chess.COLORS
    )
    return Material.of(white, black)
