"""Boards: what templates draw of a position, its picture with a verdict, and the map of one man.

`templates/board.html` has the drawing. A page carries squares and men once, and each board on it is a few lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import chess
import chess.svg
import click

from tbgen.apps.site.palette import colors, shade_of, theme
from tbgen.errors import InputError, UsageError
from tbgen.probe import Probe, Tablebase
from tbgen.score import Score
from tbgen.text import facts_of, in_plies, plain

Map = Mapping[chess.Square, Probe | None]
"""The value of a position with one man on each square; None where that is no position."""

_STYLE = re.compile(r' style="([^"]*)"')
_SIDE: Final = 45
"""Of a square, in the units of a drawing."""
_MOST_ARROWS: Final = 6


def shapes_of_men() -> str:
    """The men as SVG, each with an id such as `white-king`."""
    return "".join(
        without_styles(chess.svg.PIECES[chess.Piece(kind, color).symbol()])
        for color in chess.COLORS
        for kind in chess.PIECE_TYPES
    )


def without_styles(svg: str) -> str:
    """An SVG with attributes in place of styles, which a policy that allows no inline styles lets pass.

    >>> without_styles('<path style="fill: none; stroke: #000"/>')
    '<path fill="none" stroke="#000"/>'
    """
    return _STYLE.sub(_as_attributes, svg)


def _as_attributes(style: re.Match[str]) -> str:
    pairs = (each.partition(":") for each in style[1].split(";") if each.strip())
    return "".join(f' {name.strip()}="{value.strip()}"' for name, _, value in pairs)


class Spot(NamedTuple):
    """The man on a square, and its upper left corner."""

    name: str
    x: int
    y: int


def spot_on(square: chess.Square, name: str) -> Spot:
    return Spot(name, chess.square_file(square) * _SIDE, (7 - chess.square_rank(square)) * _SIDE)


class View(NamedTuple):
    """The parts of a drawn position."""

    men: list[Spot]
    is_white: bool
    """Whether White is to move."""
    words: str


def view_of(board: chess.Board | str) -> View:
    """The parts to draw of a position or a FEN."""
    shown = chess.Board(board) if isinstance(board, str) else board
    men = [
        spot_on(square, f"{chess.COLOR_NAMES[man.color]}-{chess.piece_name(man.piece_type)}")
        for square, man in sorted(shown.piece_map().items())
    ]
    return View(men, shown.turn, in_words(shown))


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
    return f"{' '.join(sides)} {_turn(board)}."


def _turn(board: chess.Board) -> str:
    return f"{'White' if board.turn else 'Black'} to move"


def signed(outcome: Score) -> str:
    """An outcome with a minus sign, which a hyphen is not."""
    return str(outcome).replace("-", "\N{MINUS SIGN}")


def picture_of_value(tables: Tablebase, board: chess.Board, accrued: Score | None, name: str | None) -> str:
    """A position with its verdict and its best moves, or with the map of the man on a square of this name."""
    from tbgen.apps.site.templates import environment

    found = tables.probe(board, accrued)
    if name is None:
        best = [each.move for each in tables.probe_moves(board, accrued) if each.best]
        way = "reached already" if found.is_reached else f"in {in_plies(found.dtg)}" if found.dtg is not None else ""
        words = f"{_turn(board)}{f', {way}' * bool(way)}; accrued {signed(found.accrued)}"
        fields = labels = list[Spot]()
    else:
        best, square = [], man_on(board, name)
        words = (
            f"{_turn(board)}; the value with the {chess.piece_name(board.piece_type_at(square) or 0)} on each square"
        )
        values = {each: value.outcome for each, value in map_of(tables, board, accrued, square).items() if value}
        fields = [spot_on(each, shade_of(outcome)) for each, outcome in values.items()]
        labels = [spot_on(each, signed(outcome).replace("G", "")) for each, outcome in values.items()]
    picture = (
        environment(theme=theme())
        .get_template("picture.svg")
        .render(
            view=view_of(board),
            heading=f"{signed(found.outcome)}  {found.outcome.in_words()}",
            words=words,
            arrows=[_arrow(each) for each in best[:_MOST_ARROWS]],
            fields=fields,
            labels=labels,
        )
    )
    return picture + "\n"


def _arrow(move: chess.Move) -> str:
    """The path of an arrow that leaves the man it begins on, and the man it ends on, to be seen."""
    (_, x, y), (_, to_x, to_y) = spot_on(move.from_square, ""), spot_on(move.to_square, "")
    length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
    first, last = 13 / length, (length - 12) / length
    points = [22.5 + start + part * (end - start) for part in (first, last) for start, end in ((x, to_x), (y, to_y))]
    return "M{:.1f} {:.1f}L{:.1f} {:.1f}".format(*points)


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
    values = map_of(tables, board, accrued, square).items()
    return {
        "fen": board.fen(),
        "material": str(here.material.canonical()),
        "accrued": plain(accrued),
        "man": man,
        "piece": str(board.piece_at(square)),
        "squares": {chess.square_name(each): value and facts_of(value, "outcome", "dtg") for each, value in values},
    }


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
    red, green, blue = bytes.fromhex(colors("light")[shade][1:])
    return click.style(text, fg=(255, 255, 255) if shade[1] in "01" else (31, 35, 40), bg=(red, green, blue))
