"""Primary cells of a block, word by word; the rule itself is that of index/primary.py."""

from __future__ import annotations

import numpy as np

from tbgen.compiled.arrays import Int, Ints, SignedBytes, Word
from tbgen.compiled.jit import inlined, inner, kernel
from tbgen.index.primary import INTO_TRIANGLE
from tbgen.index.primary_kernels import has_two_cells, how_turned, primary_black_kings
from tbgen.index.squares import TRANSPOSE
from tbgen.index.words import square_bit
from tbgen.retro.words.block import Block
from tbgen.retro.words.geometry import Geometry, king_of, unpack_men, word_of_images
from tbgen.retro.words.legality import find_legal


@inlined
def is_halved(geometry: Geometry, word: Int, own_mirror: bool) -> bool:
    """Whether the positions of a word have two cells; `own_mirror` says so of the pawns of its block."""
    return has_two_cells(how_turned(len(geometry.pawn_color), own_mirror), king_of(geometry, word))


@inlined
def primary_lanes(geometry: Geometry, word: Int, own_mirror: bool, men: Ints) -> Word:
    """The lanes of a word that are primary; `men` is room for the squares of its men."""
    how, king, compared = how_turned(len(geometry.pawn_color), own_mirror), king_of(geometry, word), -1
    if how == INTO_TRIANGLE and has_two_cells(how, king):
        unpack_men(geometry, word, men)
        image = word_of_images(geometry, TRANSPOSE, word >> geometry.king_shift, men)
        compared = 1 if word > image else -1 if word < image else 0
    return primary_black_kings(how, king, compared)


@inner
def clear_word(block: Block, word: Int, own_mirror: bool, men: Ints, entry: SignedBytes) -> None:
    """Let only the legal primary cells of a word keep their entry values."""
    geometry = block.geometry
    primary = primary_lanes(geometry, word, own_mirror, men)
    for side in range(2):
        keep, start = block.legal[side, word] & primary, (side * geometry.words + word) * 64
        for square in range(64):
            if not keep & square_bit(square):
                entry[start + square] = 0


@kernel
def clear_blanks(block: Block, own_mirror: bool, entry: SignedBytes) -> None:
    """Let only the legal primary cells of a block keep their entry values; its pawns are those of `block`."""
    men, words = np.empty(len(block.geometry.role), np.int64), block.geometry.words
    find_legal(block, men, 0, words)
    for word in range(words):
        clear_word(block, word, own_mirror, men, entry)
