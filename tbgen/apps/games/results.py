"""Results of games: their spellings, and the points that they give on the score sheet."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from tbgen.errors import UsageError
from tbgen.rules.game import final_outcome
from tbgen.rules.points import DRAW, LOSS, WIN, Points
from tbgen.rules.stage import ON_THE_BOARD, Ply
from tbgen.score import Color, Score

UNFINISHED = "*"
"""The result of a game without one."""
DRAWN = "1/2-1/2"
DOUBLE_FORFEIT = "0-0"

SHEET_POINTS: Final[Mapping[str, Points]] = {
    "1-0": (WIN, LOSS),
    "0-1": (LOSS, WIN),
    DRAWN: (DRAW, DRAW),
    DOUBLE_FORFEIT: (LOSS, LOSS),
    "1/2-0": (DRAW, LOSS),
    "0-1/2": (LOSS, DRAW),
}
"""Result -> the points of White and Black on the score sheet."""

SPLIT_RESULTS: Final = (DOUBLE_FORFEIT, "1/2-0", "0-1/2")
"""Results that only an arbiter can give. No r-mobility score expresses them, so the score sheet
counts.
"""

RESULT_WORDS: Final[Mapping[str, str]] = {
    "1-0": "1-0",
    "0-1": "0-1",
    "1/2-1/2": DRAWN,
    "½-½": DRAWN,
    "1/2-0": "1/2-0",
    "½-0": "1/2-0",
    "0-1/2": "0-1/2",
    "0-½": "0-1/2",
    "*": UNFINISHED,
}
"""Words that end the moves -> results in their usual spelling. `0-0` is missing, for it may be
castling.
"""

_ADVICE = "write 1-0, 0-1, 1/2-1/2, * or, as an arbiter may decide, 0-0, 1/2-0, 0-1/2"


def result_in(text: str) -> str | None:
    """The result that a text writes, in its usual spelling; None if it writes none.

    >>> result_in("1 - 0"), result_in("½-½"), result_in("1/2-0"), result_in("1:0")
    ('1-0', '1/2-1/2', '1/2-0', None)
    """
    result = "".join(text.split()).replace("½", "1/2")
    return result if result in SHEET_POINTS or result == UNFINISHED else None


def result_of(tags: Mapping[str, str], written: str | None) -> str:
    """The result of a game: that of its tag, or else the one behind its moves.

    UsageError names a tag that is no result.
    """
    tag = tags.get("Result", "?").strip()
    if tag in ("", "?"):
        return written or UNFINISHED
    result = result_in(tag)
    if result is None:
        raise UsageError(f'Result "{tag}" is no result: {_ADVICE}')
    return result


def winner_of(result: str) -> Color | None:
    """The winner by a result; None without one."""
    white, black = SHEET_POINTS.get(result, (DRAW, DRAW))
    if white == WIN:
        return Color.WHITE
    if black == WIN:
        return Color.BLACK
    return None


def sheet_points(result: str, side: Color) -> Fraction:
    """The points of a side on the score sheet; those of a draw if the result is none."""
    return SHEET_POINTS.get(result, (DRAW, DRAW))[side]


def final_of(last: Ply, result: str) -> Score:
    """The final score of a game with a result: mate and stalemate on the board come first."""
    return final_outcome(last.accrued, None if last.end in ON_THE_BOARD else winner_of(result))


def classical_result(outcome: Score) -> str:
    """The result of ordinary chess: only G0.0 is decisive."""
    if not outcome.is_mate:
        return DRAWN
    return "1-0" if outcome.holder is Color.WHITE else "0-1"
