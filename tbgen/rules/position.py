"""Facts about one position or one move that the rules of the variant need."""

from __future__ import annotations

import chess

from tbgen.arguments import expect
from tbgen.errors import UsageError
from tbgen.material import Material, Role
from tbgen.score import Accrued, Color, code_of


def expect_board(value: object, name: str = "board") -> chess.Board:
    """The argument called `name`, if it is a board of chess; Chess960 is chess."""
    if type(value) is not chess.Board:
        variant = expect(value, chess.Board, name, "a chess.Board").uci_variant
        if variant != chess.Board.uci_variant:
            raise UsageError(f"{name} must be one of chess: there are no rules of r-mobility for {variant}")
    return value  # type: ignore[return-value]


def color_of(color: chess.Color) -> Color:
    """The Color that corresponds to a colour of python-chess.

    >>> color_of(chess.WHITE)
    <Color.WHITE: 0>
    """
    if color is chess.WHITE:
        return Color.WHITE
    if color is not chess.BLACK:
        expect(color, bool, "color", "chess.WHITE or chess.BLACK, such as board.turn")
    return Color.BLACK


def own_score(board: chess.Board, moves: int | None = None) -> Accrued:
    """The score of the position itself, held by the side that has just moved.

    `moves` is the number of legal moves, where it is known already.

    >>> str(own_score(chess.Board()))
    '-G20.5'
    """
    expect_board(board)
    legal = board.legal_moves.count() if moves is None else moves
    code = code_of(legal, in_check=board.is_check())
    return Accrued(code, color_of(not board.turn))


def is_reset(board: chess.Board, move: chess.Move) -> bool:
    """Whether `move`, not yet played on `board`, is a capture or a pawn move.

    >>> is_reset(chess.Board(), chess.Move.from_uci("e2e4")), is_reset(chess.Board(), chess.Move.from_uci("g1f3"))
    (True, False)
    """
    if type(move) is not chess.Move:
        expect(move, chess.Move, "move", "a chess.Move, such as parse_move gives")
    return expect_board(board).is_zeroing(move)


def is_bare_kings(board: chess.Board) -> bool:
    """Whether only kings are left."""
    return board.occupied == board.kings


def material_of(board: chess.Board) -> Material:
    """The material on the board as it stands, not brought into canonical form.

    >>> material_of(chess.Board("8/8/8/4Kbk1/8/8/8/8 b - - 0 1"))
    Material.parse('KvKB')
    """
    men = expect_board(board).piece_map().values()
    white, black = ([Role(man.piece_type) for man in men if man.color == color] for color in chess.COLORS)
    return Material.of(white, black)
