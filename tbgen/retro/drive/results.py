"""Results: what the cells of a solved block hold, counted and named, and the values with rights."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Ints32, SignedBytes, Words
from tbgen.compiled.jit import borrowing
from tbgen.index.kernels import row_of_byte
from tbgen.index.outcomes import ROWS, byte_of_row
from tbgen.index.words import ONE, lowest_and_rest, square_bit
from tbgen.retro.patterns.histories import EMPTY, Interner, intern
from tbgen.retro.resets.destinations import NOT_HERE, AtHand
from tbgen.retro.words.block import FIRST, MASK, BlockValues, is_halved, primary_kings
from tbgen.retro.words.geometry import Geometry
from tbgen.score import Color, Score
from tbgen.table import Distances, Entries, Tally

Found: TypeAlias = Ints
"""[side, row of an outcome's byte, field] COUNT, LONGEST, FIRST_CELL."""

COUNT, LONGEST, FIRST_CELL = range(3)
"""How many positions have the outcome, the longest distance, and the first cell that has it."""


def nothing_found() -> Found:
    """Before anything is counted."""
    found = np.zeros((2, ROWS, 3), np.int64)
    found[:, :, LONGEST] = -1
    found[:, :, FIRST_CELL] = -1
    return found


@borrowing
def count_words(
    geometry: Geometry,
    values: BlockValues,
    own_mirror: bool,
    first: int,
    end: int,
    base: Int,
    men: Ints,
    found: Found,
) -> None:
    """Count a range of words of a block, and clear their cells that are not primary.

    Cells are numbered as if the block's first one had the number `base`; `men` is scratch space for
    a word's men.
    """
    entry = values.entry
    dtg = values.dtg
    symmetries = 2 if len(geometry.pawn_color) else 8
    for side in range(2):
        for word in range(first, end):
            weight = symmetries
            if is_halved(geometry, word, own_mirror):
                weight //= 2
            primary = primary_kings(geometry, word, own_mirror, men)
            for square in range(64):
                cell = (side * geometry.words + word) * 64 + square
                byte = np.int64(entry[cell])
                if byte == 0:
                    continue
                row = row_of_byte(byte)
                found[side, row, COUNT] += weight
                if not primary & square_bit(square):
                    entry[cell] = 0
                    if dtg[cell]:  # outcomes alone have none: writing zeros would take up memory
                        dtg[cell] = 0
                elif np.int64(dtg[cell]) > found[side, row, LONGEST]:
                    found[side, row, LONGEST] = dtg[cell]
                    found[side, row, FIRST_CELL] = base + cell


def merged(parts: Iterable[tuple[int, Found]]) -> Found:
    """What was found in parts of a table, each given with its first cell, in the order of these."""
    total = nothing_found()
    for first, found in parts:
        total[:, :, COUNT] += found[:, :, COUNT]
        longer = found[:, :, LONGEST] > total[:, :, LONGEST]
        total[longer, LONGEST] = found[longer, LONGEST]
        total[longer, FIRST_CELL] = found[longer, FIRST_CELL] + first
    return total


def tallies_of(found: Found, orders: int) -> dict[Color, Mapping[Score, Tally]]:
    """The tallies of a whole table; equal men can be told apart in so many `orders`."""
    tallies = dict[Color, Mapping[Score, Tally]]()
    for color in Color:
        counts = dict[Score, Tally]()
        for row in np.flatnonzero(found[color, :, COUNT]).tolist():
            count, longest, first_cell = found[color, row].tolist()
            score = Score.from_signed(byte_of_row(row))
            counts[score] = Tally(count * orders, longest, first_cell)
        tallies[color] = dict(sorted(counts.items(), reverse=True))
    return tallies


# numbered[word, MASK or FIRST], as in Block, of the side to move whose cells these are
@borrowing
def name_patterns(
    numbered: Words,
    white: Ints32,
    black: Ints32,
    pairs: Interner,
    entry: SignedBytes,
    pattern: Ints32,
) -> None:
    """Number the pair of histories of each cell that has a value; `pattern` is empty before."""
    for word in range(len(numbered)):
        kings = numbered[word, MASK]
        number = numbered[word, FIRST]
        while kings:
            square, kings = lowest_and_rest(kings)
            cell = word * 64 + square
            whites = np.int64(white[number])
            blacks = np.int64(black[number])
            number += ONE
            if entry[cell] and (whites != EMPTY or blacks != EMPTY):
                pattern[cell] = intern(pairs, whites, blacks)


def en_passant_of(values: AtHand, blocks: range, block_cells: int) -> tuple[Entries, Distances]:
    """The values of some blocks with a right to take en passant."""
    starts = values.start[blocks.start : blocks.stop]
    if (starts == NOT_HERE).all():
        return values.entry[:0], values.dtg[:0]
    first = starts[starts != NOT_HERE].min()
    end = starts.max() + block_cells // 2
    return values.entry[first:end], values.dtg[first:end]
