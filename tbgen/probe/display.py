"""Display: answers as notebooks and terminals show them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import chess
import chess.svg

from tbgen.errors import TbgenError
from tbgen.rules.fen import picture_of
from tbgen.text import in_plies

if TYPE_CHECKING:
    from tbgen.probe.answers import MoveProbe, Moves, Probe
    from tbgen.probe.many import BulkProbe

_SIZE = 320
_MOST_ARROWS = 6
_MOST_ROWS = 10


def svg_of(board: chess.Board, moves: Sequence[chess.Move]) -> str:
    """A board with moves as arrows."""
    arrows = [(move.from_square, move.to_square) for move in moves[:_MOST_ARROWS]]
    drawn: str = chess.svg.board(board, arrows=arrows, size=_SIZE)
    return drawn


def html_of(probe: Probe) -> str:
    """A value with its board, its best moves as arrows, and its moves in groups."""
    try:
        board, moves = probe._repr_svg_(), table_of(probe.moves)
    except TbgenError as error:
        board, moves = svg_of(probe._board, []), f"<p>{escape(str(error))}</p>"
    value = f"<p><b>{escape(str(probe))}</b>: {probe.outcome.in_words()}</p>"
    return f'<div style="display:flex;gap:1em">{board}<div>{value}{moves}</div></div>'


def table_of(moves: Moves) -> str:
    """Moves in groups."""
    groups = ((title, "".join(_row(*_cells(each)) for each in group)) for title, group in moves.groups())
    return f"<table>{''.join(f'<tr><th colspan=3>{title}</th></tr>{rows}' for title, rows in groups)}</table>"


def rows_of(many: BulkProbe) -> str:
    """The first of many answers."""
    shown = many[:_MOST_ROWS]
    rows = [(n, *(found or (shown.fault_of(n), ""))) for n, found in enumerate(shown)]
    more = f"<p>{len(many) - len(shown):,} more</p>" if len(many) > len(shown) else ""
    return f"<table>{''.join(_row(*row) for row in rows)}</table>{more}"


def text_of(board: chess.Board, probe: Probe) -> str:
    """A value with its board and its moves in groups, as text."""
    lines = [picture_of(board), "", f"[bold]{probe}[/bold]: {probe.outcome.in_words()}"]
    try:
        for title, group in probe.moves.groups():
            lines += ["", f"[bold]{title}[/bold]", *("  ".join(_cells(each)) for each in group)]
    except TbgenError as error:
        lines += ["", str(error)]
    return "\n".join(lines)


def _cells(each: MoveProbe) -> tuple[str, str, str]:
    dtg = "?" if each.dtg is None else in_plies(each.dtg)
    return f"{each.san} (best)" if each.best else each.san, str(each.outcome), dtg


def _row(*cells: object) -> str:
    return f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in cells)}</tr>"
