"""Ordinary chess from tables of r-mobility, in the shape of lila-tablebase.

The outcomes G0.0 and -G0.0 are the forced mates of ordinary chess with the fifty-move rule left
out, and their distance is the distance to mate. All other outcomes are ordinary draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import chess

from tbgen.apps.site.parameters import position_in
from tbgen.probe import Tablebase
from tbgen.rules.position import board_after
from tbgen.score import Color

_FIFTY_MOVES: Final = 100
_NO_DISTANCES: Final = {"dtz": None, "precise_dtz": None}
_BEST_FIRST: Final = ("loss", "maybe-loss", "draw", "unknown", "maybe-win", "win")
"""Categories of the positions after moves, as the side that is then to move sees them."""


def standard_answer(tables: Tablebase, given: Mapping[str, str]) -> dict[str, Any]:
    """A position and its moves as ordinary chess sees them; without a table they are unknown."""
    board = position_in(given).board
    moves = [_move_facts(tables, board, move) for move in board.legal_moves]
    moves.sort(key=_rank)
    return {**_position_facts(tables, board), "moves": moves}


def standard_mainline(tables: Tablebase, given: Mapping[str, str]) -> dict[str, Any]:
    """Best play to a forced mate; empty if neither side can force one. An error without a table."""
    board = position_in(given).board
    outcome = tables.probe(board).outcome
    if not outcome.is_mate:
        return {"mainline": [], "winner": None, **_NO_DISTANCES, "dtm": None}
    wins = outcome.holder is Color.of(board.turn)
    line = tables.line(board)
    moves = list[dict[str, Any]]()
    mover_wins = wins
    for step in line:
        mover_wins = not mover_wins  # after the move, the other side is to move
        dtm = _plies_to_mate(step.dtg, wins=mover_wins)
        moves.append({"uci": step.move.uci(), "san": step.san, **_NO_DISTANCES, "dtm": dtm})
    return {
        "mainline": moves,
        "winner": "w" if outcome.holder is Color.WHITE else "b",
        **_NO_DISTANCES,
        "dtm": _plies_to_mate(len(line), wins=wins),
    }


def _move_facts(tables: Tablebase, board: chess.Board, move: chess.Move) -> dict[str, Any]:
    return {
        "uci": move.uci(),
        "san": board.san(move),
        "zeroing": board.is_zeroing(move),
        "conversion": board.is_capture(move) or move.promotion is not None,
        **_position_facts(tables, board_after(board, move)),
    }


def _rank(move: Mapping[str, Any]) -> tuple[int, int, str]:
    """A key that puts the best category first; then the quickest win, and the slowest loss."""
    return _BEST_FIRST.index(move["category"]), -(move["dtm"] or 0), move["uci"]


def _position_facts(tables: Tablebase, board: chess.Board) -> dict[str, Any]:
    """The facts of any position, seen from the side to move."""
    category, dtm = _category_and_plies(tables, board)
    return {
        "category": category,
        **_NO_DISTANCES,
        "dtm": dtm,
        "dtw": None,
        "dtc": None,
        "checkmate": board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "variant_win": False,
        "variant_loss": False,
        "insufficient_material": board.is_insufficient_material(),
    }


def _category_and_plies(tables: Tablebase, board: chess.Board) -> tuple[str, int | None]:
    """The category, and the plies to mate."""
    probe = tables.get(board.copy(stack=False))
    if probe is None:
        if board.legal_moves:
            return "unknown", None
        return "loss" if board.is_check() else "draw", None
    if not probe.outcome.is_mate:
        return "draw", None
    wins = probe.outcome.holder is Color.of(board.turn)
    category = "win" if wins else "loss"
    is_sure = probe.dtg is not None and probe.dtg + board.halfmove_clock <= _FIFTY_MOVES
    if not is_sure:
        category = f"maybe-{category}"
    return category, _plies_to_mate(probe.dtg, wins=wins)


def _plies_to_mate(plies: int | None, *, wins: bool) -> int | None:
    """The plies as the side to move counts them: negative if it is mated."""
    if plies is None or wins:
        return plies
    return -plies
