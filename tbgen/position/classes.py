"""Classes of mates: from which positions of a block with one pawn a side forces mate, a bit a position.

This is the first phase of the solver alone, without codes, plies and middles. A position is in the *certain* class of
a forcer if it mates even where unsolved promotions count as no mate. It is not even in the *possible* class if it does
not mate where they count as one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, SignedBytes, Words
from tbgen.compiled.jit import borrowing, by_address, inlined, inner, small
from tbgen.index.squares import BETWEEN, KING_ATTACKS, REACHED
from tbgen.index.words import EVERYTHING, NOTHING, square_bit
from tbgen.retro.levels.classes import check_defender_cells, mark_before_members
from tbgen.retro.levels.forcer import Forcer, leave_free
from tbgen.retro.resets.destinations import Shapes, find_plane_and_cell
from tbgen.retro.words.block import Block
from tbgen.retro.words.geometry import BLACK, WHITE, king_of, unpack_men, word_after
from tbgen.retro.words.moves import GONE, ROLE, SLOT, TO, Scratch, note_moves, unpack_squares
from tbgen.retro.words.worklist import Worklist, add_bits, add_word, list_words

CERTAIN, POSSIBLE = 0, 1


@by_address
class After(NamedTuple):
    """The mates after resets, as bits."""

    steps: Words
    """[step, certain or possible, forcer, word] after a single and a double step of the pawn, or its promotion."""
    pawn_gone: Words
    """[forcer, word] after the capture of the pawn."""
    man_gone: Words
    """[number, forcer, word without the man's axis] after the capture of a man."""
    number: Ints
    """[man, key] the number for the capture of a man: 0 by a man or king, else by the pawn (see `key_of_capture`)."""


@small
def key_of_capture(by_pawn: bool, to: Int, role: Int) -> Int:
    """By which man another one is captured: the pawn's goal and its new role matter."""
    return 1 + (to & 7) * 8 + role if by_pawn else np.int64(0)


# axes: the slots of the child's words, from the outermost. now, there: scratch space for the squares here and there.
@borrowing
def expand_child(
    shapes: Shapes, slots: Ints, flip: Int, entry: SignedBytes, axes: Ints, now: Ints, there: Ints, bits: Words
) -> None:
    """bits[forcer, word] of the positions of one plane of a child, in the colours and the order of words here."""
    black_king = axes[-1]
    men = len(axes) - 1
    for word in range(bits.shape[1]):
        for n in range(men):
            now[axes[n]] = word >> 6 * (men - 1 - n) & 63
        for king in range(64):
            now[black_king] = king
            for n in range(len(slots)):
                there[n] = now[slots[n]] ^ flip
            _, cell = find_plane_and_cell(shapes, 0, 0, there)
            byte = -entry[cell] if flip else entry[cell]
            if byte == 1:
                bits[WHITE, word] |= square_bit(king)
            elif byte == -1:
                bits[BLACK, word] |= square_bit(king)


@inlined
def word_without(scratch: Scratch, block: Block, gone: Int) -> Int:
    """The word of the squares at hand with the axis of a man left out."""
    pawns = len(block.pawns)
    word: Int = scratch.now[pawns]
    for man in range(len(scratch.men)):
        if man != gone:
            word = word << 6 | scratch.now[pawns + 1 + man]
    return word


# reach[certain or possible, forcer, side, word]: the forcer's positions with a reset to a mate of his; the defender's
# with one that is none. some[side, word]: positions with a reset are added.
@borrowing
def find_resets(block: Block, after: After, scratch: Scratch, reach: Words, some: Words, first: int, end: int) -> None:
    """Find the positions of a range of words that reach a mate by a reset, or avoid one."""
    pawns, black_king = len(block.pawns), len(block.pawns) + len(block.geometry.role) + 1
    for word in range(first, end):
        if block.occupied[word] == NOTHING:
            continue
        unpack_squares(block, scratch, word)
        for side in range(2):
            note_moves(block, scratch, word, side)
            for n in range(scratch.noted[0]):
                move, kings = scratch.moves[n], scratch.kings[n]
                slot, to, gone = move[SLOT], move[TO], move[GONE]
                if gone < 0 and slot >= pawns:
                    continue
                some[side, word] |= kings
                was = scratch.now[slot]
                scratch.now[slot] = to
                there = word_without(scratch, block, gone - pawns - 1 if gone > pawns else -1)
                scratch.now[slot] = was
                step = 1 if gone < 0 and abs(to - was) == 16 else 0
                number = np.int64(0)
                if gone > pawns:
                    number = after.number[gone - pawns - 1, key_of_capture(slot < pawns, to, move[ROLE])]
                for forcer in range(2):
                    for sure in range(2):
                        if gone < 0:
                            bits = after.steps[step, sure, forcer, word]
                        elif gone < pawns:
                            bits = after.pawn_gone[forcer, there]
                        else:
                            bits = after.man_gone[number, forcer, there]
                        if slot == black_king:
                            bits = EVERYTHING if bits & square_bit(to) else NOTHING
                        reach[sure, forcer, side, word] |= kings & (bits if side == forcer else ~bits)


# Whatever the new man is, the reply that takes it leads to `after.pawn_gone`; `legal` are the positions there in which
# the promoter is to move.
@borrowing
def find_promotions(block: Block, after: After, legal: Words, men: Ints, to: int) -> None:
    """The bits of promotions on a square: known only as far as replies that take the new man decide."""
    geometry, side = block.geometry, block.geometry.pawn_color[0]
    other = 1 - side
    for word in range(len(block.occupied)):
        occupied = block.occupied[word] & ~block.pawn_set[0]
        won, saved = NOTHING, NOTHING
        if occupied != NOTHING and not occupied & square_bit(to):
            unpack_men(geometry, word, men)
            for man in range(len(men)):
                between = BETWEEN[men[man], to]
                takes = REACHED[geometry.role[man], men[man]] & square_bit(to) and not between & occupied
                if geometry.color[man] == other and takes:
                    there = word_after(geometry, word, men, man, to)
                    kings = legal[side, there] & ~between
                    won |= kings & after.pawn_gone[other, there]
                    saved |= kings & ~after.pawn_gone[side, there]
            if other == BLACK and legal[side, word] & square_bit(to):
                won |= KING_ATTACKS[to] if after.pawn_gone[other, word] & square_bit(to) else NOTHING
                saved |= NOTHING if after.pawn_gone[side, word] & square_bit(to) else KING_ATTACKS[to]
            if other == WHITE and KING_ATTACKS[to] & square_bit(king_of(geometry, word)):
                there = word + ((to - king_of(geometry, word)) << geometry.king_shift)
                won |= legal[side, there] & after.pawn_gone[other, there]
                saved |= legal[side, there] & ~after.pawn_gone[side, there]
        after.steps[0, CERTAIN, other, word], after.steps[0, CERTAIN, side, word] = won, NOTHING
        after.steps[0, POSSIBLE, other, word], after.steps[0, POSSIBLE, side, word] = EVERYTHING, ~saved


@inner
def join(forcer: Forcer, side: Int, worklist: Worklist) -> int:
    """Make the marked positions members; in how many words they are."""
    size = list_words(worklist)
    for n in range(size):
        word = np.int64(worklist.words[n])
        bits = worklist.bits[word]
        leave_free(forcer.forced, side, word, bits)
        if side == forcer.side:
            forcer.forced.left[word] &= ~bits
    return size


@borrowing
def spread_mates(block: Block, forcer: Forcer, reach: Words, some: Words, again: bool) -> int:
    """Let all positions join from which the forcer forces mate; `again` goes on from the certain to the possible ones.

    some[side, word]: positions in check, and those with a reset.
    """
    side, members = forcer.side, forcer.forced
    joining, yielding, checked = forcer.joining, forcer.yielding, forcer.checked
    for word in range(len(members.left)):
        if not again:
            for mover in range(2):
                members.free[mover, word] = block.legal[mover, word]
                if block.legal[mover, word]:
                    add_word(members.live[mover], word)
            members.left[word] = block.legal[side, word]
        members.blocked[word] = reach[1 - side, word]
        add_bits(joining, word, reach[side, word] & members.free[side, word])
        add_bits(checked, word, some[1 - side, word] & members.free[1 - side, word] & ~members.blocked[word])
    layers = 0
    while joining.size[0] + checked.size[0]:
        check_defender_cells(block, forcer)
        others = join(forcer, 1 - side, yielding)
        own = join(forcer, side, joining)
        mark_before_members(block, forcer, side, joining, own, checked)
        mark_before_members(block, forcer, 1 - side, yielding, others, joining)
        layers += 1
    return layers
