"""Pages and pictures of a single file each: annotated games, a position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import chess

from tbgen.apps.games.annotate import Annotation
from tbgen.apps.pages.templates import static, style, template_of
from tbgen.errors import PgnError
from tbgen.probe import Tablebase
from tbgen.score import Score

_MOST_ARROWS: Final = 6
_SQUARE: Final = 45
"""The width of a square in units of the drawing."""
_FROM_MAN: Final = 13
_TO_MAN: Final = 12
"""How far an arrow stays from the middle of its squares, so that the men are visible."""


def annotated_page(
    annotations: Sequence[Annotation], name: str, faults: Sequence[PgnError] = ()
) -> str:
    """Games to step through, with every ply's value; `name` is the title unless there is one.

    `faults` are the errors of unreadable games, which the page names.
    """
    return _page(
        "annotated.html",
        script=static("replay.js") + static("step.js"),
        name=name,
        annotations=annotations,
        faults=faults,
    )


def _page(template: str, **context: Any) -> str:
    return template_of(template).render(style=style(), **context) + "\n"


def picture_of_value(tables: Tablebase, board: chess.Board, accrued: Score | None) -> str:
    """A position with its verdict and its best moves."""
    probe = tables.probe(board, accrued)
    best = [move.move for move in tables.probe_moves(board, accrued) if move.best]
    picture = template_of("picture.svg").render(
        shown=board,
        found=probe,
        arrows=[_arrow(move) for move in best[:_MOST_ARROWS]],
    )
    return picture + "\n"


def _arrow(move: chess.Move) -> str:
    """The path of an arrow that leaves the men at both ends visible."""
    start = _middle_of(move.from_square)
    end = _middle_of(move.to_square)
    direction = (end - start) / abs(end - start)
    first = start + _FROM_MAN * direction
    last = end - _TO_MAN * direction
    return f"M{first.real:.1f} {first.imag:.1f}L{last.real:.1f} {last.imag:.1f}"


def _middle_of(square: chess.Square) -> complex:
    """The middle of a square in the drawing, with the first rank at the bottom."""
    across = _SQUARE * (chess.square_file(square) + 0.5)
    down = _SQUARE * (7 - chess.square_rank(square) + 0.5)
    return complex(across, down)
