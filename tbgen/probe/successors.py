"""Kernels for tables: which boards have one, and the legal moves with what they lead to.

This file loads the compiler, so a `Tablebase` imports it only for `load_kernels`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

import chess
import numpy as np

from tbgen.board.board import (
    BLACK,
    BOARD_WORDS,
    KIND,
    KING,
    PAWN,
    PROMOTION_SHIFT,
    RIGHTS,
    TARGET_SHIFT,
    TURN,
    WHITE,
    copy_words,
    en_passant_takers,
    play,
    promotion_of,
    words_of,
)
from tbgen.board.moves import MOST_MOVES, code_on, legal_moves
from tbgen.compiled.arrays import Int, Ints, SignedInts32, Words
from tbgen.compiled.jit import borrowing, inner
from tbgen.index.kernels import SYMMETRY_ROWS, TURNS_ROWS, turn_to_primary
from tbgen.index.placements import HOW_BITS, HOW_MASK
from tbgen.index.squares import TRIANGLE_INDEX
from tbgen.index.words import NOTHING, ONE, count, lowest_square
from tbgen.material import Material
from tbgen.men import Role, number_of
from tbgen.probe.opened import RANK_FLIP, Answering, Successor
from tbgen.probe.stored import StoredPosition
from tbgen.rules.position import material_of
from tbgen.score import Color, Score
from tbgen.storage.order import Order, order_of

CODE, RESET, PLACE, FACTS = range(4)
"""The columns of `facts`."""
ELSEWHERE = -1
"""The place of a position that the table does not answer."""


def key_of_material(material: Material) -> int:
    """The key of a material: the number of men of each role and side in four bits.

    Kings are left out.
    """
    key = 0
    for color in Color:
        for kind in material.side(color):
            if kind is not Role.KING:
                key += 1 << (8 * number_of(kind) + 4 * int(color))
    return key


def keys_of_materials(materials: Iterable[Material]) -> Words:
    """The keys of some materials, in either order of colours, sorted; men of your own have none."""
    keys = set[int]()
    for material in materials:
        if not material.own:
            keys.add(key_of_material(material))
            keys.add(key_of_material(material.flipped()))
    return np.array(sorted(keys), np.uint64)


# keys: as `keys_of_materials` makes them
@inner
def has_table(board: Words, keys: Words) -> bool:
    """Whether there is a table for a position."""
    if board[RIGHTS]:
        return False
    key = NOTHING
    for role in range(PAWN, KING):
        for side in range(2):
            men = np.uint64(count(board[side] & board[KIND + role]))
            key |= men << np.uint64(8 * role + 4 * side)
    index = np.searchsorted(keys, key)
    return bool(index < len(keys) and keys[index] == key)


class Placing(NamedTuple):
    """A table's rule for the place of a position, as numbers.

    They are the data of `Layout.cell_of` and `Order.place_of`.
    """

    men: Ints
    """[slot, 0 or 1] -> the side and the role of its man."""
    twin_start: Ints
    """[slot] -> the first slot of the men that equal this one."""
    addresses: SignedInts32
    """As in the layout: the block of the pawns, and how the board is turned."""
    steps: Ints
    """[axis of the layout] -> the distance of neighbours along it, in places."""


@inner
def place_on(board: Words, placing: Placing, flipped: Int, squares: Ints, images: Ints) -> Int:
    """The place of a position in the table of its men.

    `flipped` is 1 if the table has the colours reversed.
    """
    slots = len(squares)
    left = NOTHING
    for slot in range(slots):  # equal men in ascending order
        if placing.twin_start[slot] == slot:
            left = board[placing.men[slot, 0] ^ flipped] & board[KIND + placing.men[slot, 1]]
        squares[slot] = lowest_square(left) ^ RANK_FLIP * flipped
        left &= left - ONE
    pawns = slots + 2 - len(placing.steps)
    digits = 0
    for slot in range(pawns):
        digits = digits * 64 + squares[slot]
    address = np.int64(placing.addresses[digits])
    how = address & HOW_MASK
    twin_start = placing.twin_start
    turn_to_primary(squares, images, twin_start, pawns, slots, how, TURNS_ROWS, SYMMETRY_ROWS)
    if pawns == 0:
        squares[0] = TRIANGLE_INDEX[squares[0]]
    block = address >> HOW_BITS
    side = np.int64(board[TURN]) ^ flipped
    place: Int = block * placing.steps[0] + side * placing.steps[1]
    for slot in range(pawns, slots):
        place += squares[slot] * placing.steps[2 + slot - pawns]
    return place


# board as in board/board.py; moves[n] receives the n-th legal move, facts[n] CODE, RESET, PLACE
# after it.
@borrowing
def find_successors(
    board: Words, placing: Placing, flipped: Int, moves: Ints, facts: Ints, after: Words, rows: Ints
) -> Int:
    """Write down the legal moves of a position and their results; return their number.

    The place is ELSEWHERE after a capture or a promotion, and where a pawn may then take en
    passant. The last two are scratch buffers: a board, and two rows for the squares of all men.
    """
    squares = rows[0]
    images = rows[1]
    men = count(board[WHITE] | board[BLACK])
    number = legal_moves(board, moves)
    for n in range(number):
        copy_words(board, after)
        facts[n, RESET] = play(after, moves[n])
        facts[n, CODE] = code_on(after)
        facts[n, PLACE] = ELSEWHERE
        has_same_men = count(after[WHITE] | after[BLACK]) == men and promotion_of(moves[n]) == 0
        if has_same_men and en_passant_takers(after, np.int64(after[TURN])) == NOTHING:
            facts[n, PLACE] = place_on(after, placing, flipped, squares, images)
    return number


def own_score_of(board: chess.Board) -> Score:
    """The own score of a position.

    Kernels count it in less time than a look into the table takes.
    """
    return Score(int(code_on(words_of(board))), Color.of(not board.turn))


def found_on(board: chess.Board, order: Order, *, flipped: bool) -> list[list[int]]:
    """The legal moves of a position as kernels have them, each with its CODE, RESET and PLACE."""
    placing = placing_of(order)
    moves = np.empty(MOST_MOVES, np.int64)
    facts = np.empty((MOST_MOVES, FACTS), np.int64)
    after = np.empty(BOARD_WORDS, np.uint64)
    rows = np.empty((2, len(placing.men)), np.int64)
    count = find_successors(words_of(board), placing, int(flipped), moves, facts, after, rows)
    found: list[list[int]] = np.column_stack([moves[:count], facts[:count]]).tolist()
    return found


def successors_of(board: chess.Board, answering: Answering) -> list[Successor]:
    """The legal moves of a position that a table answers, and their results."""
    table = answering.table
    flipped = answering.flipped
    successors = list[Successor]()
    for move, code, reset, place in found_on(board, table.file.order, flipped=flipped):
        stored = None
        if place != ELSEWHERE:
            stored = StoredPosition(table, place, flipped=flipped)
        successors.append(Successor(_move_of(move), bool(reset), code, stored))
    return successors


def load() -> None:
    """Load the kernels, or compile them: the first call of each does."""
    board = chess.Board("8/8/8/3k4/8/8/8/3K4 w - - 0 1")
    own_score_of(board)
    found_on(board, order_of(material_of(board)), flipped=False)


@cache
def _move_of(packed: int) -> chess.Move:
    """python-chess's move for a kernel's move, which is never castling."""
    target = (packed >> TARGET_SHIFT) & 63
    promotion = packed >> PROMOTION_SHIFT
    return chess.Move(packed & 63, target, promotion or None)


@lru_cache(maxsize=256)
def placing_of(order: Order) -> Placing:
    """A table's rule for the place of a position, for kernels."""
    layout = order.layout
    men = [(int(color), number_of(kind)) for color, kind in layout.slots]
    twin_start = np.array(layout.twin_start, np.int64)
    steps = np.array(order.steps, np.int64)
    return Placing(np.array(men, np.int64), twin_start, layout.placing.addresses, steps)
