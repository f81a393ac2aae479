"""FEN with the seventh field that carries the accrued score.

>>> board, accrued = parse_fen("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0")
>>> str(accrued), format_fen(board, accrued)
('G4.0', '8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0')
"""

from __future__ import annotations

import re

import chess

from tbgen.arguments import expect
from tbgen.errors import AccruedError, FenError, IllegalPositionError
from tbgen.rules.accrual import first_accrued, why_not_accrued
from tbgen.rules.position import color_of, expect_board, own_score
from tbgen.score import Accrued, Mobility, Outcome, expect_score, parse_score

_SCORE_FIELD = 6
_CLOCK_NAMES = {4: "halfmove clock", 5: "move number"}
_CLOCK = re.compile(r"[0-9]{1,5}")

# The first rule that is broken is the one that is named. Positions that no game can reach but that can be
# played on, such as an impossible double check, are legal here: tables hold them.
_RULES = (
    (chess.STATUS_EMPTY, "the board is empty"),
    (chess.STATUS_NO_WHITE_KING, "White has no king"),
    (chess.STATUS_NO_BLACK_KING, "Black has no king"),
    (chess.STATUS_TOO_MANY_KINGS, "a side has exactly one king"),
    (chess.STATUS_PAWNS_ON_BACKRANK, "no pawn stands on the first or last rank"),
    (chess.STATUS_TOO_MANY_WHITE_PAWNS, "White has at most 8 pawns"),
    (chess.STATUS_TOO_MANY_BLACK_PAWNS, "Black has at most 8 pawns"),
    (chess.STATUS_TOO_MANY_WHITE_PIECES, "White has at most 16 men"),
    (chess.STATUS_TOO_MANY_BLACK_PIECES, "Black has at most 16 men"),
    (chess.STATUS_BAD_CASTLING_RIGHTS, "castling rights need king and rook on their first squares"),
    (chess.STATUS_INVALID_EP_SQUARE, "the en passant square does not follow a double step"),
)


def parse_fen(
    text: str, *, chess960: bool = False, game: Mobility = Mobility.RESET
) -> tuple[chess.Board, Accrued | None]:
    """Parse a FEN; return the position, and the accrued score if the text has one.

    Fields left out at the end have their usual defaults. If the halfmove clock is 0, or the position's own
    score is lower than the field, the field is redundant and the own score is returned in its place. Under whole-game
    mobility the clock does not matter.

    >>> board, accrued = parse_fen("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0")
    >>> board.epd(), str(accrued)
    ('8/8/4K3/5Bk1/8/8/8/8 w - -', 'G4.0')
    """
    fields = expect(text, str, "fen", "a text").split()
    if not fields:
        raise FenError(text, "it is empty")
    if len(fields) > _SCORE_FIELD + 1:
        raise FenError(text, "it has more than seven fields")
    board = _board_of(text, fields, chess960=chess960)
    if len(fields) <= _SCORE_FIELD:
        return board, None
    return board, carried_into(board, parse_score(fields[_SCORE_FIELD]), game)


def format_fen(board: chess.Board, accrued: Accrued | Outcome | str | None = None) -> str:
    """The FEN of `board`, with the accrued score as its seventh field if there is one.

    >>> format_fen(chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30"), parse_score("G4.0"))
    '8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0'
    """
    fen = expect_board(board).fen()
    return fen if accrued is None else f"{fen} {expect_score(accrued, 'accrued')}"


def _board_of(text: str, fields: list[str], *, chess960: bool) -> chess.Board:
    for place, name in _CLOCK_NAMES.items():
        if len(fields) > place and not _CLOCK.fullmatch(fields[place]):
            raise FenError(text, f"{name} {fields[place]!r} is not a number")
    try:
        board = chess.Board(" ".join(fields[:_SCORE_FIELD]), chess960=chess960)
    except ValueError as error:
        raise FenError(text, str(error)) from None
    board.chess960 = board.chess960 or board.has_chess960_castling_rights()
    rule = broken_rule(board)
    if rule is not None:
        raise IllegalPositionError(text, rule)
    return board


def broken_rule(board: chess.Board) -> str | None:
    """The first rule of chess that the position breaks."""
    status = board.status()
    if status == chess.STATUS_VALID:
        return None
    for flag, rule in _RULES:
        if status & flag:
            return rule
    if not status & chess.STATUS_OPPOSITE_CHECK:
        return None
    if chess.square_distance(*chess.SquareSet(board.kings)) == 1:
        return "the kings stand next to each other"
    return f"{color_of(not board.turn)} is in check but {color_of(board.turn)} is to move"


def carried_into(board: chess.Board, accrued: Accrued, game: Mobility = Mobility.RESET) -> Accrued:
    """The accrued score of a position for which a text gives `accrued`."""
    own = own_score(board)
    if game.forgets and board.halfmove_clock == 0:
        return own
    if accrued != own and (reason := why_not_accrued(accrued)) is not None:
        raise AccruedError(str(accrued), reason)
    return first_accrued(board, own, accrued, game)


def with_score(board: chess.Board, accrued: Accrued) -> tuple[chess.Board, Accrued]:
    """A copy of a position with `accrued` carried into it and a halfmove clock of at least 1, and its accrued score."""
    carried = board.copy(stack=False)
    carried.halfmove_clock = max(1, board.halfmove_clock)
    return carried, carried_into(carried, accrued)
