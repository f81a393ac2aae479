"""Classes of mates: from which positions of a block with one pawn a side forces mate, a bit a position.

That is the first phase of the solver alone, without codes, plies and middles. A position is in the *certain* class of
a forcer if it mates even where unsolved promotions count as no mate. It is not even in the *possible* class if it does
not mate where they count as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, SignedBytes, Words
from tbgen.compiled.jit import borrowing, by_address, inlined, inner, small
from tbgen.index.layout import Squares, partial_layout
from tbgen.index.words import EVERYTHING, NOTHING, square_bit
from tbgen.material import Material
from tbgen.retro.distances.classes import check_defender_cells, mark_before_members
from tbgen.retro.distances.forcer import Forcer, new_forcer
from tbgen.retro.patterns.worker import Members, Room, leave_free
from tbgen.retro.resets.destinations import Reset, Shapes, find_plane_and_cell, resets_of, shapes_of
from tbgen.retro.words.block import Block, bare_block, enter_block, find_legal
from tbgen.retro.words.geometry import BLACK, NO_SLOT, WHITE, geometry_of
from tbgen.retro.words.moves import GONE, MOST_SLOTS, ROLE, SLOT, TO, Scratch, new_scratch, note_moves, unpack_squares
from tbgen.retro.words.worklist import Worklist, add_bits, list_words, new_worklist
from tbgen.score import Color
from tbgen.table import Entries

Sets = Words
"""[certain or possible, forcer, side to move, word]"""

CERTAIN, POSSIBLE = 0, 1
KEYS = 13


@by_address
class After(NamedTuple):
    """The mates after resets, as bits."""

    steps: Words
    """[step, certain or possible, forcer, word] after a single and a double step of the pawn, or its promotion."""
    pawn_gone: Words
    """[forcer, word] after the capture of the pawn."""
    man_gone: Words
    """[man * KEYS + key, forcer, word without the man's axis] after the capture of a man."""


@small
def key_of_capture(by_pawn: bool, to_right: bool, role: Int) -> Int:
    """By which man another one is captured: the pawn's direction and its new role matter."""
    return 1 + 6 * to_right + role if by_pawn else np.int64(0)


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
            if abs(byte) == 1:
                bits[WHITE if byte > 0 else BLACK, word] |= square_bit(king)


@inlined
def word_after(block: Block, scratch: Scratch, move: Ints) -> Int:
    """The word of the squares at hand after a move, the axis of a man that it takes left out."""
    king, word = len(block.pawns), np.int64(0)
    for slot in range(king, king + 1 + len(scratch.men)):
        if slot != move[GONE]:
            word = word << 6 | (move[TO] if slot == move[SLOT] else scratch.now[slot])
    return word


# reach[certain or possible, forcer, side, word]: the forcer's positions with a reset to a mate of his; the defender's
# with one that is none. Positions with a reset are added to those in check.
@borrowing
def find_resets(block: Block, after: After, scratch: Scratch, reach: Words, first: int, end: int) -> None:
    """Find the positions that reach a mate by a reset, or avoid one, with the sides first to end to move."""
    pawns, black_king = len(block.pawns), len(block.pawns) + len(block.geometry.role) + 1
    for word in range(len(block.occupied)):
        if block.occupied[word] == NOTHING:
            continue
        unpack_squares(block, scratch, word)
        for side in range(first, end):
            note_moves(block, scratch, word, side)
            for n in range(scratch.noted[0]):
                move, kings = scratch.moves[n], scratch.kings[n]
                slot, to, gone = move[SLOT], move[TO], move[GONE]
                if gone < 0 and slot >= pawns:
                    continue
                block.check[side, word] |= kings
                was, there = scratch.now[slot], word_after(block, scratch, move)
                step = 1 if gone < 0 and abs(to - was) == 16 else 0
                key = (gone - pawns - 1) * KEYS + key_of_capture(slot < pawns, to & 7 > was & 7, move[ROLE])
                for forcer in range(2):
                    for sure in range(2):
                        if gone < 0:
                            bits = after.steps[step, sure, forcer, there]
                        elif gone < pawns:
                            bits = after.pawn_gone[forcer, there]
                        else:
                            bits = after.man_gone[key, forcer, there]
                        if slot == black_king:
                            bits = EVERYTHING if bits & square_bit(to) else NOTHING
                        reach[sure, forcer, side, word] |= kings & (bits if side == forcer else ~bits)


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


# reach[side, word], as for this forcer; block.check[side, word]: positions in check, and those with a reset.
@borrowing
def spread_mates(block: Block, forcer: Forcer, reach: Words) -> None:
    """Let all positions join from which the forcer forces mate; those that are members stay so."""
    side, members = forcer.side, forcer.forced
    joining, yielding, checked = forcer.joining, forcer.yielding, forcer.checked
    for word in range(len(members.left)):
        members.blocked[word] = reach[1 - side, word]
        add_bits(joining, word, reach[side, word] & members.free[side, word])
        add_bits(checked, word, block.check[1 - side, word] & members.free[1 - side, word] & ~members.blocked[word])
    while joining.size[0] + checked.size[0]:
        check_defender_cells(block, forcer)
        others = join(forcer, 1 - side, yielding)
        own = join(forcer, side, joining)
        mark_before_members(block, forcer, side, joining, own, checked)
        mark_before_members(block, forcer, 1 - side, yielding, others, joining)


def _new_forcer(side: int, block: Block) -> Forcer:
    """A forcer without members, labels, histories and seeds."""
    geometry, words = block.geometry, block.geometry.words
    few = new_forcer(side, geometry._replace(words=0), Room(0), middles=False)
    live = np.packbits(block.legal != 0, axis=1, bitorder="little").view(np.uint64)
    members = Members(block.legal.copy(), live, left=block.legal[side].copy(), blocked=np.zeros(words, np.uint64))
    joining, yielding, checked = (new_worklist(words) for _ in range(3))
    return few._replace(forced=members, joining=joining, yielding=yielding, checked=checked)


class MatesSolver:
    """Finds the classes of one canonical material with one pawn, from the tables that captures lead to.

    `plane(material, pawns, side)` gives the entry values of one side to move of a block of a canonical child. A pawn
    may stand on any file: the block is then that of its mirror image.
    """

    def __init__(self, material: Material, plane: Callable[[Material, Squares, int], Entries]) -> None:
        layout = partial_layout(material, [(8,)])
        self._plane, self._geometry, self._resets = plane, geometry_of(layout), resets_of(layout)
        self.slots, self.words = layout.slots, layout.block_words
        self.color = self.slots[0][0]
        self._up = 8 if self.color is Color.WHITE else -8
        (pawn_gone,) = (reset for reset in self._resets if reset.gone == 0)
        self._pawn_gone = self._expand(pawn_gone, 8, self.words)

    def file(self, file: int) -> Iterator[tuple[int, Sets]]:
        """Each square of a file, from the last before promotion on, and its classes."""
        before = list[Words]()
        for rank in range(6, 0, -1) if self.color is Color.WHITE else range(1, 7):
            square = rank * 8 + file
            sets = self._block(square, before)
            yield square, sets
            before = [np.ascontiguousarray(sets[:, :, self.color.other]), *before[:1]]

    def _block(self, square: int, before: list[Words]) -> Sets:
        block, scratch = bare_block(self._geometry, self.words), new_scratch(len(self._geometry.role))
        after, reach = self._after(square, before), np.zeros((2, 2, 2, self.words), np.uint64)
        if not before:
            # The pawn is on its goal: whatever man it becomes, replies that take it are the same. Others are unknown.
            unknown, other = np.zeros_like(after.man_gone), int(self.color.other)
            unknown[:, self.color] = EVERYTHING
            self._enter(block, square + self._up, scratch)
            find_resets(block, after._replace(man_gone=unknown), scratch, reach, other, other + 1)
            after.steps[0, CERTAIN, other], after.steps[0, POSSIBLE, other] = reach[CERTAIN, other, other], EVERYTHING
            after.steps[0, POSSIBLE, self.color] = ~reach[POSSIBLE, self.color, other]
            reach[:] = NOTHING
        self._enter(block, square, scratch)
        find_resets(block, after, scratch, reach, 0, 2)
        del after
        for color in Color:
            forcer = _new_forcer(int(color), block)
            for sure in (CERTAIN, POSSIBLE):
                spread_mates(block, forcer, reach[sure, color])
                reach[sure, color] = block.legal & ~forcer.forced.free
        return reach

    def _after(self, square: int, before: list[Words]) -> After:
        words = self.words
        man_gone = np.zeros((len(self._geometry.role) * KEYS, 2, words // 64), np.uint64)
        for reset in self._resets:
            for key, to in self._captures(reset, square) if reset.gone > 0 else ():
                man_gone[(reset.gone - 2) * KEYS + key] = self._expand(reset, to, words // 64)
        is_home = square // 8 == (1 if self.color is Color.WHITE else 6)
        nearest = before[0] if before else np.zeros((2, 2, words), np.uint64)
        return After(np.stack(before) if is_home else nearest[np.newaxis], self._pawn_gone, man_gone)

    @staticmethod
    def _enter(block: Block, square: int, scratch: Scratch) -> None:
        """Put the pawn on a square."""
        enter_block(block, 0, np.array([square], np.int64))
        find_legal(block, scratch.men, 0, len(block.occupied))

    def _captures(self, reset: Reset, square: int) -> Iterator[tuple[int, int]]:
        """The keys of a reset that captures a man, and where the pawn stands then."""
        if reset.promoted == NO_SLOT:
            yield 0, square
        takes = self.slots[reset.gone][0] is not self.color
        for to in (square + self._up - 1, square + self._up + 1) if takes else ():
            promotes = not 8 <= to < 56
            if abs(to % 8 - square % 8) == 1 and promotes == (reset.promoted != NO_SLOT):
                yield int(key_of_capture(True, to % 8 > square % 8, int(reset.role) * promotes)), to

    def _expand(self, reset: Reset, pawn: int, words: int) -> Words:
        """The bits of mates in the child that a reset leads to, the pawn or what it has become on a square."""
        flip = 56 if reset.flip else 0
        there = (pawn ^ flip,) * reset.material.pawns
        child = partial_layout(reset.material, [there])
        mover = self.slots[reset.gone][0].other
        side = mover if reset.flip else mover.other
        entry = self._plane(reset.material, there, int(side))
        axes = np.array([slot for slot in range(1, len(self.slots)) if slot != reset.gone], np.int64)
        now, bits = np.full(MOST_SLOTS, pawn, np.int64), np.zeros((2, words), np.uint64)
        slots, room = np.array(reset.slots, np.int64), np.zeros(2 * MOST_SLOTS, np.int64)
        expand_child(shapes_of([child]), slots, flip, entry, axes, now, room, bits)
        return bits
