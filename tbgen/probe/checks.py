"""Checks: what no table knows is refused before it is looked for."""

from __future__ import annotations

from typing import Final

import chess

from tbgen.errors import AccruedError, CastlingError, IllegalPositionError
from tbgen.rules.fen import broken_rule
from tbgen.score import MATE_CODE, STALEMATE_CODE, Accrued

MOST_KING_CODE: Final = 17
"""A bare king has at most 8 moves."""


def check_position(board: chess.Board, is_known: bool) -> None:
    """Refuse what no table knows; of a material seen before, only what its men do not already say."""
    suspicious = board.ep_square is not None or board.pawns & chess.BB_BACKRANKS or not is_known
    if suspicious or board.was_into_check():
        rule = broken_rule(board)
        if rule is not None:
            raise IllegalPositionError(board.fen(), rule)
    if board.castling_rights:
        raise CastlingError(board.fen())


def check_accrued(board: chess.Board, accrued: Accrued) -> None:
    """Refuse a score that nothing in this phase of a game can have left."""
    if accrued.code in (MATE_CODE, STALEMATE_CODE):
        raise AccruedError(str(accrued), "the game would have ended before this position")
    bare = [board.occupied_co[color].bit_count() == 1 for color in (chess.WHITE, chess.BLACK)]
    if bare[accrued.holder] and accrued.in_check:
        raise AccruedError(str(accrued), f"{accrued.holder}'s king alone gives no check")
    if bare[accrued.holder.other] and accrued.code > MOST_KING_CODE:
        raise AccruedError(str(accrued), f"{accrued.holder.other}'s king alone has at most 8 moves")
