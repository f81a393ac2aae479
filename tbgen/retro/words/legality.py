"""Attack sets, checks, and the words of legal positions.

`occupied` never holds the black king: whether a line reaches it is computed for every square at once.
A man number of NOBODY skips none. Pawns are a block's `pawns`, with their colours in the geometry.
"""

from __future__ import annotations

from tbgen.compiled.arrays import Int, Ints, Word
from tbgen.compiled.jit import borrowing, inlined, inner
from tbgen.index.squares import BETWEEN, KING_ATTACKS, MOVES, PAWN_ATTACKS, RAY_COUNT, REACHED
from tbgen.index.words import EVERYTHING, NOTHING, square_bit
from tbgen.retro.words.block import Block
from tbgen.retro.words.geometry import BLACK, NOBODY, WHITE, Geometry, king_of, occupied_by, unpack_men


@inlined
def attacks_of(role: Int, square: Int, occupied: Word) -> Word:
    """The squares that a man attacks (not a king, not a pawn)."""
    attacked = NOTHING
    for ray in range(RAY_COUNT[role]):
        for step in range(8):
            to = MOVES[role, square, ray, step]
            if to < 0:
                break
            attacked |= square_bit(to)
            if occupied & square_bit(to):
                break
    return attacked


@inner
def white_attacks(
    geometry: Geometry, men: Ints, pawns: Ints, king: Int, occupied: Word, gone_man: Int, gone_pawn: Int
) -> Word:
    """All that White attacks, looking through the black king; one man or pawn may be gone."""
    attacked = KING_ATTACKS[king]
    for n in range(len(geometry.role)):
        if geometry.color[n] == WHITE and n != gone_man:
            attacked |= attacks_of(geometry.role[n], men[n], occupied)
    for n in range(len(geometry.pawn_color)):
        if geometry.pawn_color[n] == WHITE and n != gone_pawn:
            attacked |= PAWN_ATTACKS[WHITE, pawns[n]]
    return attacked


@inner
def white_king_attacked(
    geometry: Geometry, men: Ints, pawns: Ints, king: Int, occupied: Word, gone_man: Int, gone_pawn: Int
) -> Word:
    """Black king squares for which Black's other men attack the white king; one of them may be gone."""
    attacked = NOTHING
    for n in range(len(geometry.role)):
        if geometry.color[n] == BLACK and n != gone_man:
            between = BETWEEN[men[n], king]
            if REACHED[geometry.role[n], men[n]] & square_bit(king) and not between & occupied:
                attacked |= ~between
    for n in range(len(geometry.pawn_color)):
        if geometry.pawn_color[n] == BLACK and n != gone_pawn and PAWN_ATTACKS[BLACK, pawns[n]] & square_bit(king):
            return EVERYTHING
    return attacked


@borrowing
def find_legal(block: Block, men: Ints, first: int, end: int) -> None:
    """legal[side, word] and check[side, word] of a range of words; `men` is room for the squares of a word's men."""
    geometry = block.geometry
    for word in range(first, end):
        unpack_men(geometry, word, men)
        occupied = occupied_by(geometry, word, men, block.pawn_set[0])
        block.occupied[word] = occupied
        if occupied == NOTHING:
            for side in range(2):
                block.legal[side, word] = NOTHING
                block.check[side, word] = NOTHING
            continue
        king = king_of(geometry, word)
        apart = ~occupied & ~KING_ATTACKS[king]
        attacked = white_attacks(geometry, men, block.pawns, king, occupied, NOBODY, NOBODY)
        attacked_king = white_king_attacked(geometry, men, block.pawns, king, occupied, NOBODY, NOBODY)
        block.legal[WHITE, word] = apart & ~attacked
        block.legal[BLACK, word] = apart & ~attacked_king
        block.check[WHITE, word] = apart & ~attacked & attacked_king
        block.check[BLACK, word] = apart & ~attacked_king & attacked
