"""FEN with the seventh field that carries the accrued score.

>>> board, accrued = parse_fen("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0")
>>> str(accrued), format_fen(board, accrued)
('G4.0', '8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0')

Positions as people type them, with moves after them, in quotes or not, with underscores, or by name:

>>> fen_and_moves(["8/8/8/4KBk1/8/8/8/8", "b", "-", "-", "3", "9", "G2.5", "Kh4", "Kf4"])
('8/8/8/4KBk1/8/8/8/8 b - - 3 9 G2.5', ['Kh4', 'Kf4'])
>>> fen_and_moves(["8/8/8/4KBk1/8/8/8/8_b_-_-_0_1"]), fen_and_moves(["startpos", "moves", "e2e4"])[1]
(('8/8/8/4KBk1/8/8/8/8 b - - 0 1', []), ['e2e4'])
>>> board, accrued = position_of("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0", ["Ke5"])
>>> board.board_fen(), str(accrued)
('8/8/8/4KBk1/8/8/8/8', 'G3.5')
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

import chess

from tbgen.errors import FenError, IllegalPositionError, expect
from tbgen.rules.notation import line_in, parse_move
from tbgen.rules.position import accrued_in, color_of, expect_board, own_score, play_move
from tbgen.score import LIKE_A_SCORE, Mobility, Score, expect_score

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
) -> tuple[chess.Board, Score | None]:
    """Parse a FEN.

    Arguments:
        text: Up to seven fields. Fields left out at the end have their usual defaults.
        chess960: Read castling rights as Chess960 has them.
        game: The game that the seventh field is of.

    Returns:
        The position, and the accrued score if the text has one. If the halfmove clock is 0, or the position's own score
        is lower than the field, the own score stands in its place. Under whole-game mobility the clock does not matter.

    Raises:
        FenError: The text is not a FEN.
        IllegalPositionError: The position breaks a rule of chess.
        ScoreFormatError: The seventh field is no score.
        AccruedError: No game can carry the score into the position.

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
    return board, carried_into(board, Score(fields[_SCORE_FIELD]), game)


def format_fen(board: chess.Board, accrued: Score | str | None = None) -> str:
    """The FEN of a position, with its accrued score.

    Arguments:
        board: The position.
        accrued: The accrued score, for the seventh field.

    Returns:
        A FEN of seven fields, or of six without an accrued score.

    Raises:
        ScoreFormatError: The text of `accrued` is no score.

    >>> format_fen(chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30"), Score("G4.0"))
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
    refuse_illegal(board, text)
    return board


def refuse_illegal(board: chess.Board, fen: str | None = None) -> None:
    """Raise IllegalPositionError if the position breaks a rule of chess; `fen` is the text that it comes from."""
    rule = broken_rule(board)
    if rule is not None:
        raise IllegalPositionError(board.fen() if fen is None else fen, rule)


def broken_rule(board: chess.Board) -> str | None:
    """The first rule of chess that the position breaks."""
    status = board.status()
    for flag, rule in _RULES:
        if status & flag:
            return rule
    if not status & chess.STATUS_OPPOSITE_CHECK:
        return None
    if chess.square_distance(*chess.SquareSet(board.kings)) == 1:
        return "the kings stand next to each other"
    return f"{color_of(not board.turn)} is in check but {color_of(board.turn)} is to move"


def carried_into(board: chess.Board, accrued: Score, game: Mobility = Mobility.RESET) -> Score:
    """The accrued score of a position for which a text gives `accrued`."""
    own = own_score(board)
    return own if game.forgets and board.halfmove_clock == 0 else accrued_in(accrued, own)


def with_score(board: chess.Board, accrued: Score) -> tuple[chess.Board, Score]:
    """A copy of a position with `accrued` carried into it and a halfmove clock of at least 1, and its accrued score."""
    carried = board.copy(stack=False)
    carried.halfmove_clock = max(1, board.halfmove_clock)
    return carried, carried_into(carried, accrued)


START = "startpos"

_FIELDS = (
    re.compile(r"[wb]"),
    re.compile(r"-|[KQkqA-Ha-h]{1,4}"),
    re.compile(r"-|[a-h][36]"),
    re.compile(r"[0-9]+"),
    re.compile(r"[0-9]+"),
    re.compile(LIKE_A_SCORE),
)
"""The patterns of the words after the men, in their order, if they belong to a FEN."""


def fen_and_moves(words: Sequence[str]) -> tuple[str, list[str]]:
    """Split words into the FEN at their beginning and the moves after it.

    A first word with spaces or underscores is a whole FEN. Else the words that follow belong to it as long as
    they look like its fields. Nothing is checked here.
    """
    first, *rest = words if words else [""]
    inner = first.replace("_", " ").split()
    if inner and inner[0] == START:
        fen, rest = chess.STARTING_FEN, [*inner[1:], *rest]
    elif len(inner) > 1:
        fen = first.replace("_", " ")
    else:
        fields = zip(_FIELDS, map(str.strip, rest), strict=False)
        taken = [word for _, word in itertools.takewhile(lambda pair: pair[0].fullmatch(pair[1]), fields)]
        fen, rest = " ".join([first, *taken]), rest[len(taken) :]
    return fen, rest[1:] if rest[:1] == ["moves"] else rest


def position_of(
    fen: str, moves: str | Iterable[str] = (), accrued: Score | None = None, game: Mobility = Mobility.RESET
) -> tuple[chess.Board, Score | None]:
    """The position after some moves, and what has then accrued; None if that is the position's own score.

    `accrued` is what had accrued before the moves, and replaces what the FEN says.
    """
    board, carried = parse_fen(fen, game=game)
    score = carried if accrued is None else accrued
    for ply, text in enumerate(line_in(moves), 1):
        before = own_score(board) if score is None else score
        score = play_move(board, parse_move(board, text, ply), before, game).accrued
    return board.copy(stack=False), score


def picture_of(board: chess.Board) -> str:
    """The board as eight lines, White below, with the side to move."""
    lines = [f"{8 - number} {rank}" for number, rank in enumerate(str(board).splitlines())]
    return "\n".join([*lines, "  a b c d e f g h", f"{color_of(board.turn)} to move"])
