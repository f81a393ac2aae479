"""Boards: how a cell's position is written down."""

from __future__ import annotations

from collections.abc import Sequence

from tbgen.index.layout import Layout
from tbgen.material import Role
from tbgen.score import Color


def letter_of(color: Color, role: Role) -> str:
    """A man's letter in a FEN."""
    return role.letter if color is Color.WHITE else role.letter.lower()


def fen_of(layout: Layout, side: int, squares: Sequence[int]) -> str:
    """The FEN of a position given by the squares of its slots; halfmove clock 0, move 1.

    >>> from tbgen.index.layout import layout_of
    >>> from tbgen.material import Material
    >>> fen_of(layout_of(Material.parse("KBvK")), 1, [36, 37, 38])
    '8/8/8/4KBk1/8/8/8/8 b - - 0 1'
    """
    board = ["1"] * 64
    for (color, role), square in zip(layout.slots, squares, strict=True):
        board[square] = letter_of(color, role)
    ranks = ("".join(board[rank * 8 : rank * 8 + 8]) for rank in range(7, -1, -1))
    placement = "/".join(ranks)
    for run in range(8, 1, -1):
        placement = placement.replace("1" * run, str(run))
    return f"{placement} {'wb'[side]} - - 0 1"


def fen_of_cell(layout: Layout, cell: int) -> str:
    """The FEN of a cell's position."""
    return fen_of(layout, *layout.squares_of(cell))
