"""Checks: what no table knows is refused before it is looked for."""

from __future__ import annotations

import chess

from tbgen.errors import AccruedError, CastlingError, IllegalPositionError, TooManyMenError
from tbgen.material import MOST_BUILT_MEN, MOST_TABLE_MEN
from tbgen.rules.accrual import why_not_accrued
from tbgen.rules.fen import broken_rule
from tbgen.rules.position import material_of
from tbgen.score import Accrued, Mobility


def check_position(board: chess.Board, is_known: bool) -> None:
    """Refuse what no table knows; of a material seen before, only what its men do not already say."""
    suspicious = board.ep_square is not None or board.pawns & chess.BB_BACKRANKS or not is_known
    if suspicious or board.was_into_check():
        rule = broken_rule(board)
        if rule is not None:
            raise IllegalPositionError(board.fen(), rule)
    if has_too_many_men(board):
        raise TooManyMenError(str(material_of(board)), board.occupied.bit_count(), MOST_TABLE_MEN)
    if board.castling_rights:
        raise CastlingError(board.fen())


def has_too_many_men(board: chess.Board) -> bool:
    """Whether no table can answer, whatever lies in the folders.

    A table of six men may be there; with castling rights it would not answer, so six men are too many then.
    """
    return board.occupied.bit_count() > (MOST_TABLE_MEN if board.castling_rights else MOST_BUILT_MEN)


def check_accrued(board: chess.Board, accrued: Accrued, game: Mobility = Mobility.RESET) -> None:
    """Refuse a score that nothing in this phase of a game can have left; a whole game has had other men."""
    reason = why_not_accrued(accrued, bare_sides(board, game))
    if reason is not None:
        raise AccruedError(str(accrued), reason)


def bare_sides(board: chess.Board, game: Mobility) -> list[bool]:
    """By colour, whether a side has had its king alone for as long as the accrued score goes back."""
    return [game.forgets and board.occupied_co[color].bit_count() == 1 for color in (chess.WHITE, chess.BLACK)]
