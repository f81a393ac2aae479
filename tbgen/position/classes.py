"""Classes of mates: from which positions of a block with one pawn a side forces mate, a bit a position.

This is the first phase of the solver alone, without codes, plies and middles. A position is in the *certain* class of
a forcer if it mates even where unsolved promotions count as no mate. It is not even in the *possible* class if it does
not mate where they count as one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, SignedBytes, Word, Words
from tbgen.compiled.jit import borrowing, by_address, inlined, inner, small
from tbgen.index.words import EVERYTHING, NOTHING, square_bit
from tbgen.retro.levels.classes import check_defender_cells, mark_before_members
from tbgen.retro.levels.forcer import Forcer, leave_free
from tbgen.retro.resets.destinations import Shapes, find_plane_and_cell
from tbgen.retro.words.block import Block
from tbgen.retro.words.geometry import BLACK, WHITE
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
def word_after(block: Block, scratch: Scratch, move: Ints) -> Int:
    """The word of the squares at hand after a move, the axis of a man that it takes left out."""
    pawns = len(block.pawns)
    was = scratch.now[move[SLOT]]
    scratch.now[move[SLOT]] = move[TO]
    word: Int = scratch.now[pawns]
    for slot in range(pawns + 1, pawns + 1 + len(scratch.men)):
        if slot != move[GONE]:
            word = word << 6 | scratch.now[slot]
    scratch.now[move[SLOT]] = was
    return word


@inlined
def before_move(block: Block, move: Ints, bits: Word) -> Word:
    """The bits of a word after a move, as those of the positions before it: the black king has left them for one."""
    if move[SLOT] == len(block.pawns) + len(block.geometry.role) + 1:
        return EVERYTHING if bits & square_bit(move[TO]) else NOTHING
    return bits


# reach[certain or possible, forcer, side, word]: the forcer's positions with a reset to a mate of his; the defender's
# with one that is none. Positions with a reset are added to those in check.
@borrowing
def find_resets(block: Block, after: After, scratch: Scratch, reach: Words) -> None:
    """Find the positions that reach a mate by a reset, or avoid one."""
    pawns = len(block.pawns)
    for word in range(len(block.occupied)):
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
                block.check[side, word] |= kings
                there = word_after(block, scratch, move)
                step = 1 if gone < 0 and abs(to - scratch.now[slot]) == 16 else 0
                number = np.int64(0)
                if gone > pawns:
                    number = after.number[gone - pawns - 1, key_of_capture(slot < pawns, to, move[ROLE])]
                for forcer in range(2):
                    for sure in range(2):
                        if gone < 0:
                            bits = after.steps[step, sure, forcer, there]
                        elif gone < pawns:
                            bits = after.pawn_gone[forcer, there]
                        else:
                            bits = after.man_gone[number, forcer, there]
                        bits = before_move(block, move, bits)
                        reach[sure, forcer, side, word] |= kings & (bits if side == forcer else ~bits)


# The pawn of `block` stands on its goal: whatever man it has become, replies that take it are the same.
@borrowing
def find_promotions(block: Block, after: After, scratch: Scratch) -> None:
    """The bits of a promotion: known only as far as replies that take the new man decide."""
    side = block.geometry.pawn_color[0]
    other = 1 - side
    for word in range(len(block.occupied)):
        won, saved = NOTHING, NOTHING
        if block.occupied[word] != NOTHING:
            unpack_squares(block, scratch, word)
            note_moves(block, scratch, word, other)
            for n in range(scratch.noted[0]):
                move, kings = scratch.moves[n], scratch.kings[n]
                if move[GONE] == 0:
                    there = word_after(block, scratch, move)
                    won |= kings & before_move(block, move, after.pawn_gone[other, there])
                    saved |= kings & before_move(block, move, ~after.pawn_gone[side, there])
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


# block.check[side, word]: positions in check, and those with a reset.
@borrowing
def spread_mates(block: Block, forcer: Forcer, reach: Words, again: bool) -> None:
    """Let all positions join from which the forcer mates; `again` goes on from the certain to the possible ones."""
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
        add_bits(checked, word, block.check[1 - side, word] & members.free[1 - side, word] & ~members.blocked[word])
    while joining.size[0] + checked.size[0]:
        check_defender_cells(block, forcer)
        others = join(forcer, 1 - side, yielding)
        own = join(forcer, side, joining)
        mark_before_members(block, forcer, side, joining, own, checked)
        mark_before_members(block, forcer, 1 - side, yielding, others, joining)
