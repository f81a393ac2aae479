"""The variants of chess that python-chess knows: first positions, and ends by their own rules.

Own score and resets follow from the legal moves, the checks and the zeroing moves of their boards.
"""

from __future__ import annotations

import chess

from tbgen.errors import FenError, UsageError
from tbgen.rules.notation import refuse_illegal
from tbgen.rules.stage import End, Ply
from tbgen.score import MATE_CODE, Color, Score


def variant_board(name: str, fen: str | None = None) -> chess.Board:
    """The first position of a game of a variant; it has no seventh field.

    >>> variant_board("Atomic").uci_variant
    'atomic'
    """
    import chess.variant  # which most programs never need

    try:
        kind = chess.variant.find_variant(name)
    except ValueError:
        raise UsageError(f"no rules for the variant {name!r}") from None
    try:
        board = kind(kind.starting_fen if fen is None else fen)
    except ValueError as error:
        raise FenError(str(fen), str(error)) from None
    refuse_illegal(board, fen)
    return board


def by_variant(board: chess.Board, before: Ply, ply: Ply) -> Ply:
    """The ply that led to a board, if a rule of its variant has ended the game: a win is a mate,
    and after a draw the accrued score stands.

    The winner may be the side to move: in antichess it has no man left.
    """
    # `board.outcome` would also look for repetitions, and compare all positions of the game.
    if board.is_variant_loss():
        winner = not board.turn
    elif board.is_variant_win():
        winner = board.turn
    elif board.is_variant_draw():
        return ply._replace(accrued=before.accrued, since=before.since, end=End.VARIANT)
    else:
        return ply
    return ply._replace(
        accrued=Score(MATE_CODE, Color.of(winner)), since=ply.number, end=End.VARIANT
    )
