"""What a verifier finds: the first place where a table contradicts itself, and how much it has checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import chess

from tbgen.index.layout import Layout
from tbgen.material import Material
from tbgen.rules.fen import format_fen
from tbgen.score import Accrued, Color
from tbgen.text import facts_of


@dataclass(frozen=True, slots=True)
class Violation:
    """A law that a table breaks, and where."""

    law: str
    stored: str
    expected: str
    fen: str | None = None
    accrued: Accrued | None = None

    def __str__(self) -> str:
        where = "" if self.fen is None else f"{self.fen}: "
        return f"{where}{self.law}: stored {self.stored}, expected {self.expected}"

    def facts(self) -> dict[str, Any]:
        """The violation as JSON has it, with the FEN as other programs read it."""
        return facts_of(self, fen=None if self.fen is None else " ".join(self.fen.split()[:6]))


@dataclass(frozen=True, slots=True)
class Report:
    """What was checked; `pairs` are of a position and an accrued score."""

    material: Material
    positions: int
    pairs: int
    seconds: float
    violation: Violation | None

    def facts(self) -> dict[str, Any]:
        """The report as JSON has it."""
        derived = {"right": self.violation is None, "symmetry_left_out": True, "seconds": round(self.seconds, 3)}
        return facts_of(self, **derived)


def in_words(outcome: int, dtg: int) -> str:
    """A signed outcome and its distance.

    >>> in_words(-8, 3)
    '-G3.5 in 3 plies'
    """
    if outcome == 0:
        return "nothing"
    return f"{Accrued.from_signed(outcome)} in {dtg} {'ply' if dtg == 1 else 'plies'}"


def board_of(layout: Layout, side: Color, squares: Sequence[int]) -> chess.Board:
    """The men of a layout on these squares, in the order of its slots."""
    board = chess.Board(None)
    board.turn = side is Color.WHITE
    for (color, role), square in zip(layout.slots, squares, strict=True):
        board.set_piece_at(square, chess.Piece(int(role), color is Color.WHITE))
    return board


def fen_of(layout: Layout, cell: int, accrued: Accrued | None = None) -> str:
    """The FEN of a cell; a halfmove clock of 1 says that the accrued score is not the position's own.

    >>> from tbgen.index.layout import layout_of
    >>> fen_of(layout_of(Material.parse("KvK")), 63)
    '7k/8/8/8/8/8/8/K7 w - - 0 1'
    """
    side, squares = layout.squares_of(cell)
    board = board_of(layout, Color(side), squares)
    board.halfmove_clock = 0 if accrued is None else 1
    return format_fen(board, accrued)
