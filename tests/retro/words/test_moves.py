"""Moves noted for a word, and codes counted bit by bit, against python-chess and plain numbers."""

from __future__ import annotations

from collections import Counter

import chess
import numpy as np
import pytest

from tbgen.compiled.arrays import Int, Word
from tbgen.compiled.jit import borrowing
from tbgen.retro.words.block import NO_CODE, Block
from tbgen.retro.words.moves import (
    DOUBLE,
    GONE,
    PLANES,
    ROLE,
    SLOT,
    TO,
    Scratch,
    new_scratch,
    note_enough_moves,
    note_moves,
    unpack_squares,
    write_codes,
)
from tests.positions import board_of
from tests.retro.words.plain import PlainBlock, squares_in, word_of


@borrowing
def note(block: Block, scratch: Scratch, word: Int, side: Int, quiet: bool) -> None:
    unpack_squares(block, scratch, word)
    note_moves(block, scratch, word, side, quiet)


@borrowing
def note_enough(block: Block, scratch: Scratch, word: Int, side: Int, asked: Word) -> None:
    unpack_squares(block, scratch, word)
    note_enough_moves(block, scratch, word, side, asked)


@borrowing
def write(block: Block, scratch: Scratch, side: Int, word: Int) -> None:
    write_codes(block, scratch, side, word)


def test_codes_are_twice_the_moves_and_one_more_without_check() -> None:
    plain = PlainBlock("KvK")
    block = plain.block
    scratch = new_scratch(0)
    draw = np.random.default_rng(8)
    for word in range(len(block.occupied)):
        for side in range(2):
            legal = draw.random(64) < (0.0, 0.5, 1.0)[word % 3]
            check = draw.random(64) < 0.3
            moves = draw.integers(0, 127, 64)
            block.legal[side, word] = word_of(np.flatnonzero(legal).tolist())
            block.check[side, word] = word_of(np.flatnonzero(legal & check).tolist())
            for plane in range(PLANES):
                scratch.planes[plane] = word_of(np.flatnonzero(moves >> plane & 1).tolist())
            write(block, scratch, side, word)
            codes = np.where(legal, 2 * moves + ~check, NO_CODE)
            assert (block.code[side, word * 64 : word * 64 + 64] == codes).all()
            assert block.next_code[side, word] == codes.min()


Move = tuple[int, int, int, int, bool]
"""Slot that moves, square, captured slot, new role, whether it is a double step.

Of the black king's quiet moves only the slot is told.
"""


def noted_moves(plain: PlainBlock, word: int, side: int, quiet: bool) -> dict[int, Counter[Move]]:
    """[black king square] -> the moves that are noted for it."""
    scratch = new_scratch(plain.layout.others)
    note(plain.block, scratch, word, side, quiet)
    return moves_in(scratch, plain, word, side)


def moves_in(scratch: Scratch, plain: PlainBlock, word: int, side: int) -> dict[int, Counter[Move]]:
    """The moves that are noted in a scratch space."""
    black_king = len(plain.layout.slots) - 1
    moves = {king: Counter[Move]() for king in squares_in(plain.block.legal[side, word])}
    for n in range(int(scratch.noted[0])):
        move = scratch.moves[n]
        slot = int(move[SLOT])
        to = int(move[TO])
        gone = int(move[GONE])
        if slot == black_king and gone < 0:
            to = -1
        for king in squares_in(scratch.kings[n]):
            moves[king][slot, to, gone, int(move[ROLE]), bool(move[DOUBLE])] += 1
    return moves


def played_moves(plain: PlainBlock, word: int, king: int, side: int, quiet: bool) -> Counter[Move]:
    """The same for one of them, by python-chess."""
    squares = plain.squares_of(word, king)
    board = board_of(plain.layout.slots, squares, side)
    black_king = len(squares) - 1
    moves = Counter[Move]()
    for move in board.legal_moves:
        slot = squares.index(move.from_square)
        gone = squares.index(move.to_square) if board.is_capture(move) else -1
        is_pawn_move = board.piece_type_at(move.from_square) == chess.PAWN
        is_double = is_pawn_move and abs(move.to_square - move.from_square) == 16
        to = -1 if slot == black_king and gone < 0 else move.to_square
        if quiet or gone >= 0 or is_pawn_move:
            moves[slot, to, gone, move.promotion or 0, is_double] += 1
    return moves


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("KvK", 0),
        ("KRvKN", 0),
        ("KNNvK", 0),
        ("KPvK", 0),
        ("KPvK", 20),
        ("KQvKP", 3),
        ("KPvKP", 40),
    ],
)
def test_every_move_of_a_word_is_noted_for_the_black_kings_that_it_is_legal_with(
    name: str, number: int
) -> None:
    plain = PlainBlock(name, number)
    words = np.flatnonzero(plain.block.occupied)
    chosen = np.random.default_rng(9).choice(words, min(8, len(words)), replace=False)
    for word in chosen.tolist():
        for side in range(2):
            for quiet in (False, True):
                for king, moves in noted_moves(plain, word, side, quiet).items():
                    assert moves == played_moves(plain, word, king, side, quiet)


@pytest.mark.parametrize(
    ("name", "number"), [("KvK", 0), ("KRvKN", 0), ("KQvKP", 3), ("KNvKP", 9), ("KPvKP", 40)]
)
def test_enough_moves_are_all_captures_of_pieces_and_one_move_for_each_that_has_any(
    name: str, number: int
) -> None:
    plain = PlainBlock(name, number)
    pawns = range(plain.layout.pawns)
    words = np.flatnonzero(plain.block.occupied)
    chosen = np.random.default_rng(10).choice(words, min(12, len(words)), replace=False)
    for word in chosen.tolist():
        for side in range(2):
            legal = plain.block.legal[side, word]
            scratch = new_scratch(plain.layout.others)
            note_enough(plain.block, scratch, word, side, legal)
            noted = moves_in(scratch, plain, word, side)
            for king in squares_in(legal):
                moves = noted[king]
                played = played_moves(plain, word, king, side, quiet=True)
                captures = [move for move in played if move[2] >= 0 and move[0] not in pawns]
                assert moves <= played
                assert all(moves[capture] for capture in captures)
                has_quiet = [any(move[2] < 0 for move in some) for some in (moves, played)]
                assert has_quiet[0] == has_quiet[1]
