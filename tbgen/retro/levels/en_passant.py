"""En passant: entry values of positions in which a pawn that has just stepped twice can be taken.

Such a right exists only right after the double step, which is a reset, so these positions are only ever
asked for their entry values. They have no cells: one ply of search in the solved block gives the value,
and it is kept beside the table until the blocks with that double step have been solved.
"""

from __future__ import annotations

import numpy as np

from tbgen._jit import inner
from tbgen.index.outcome_kernels import WORST_RANK, byte_of_rank, rank_of_byte
from tbgen.index.squares import MOVES, PAWN_ATTACKS, RAY_COUNT, SYMMETRY
from tbgen.index.words import NOTHING, ONE, king_spread, lowest_square, square_bit
from tbgen.retro.levels.histories import label_at
from tbgen.retro.resets.folding import fold_reset, fold_value
from tbgen.retro.words.block import place_of
from tbgen.retro.words.geometry import BLACK, NOBODY, WHITE, king_of, word_after, word_after_king
from tbgen.retro.words.movelist import NO_ROLE, note_move
from tbgen.retro.words.moves import after, unpack_squares


@inner
def value_with(worker, values, side, cell, holder, code):
    """The outcome byte and distance of a cell of the solved block when `holder` has `code` on the sheet.

    Reached by a quiet move of the other side, so on a tie of codes the holder keeps its score.
    """
    block, own = worker.block, side * len(worker.block.occupied) * 64 + cell
    byte = np.int64(values.entry[own])
    if block.code[side, cell] < code or (byte - 1 if byte > 0 else -1 - byte) < code:
        return byte, np.int64(values.dtg[own])
    breaker = worker.black if holder == WHITE else worker.white
    history = np.int64(breaker.history[place_of(block, side, cell >> 6, cell & 63)])
    label = label_at(breaker.store, history, code)
    if label >> 16 < WORST_RANK - code:
        return np.int64(byte_of_rank(label >> 16, 1 - holder)), label & 0xFFFF
    return np.int64(byte_of_rank(code, holder)), np.int64(0)


@inner
def fold_quiet(worker, values, side, cell, to_cell, code):
    """Fold a quiet move, from a position with own code `code`, into the mover's best."""
    byte, plies = value_with(worker, values, 1 - side, to_cell, 1 - side, code)
    fold_value(worker.block, side, cell, byte, plies)


@inner
def fold_quiet_moves(geometry, worker, values, side, cell, code):
    """Fold all quiet moves of a cell, as far as they lead to legal positions."""
    block, men = worker.block, worker.scratch.men
    word, square = cell >> 6, cell & 63
    king, legal, bit = word >> geometry.king_shift, block.legal[1 - side], square_bit(square)
    if side == BLACK:
        lanes = king_spread(bit) & legal[word]
        while lanes:
            fold_quiet(worker, values, side, cell, word * 64 + lowest_square(lanes), code)
            lanes &= lanes - ONE
    else:
        for step in range(geometry.king_count[king]):
            to = word_after_king(geometry, word, men, step)
            image = SYMMETRY[geometry.king_image[king, step], square]
            if legal[to] & square_bit(image):
                fold_quiet(worker, values, side, cell, to * 64 + image, code)
    for man in range(len(men)):
        if geometry.color[man] != side:
            continue
        role, start = geometry.role[man], men[man]
        for ray in range(RAY_COUNT[role]):
            for step in range(8):
                to = MOVES[role, start, ray, step]
                if to < 0 or (block.occupied[word] | bit) & square_bit(to):
                    break
                after_word = word_after(geometry, word, men, man, to)
                if legal[after_word] & bit:
                    fold_quiet(worker, values, side, cell, after_word * 64 + square, code)


@inner
def capture_lanes(geometry, worker, word, side, passed, taken, taker):
    """Lanes in which pawn `taker` may take pawn `taken` by stepping to the square it passed."""
    block, men = worker.block, worker.scratch.men
    pawns, start = block.pawns, block.pawns[taker]
    if geometry.pawn_color[taker] != side or not PAWN_ATTACKS[side, start] & square_bit(passed):
        return NOTHING
    occupied = block.occupied[word] & ~square_bit(start) & ~square_bit(pawns[taken]) | square_bit(passed)
    pawns[taker] = passed
    legal = after(side, geometry, block, men, king_of(geometry, word), occupied, NOBODY, taken)
    pawns[taker] = start
    return legal


@inner
def search_word(geometry, worker, family, values, word, side, passed, taken, lanes, base):
    """Find the values of the lanes of a word in which pawn `taken` can be taken."""
    block, scratch = worker.block, worker.scratch
    captures, anyone = worker.scratch.captures, NOTHING
    for taker in range(len(geometry.pawn_color)):
        captures[taker] = lanes & capture_lanes(geometry, worker, word, side, passed, taken, taker)
        anyone |= captures[taker]
    while anyone:
        square = lowest_square(anyone)
        bit = square_bit(square)
        anyone &= ~bit
        cell = word * 64 + square
        kept = block.reset[side, cell], block.near[side, cell], block.far[side, cell]
        code = np.int64(block.code[side, cell])
        for taker in range(len(geometry.pawn_color)):
            if captures[taker] & bit:
                code += 2
                scratch.noted[0] = 0
                note_move(scratch, bit, taker, passed, taken, NO_ROLE, 0)
                fold_reset(block, family, scratch, side, word, bit, scratch.moves[0])
        fold_quiet_moves(geometry, worker, values, side, cell, code)
        rank, plies = rank_of_byte(np.int64(block.reset[side, cell]), side), np.int64(0)
        if rank < WORST_RANK - code:
            plies = 1 + np.int64(block.near[side, cell])
        elif rank > WORST_RANK - code:
            plies = 1 + np.int64(block.far[side, cell])
        family.en_passant.entry[base + cell] = block.reset[side, cell]
        family.en_passant.dtg[base + cell] = plies
        block.reset[side, cell], block.near[side, cell], block.far[side, cell] = kept


@inner
def search_en_passant(geometry, worker, family, values, number):
    """After a block has been solved: the values of its positions with a right to take en passant."""
    block = worker.block
    for taken in range(len(geometry.pawn_color)):
        side = 1 - geometry.pawn_color[taken]
        square = block.pawns[taken]
        base = family.en_passant.start[number, side, square & 7]
        if base < 0 or square >> 3 != (3 if side == BLACK else 4):
            continue
        back = -8 if side == BLACK else 8
        passed, way = square + back, square_bit(square + back) | square_bit(square + 2 * back)
        for word in range(geometry.words):
            lanes = block.legal[side, word] & ~way
            if lanes and not block.occupied[word] & way:
                unpack_squares(geometry, block, worker.scratch, word)
                search_word(geometry, worker, family, values, word, side, passed, taken, lanes, base)
