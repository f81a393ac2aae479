"""Boards for templates: the drawing of a position, and its words.

`templates/board.html` has the drawing. A page has squares and men once, and each board on it takes
a few lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

import chess
import chess.svg

from tbgen.material import Material, Scope
from tbgen.men import AnyMan, Role
from tbgen.score import Color

_STYLE: Final = re.compile(r' style="([^"]*)"')
_PROPERTY: Final = re.compile(r"\s*([^:;]+?)\s*:\s*([^;]*[^;\s])")
_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six")


def shapes_of_men() -> str:
    """The men as SVG, each with an id such as `white-king`."""
    shapes = list[str]()
    for color in chess.COLORS:
        for kind in chess.PIECE_TYPES:
            symbol = chess.Piece(kind, color).symbol()
            shapes.append(without_styles(chess.svg.PIECES[symbol]))
    return "".join(shapes)


def without_styles(svg: str) -> str:
    """An SVG with attributes instead of styles, which a policy without inline styles accepts.

    >>> without_styles('<path style="fill: none; stroke: #000"/>')
    '<path fill="none" stroke="#000"/>'
    """

    def as_attributes(style: re.Match[str]) -> str:
        properties = _PROPERTY.findall(style[1])
        return "".join(f' {name}="{value}"' for name, value in properties)

    return _STYLE.sub(as_attributes, svg)


def in_words(board: chess.Board) -> str:
    """The men of a position and the side to move.

    >>> in_words(chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 0 1"))
    'White: Ke6, Bf5. Black: Kg5. White to move.'
    """
    white = _men_in_words(board, Color.WHITE)
    black = _men_in_words(board, Color.BLACK)
    return f"{white}. {black}. {Color.of(board.turn)} to move."


def _men_in_words(board: chess.Board, side: Color) -> str:
    men = list[str]()
    for kind in reversed(chess.PIECE_TYPES):
        letter = chess.piece_symbol(kind).upper()
        for square in board.pieces(kind, side.chess):
            men.append(f"{letter}{chess.square_name(square)}")
    return f"{side}: {', '.join(men)}"


def ending_in_words(material: Material) -> str:
    """An ending as players name it.

    >>> ending_in_words(Material.parse("KRvKB")), ending_in_words(Material.parse("KBNPPvK"))
    ('Rook against bishop', 'Bishop, knight and two pawns against king')
    """
    white = _side_in_words(material.white)
    black = _side_in_words(material.black)
    if not white and not black:
        return "Two bare kings"
    words = f"{white or 'king'} against {black or 'king'}"
    if material.scope is Scope.PAIRS:
        words += ", pawns face to face"
    return words[0].upper() + words[1:]


def _side_in_words(men: Sequence[AnyMan]) -> str:
    """The men of a side besides its king, the strongest first."""
    counts = Counter(man for man in men if man is not Role.KING)
    words = list[str]()
    for man, count in counts.items():
        name = man.name.lower() if isinstance(man, Role) else man.letter
        words.append(name if count == 1 else f"{_NUMBERS[count]} {name}s")
    *first, last = words or [""]
    return f"{', '.join(first)} and {last}" if first else last
