"""Counting a solved table, and keeping one cell for each position."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from tbgen._jit import kernel
from tbgen.index.layout import Layout
from tbgen.index.squares import SYMMETRY, TRANSPOSE
from tbgen.retro.geometry import Geometry, geometry_of, unpack_men, word_of_images
from tbgen.score import Color, Outcome
from tbgen.table import Tally

BYTES = 256


@kernel
def count_block(geometry, entry, dtg, own_mirror, found):
    """Count a block by side and outcome byte (+ 128), and clear the cells that are not primary.

    `found` takes, for every side and outcome: count, longest distance, first cell that has it.
    """
    men = np.empty(len(geometry.role), np.int64)
    with_pawns = len(geometry.pawn_color) > 0
    for side in range(2):
        for word in range(geometry.words):
            king = geometry.king_square[word >> geometry.king_shift]
            halved = own_mirror if with_pawns else king % 9 == 0
            weight = (2 if with_pawns else 8) // (2 if halved else 1)
            other = word
            if halved and not with_pawns:
                unpack_men(geometry, word, men)
                other = word_of_images(geometry, TRANSPOSE, word >> geometry.king_shift, men)
            for square in range(64):
                cell = (side * geometry.words + word) * 64 + square
                byte = np.int64(entry[cell])
                if byte == 0:
                    continue
                found[side, byte + 128, 0] += weight
                if halved:
                    mirrored = word > other or (word == other and square > SYMMETRY[TRANSPOSE, square])
                    if king & 4 != 0 if with_pawns else mirrored:
                        entry[cell] = 0
                        dtg[cell] = 0
                        continue
                if np.int64(dtg[cell]) > found[side, byte + 128, 1]:
                    found[side, byte + 128, 1] = dtg[cell]
                    found[side, byte + 128, 2] = cell


def count_table(
    layout: Layout, entry: npt.NDArray[np.int8], dtg: npt.NDArray[np.uint16]
) -> dict[Color, Mapping[Outcome, Tally]]:
    """Tally a whole table, and clear its cells that are not primary."""
    geometry: Geometry = geometry_of(layout)
    size = 2 * layout.block_words * 64
    found = np.zeros((2, BYTES, 3), np.int64)
    found[:, :, 1:] = -1
    for number, squares in enumerate(layout.blocks):
        part = slice(number * size, (number + 1) * size)
        before = found[:, :, 1].copy()
        own_mirror = layout.is_own_mirror(squares)
        count_block(geometry, entry[part], dtg[part], own_mirror, found)
        found[:, :, 2] += np.where(found[:, :, 1] != before, number * size, 0)
    found[:, :, 0] *= layout.orders
    return {color: dict(_tallies(found[color])) for color in Color}


def _tallies(found: npt.NDArray[np.int64]) -> list[tuple[Outcome, Tally]]:
    bytes_found = [byte - 128 for byte in np.flatnonzero(found[:, 0]).tolist()]
    outcomes = sorted((Outcome.from_byte(byte) for byte in bytes_found), reverse=True)
    return [(outcome, Tally(*found[outcome.to_byte() + 128].tolist())) for outcome in outcomes]
