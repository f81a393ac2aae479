"""Boards as SVG that share their squares, edges and men: a page carries these once, each board is a few lines."""

from __future__ import annotations

import re

import chess
import chess.svg

_STYLE = re.compile(r' style="([^"]*)"')
_SIDE = 45
_MARGIN = 18


def shared() -> str:
    """What all boards of a page refer to."""
    men = "".join(chess.svg.PIECES[chess.Piece(kind, color).symbol()] for color in chess.COLORS for kind in range(1, 7))
    dark = " ".join(f"M{x * _SIDE} {y * _SIDE}h45v45h-45z" for y in range(8) for x in range(8) if (x + y) % 2)
    squares = (
        f'<g id="squares"><path class="light" d="M0 0h360v360h-360z"/><path class="dark" d="{dark}"/>{_edge()}</g>'
    )
    return f'<svg class="shared" aria-hidden="true"><defs>{squares}{without_styles(men)}</defs></svg>'


def without_styles(svg: str) -> str:
    """An SVG with attributes in place of styles, which a policy that allows no inline styles lets pass.

    >>> without_styles('<path style="fill: none; stroke: #000"/>')
    '<path fill="none" stroke="#000"/>'
    """
    return _STYLE.sub(_as_attributes, svg)


def _as_attributes(style: re.Match[str]) -> str:
    pairs = (each.partition(":") for each in style[1].split(";") if each.strip())
    return "".join(f' {name.strip()}="{value.strip()}"' for name, _, value in pairs)


def board_of(fen: str) -> str:
    """A board with its men and its edge named; `shared` has to be on the page."""
    board = chess.Board(fen)
    men = "".join(_man(square, man) for square, man in sorted(board.piece_map().items()))
    return (
        f'<svg class="board" viewBox="-{_MARGIN} 0 {360 + _MARGIN} {360 + _MARGIN}" role="img" '
        f'aria-label="{in_words(board)}"><use href="#squares"/>{men}</svg>'
    )


def _man(square: chess.Square, man: chess.Piece) -> str:
    name = f"{chess.COLOR_NAMES[man.color]}-{chess.piece_name(man.piece_type)}"
    x, y = chess.square_file(square) * _SIDE, (7 - chess.square_rank(square)) * _SIDE
    return f'<use href="#{name}" x="{x}" y="{y}"/>'


def _edge() -> str:
    files = "".join(f'<text x="{n * _SIDE + 22}" y="374">{"abcdefgh"[n]}</text>' for n in range(8))
    ranks = "".join(f'<text x="-9" y="{n * _SIDE + 27}">{8 - n}</text>' for n in range(8))
    return f'<g class="edge">{files}{ranks}</g>'


def in_words(board: chess.Board) -> str:
    """The men of a position and the side to move.

    >>> in_words(chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 0 1"))
    'White: Ke6, Bf5. Black: Kg5. White to move.'
    """
    sides = []
    for color, name in ((chess.WHITE, "White"), (chess.BLACK, "Black")):
        squares = [(kind, square) for kind in range(6, 0, -1) for square in board.pieces(kind, color)]
        men = (f"{chess.piece_symbol(kind).upper()}{chess.square_name(square)}" for kind, square in squares)
        sides.append(f"{name}: {', '.join(men)}.")
    return f"{' '.join(sides)} {'White' if board.turn else 'Black'} to move."


def picture_of(fen: str, light: str = "#f0d9b5", dark: str = "#b58863") -> str:
    """A board as an SVG file of its own."""
    return str(chess.svg.board(chess.Board(fen), size=360, colors={"square light": light, "square dark": dark}))
