"""Levels: the game for one accrued code after another, solved from the entry values it leads to.

At stage k the cells whose own code is k are *frozen*: their entry values become known. Then, for each
forcer, the outcome "the forcer holds k" is spread to all from which it can be forced (the class: final,
whatever the accrued score), and the holds of the other side at code k + 1 are broken where they can be
(the middle: solved anew at every level from the forced cells on).

Both are one computation: take outcomes from the forcer's best upwards, plies from the fewest upwards;
a position of the forcer joins as soon as one move leads to a member, one of the other side as soon as
all do. What begins it are *seeds*: resets and frozen cells, filed by rank and plies.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import inlined, inner, kernel
from tbgen.index.words import NOTHING, ONE, count, lowest_square, square_bit
from tbgen.retro.block import NO_LABEL, WORST_RANK, byte_of_rank, rank_of_byte
from tbgen.retro.geometry import WHITE, Geometry
from tbgen.retro.interning import Store, event_of, intern, new_store
from tbgen.retro.seeds import EXIT, MEMBER, PLIES, UNBLOCK, Seeds, add_seed, clear_seeds, new_seeds
from tbgen.retro.spread import Marks, escapes, mark, new_marks, put
from tbgen.score import MOST_STORED_CODE, STALEMATE_CODE

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

CLASS = 0
"""The level of a class, in whose place the middle has its code."""

STALEMATE = STALEMATE_CODE
TOP_CODE = MOST_STORED_CODE
"""No outcome has a higher code: the positions that have one are forced to better."""

TOO_FAR, STORE_FULL, TOO_HIGH, FORCED_TWICE = 2, 3, 4, 5
"""What can go wrong: a distance, the number of histories, an outcome's code beyond their limits; a position that both
sides force, which cannot be."""


class Members(NamedTuple):
    """Who is decided: what is still free to join, and what a defender can still escape to."""

    free: Words
    """[side, word] open cells that have not joined."""
    left: Words
    """[word] the forcer's cells, frozen ones too, that have not joined."""
    blocked: Words
    """[word] the other side's cells with a reset that is better for it than what is being spread."""


class Forcer(NamedTuple):
    """All that one side's forcing needs beside the block."""

    side: int
    forced: Members
    middle: Members
    seeds: Seeds
    joining: Marks
    joining_next: Marks
    yielding: Marks
    checked: Marks
    store: Store
    men: Ints
    state: Ints
    """Whether the exits changed since the middle was last solved; the status; sweeps made."""


def new_forcer(side: int, geometry: Geometry, capacity: int) -> Forcer:
    """The arrays of a forcer for blocks of this geometry."""
    words = geometry.words
    return Forcer(
        side,
        _new_members(words),
        _new_members(words),
        new_seeds(words),
        new_marks(words),
        new_marks(words),
        new_marks(words),
        new_marks(words),
        new_store(capacity),
        np.zeros(len(geometry.role), np.int64),
        np.zeros(4, np.int64),
    )


def _new_members(words: int) -> Members:
    return Members(np.zeros((2, words), np.uint64), np.zeros(words, np.uint64), np.zeros(words, np.uint64))


@kernel
def start_forcer(block, forcer):
    """Begin a block: nobody forces anything yet, and every reset is a seed."""
    side, seeds, forced = forcer.side, forcer.seeds, forcer.forced
    clear_seeds(seeds)
    forced.free[:] = block.legal
    forced.left[:] = block.legal[side]
    forced.blocked[:] = NOTHING
    block.label[side] = NO_LABEL
    block.history[side] = 0
    forcer.state[:2] = 0
    if side == WHITE:
        block.open[:] = block.legal
        block.undecided[:] = block.legal
    for mover in range(2):
        for word in range(len(forced.left)):
            lanes = block.legal[mover, word]
            while lanes:
                square = lowest_square(lanes)
                lanes &= lanes - ONE
                cell = word * 64 + square
                byte = block.reset[mover, cell]
                if byte == 0:
                    continue
                rank = rank_of_byte(byte, side)
                plies = 1 + np.int64(block.near[mover, cell] if mover == side else block.far[mover, cell])
                if plies >= PLIES:
                    forcer.state[1] = TOO_FAR
                    return
                add_seed(seeds, rank, plies, MEMBER if mover == side else UNBLOCK, mover, word, square_bit(square))
                if mover != side:
                    forced.blocked[word] |= square_bit(square)


@inlined
def entry_label(block, k, side, cell):
    """The entry value of a cell whose own code is k: its rank and plies for the side that has just moved."""
    if k <= STALEMATE:
        return np.int64(k), np.int64(0)
    k = min(k, TOP_CODE + 1)
    forced, broken = np.int64(block.label[1 - side, side, cell]), np.int64(block.label[side, side, cell])
    if forced >> 16 < k:
        return forced >> 16, forced & 0xFFFF
    if broken >> 16 < WORST_RANK - k:
        return WORST_RANK - (broken >> 16), broken & 0xFFFF
    return np.int64(k), np.int64(0)


@inlined
def seed_exit(block, forcer, k, side, cell, rank, plies):
    """File a frozen cell's entry value (a rank for this forcer) where it can matter."""
    if k <= rank < WORST_RANK - k:
        add_seed(forcer.seeds, rank, plies, EXIT, side, cell >> 6, square_bit(cell & 63))
        if block.label[forcer.side, side, cell] != rank << 16 | plies:
            forcer.state[0] = 1


@inlined
def freeze_word(block, white, black, k, side, word, entry, dtg):
    """Freeze the cells of a word whose own code is k; the next code that occurs in it, or 255."""
    place, end = word * 64 + block.frozen[side, word], word * 64 + count(block.legal[side, word])
    while place < end:
        square = np.int64(block.by_code[side, place])
        cell = word * 64 + square
        if block.code[side, cell] != k:
            break
        place += 1
        rank, plies = entry_label(block, k, side, cell)
        if TOP_CODE < rank < WORST_RANK - TOP_CODE:
            white.state[1] = TOO_HIGH
        for_white = rank if side != WHITE else WORST_RANK - rank
        entry[side * block.code.shape[1] + cell] = byte_of_rank(for_white, WHITE)
        dtg[side * block.code.shape[1] + cell] = plies
        seed_exit(block, white, k, side, cell, for_white, plies)
        seed_exit(block, black, k, side, cell, WORST_RANK - for_white, plies)
        block.open[side, word] &= ~square_bit(square)
    block.frozen[side, word] = place - word * 64
    return np.int64(block.code[side, word * 64 + np.int64(block.by_code[side, place])]) if place < end else 255


@kernel
def freeze(block, white, black, k, entry, dtg):
    """Find the entry values of all cells whose own code is k, file them as seeds, and close the cells.

    `entry` and `dtg` are the block's part of the table.
    """
    words = len(block.occupied)
    still_open = False
    for side in range(2):
        for word in range(words):
            if block.next_code[side, word] == k:
                rest = freeze_word(block, white, black, k, side, word, entry, dtg)
                block.next_code[side, word] = rest
            still_open |= block.next_code[side, word] != 255
            still = block.undecided[side, word] & block.open[side, word]
            undecided = still & white.forced.free[side, word] & black.forced.free[side, word]
            if still & ~white.forced.free[side, word] & ~black.forced.free[side, word]:
                white.state[1] = FORCED_TWICE
            block.undecided[side, word] = undecided
            white.forced.free[side, word] = undecided
            black.forced.free[side, word] = undecided
    return still_open


@inner
def plant(forcer, members, joining, rank, plies):
    """Let the seeds of one rank and distance take effect."""
    side, seeds = forcer.side, forcer.seeds
    node = seeds.head[rank, plies]
    while node >= 0:
        word, kind, mover = seeds.where[node] >> 3, seeds.where[node] >> 1 & 3, seeds.where[node] & 1
        bits = seeds.bits[node]
        node = seeds.next[node]
        if kind == UNBLOCK:
            members.blocked[word] &= ~bits
            put(forcer.checked, word, bits & members.free[mover, word])
        elif mover != side:
            put(forcer.yielding, word, bits)
        elif kind == EXIT:
            put(joining, word, bits & members.left[word])
        else:
            put(joining, word, bits & members.free[mover, word])


@inner
def check(geometry, block, forcer, members):
    """Of the other side's marked positions, let those join that have no way out."""
    other, checked = 1 - forcer.side, forcer.checked
    for n in range(checked.size[0]):
        word = checked.words[n]
        bits = checked.bits[word] & members.free[other, word] & ~members.blocked[word]
        checked.bits[word] = NOTHING
        if bits:
            bits &= ~escapes(geometry, forcer.men, block.occupied[word], other, word, bits, members.left)
            put(forcer.yielding, word, bits)
    checked.size[0] = 0


@inner
def join(block, forcer, members, side, marks, label, level):
    """Make the marked positions members, and label those that are open."""
    me = forcer.side
    for n in range(marks.size[0]):
        word = marks.words[n]
        bits = marks.bits[word]
        members.free[side, word] &= ~bits
        if side == me:
            members.left[word] &= ~bits
        bits &= block.open[side, word]
        while bits:
            cell = word * 64 + lowest_square(bits)
            bits &= bits - ONE
            if block.label[me, side, cell] != label:
                block.label[me, side, cell] = label
                if level != CLASS:
                    before = block.history[me, side, cell]
                    block.history[me, side, cell] = intern(forcer.store, before, event_of(level, label))


@inner
def expand(geometry, block, forcer, members, side, marks, target):
    """Mark the positions from which the side not to move came to the marked ones, and unmark these."""
    mover = 1 - side
    for n in range(marks.size[0]):
        word = marks.words[n]
        mark(geometry, forcer.men, block.occupied[word], mover, word, marks.bits[word], members.free[mover], target)
        marks.bits[word] = NOTHING
    marks.size[0] = 0


@inner
def spread_outcome(geometry, block, forcer, members, rank, level):
    """Let all join from which the forcer forces the outcome of this rank, and not a better one."""
    side, farthest = forcer.side, forcer.seeds.farthest[rank]
    joining, joining_next = forcer.joining, forcer.joining_next
    plies, joined = 0, 0
    while True:
        pending = joining.size[0] + forcer.checked.size[0] > 0
        while not pending and plies <= farthest and forcer.seeds.head[rank, plies] < 0:
            plies += 1
        if plies >= PLIES:
            forcer.state[1] = TOO_FAR
        if plies >= PLIES or (not pending and plies > farthest):
            break
        if plies <= farthest and forcer.seeds.head[rank, plies] >= 0:
            plant(forcer, members, joining, rank, plies)
        if forcer.checked.size[0]:
            check(geometry, block, forcer, members)
        label = np.uint32(rank << 16 | plies)
        joined += joining.size[0] + forcer.yielding.size[0]
        if joining.size[0]:
            join(block, forcer, members, side, joining, label, level)
        if forcer.yielding.size[0]:
            join(block, forcer, members, 1 - side, forcer.yielding, label, level)
            expand(geometry, block, forcer, members, 1 - side, forcer.yielding, joining_next)
        if joining.size[0]:
            expand(geometry, block, forcer, members, side, joining, forcer.checked)
        joining, joining_next = joining_next, joining
        plies += 1
        forcer.state[2] += 1
    return joined


@kernel
def advance(geometry, block, forcer, k):
    """Stage k for one forcer: the class of its own outcome k, then the middle at accrued code k + 1."""
    if k > TOP_CODE:
        return
    if spread_outcome(geometry, block, forcer, forcer.forced, k, np.int64(CLASS)):
        forcer.state[0] = 1
    if k == 0 or (k > 1 and forcer.state[0] == 0):
        return
    forcer.state[0] = 0
    forcer.middle.free[:] = forcer.forced.free
    forcer.middle.left[:] = forcer.forced.left
    forcer.middle.blocked[:] = forcer.forced.blocked
    for rank in range(k + 1, WORST_RANK - k - 1):
        if forcer.seeds.farthest[rank] >= 0:
            spread_outcome(geometry, block, forcer, forcer.middle, rank, k + 1)
