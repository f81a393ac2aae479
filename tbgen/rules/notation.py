"""Moves as people and programs write them.

>>> moves_in("1. e4 e5 2.Nf3! {the best square} 2... b8c6 $1 *")
['e4', 'e5', 'Nf3', 'b8c6']
>>> parse_move(chess.Board("4k2r/8/8/8/8/8/8/4K3 b k - 0 1"), "0-0").uci()
'e8g8'
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import chess

from tbgen.errors import MoveError, UsageError, expect
from tbgen.rules.position import expect_board
from tbgen.score import MATE_CODE, Score

RESULTS = {"1-0": "1-0", "0-1": "0-1", "1/2-1/2": "1/2-1/2", "½-½": "1/2-1/2", "*": "*"}
"""The words that end a game, and how we write them."""

_BETWEEN = re.compile(r"\{[^}]*\}|[\s,]+")
_NUMBER = re.compile(r"^[0-9]+\.+")
_NO_MOVE = re.compile(r"[0-9]*|\.+|e\.?p\.?|N|\x1a|\$[0-9]*|(?!--$)[-!?=~/+−±∓⩲⩱□∞]+")
_ENDING = re.compile(r"(?:e\.?p\.?)?[+#!?]*$")
_PROMOTION = re.compile(r"(?<=[a-h][18])(?:/|\(|=\()([A-Za-z])\)?$")
_LETTERS = str.maketrans("♔♕♖♗♘♚♛♜♝♞‐‑–−", "KQRBNKQRBN----", "♙♟")
_LIKE_A_MOVE = re.compile(r"[KQRBN]?[a-z]?[0-9]?[x:-]?[a-z][0-9](?:=?[QRBNqrbn])?")
_CASTLING = re.compile(r"[oO0]-[oO0](?:-[oO0])?")


def move_in(word: str) -> str:
    """The move that a word of a game writes; empty if the word is a number, a sign or a result."""
    if word in RESULTS:
        return ""
    move = _NUMBER.sub("", word, count=1).rstrip("!?")
    return "" if _NO_MOVE.fullmatch(move) else move


def moves_in(text: str | Iterable[str]) -> list[str]:
    """The moves of one text or of many: move numbers, signs, comments in braces and results are left out.

    >>> moves_in(["1. e4! e5", "Nf3", "*"])
    ['e4', 'e5', 'Nf3']
    """
    return [move for word in _words_in(text) if (move := move_in(word))]


def line_in(text: str | Iterable[str]) -> list[str]:
    """The moves of a line that is to be played; a result among them is refused.

    >>> line_in("1. e4 e5 {1-0 on time} *")
    ['e4', 'e5']
    """
    words = _words_in(text)
    for word in words:
        if RESULTS.get(word, "*") != "*":
            raise UsageError(f"{word} is a result and no move; leave it out, or read the game as PGN")
    return moves_in(words)


def _words_in(text: str | Iterable[str]) -> list[str]:
    given: object = text
    texts: Iterable[object] = given if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    return [word for each in texts for word in _BETWEEN.split(_text(each))]


def parse_move(board: chess.Board, text: str, ply: int = 1) -> chess.Move:
    """The legal move that `text` writes in SAN or as in UCI; MoveError names `ply` if there is none.

    Castling may be written with zeros, a promotion as e8=Q, e8Q, e8(Q) or e8/Q, a man as its figure.

    >>> parse_move(chess.Board(), "Nf3"), parse_move(chess.Board(), "g1f3")
    (Move.from_uci('g1f3'), Move.from_uci('g1f3'))
    """
    expect_board(board)
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
                if move := parse(written):
                    return move, ""
            except chess.AmbiguousMoveError:
                reason = "ambiguous move"
            except ValueError:
                pass
    return None, reason


def _why_not(board: chess.Board, text: str) -> str:
    """Why a text is no legal move, where there is a plain reason; else nothing."""
    if not any(board.legal_moves):
        return f"the game is over by {'checkmate' if board.is_check() else 'stalemate'}"
    _, plain = _spellings(text)
    if _LIKE_A_MOVE.fullmatch(plain):
        strange = [square for square in re.findall("[a-z][0-9]", plain) if square not in chess.SQUARE_NAMES]
        if strange:
            return f"there is no square {strange[-1]}"
    other = board.copy(stack=False)
    other.turn, other.ep_square = not board.turn, None
    return f"it is {'White' if board.turn else 'Black'}'s turn" if _read(other, text)[0] else ""


def san_of(board: chess.Board, move: chess.Move, own: Score) -> str:
    """A legal move in SAN; `own` is the score of the position after it, which says whether it gives check or mate.

    The same as `board.san(move)`, which would play the move to see.

    >>> from tbgen.score import Score
    >>> board, check = chess.Board("8/8/8/8/8/5k2/4r3/5K2 b - - 0 1"), Score("-G1.0")
    >>> san_of(board, chess.Move.from_uci("e2e1"), check)
    'Re1+'
    """
    role, origin, target = board.piece_type_at(move.from_square), move.from_square, move.to_square
    if role is None or (role == chess.KING and abs(origin - target) == 2):
        return board.san(move)  # castling; and what python-chess says of a move without a man
    takes, square = "x" if board.is_capture(move) else "", chess.SQUARE_NAMES[target]
    end = "#" if own.code == MATE_CODE else "" if own.code % 2 else "+"
    if role == chess.PAWN:
        promotion = f"={chess.piece_symbol(move.promotion).upper()}" if move.promotion else ""
        return f"{chess.FILE_NAMES[origin % 8] if takes else ''}{takes}{square}{promotion}{end}"
    return f"{chess.piece_symbol(role).upper()}{_apart(board, role, origin, target)}{takes}{square}{end}"


def _apart(board: chess.Board, role: chess.PieceType, origin: chess.Square, target: chess.Square) -> str:
    """The letters that distinguish a man from others of its kind with a move to the same square."""
    others = board.pieces_mask(role, board.turn) & ~chess.BB_SQUARES[origin]
    rivals = others and [each.from_square for each in board.generate_legal_moves(others, chess.BB_SQUARES[target])]
    if not rivals:
        return ""
    file, rank = chess.FILE_NAMES[origin % 8], chess.RANK_NAMES[origin // 8]
    if all(rival % 8 != origin % 8 for rival in rivals):
        return file
    return rank if all(rival // 8 != origin // 8 for rival in rivals) else file + rank


def parse_one(board: chess.Board, text: str, ply: int = 1) -> chess.Move:
    """The legal move that a text writes, with or without its number; MoveError if it writes none or several."""
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
