"""The fifty-move rule at the end of a game, slowly: every line, move by move, until the rule strikes.

Outcomes and accrued scores are pairs: 0 for White or 1 for Black, and the code. What follows a move that starts the
clock anew is asked of `entry`, which ignores the rule.
"""

from __future__ import annotations

from collections.abc import Callable

import chess

Score = tuple[int, int]
State = tuple[str, Score, int]


def worth(score: Score) -> int:
    """The greater, the better for White."""
    holder, code = score
    return 10_000 - code if holder == 0 else code - 10_000


def own(board: chess.Board) -> Score:
    """The score of a position by itself; the side that has just moved holds it."""
    return int(board.turn), 2 * len(list(board.legal_moves)) + (not board.is_check())


def value(
    board: chess.Board,
    accrued: Score,
    left: int,
    setting: str,
    cutoff: int,
    entry: Callable[[chess.Board], Score],
    known: dict[State, Score] | None = None,
) -> Score:
    """What the game ends with if the rule strikes after `left` plies, one or more; `known` has earlier answers."""
    known = {} if known is None else known
    state = board.epd(en_passant="legal"), accrued, left
    if state not in known:
        known[state] = _best(board, accrued, left, setting, cutoff, entry, known)
    return known[state]


def _best(
    board: chess.Board,
    accrued: Score,
    left: int,
    setting: str,
    cutoff: int,
    entry: Callable[[chess.Board], Score],
    known: dict[State, Score],
) -> Score:
    best: Score | None = None
    for move in list(board.legal_moves):
        reset = board.is_capture(move) or board.piece_type_at(move.from_square) == chess.PAWN
        board.push(move)
        found = _after(board, accrued, left - 1, reset, setting, cutoff, entry, known)
        board.pop()
        if best is None or ((worth(found) > worth(best)) == board.turn and worth(found) != worth(best)):
            best = found
    assert best is not None
    return best


def _after(
    board: chess.Board,
    accrued: Score,
    left: int,
    reset: bool,
    setting: str,
    cutoff: int,
    entry: Callable[[chess.Board], Score],
    known: dict[State, Score],
) -> Score:
    if left == 0 and not reset and setting != "reset" and any(board.legal_moves):
        return accrued  # the position that triggers the rule does not count
    reached = own(board)
    if reached[1] < 2:  # mate and stalemate end the game, whatever the clock says
        return reached
    if reset:
        return entry(board)
    lower = reached[1] < accrued[1]
    if setting == "reset":
        if lower and reached[1] < cutoff:
            return entry(board)
        accrued = reached if lower else accrued
        return accrued if left == 0 else value(board, accrued, left, setting, cutoff, entry, known)
    return value(board, reached if lower else accrued, left, setting, cutoff, entry, known)
