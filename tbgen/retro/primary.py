"""Primary cells: of two cells that hold the same position, up to symmetry, a table keeps the lesser."""

from __future__ import annotations

import numpy as np

from tbgen._jit import inlined, inner, kernel
from tbgen.index.squares import SYMMETRY, TRANSPOSE, bits_of
from tbgen.index.words import EVERYTHING, NOTHING, square_bit
from tbgen.retro.geometry import unpack_men, word_of_images
from tbgen.retro.legality import find_legal

BELOW_DIAGONAL = np.uint64(bits_of([square for square in range(64) if square <= SYMMETRY[TRANSPOSE, square]]))


@inlined
def is_halved(geometry, word, own_mirror):
    """Whether the positions of a word have two cells; `own_mirror` says so of the pawns of its block."""
    king = geometry.king_square[word >> geometry.king_shift]
    return own_mirror if len(geometry.pawn_color) > 0 else king % 9 == 0


@inlined
def primary_lanes(geometry, word, own_mirror, men):
    """The lanes of a word that are primary; `men` is room for the squares of its men."""
    if not is_halved(geometry, word, own_mirror):
        return EVERYTHING
    if len(geometry.pawn_color) > 0:
        return NOTHING if geometry.king_square[word >> geometry.king_shift] & 4 else EVERYTHING
    unpack_men(geometry, word, men)
    other = word_of_images(geometry, TRANSPOSE, word >> geometry.king_shift, men)
    if word == other:
        return BELOW_DIAGONAL
    return EVERYTHING if word < other else NOTHING


@inner
def clear_word(geometry, block, word, own_mirror, men, entry):
    """Let only the legal primary cells of a word keep their entry values."""
    primary = primary_lanes(geometry, word, own_mirror, men)
    for side in range(2):
        keep, start = block.legal[side, word] & primary, (side * geometry.words + word) * 64
        for square in range(64):
            if not keep & square_bit(square):
                entry[start + square] = 0


@kernel
def clear_blanks(geometry, block, own_mirror, entry):
    """Let only the legal primary cells of a block keep their entry values; its pawns are those of `block`."""
    men = np.empty(len(geometry.role), np.int64)
    find_legal(geometry, block, men, 0, geometry.words)
    for word in range(geometry.words):
        clear_word(geometry, block, word, own_mirror, men, entry)
