"""Positions and moves as people and programs write them.

A FEN has a seventh field that carries the accrued score.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import chess

from tbgen.errors import FenError, IllegalPositionError, MoveError, UsageError, expect
from tbgen.men import Man
from tbgen.rules.own_board import board_from_fen, kinds_on
from tbgen.rules.position import expect_any_board, first_accrued, own_of, own_score, play_move
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import LIKE_A_SCORE, MATE_CODE, Color, Mobility, Score, expect_score

RESULTS = {"1-0": "1-0", "0-1": "0-1", "1/2-1/2": "1/2-1/2", "½-½": "1/2-1/2", "*": "*"}
"""The words that end a game, and how tbgen writes them."""

_BETWEEN = re.compile(r"\{[^}]*\}|[\s,]+")
_NUMBER = re.compile(r"^[0-9]+\.+")
_NO_MOVE = re.compile(r"[0-9]*|\.+|e\.?p\.?|N|\x1a|\$[0-9]*|(?!--$)[-!?=~/+−±∓⩲⩱□∞]+")
_ENDING = re.compile(r"(?:e\.?p\.?)?[+#!?]*$")
_PROMOTION = re.compile(r"(?<=[a-h][18])(?:/|\(|=\()([A-Za-z])\)?$")
_LETTERS = str.maketrans("♔♕♖♗♘♚♛♜♝♞‐‑–−", "KQRBNKQRBN----", "♙♟")
_LIKE_A_MOVE = re.compile(r"[KQRBN]?[a-z]?[0-9]?[x:-]?[a-z][0-9](?:=?[QRBNqrbn])?")
_CASTLING = re.compile(r"[oO0]-[oO0](?:-[oO0])?")

_SCORE_FIELD = 6
_CLOCK_NAMES = {4: "halfmove clock", 5: "move number"}
_CLOCK = re.compile(r"[0-9]{1,5}")

# An error names the first broken rule. Unreachable positions are legal if they can be played on,
# such as those with an impossible double check: tables have them.
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


def move_in(word: str) -> str:
    """The move that a word of a game writes; empty if the word is a number, a sign or a result."""
    if word in RESULTS:
        return ""
    move = _NUMBER.sub("", word, count=1).rstrip("!?")
    return "" if _NO_MOVE.fullmatch(move) else move


def moves_in(text: str | Iterable[str]) -> list[str]:
    """The moves of one text or of many, without move numbers, signs, comments and results.

    >>> moves_in(["1. e4! e5", "2.Nf3 {the best square} 2... b8c6 $1", "*"])
    ['e4', 'e5', 'Nf3', 'b8c6']
    """
    moves = [move_in(word) for word in _words_in(text)]
    return [move for move in moves if move]


def line_in(text: str | Iterable[str]) -> list[str]:
    """The moves of a line that is to be played; a result among them is refused.

    >>> line_in("1. e4 e5 {1-0 on time} *")
    ['e4', 'e5']
    """
    words = _words_in(text)
    for word in words:
        if RESULTS.get(word, "*") != "*":
            raise UsageError(
                f"{word} is a result and no move; leave it out, or read the game as PGN"
            )
    return moves_in(words)


def _words_in(text: str | Iterable[str]) -> list[str]:
    given: object = text
    texts: Iterable[object] = (given,)
    if isinstance(given, Iterable) and not isinstance(given, str):
        texts = given
    words = list[str]()
    for part in texts:
        words += _BETWEEN.split(_text(part))
    return words


def parse_move(board: chess.Board, text: str, ply: int = 1) -> chess.Move:
    """The legal move that `text` writes in SAN or as in UCI.

    MoveError names `ply` if there is none.

    Castling may be written with zeros, a promotion as e8=Q, e8Q, e8(Q) or e8/Q, a man as its
    figure.

    >>> parse_move(chess.Board(), "Nf3"), parse_move(chess.Board(), "g1f3")
    (Move.from_uci('g1f3'), Move.from_uci('g1f3'))
    """
    expect_any_board(board)
    move, reason = _read(board, _text(text))
    if move is None:
        raise MoveError(text, ply, reason, _why_not(board, text))
    return move


def _read(board: chess.Board, text: str) -> tuple[chess.Move | None, str]:
    """The legal move that a text writes in any spelling; None and the reason if there is none."""
    reason = "illegal move"
    for written in _spellings(text):
        for parse in (board.parse_san, board.parse_uci):
            try:
                move = parse(written)
            except chess.AmbiguousMoveError:
                reason = "ambiguous move"
            except ValueError:
                continue
            else:
                if move:  # a null move is none
                    return move, ""
    return None, reason


def _why_not(board: chess.Board, text: str) -> str:
    """Why a text is no legal move, where there is a plain reason; else nothing."""
    if board.is_variant_end():
        return f"the game is over by a rule of {board.aliases[0]}"
    if not any(board.legal_moves):
        end = "checkmate" if board.is_check() else "stalemate"
        return f"the game is over by {end}"
    _, plain = _spellings(text)
    if _LIKE_A_MOVE.fullmatch(plain):
        squares = re.findall("[a-z][0-9]", plain)
        strange = [square for square in squares if square not in chess.SQUARE_NAMES]
        if strange:
            return f"there is no square {strange[-1]}"
    other = board.copy(stack=False)
    other.turn = not board.turn
    other.ep_square = None
    move, _ = _read(other, text)
    if move is None:
        return ""
    return f"it is {Color.of(board.turn)}'s turn"


def san_of(board: chess.Board, move: chess.Move, own: Score) -> str:
    """A legal move in SAN; `own` is the score of the position after it, which tells check and mate.

    The same as `board.san(move)`, which has to play the move to find out.

    >>> from tbgen.score import Score
    >>> board, check = chess.Board("8/8/8/8/8/5k2/4r3/5K2 b - - 0 1"), Score("-G1.0")
    >>> san_of(board, chess.Move.from_uci("e2e1"), check)
    'Re1+'
    """
    piece_type = board.piece_type_at(move.from_square)
    if piece_type is None or board.is_castling(move):
        # python-chess plays the move, and threads share the board. Without a man it raises an
        # error.
        return board.copy(stack=False).san(move)
    square = chess.SQUARE_NAMES[move.to_square]
    takes = "x" if board.is_capture(move) else ""
    end = "" if own.code % 2 else "+"
    if own.code == MATE_CODE:
        end = "#"
    if piece_type == chess.PAWN:
        file = chess.FILE_NAMES[move.from_square % 8] if takes else ""
        promotion = f"={chess.piece_symbol(move.promotion).upper()}" if move.promotion else ""
        return f"{file}{takes}{square}{promotion}{end}"
    twins = board.pieces_mask(piece_type, board.turn) & ~chess.BB_SQUARES[move.from_square]
    if twins and twins & board.attackers_mask(board.turn, move.to_square):
        return board.copy(stack=False).san(move)  # another man can go there, too
    return f"{kinds_on(board)[piece_type - 1].letter}{takes}{square}{end}"


def parse_one(board: chess.Board, text: str, ply: int = 1) -> chess.Move:
    """The legal move that a text writes, with or without its number.

    MoveError if it writes none or several.
    """
    moves = moves_in(text)
    if len(moves) != 1:
        raise MoveError(text, ply, "not one move:")
    return parse_move(board, moves[0], ply)


def _text(text: object) -> str:
    return expect(text, str, "move", "written as a text such as 'e4'")


def _spellings(text: str) -> tuple[str, str]:
    """The text as it is, and with other programs' spellings replaced by SAN."""
    plain = _ENDING.sub("", text.translate(_LETTERS))
    plain = _PROMOTION.sub(r"=\1", plain)
    if _CASTLING.fullmatch(plain):
        plain = re.sub("[o0]", "O", plain)
    return text, plain


def parse_fen(
    text: str,
    *,
    chess960: bool = False,
    mobility: Mobility = Mobility.RESET,
    men: Sequence[Man] = (),
) -> tuple[chess.Board, Score | None]:
    """Parse a FEN.

    Arguments:
        text: Up to seven fields. Fields left out at the end have their usual defaults.
        chess960: Read castling rights as Chess960 has them.
        mobility: The mobility that the seventh field is of.
        men: Men of your own that may stand on the board.

    Returns:
        The position, and the accrued score if the text has one. If the halfmove clock is 0, or the
        position's own score is lower than the field, the own score stands in its place. Under
        whole-game mobility the clock does not matter. From a clock of 100 on the field stands,
        because the fifty-move rule may have ended the game.

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
    for index, name in _CLOCK_NAMES.items():
        if len(fields) > index and not _CLOCK.fullmatch(fields[index]):
            raise FenError(text, f"{name} {fields[index]!r} is no number of up to five digits")
    try:
        board = board_from_fen(" ".join(fields[:_SCORE_FIELD]), men, chess960=chess960)
    except ValueError as error:
        raise FenError(text, str(error)) from None
    board.chess960 = board.chess960 or board.has_chess960_castling_rights()
    refuse_illegal(board, text)
    if len(fields) <= _SCORE_FIELD:
        return board, None
    return board, carried_into(board, Score(fields[_SCORE_FIELD]), mobility)


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
    fen = expect_any_board(board).fen()
    if accrued is None:
        return fen
    return f"{fen} {expect_score(accrued, 'accrued')}"


def refuse_illegal(board: chess.Board, fen: str | None = None) -> None:
    """Raise IllegalPositionError if the position breaks a rule of chess.

    `fen` is the text that it comes from.
    """
    rule = broken_rule(board)
    if rule is not None:
        raise IllegalPositionError(board.fen() if fen is None else fen, rule)


def broken_rule(board: chess.Board) -> str | None:
    """The first rule of chess that the position breaks."""
    if board.promoted & board.kings:  # python-chess gives such a king no check
        return "a king is marked as a promoted pawn"
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
    return f"{Color.of(not board.turn)} is in check but {Color.of(board.turn)} is to move"


def carried_into(board: chess.Board, accrued: Score, mobility: Mobility = Mobility.RESET) -> Score:
    """The accrued score of a position for which a text gives `accrued`.

    At a clock of 100 the game may have ended.
    """
    return first_accrued(board, own_of(board), accrued, mobility, FiftyMoves(FiftyMoveSetting.FIDE))


def with_score(
    board: chess.Board, accrued: Score, mobility: Mobility = Mobility.RESET
) -> tuple[chess.Board, Score]:
    """A copy of a position with an accrued score carried into it, and its accrued score.

    The copy has a halfmove clock of at least 1.
    """
    carried = board.copy(stack=False)
    carried.halfmove_clock = max(1, board.halfmove_clock)
    return carried, carried_into(carried, accrued, mobility)


START = "startpos"

_SCORE_PATTERN = re.compile(rf"-|{LIKE_A_SCORE}")
"""A hyphen, as other fields have it for nothing, is no score: it is refused, and no move."""
_FIELDS = (
    re.compile(r"[wb]"),
    re.compile(r"-|[KQkqA-Ha-h]{1,4}"),
    re.compile(r"-|[a-h][36]"),
    re.compile(r"[0-9]+"),
    re.compile(r"[0-9]+"),
    _SCORE_PATTERN,
)
"""The patterns of a FEN's fields after the men, in their order."""
_BARE_NUMBER = re.compile(r"-?[0-9]+")
_MOVES_BEGIN = re.compile(
    rf"[{{$*]|[0-9]+\.(?![0-9]+$)|{_LIKE_A_MOVE.pattern}|{_CASTLING.pattern}|--"
)


def fen_and_moves(words: Sequence[str]) -> tuple[str, list[str]]:
    """Split words into the FEN at their beginning and the moves after it.

    A first word with spaces or underscores is a whole FEN, and a score may follow it. Else the
    words that follow belong to it as long as no move can begin with them. Nothing is checked here.

    >>> fen_and_moves(["8/8/8/4KBk1/8/8/8/8", "b", "-", "-", "3", "9", "G2.5", "Kh4", "Kf4"])
    ('8/8/8/4KBk1/8/8/8/8 b - - 3 9 G2.5', ['Kh4', 'Kf4'])
    >>> fen_and_moves(["8/8/8/4KBk1/8/8/8/8 b - - 3 9", "G2.5", "Kh4"])
    ('8/8/8/4KBk1/8/8/8/8 b - - 3 9 G2.5', ['Kh4'])
    >>> fen_and_moves(["8/8/8/4KBk1/8/8/8/8_b_-_-_0_1"])
    ('8/8/8/4KBk1/8/8/8/8 b - - 0 1', [])
    >>> fen_and_moves(["startpos", "moves", "e2e4"])[1]
    ['e2e4']
    """
    first = words[0] if words else ""
    rest = list(words[1:])
    fields = first.replace("_", " ").split()
    if fields and fields[0] == START:
        fen = chess.STARTING_FEN
        rest = [*fields[1:], *rest]
    elif len(fields) > 1:
        fen = first.replace("_", " ")
        lacks_score = len(fields) == len(_FIELDS)
        if lacks_score and rest and _SCORE_PATTERN.fullmatch(rest[0].strip()):
            fen = f"{fen} {rest[0].strip()}"
            rest = rest[1:]
    else:
        number = _fields_at_the_start(rest) if "/" in first else 0
        fen = " ".join([first, *(word.strip() for word in rest[:number])])
        rest = rest[number:]
    if rest[:1] == ["moves"]:
        rest = rest[1:]
    return fen, rest


def _fields_at_the_start(words: Sequence[str]) -> int:
    """How many words are the fields of a FEN after the men, the wrong ones included.

    >>> _fields_at_the_start(["b", "-", "a9", "0", "1", "e5"]), _fields_at_the_start(["b", "e5"])
    (5, 1)
    """
    given = [word.strip() for word in words]
    number = 0
    for pattern, word, following in zip(_FIELDS, given, [*given[1:], ""], strict=False):
        is_field = pattern.fullmatch(word) is not None
        if not is_field and pattern is not _SCORE_PATTERN:
            # No move is followed by a bare number: the number of the next move has a point.
            is_field = not _starts_moves(word) or _BARE_NUMBER.fullmatch(following) is not None
        if not is_field:
            break
        number += 1
    return number


def _starts_moves(word: str) -> bool:
    """Whether moves may begin with this word, which is no right field of a FEN."""
    if re.fullmatch("[a-z][0-9]", word):
        return word in chess.SQUARE_NAMES
    return word == "moves" or _MOVES_BEGIN.match(word.translate(_LETTERS)) is not None


def position_of(
    fen: str,
    moves: str | Iterable[str] = (),
    accrued: Score | None = None,
    mobility: Mobility = Mobility.RESET,
    men: Sequence[Man] = (),
) -> tuple[chess.Board, Score | None]:
    """The position after some moves, and what has then accrued.

    None if that is the position's own score.

    `accrued` is what had accrued before the moves, and replaces what the FEN says.
    """
    board, carried = parse_fen(fen, mobility=mobility, men=men)
    score = carried if accrued is None else accrued
    for ply, text in enumerate(line_in(moves), 1):
        own = own_score(board)
        before = own if score is None else score.after(own, reset=False)
        score = play_move(board, parse_move(board, text, ply), before, mobility).accrued
    if board.move_stack:
        board = board.copy(stack=False)
    return board, score


def picture_of(board: chess.Board) -> str:
    """The board as eight lines, White below, with the side to move."""
    ranks = str(board).splitlines()
    lines = [f"{8 - number} {rank}" for number, rank in enumerate(ranks)]
    lines.append("  a b c d e f g h")
    lines.append(f"{Color.of(board.turn)} to move")
    return "\n".join(lines)
