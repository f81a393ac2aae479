"""Boards: a position as SVG, on a terminal, and as a map of one man.

A page carries squares and men once (`shared`), and each board on it is a few lines. A picture is a file of its own.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, Final

import chess
import chess.svg

from tbgen.apps.site.palette import colors, shade_of, theme
from tbgen.errors import InputError, UsageError
from tbgen.probe import Probe, Tablebase
from tbgen.rules.fen import in_color
from tbgen.score import Score
from tbgen.text import in_plies

Map = Mapping[chess.Square, Probe | None]
"""The value of a position with one man on each square; None where that is no position."""

_STYLE = re.compile(r' style="([^"]*)"')
_SIDE = 45
_MARGIN = 18
_MOST_ARROWS: Final = 6
_PICTURE_STYLE: Final = (
    ".ground{fill:#fcfbf8}text{font-family:system-ui,DejaVu Sans,sans-serif;fill:#1f2328}.light{fill:#efe3cc}"
    ".dark{fill:#b99571}.edge text{font-size:13px;fill:#6b6255;text-anchor:middle}.soft{fill:#5b6270}"
    ".ground,.ring{stroke:#6b6255}.label{font-size:12px;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:2px}"
    "@media(prefers-color-scheme:dark){.ground{fill:#15181c}text{fill:#e4e2dc}.soft,.edge text{fill:#a0a6b0}"
    ".light{fill:#b3a58d}.dark{fill:#75604c}.label{stroke:#15181c}}"
)


def shared() -> str:
    """What all boards of a page refer to."""
    return f'<svg class="shared" aria-hidden="true">{_definitions()}</svg>'


def _definitions() -> str:
    men = "".join(chess.svg.PIECES[chess.Piece(kind, color).symbol()] for color in chess.COLORS for kind in range(1, 7))
    dark = " ".join(f"M{x * _SIDE} {y * _SIDE}h45v45h-45z" for y in range(8) for x in range(8) if (x + y) % 2)
    squares = f'<path class="light" d="M0 0h360v360h-360z"/><path class="dark" d="{dark}"/>{_edge()}'
    head = '<marker id="head" orient="auto" markerWidth="3" markerHeight="4" refX="1.4" refY="2">'
    head += '<path d="M0 0v4l3-2z" fill="#1d568c"/></marker>'
    return f'<defs><g id="squares">{squares}</g>{head}{without_styles(men)}</defs>'


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
    """A board with its men, its edge and a mark of the side to move; `shared` has to be on the page."""
    board = chess.Board(fen)
    return (
        f'<svg class="board" viewBox="-{_MARGIN} 0 {360 + _MARGIN} {360 + _MARGIN}" role="img" '
        f'aria-label="{in_words(board)}"><use href="#squares"/>{_men(board)}{_side_to_move(board)}</svg>'
    )


def _men(board: chess.Board) -> str:
    return "".join(_man(square, man) for square, man in sorted(board.piece_map().items()))


def _man(square: chess.Square, man: chess.Piece) -> str:
    name = f"{chess.COLOR_NAMES[man.color]}-{chess.piece_name(man.piece_type)}"
    x, y = _corner(square)
    return f'<use href="#{name}" x="{x}" y="{y}"/>'


def _corner(square: chess.Square) -> tuple[int, int]:
    return chess.square_file(square) * _SIDE, (7 - chess.square_rank(square)) * _SIDE


def _side_to_move(board: chess.Board) -> str:
    """A white or black mark in the lower left corner, where the names of files and ranks meet."""
    return f'<circle class="ring turn" cx="-9" cy="369" r="5" fill="{"#fff" if board.turn else "#000"}"/>'


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


def picture_of(
    board: chess.Board,
    *,
    arrows: Iterable[chess.Move] = (),
    values: Map | None = None,
    heading: str = "",
    words: str = "",
) -> str:
    """A board as an SVG file of its own, with arrows, with the values of a map, and with two lines below it."""
    mapped = {} if values is None else {square: each.outcome for square, each in values.items() if each is not None}
    parts = [_field(square, outcome) for square, outcome in mapped.items()]
    parts += [_men(board), *map(_arrow, [*arrows][:_MOST_ARROWS]), _side_to_move(board)]
    parts += [_label(square, outcome) for square, outcome in mapped.items()]
    below = 52 if heading or words else 0
    parts.append(f'<text x="-10" y="399" font-size="17" font-weight="600">{escape(heading)}</text>' * bool(heading))
    parts.append(f'<text class="soft" x="-10" y="419" font-size="13">{escape(words)}</text>' * bool(words))
    width, height = 360 + _MARGIN, 360 + _MARGIN + below
    shades = theme() if mapped else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-{_MARGIN} 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{escape(" ".join([in_words(board), heading, words]).strip())}">'
        f"<style>{shades}{_PICTURE_STYLE}</style>{_definitions()}"
        f'<rect class="ground" stroke-width="0" x="-{_MARGIN}" width="{width}" height="{height}"/>'
        f'<use href="#squares"/>{"".join(parts)}</svg>\n'
    )


def _field(square: chess.Square, outcome: Score) -> str:
    x, y = _corner(square)
    return f'<rect x="{x}" y="{y}" width="45" height="45" fill="var(--{shade_of(outcome)})" opacity=".85"/>'


def _label(square: chess.Square, outcome: Score) -> str:
    x, y = _corner(square)
    return f'<text class="label" x="{x + 22}" y="{y + 42}">{signed(outcome).replace("G", "")}</text>'


def _arrow(move: chess.Move) -> str:
    """An arrow that leaves the man it begins on, and the man it ends on, to be seen."""
    (x, y), (to_x, to_y) = _corner(move.from_square), _corner(move.to_square)
    length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
    first, last = 13 / length, (length - 12) / length
    points = [22.5 + start + part * (end - start) for part in (first, last) for start, end in ((x, to_x), (y, to_y))]
    path = "M{:.1f} {:.1f}L{:.1f} {:.1f}".format(*points)
    return f'<path d="{path}" stroke="#1d568c" stroke-width="6" opacity=".8" marker-end="url(#head)"/>'


def signed(outcome: Score) -> str:
    """An outcome with a minus sign, which a hyphen is not."""
    return str(outcome).replace("-", "\N{MINUS SIGN}")


def picture_of_value(tables: Tablebase, board: chess.Board, accrued: Score | None, name: str | None) -> str:
    """A position with its verdict and its best moves, or with the map of the man on a square of this name."""
    man = None if name is None else man_on(board, name)
    found = tables.probe(board, accrued)
    way = "reached already" if found.is_reached else f"in {in_plies(found.dtg)}" if found.dtg is not None else ""
    turn = f"{'White' if board.turn else 'Black'} to move"
    best = [each.move for each in tables.probe_moves(board, accrued) if each.best] if man is None else []
    words = f"{turn}{f', {way}' * bool(way)}; accrued {signed(found.accrued)}"
    if man is not None:
        words = f"{turn}; the value with the {_name_of(board, man)} on each square"
    heading = f"{signed(found.outcome)}  {found.outcome.in_words()}"
    return picture_of(
        board,
        arrows=best,
        values=None if man is None else map_of(tables, board, accrued, man),
        heading=heading,
        words=words,
    )


def _name_of(board: chess.Board, man: chess.Square) -> str:
    piece = board.piece_at(man)
    assert piece is not None
    return chess.piece_name(piece.piece_type)


# Maps.


def man_on(board: chess.Board, name: str) -> chess.Square:
    """The square of a man; UsageError where there is none.

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
    """The value of the position with one man on every square, the others and the side to move as they are."""
    found = dict[chess.Square, Probe | None]()
    moved = board.copy(stack=False)
    moved.ep_square = None
    piece = moved.remove_piece_at(man)
    for square in chess.SQUARES:
        found[square] = None
        if moved.piece_at(square) is None:
            moved.set_piece_at(square, piece)
            found[square] = _value(tables, moved, accrued)
            moved.remove_piece_at(square)
    return found


def _value(tables: Tablebase, board: chess.Board, accrued: Score | None) -> Probe | None:
    try:
        return tables.probe(board.copy(stack=False), accrued)
    except InputError:
        return None


def map_facts(tables: Tablebase, board: chess.Board, accrued: Score | None, man: str) -> dict[str, Any]:
    """A map as JSON has it: every square with its value, or null where the man cannot stand."""
    square, here = man_on(board, man), tables.probe(board, accrued)
    found = map_of(tables, board, accrued, square)
    values = {
        chess.square_name(each): None if value is None else {"outcome": str(value.outcome), "dtg": value.dtg}
        for each, value in found.items()
    }
    piece = board.piece_at(square)
    return {
        "fen": board.fen(),
        "material": str(here.material.canonical()),
        "accrued": None if accrued is None else str(accrued),
        "man": man,
        "piece": piece and piece.symbol(),
        "squares": values,
    }


def map_as_json(tables: Tablebase, board: chess.Board, accrued: Score | None, man: str) -> str:
    """The same as text."""
    return json.dumps(map_facts(tables, board, accrued, man), indent=2) + "\n"


def map_as_text(
    tables: Tablebase, board: chess.Board, accrued: Score | None, man: str, *, colored: bool = False
) -> str:
    """The same for a terminal."""
    lines = map_lines(map_of(tables, board, accrued, man_on(board, man)), colored=colored)
    return "\n".join([*lines, ""])


def map_lines(values: Map, *, colored: bool) -> list[str]:
    """A map as eight lines of outcomes, with colours for those that a terminal shows, and how often each occurs."""
    lines = []
    for rank in reversed(range(8)):
        cells = (_cell(values[chess.square(file, rank)], colored=colored) for file in range(8))
        lines.append(f"{rank + 1} {' '.join(cells)}")
    lines.append("  " + " ".join(f"{each:^6}" for each in "abcdefgh").rstrip())
    counts = Counter(each.outcome for each in values.values() if each is not None)
    return [*lines, ", ".join(f"{outcome} on {counts[outcome]}" for outcome in sorted(counts, reverse=True))]


def _cell(value: Probe | None, *, colored: bool) -> str:
    text = f"{'.' if value is None else value.outcome!s:^6}"
    if value is None or not colored:
        return text
    shade = shade_of(value.outcome)
    ink = "#ffffff" if shade[1] in "01" else "#1f2328"
    return in_color(text, ink, colors("light")[shade])
