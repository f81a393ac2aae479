"""Templates: the HTML of pages, and the filters that put values into words and colours."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import chess

from tbgen.apps.games.annotate import Annotation
from tbgen.apps.pages import need_extra
from tbgen.apps.pages.boards import ending_in_words, in_words, shapes_of_men
from tbgen.apps.pages.cards import changes_of, with_numbers
from tbgen.apps.pages.palette import (
    bar_of,
    line_style,
    path_of,
    percent,
    plot_of,
    shade_of,
    signed,
    told,
)
from tbgen.apps.records.record import SideRecord, step_of
from tbgen.score import Color, Score
from tbgen.text import counted, in_decimals, in_plies, in_so_many, in_units

if TYPE_CHECKING:
    from jinja2 import Environment, Template


HERE: Final = Path(__file__).parent
_NUMERALS: Final = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six"}


def static(name: str) -> str:
    """A script or a picture that pages load."""
    return (HERE / "static" / name).read_text(encoding="utf-8")


def style() -> str:
    """The style sheet, with the colours of outcomes in light and in dark."""
    return static("style.css") + static("colors.css")


def environment(**given: Any) -> Environment:
    """The templates, with the values that all of them receive."""
    need_extra("report")
    import jinja2

    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_as_shown,
    )
    templates.filters.update(_FILTERS)
    templates.globals.update(men=shapes_of_men(), colors=list(Color), **given)
    return templates


def _as_shown(value: object) -> object:
    """A value as pages show it. `|string` keeps the hyphen of a score, which programs read."""
    return signed(value) if isinstance(value, Score) else value


@cache
def template_of(name: str) -> Template:
    """A template that receives all its values when it is filled in, which is often."""
    return environment().get_template(name)


# Filters.


def _for_query(fen: str) -> str:
    """A FEN as links have it."""
    return fen.replace(" ", "_")


def _name_of_man(man: chess.Piece) -> str:
    return f"{chess.COLOR_NAMES[man.color]}-{chess.piece_name(man.piece_type)}"


def _in_css(number: float) -> str:
    return f"{number:.3f}"


def _exact_percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.4f} %"


def _in_fixed_decimals(number: Fraction, decimals: int) -> str:
    return f"{float(number):.{decimals}f}"


def _score_of_code(code: int) -> str:
    """White's score of a code."""
    return str(Score(code, Color.WHITE))


def _numeral(number: int) -> str:
    return _NUMERALS[number]


def _share(share: Fraction) -> str:
    return percent(share.numerator, share.denominator)


def _with_sign(number: Fraction) -> str:
    if not number:
        return "0"
    return f"{float(number):+.4f}".replace("-", "\N{MINUS SIGN}")


def _with_commas(number: int) -> str:
    return f"{number:,}"


def _plot_of_side(side: SideRecord) -> dict[str, Any]:
    distances = {outcome: count.distances for outcome, count in side.outcomes.items()}
    return plot_of(distances)


def _as_ordinary_fen(board: chess.Board) -> str:
    """The men of any variant, and the side to move, as ordinary chess writes them."""
    shown = chess.Board(None)
    shown.set_piece_map(board.piece_map())
    shown.turn = board.turn
    shown.fullmove_number = board.fullmove_number
    return shown.fen()


def _line_of(annotation: Annotation) -> dict[str, str]:
    """A game as `static/step.js` steps through it; a variant has no steps, but moves and an end."""
    first = annotation.plies[0]
    last = annotation.plies[-1].board
    is_ordinary = last.uci_variant == "chess"
    moves = list[str]()
    steps = list[str]()
    for ply in annotation.plies[1:]:
        moves.append(f"{ply.ply.san}?" if ply.gives_away else str(ply.ply.san))
        if is_ordinary and ply.board_before and ply.ply.move:
            steps.append(step_of(ply.board_before, ply.ply.move))
    fen = first.board.fen() if is_ordinary else _as_ordinary_fen(first.board)
    return {
        "fen": fen,
        "end": last.fen() if is_ordinary else _as_ordinary_fen(last),
        "moves": with_numbers(fen, moves),
        "steps": " ".join(steps),
        "scores": changes_of([ply.ply.accrued for ply in annotation.plies]),
    }


_FILTERS: Final[dict[str, Callable[..., Any]]] = {
    "asked": _for_query,
    "bar": bar_of,
    "changes": changes_of,
    "counted": counted,
    "css": _in_css,
    "decimals": in_decimals,
    "ending_in_words": ending_in_words,
    "exact": _exact_percent,
    "fixed": _in_fixed_decimals,
    "g": _score_of_code,
    "in_plies": in_plies,
    "in_so_many": in_so_many,
    "in_words": in_words,
    "line_of": _line_of,
    "line_style": line_style,
    "man_name": _name_of_man,
    "numeral": _numeral,
    "path": path_of,
    "percent": percent,
    "plot": _plot_of_side,
    "position": chess.Board,
    "shade": shade_of,
    "share": _share,
    "signed": signed,
    "thousands": _with_commas,
    "told": told,
    "units": in_units,
    "with_sign": _with_sign,
}
