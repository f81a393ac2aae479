"""Word algebra, proved for all 2^64 words by an SMT solver.

The very functions that kernels compile run here on words of 64 unknown bits. Z3 then proves that
each bit of the result is what squares say. Kernels that differ from their Python source are the
business of other tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType
from typing import Any, NamedTuple

import chess
import numpy as np
import pytest
import z3

from tbgen.board import board
from tbgen.index import words
from tbgen.index.squares import SYMMETRY
from tbgen.men import Role
from tbgen.retro.words import moves
from tbgen.retro.words.block import NO_CODE

ONE_LINE = [(0, 1), (1, 0), (1, 1), (1, -1)]
"""[line] -> a step along it: file and rank."""


class Unknown:
    """A word of unknown bits, which computes as numpy's words do."""

    __array_ufunc__ = None

    def __init__(self, bits: z3.BitVecRef) -> None:
        self.bits = bits

    def __and__(self, other: Any) -> Unknown:
        return Unknown(self.bits & bits_of(other))

    def __or__(self, other: Any) -> Unknown:
        return Unknown(self.bits | bits_of(other))

    def __xor__(self, other: Any) -> Unknown:
        return Unknown(self.bits ^ bits_of(other))

    __rand__ = __and__
    __ror__ = __or__
    __rxor__ = __xor__

    def __sub__(self, other: Any) -> Unknown:
        return Unknown(self.bits - bits_of(other))

    def __invert__(self) -> Unknown:
        return Unknown(~self.bits)

    def __lshift__(self, other: Any) -> Unknown:
        return Unknown(self.bits << bits_of(other))

    def __rshift__(self, other: Any) -> Unknown:
        return Unknown(z3.LShR(self.bits, bits_of(other)))

    def __eq__(self, other: object) -> bool:
        """An unknown word equals no other for sure, so a loop goes on to its end."""
        return False

    __hash__ = None  # type: ignore[assignment]


def bits_of(word: Any) -> z3.BitVecRef:
    return word.bits if isinstance(word, Unknown) else z3.BitVecVal(int(word), 64)


def has(word: Unknown, square: int) -> z3.BoolRef:
    return z3.Extract(square, square, word.bits) == 1


def has_any(word: Unknown, squares: Iterator[int] | list[int]) -> z3.BoolRef:
    return z3.Or([has(word, square) for square in squares])


def source_of(kernel: Any, **replaced: Any) -> Callable[..., Any]:
    """The Python function behind a kernel, which calls others as Python, too.

    Names in `replaced` have other values there.
    """
    names = dict(kernel.py_func.__globals__)
    for name, value in names.items():
        if hasattr(value, "py_func"):
            names[name] = FunctionType(value.py_func.__code__, names)
    names.update(replaced)
    return FunctionType(kernel.py_func.__code__, names)


def unknown(name: str = "word") -> Unknown:
    return Unknown(z3.BitVec(name, 64))


def is_proved(result: Unknown, expected: dict[int, z3.BoolRef]) -> bool:
    """Whether bits are as expected, for all words; squares that are not named must stay empty."""
    others = sum(1 << square for square in range(64) if square not in expected)
    solver = z3.Solver()
    wrong = [has(result, square) != bit for square, bit in expected.items()]
    solver.add(z3.Or([(result & others).bits != 0, *wrong]))
    answer = solver.check()
    assert answer in (z3.sat, z3.unsat)
    return bool(answer == z3.unsat)


def stepped_from(square: int, file_step: int, rank_step: int) -> list[int]:
    """The square from which a step leads to this one, if it is on the board."""
    file = square % 8 - file_step
    rank = square // 8 - rank_step
    return [8 * rank + file] if 0 <= file < 8 and 0 <= rank < 8 else []


def king_step_is_right(direction: int, **replaced: Any) -> bool:
    file_step, rank_step, _ = Role.KING.rays[direction]
    word = unknown()
    result = source_of(words.king_step, **replaced)(word, direction)
    origins = {square: stepped_from(square, file_step, rank_step) for square in range(64)}
    return is_proved(result, {square: has_any(word, origins[square]) for square in origins})


def king_spread_is_right(**replaced: Any) -> bool:
    word = unknown()
    result = source_of(words.king_spread, **replaced)(word)
    return is_proved(result, has_attacker(word, chess.BB_KING_ATTACKS))


def has_attacker(word: Unknown, attacked_from: list[int]) -> dict[int, z3.BoolRef]:
    """[square] -> whether the word has one of the squares from which it is attacked."""
    return {
        square: has_any(word, list(chess.SquareSet(attacked_from[square])))
        for square in chess.SQUARES
    }


def image_is_right(symmetry: int, **replaced: Any) -> bool:
    word = unknown()
    result = source_of(words.image, **replaced)(word, symmetry)
    images = SYMMETRY[symmetry].tolist()
    return is_proved(result, {image: has(word, square) for square, image in enumerate(images)})


def line_is_right(line: int, square: int, **replaced: Any) -> bool:
    """Whether a slider on a square attacks along a line what it can reach."""
    occupied = unknown()
    reached = dict[int, z3.BoolRef]()
    file_step, rank_step = ONE_LINE[line]
    for sign in (1, -1):
        between = list[int]()
        place = square
        while ahead := stepped_from(place, -sign * file_step, -sign * rank_step):
            place = ahead[0]
            reached[place] = z3.Not(has_any(occupied, list(between)))
            between.append(place)
    result = source_of(board.line_attacks, **NUMBERS, **replaced)(line, square, occupied)
    return is_proved(result, reached)


def zeros_above(word: Unknown) -> Unknown:
    """How many bits above the highest one are zero: 64 for an empty word."""
    zeros = z3.If(word.bits == 0, z3.BitVecVal(1, 64), z3.BitVecVal(0, 64))
    left = word.bits
    for step in (32, 16, 8, 4, 2, 1):
        is_empty = z3.LShR(left, 64 - step) == 0
        zeros += z3.If(is_empty, z3.BitVecVal(step, 64), z3.BitVecVal(0, 64))
        left = z3.If(is_empty, left << step, left)
    return Unknown(zeros)


class TopBit:
    """The highest bit of a word: shifted by the zeros above the highest one, it is that one."""

    def __rshift__(self, zeros: Unknown) -> Unknown:
        return Unknown(z3.BitVecVal(1 << 63, 64)) >> zeros


class Numbers:
    """Words stay as they are where numpy would convert a number."""

    @staticmethod
    def uint64(number: Any) -> Any:
        return number if isinstance(number, Unknown) else np.uint64(number)


NUMBERS = {"np": Numbers, "leading_zeros": zeros_above, "_TOP_BIT": TopBit()}


@pytest.mark.parametrize("direction", range(8))
def test_a_king_step_moves_every_word_as_it_moves_each_square(direction: int) -> None:
    assert king_step_is_right(direction)


def test_a_king_spreads_from_every_word_as_from_each_square() -> None:
    assert king_spread_is_right()


@pytest.mark.parametrize("symmetry", range(8))
def test_an_image_of_every_word_is_that_of_each_square(symmetry: int) -> None:
    assert image_is_right(symmetry)


@pytest.mark.parametrize("line", range(4))
def test_a_slider_attacks_along_a_line_as_far_as_it_sees_among_any_men(line: int) -> None:
    for square in range(64):
        assert line_is_right(line, square), chess.square_name(square)


@pytest.mark.parametrize("black", [False, True])
def test_pawns_attack_from_every_word_as_from_each_square(black: bool) -> None:
    pawns = unknown()
    result = source_of(board.pawn_attacks)(pawns, black)
    attacked_from = chess.BB_PAWN_ATTACKS[chess.WHITE if black else chess.BLACK]
    assert is_proved(result, has_attacker(pawns, attacked_from))


@pytest.mark.parametrize("side", [0, 1])
def test_pawns_step_once_or_twice_to_empty_squares(side: int) -> None:
    pawns = unknown("pawns")
    empty = unknown("empty")
    forward = -1 if side else 1
    fourth_rank = 4 if side else 3
    expected = dict[int, z3.BoolRef]()
    for square in chess.SQUARES:
        origins = stepped_from(square, 0, forward)
        steps = has_any(pawns, origins)
        if chess.square_rank(square) == fourth_rank:
            two_back = stepped_from(square, 0, 2 * forward)
            steps = z3.Or(steps, z3.And(has_any(empty, origins), has_any(pawns, two_back)))
        expected[square] = z3.And(has(empty, square), steps)
    assert is_proved(source_of(board.pawn_pushes)(pawns, side, empty), expected)


def counted(planes: list[Unknown], square: int) -> z3.BitVecRef:
    """The number whose bits the planes have on a square, the lowest first."""
    return z3.Concat(*[z3.Extract(square, square, plane.bits) for plane in reversed(planes)])


def test_adding_a_move_adds_one_to_the_counts_of_some_squares_alone() -> None:
    before = [unknown(f"plane {plane}") for plane in range(moves.PLANES)]
    kings = unknown("kings")
    after = list(before)
    source_of(moves.add_move)(after, kings)
    for square in range(64):
        added = z3.ZeroExt(moves.PLANES - 1, z3.Extract(square, square, kings.bits))
        solver = z3.Solver()
        solver.add(counted(after, square) != counted(before, square) + added)
        assert solver.check() == z3.unsat, chess.square_name(square)


class Codes:
    """What `write_codes` reads of a block and writes into it, for one word."""

    def __init__(self) -> None:
        self.legal = {(0, 0): unknown("legal")}
        self.check = {(0, 0): unknown("check")}
        self.planes = [unknown(f"plane {plane}") for plane in range(moves.PLANES)]
        self.code = dict[tuple[int, int], Unknown]()
        self.next_code = dict[tuple[int, int], Any]()


def test_codes_are_written_from_the_counts_and_checks_of_each_square() -> None:
    codes = Codes()
    source_of(moves.write_codes, min=lambda lowest, _: lowest)(codes, codes, 0, 0)
    for square in range(64):
        moves_there = z3.ZeroExt(1, counted(codes.planes[:-1], square))
        is_quiet = z3.If(has(codes.check[0, 0], square), z3.BitVecVal(0, 8), z3.BitVecVal(1, 8))
        code = z3.If(
            has(codes.legal[0, 0], square), 2 * moves_there + is_quiet, z3.BitVecVal(NO_CODE, 8)
        )
        solver = z3.Solver()
        solver.add(codes.code[0, square].bits != z3.ZeroExt(56, code))
        assert solver.check() == z3.unsat, chess.square_name(square)


class Mask(NamedTuple):
    name: str
    bits: tuple[int, ...]
    """Some bits that matter where `is_right` looks."""
    is_right: Callable[..., bool]


MASKS = [
    Mask("NOT_A_FILE", (8, 27, 55), king_spread_is_right),
    Mask("NOT_H_FILE", (8, 27, 55), king_spread_is_right),
    Mask("_STAYING", (8, 23, 36), partial(king_step_is_right, 4)),
    Mask("_ODD", (8, 23, 36), partial(image_is_right, 1)),
    Mask("_PAIRS", (8, 23, 36), partial(image_is_right, 1)),
    Mask("_NIBBLES", (8, 23, 36), partial(image_is_right, 1)),
    Mask("_BYTES", (8, 23, 36), partial(image_is_right, 2)),
    Mask("_SHORTS", (8, 23, 36), partial(image_is_right, 2)),
    Mask("_SWAP1", (8, 23, 36), partial(image_is_right, 4)),
    Mask("_SWAP2", (8, 23, 36), partial(image_is_right, 4)),
    Mask("_SWAP4", (8, 23, 36), partial(image_is_right, 4)),
    Mask("_ABOVE", (8, 28, 30), partial(line_is_right, 1, chess.D4)),
    Mask("_OR_LOWEST", (0, 9, 18), partial(line_is_right, 2, chess.D4)),
    Mask("_LINE", (8, 34, 63), partial(line_is_right, 3, chess.D4)),
]


@pytest.mark.parametrize("mask", MASKS, ids=lambda mask: mask.name)
def test_a_mask_with_one_wrong_bit_is_found(mask: Mask) -> None:
    right = getattr(words, mask.name) if hasattr(words, mask.name) else getattr(board, mask.name)
    replaced = {mask.name: right}
    assert mask.is_right(**replaced)
    for bit in mask.bits:
        replaced = {mask.name: right ^ np.uint64(1 << bit)}
        assert not mask.is_right(**replaced), bit
