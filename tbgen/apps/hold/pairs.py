"""The men that a search may let move, and how people name a pair of them."""

from __future__ import annotations

import re

import chess

from tbgen.apps.hold.frames import Pair
from tbgen.errors import UsageError
from tbgen.score import Color

_MAN = re.compile(r"([KQRBN]?)([a-h][1-8])")


def all_pairs(board: chess.Board, side: Color) -> list[Pair]:
    """Every pair of men that are not pawns: one of the side that holds, one of the other."""
    own, other = _pieces(board, side), _pieces(board, side.other)
    return [Pair(b, c) for b in own for c in other]


def parse_pair(board: chess.Board, side: Color, text: str) -> Pair:
    """The pair that a text such as `Ke1,Ke6` names, in either order.

    >>> parse_pair(chess.Board("4k3/8/8/8/8/8/8/4K2R w - - 0 1"), Color.WHITE, "ke8,h1")
    Pair(b=7, c=60)
    """
    squares = [_square(board, name) for name in text.split(",")]
    own, other = _pieces(board, side), _pieces(board, side.other)
    b = [square for square in squares if square in own]
    c = [square for square in squares if square in other]
    if len(squares) != 2 or len(b) != 1 or len(c) != 1:
        raise UsageError(f"a pair is a man of either side, such as Ke1,Ke6, and none is a pawn; not {text!r}")
    return Pair(b[0], c[0])


def _square(board: chess.Board, name: str) -> chess.Square:
    written = name.strip()
    match = _MAN.fullmatch(written) or _MAN.fullmatch(written[:1].upper() + written[1:])
    if match is None:
        raise UsageError(f"{name!r} is no man and its square, such as Ke1")
    letter, square = match[1], chess.parse_square(match[2])
    man = board.piece_type_at(square)
    if man is None or (letter and chess.piece_symbol(man).upper() != letter):
        raise UsageError(f"there is no {written} on the board")
    return square


def _pieces(board: chess.Board, side: Color) -> list[chess.Square]:
    """The men of a side that are not pawns, the king first."""
    men = board.occupied_co[side is Color.WHITE] & ~board.pawns
    return sorted(chess.scan_forward(men), key=lambda square: (-(board.piece_type_at(square) or 0), square))
