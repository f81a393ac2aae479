"""The reader in C as a shared library.

It is called with python-chess's bitboards, as an engine calls it with its own.
"""

from __future__ import annotations

import ctypes
import enum
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import chess

from tbgen.score import Color, Score
from tests.readers.c_reader import SHARED, build

MESSAGE = 256
TEXT = 16
MOVES = 256
ROLES = (chess.KING, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)
"""In the order of tbgen_reader.h."""


class Status(enum.IntEnum):
    """tbgen_status."""

    OK = 0
    NO_TABLE = 1
    BAD_POSITION = 2
    BAD_SCORE = 3
    DAMAGED = 4
    UNREADABLE = 5
    NO_MEMORY = 6


class CPosition(ctypes.Structure):
    """tbgen_position."""

    _fields_ = (
        ("sides", ctypes.c_uint64 * 2),
        ("roles", ctypes.c_uint64 * 6),
        ("to_move", ctypes.c_int),
        ("en_passant", ctypes.c_int),
    )


class CScore(ctypes.Structure):
    """tbgen_score."""

    _fields_ = (("holder", ctypes.c_int), ("code", ctypes.c_int))


class CValue(ctypes.Structure):
    """tbgen_value."""

    _fields_ = (("outcome", CScore), ("plies", ctypes.c_int))


class CMove(ctypes.Structure):
    """tbgen_move."""

    _fields_ = (("start", ctypes.c_int), ("end", ctypes.c_int), ("promotion", ctypes.c_int))


class CRootMove(ctypes.Structure):
    """tbgen_root_move."""

    _fields_ = (("move", CMove), ("value", CValue))


class Answer(NamedTuple):
    """A status, the message, and what the call has written."""

    status: Status
    message: str
    found: object


def position_of(board: chess.Board) -> CPosition:
    """A board as bitboards; castling rights are left out."""
    position = CPosition()
    position.sides[:] = (board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK])
    position.roles[:] = [
        board.pieces_mask(role, True) | board.pieces_mask(role, False) for role in ROLES
    ]
    position.to_move = int(not board.turn)
    position.en_passant = board.ep_square or 0
    return position


def c_score(score: Score) -> CScore:
    return CScore(int(score.holder), score.code)


def score_of(score: CScore) -> Score:
    return Score(score.code, list(Color)[score.holder])


def move_of(move: CMove) -> chess.Move:
    promotion = ROLES[move.promotion] if move.promotion else None
    return chess.Move(move.start, move.end, promotion)


class Library:
    """The functions of tbgen_reader.h."""

    def __init__(self, folder: Path) -> None:
        self.functions = ctypes.CDLL(str(build(folder / "reader.so", SHARED)))
        self.functions.tbgen_open.restype = ctypes.c_void_p
        self.functions.tbgen_open.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p)
        self.functions.tbgen_has_material.restype = ctypes.c_bool
        self.functions.tbgen_has_position.restype = ctypes.c_bool

    def open(self, folders: str, megabytes: int = 64) -> Tables | str:
        """Tables, or the message of an error."""
        message = ctypes.create_string_buffer(MESSAGE)
        handle = self.functions.tbgen_open(folders.encode(), megabytes, message)
        if handle is None:
            return message.value.decode()
        return Tables(self, ctypes.c_void_p(handle))

    def own_score(self, position: CPosition) -> Answer:
        own = CScore()
        message = ctypes.create_string_buffer(MESSAGE)
        status = self.functions.tbgen_own_score(ctypes.byref(position), ctypes.byref(own), message)
        score = score_of(own) if status == Status.OK else None
        return Answer(Status(status), message.value.decode(), score)

    def read_fen(self, fen: str) -> Answer:
        position = CPosition()
        message = ctypes.create_string_buffer(MESSAGE)
        into = ctypes.byref(position)
        status = self.functions.tbgen_read_fen(fen.encode(), into, message)
        return Answer(Status(status), message.value.decode(), position)

    def read_score(self, text: str) -> Score | None:
        """The score that the reader takes a text for; None if it is none."""
        score = CScore()
        status = self.functions.tbgen_read_score(text.encode(), ctypes.byref(score), None)
        return score_of(score) if status == Status.OK else None

    def write_score(self, score: Score) -> str:
        text = ctypes.create_string_buffer(TEXT)
        self.functions.tbgen_write_score(c_score(score), text)
        return text.value.decode()

    def legal_moves(self, position: CPosition) -> list[chess.Move]:
        moves = (CMove * MOVES)()
        count = self.functions.tbgen_legal_moves(ctypes.byref(position), moves)
        return [move_of(move) for move in moves[:count]]


class Tables:
    """A tbgen_tables."""

    def __init__(self, library: Library, handle: ctypes.c_void_p) -> None:
        self.functions = library.functions
        self.handle = handle

    def close(self) -> None:
        self.functions.tbgen_close(self.handle)

    def largest(self) -> int:
        return int(self.functions.tbgen_largest(self.handle))

    def has_material(self, name: str) -> bool:
        return bool(self.functions.tbgen_has_material(self.handle, name.encode()))

    def has_position(self, board: chess.Board) -> bool:
        position = position_of(board)
        return bool(self.functions.tbgen_has_position(self.handle, ctypes.byref(position)))

    def probe(self, position: CPosition, accrued: Score) -> Answer:
        """The outcome and the distance."""
        value = CValue()
        answer = self._ask("tbgen_probe", position, (c_score(accrued),), value)
        if answer.status is not Status.OK:
            return answer
        return answer._replace(found=(score_of(value.outcome), value.plies))

    def probe_outcome(self, position: CPosition, own: Score, accrued: Score) -> Answer:
        outcome = CScore()
        scores = (c_score(own), c_score(accrued))
        answer = self._ask("tbgen_probe_outcome", position, scores, outcome)
        if answer.status is not Status.OK:
            return answer
        return answer._replace(found=score_of(outcome))

    def probe_root(self, position: CPosition, accrued: Score) -> Answer:
        """The moves, each with its outcome and its distance."""
        moves = (CRootMove * MOVES)()
        count = ctypes.c_int()
        message = ctypes.create_string_buffer(MESSAGE)
        status = self.functions.tbgen_probe_root(
            self.handle,
            ctypes.byref(position),
            c_score(accrued),
            moves,
            ctypes.byref(count),
            message,
        )
        found = [
            (move_of(move.move), score_of(move.value.outcome), move.value.plies)
            for move in moves[: count.value]
        ]
        return Answer(Status(status), message.value.decode(), found)

    def _ask(
        self, name: str, position: CPosition, scores: Iterable[CScore], into: ctypes.Structure
    ) -> Answer:
        function = getattr(self.functions, name)
        message = ctypes.create_string_buffer(MESSAGE)
        status = function(self.handle, ctypes.byref(position), *scores, ctypes.byref(into), message)
        return Answer(Status(status), message.value.decode(), None)
