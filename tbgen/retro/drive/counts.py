"""Counting a solved table, and keeping one cell for each position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np

from tbgen.compiled.arrays import Int, Ints
from tbgen.compiled.jit import borrowing
from tbgen.index import outcomes
from tbgen.index.outcome_kernels import row_of_byte
from tbgen.index.outcomes import ROWS, byte_of_row
from tbgen.index.words import square_bit
from tbgen.retro.words.block import BlockValues
from tbgen.retro.words.geometry import Geometry
from tbgen.retro.words.primary import is_halved, primary_lanes
from tbgen.retro.words.worklist import Span
from tbgen.score import Color, Outcome
from tbgen.table import Tally

Found: TypeAlias = Ints
"""[side, row of an outcome's byte] -> count, longest distance, first cell that has it."""


def nothing_found() -> Found:
    """Before anything is counted."""
    found = np.zeros((2, ROWS, 3), np.int64)
    found[:, :, 1:] = -1
    return found


@borrowing
def count_words(
    geometry: Geometry, values: BlockValues, own_mirror: bool, span: Span, base: Int, men: Ints, found: Found
) -> None:
    """Count a range of words of a block, and clear their cells that are not primary.

    Cells are numbered as if the block's first one had the number `base`; `men` is scratch space for a word's men.
    """
    entry, dtg = values.entry, values.dtg
    with_pawns = len(geometry.pawn_color) > 0
    for side in range(2):
        for word in range(span.first, span.end):
            weight = (2 if with_pawns else 8) // (2 if is_halved(geometry, word, own_mirror) else 1)
            primary = primary_lanes(geometry, word, own_mirror, men)
            for square in range(64):
                cell = (side * geometry.words + word) * 64 + square
                byte = np.int64(entry[cell])
                if byte == 0:
                    continue
                row = row_of_byte(byte)
                found[side, row, 0] += weight
                if not primary & square_bit(square):
                    entry[cell] = 0
                    dtg[cell] = 0
                elif np.int64(dtg[cell]) > found[side, row, 1]:
                    found[side, row, 1] = dtg[cell]
                    found[side, row, 2] = base + cell


def merged(parts: Iterable[tuple[int, Found]]) -> Found:
    """What was found in parts of a table, in the order of their cells; each comes with its first cell."""
    total = nothing_found()
    for first, found in parts:
        total[:, :, 0] += found[:, :, 0]
        longer = found[:, :, 1] > total[:, :, 1]
        total[:, :, 1] = np.where(longer, found[:, :, 1], total[:, :, 1])
        total[:, :, 2] = np.where(longer, found[:, :, 2] + first, total[:, :, 2])
    return total


def tallies_of(found: Found, orders: int) -> dict[Color, Mapping[Outcome, Tally]]:
    """The tallies of a whole table; equal men can be told apart in so many `orders`."""
    return {color: dict(_tallies(found[color] * [orders, 1, 1])) for color in Color}


def _tallies(found: Found) -> list[tuple[Outcome, Tally]]:
    bytes_found = byte_of_row(np.flatnonzero(found[:, 0])).tolist()
    found_outcomes = sorted((Outcome.from_byte(byte) for byte in bytes_found), reverse=True)
    return [(outcome, Tally(*found[outcomes.row_of_byte(outcome.to_byte())].tolist())) for outcome in found_outcomes]
