"""Boards for templates: the drawing of a position, its words, and the map of one of its men.

`templates/board.html` has the drawing. A page has squares and men once, and each board on it takes
a few lines.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import chess
import chess.svg

from tbgen.errors import InputError, UsageError
from tbgen.facts import facts_of, plain
from tbgen.material import Material, Scope
from tbgen.men import AnyMan, Role
from tbgen.probe import Probe, Tablebase
from tbgen.score import Color, Score

Map = Mapping[chess.Square, Probe | None]
"""The value of a position with one man on each square; None if he cannot stand there."""

_STYLE: Final = re.compile(r' style="([^"]*)"')
_PROPERTY: Final = re.compile(r"\s*([^:;]+?)\s*:\s*([^;]*[^;\s])")
_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six")
_CELL: Final = 6
"""The width of an outcome in a map on a terminal."""


# Drawings and words.


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


# Maps.


def man_on(board: chess.Board, name: str) -> chess.Square:
    """The square of a man; UsageError if there is none.

    >>> man_on(chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 0 1"), "f5") == chess.F5
    True
    """
    if name not in chess.SQUARE_NAMES:
        raise UsageError(f"{name!r} is no square; name one from a1 to h8")
    square = chess.parse_square(name)
    if board.piece_at(square) is None:
        raise UsageError(f"there is no man on {name}; name the square of one")
    return square


def map_of(tables: Tablebase, board: chess.Board, accrued: Score | None, man: chess.Square) -> Map:
    """The value with one man on every square; the others and the side to move stay."""
    values = dict[chess.Square, Probe | None].fromkeys(chess.SQUARES)
    others = board.copy(stack=False)
    others.ep_square = None
    piece = others.remove_piece_at(man)
    for square in chess.SquareSet(~others.occupied):
        moved = others.copy(stack=False)
        moved.set_piece_at(square, piece)
        with contextlib.suppress(InputError):
            values[square] = tables.probe(moved, accrued)
    return values


def map_facts(
    tables: Tablebase, board: chess.Board, accrued: Score | None, man: str
) -> dict[str, Any]:
    """A map as JSON has it: every square with its value, or null where the man cannot stand."""
    man_square = man_on(board, man)
    probe = tables.probe(board, accrued)
    squares = dict[str, Any]()
    for square, value in map_of(tables, board, accrued, man_square).items():
        facts = None if value is None else facts_of(value, "outcome", "dtg")
        squares[chess.square_name(square)] = facts
    return {
        "fen": board.fen(),
        "material": str(probe.material.canonical()),
        "accrued": plain(accrued),
        "man": man,
        "piece": str(board.piece_at(man_square)),
        "squares": squares,
    }


def map_lines(values: Map) -> list[str]:
    """A map as eight lines of outcomes, and the count of each."""
    lines = list[str]()
    for rank in reversed(range(8)):
        cells = list[str]()
        for file in range(8):
            value = values[chess.square(file, rank)]
            text = "." if value is None else str(value.outcome)
            cells.append(f"{text:^{_CELL}}")
        lines.append(f"{rank + 1} {' '.join(cells)}")
    files = " ".join(f"{name:^{_CELL}}" for name in chess.FILE_NAMES)
    lines.append(f"  {files.rstrip()}")
    counts = Counter(value.outcome for value in values.values() if value is not None)
    outcomes = sorted(counts, reverse=True)
    lines.append(", ".join(f"{outcome} on {counts[outcome]}" for outcome in outcomes))
    return lines
