"""Ordinary chess: wins, losses and distances to mate, in the form that clients of other tablebases ask for.

The outcomes G0.0 and -G0.0 are the forced mates of ordinary chess with the fifty-move rule left out, and their
distance is the distance to mate. All other outcomes are ordinary draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import chess

from tbgen.errors import NO_TABLE
from tbgen.probe import Tablebase
from tbgen.rules.position import color_of

_FIFTY_MOVES: Final = 100
_UNKNOWN: Final = "unknown"
_OPPOSITES: Final[Mapping[str, str]] = {
    "win": "loss", "maybe-win": "maybe-loss", "draw": "draw", "maybe-loss": "maybe-win", "loss": "win",
    _UNKNOWN: _UNKNOWN,
}  # fmt: skip
_BEST_FIRST: Final = ("loss", "maybe-loss", "draw", _UNKNOWN, "maybe-win", "win")
"""Categories of the positions that moves lead to, seen from the side that is then to move."""


def standard_answer(tables: Tablebase, board: chess.Board) -> dict[str, Any]:
    """A position and its moves; what no table knows is unknown."""
    moves = []
    for move in board.legal_moves:
        san, zeroing = board.san(move), board.is_zeroing(move)
        board.push(move)
        moves.append(
            {"uci": move.uci(), "san": san, "zeroing": zeroing, "conversion": zeroing, **_facts(tables, board)}
        )
        board.pop()
    moves.sort(key=_merit)
    return {**_facts(tables, board), "moves": moves}


def _merit(move: Mapping[str, Any]) -> tuple[int, int, str]:
    """The best category first; the quickest win, and the slowest loss."""
    return _BEST_FIRST.index(move["category"]), -(move["dtm"] or 0), move["uci"]


def _facts(tables: Tablebase, board: chess.Board) -> dict[str, Any]:
    """What is said of any position, seen from the side to move."""
    category, dtm = _value(tables, board)
    return {
        "category": category,
        "dtz": None,
        "precise_dtz": None,
        "dtm": dtm,
        "dtw": None,
        "dtc": None,
        "checkmate": board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "variant_win": False,
        "variant_loss": False,
        "insufficient_material": board.is_insufficient_material(),
    }


def _value(tables: Tablebase, board: chess.Board) -> tuple[str, int | None]:
    """The category and the signed plies to mate."""
    try:
        found = tables.probe(board.copy(stack=False))
    except NO_TABLE:
        return (_UNKNOWN if board.legal_moves else _ended(board)), None
    if not found.outcome.is_mate:
        return "draw", None
    if found.dtg is None:
        return ("maybe-win" if found.outcome.holder is color_of(board.turn) else _OPPOSITES["maybe-win"]), None
    category = "win" if found.dtg + board.halfmove_clock <= _FIFTY_MOVES else "maybe-win"
    if found.outcome.holder is color_of(board.turn):
        return category, found.dtg
    return _OPPOSITES[category], -found.dtg


def _ended(board: chess.Board) -> str:
    return "loss" if board.is_check() else "draw"
