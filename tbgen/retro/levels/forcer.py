"""Forcer: one side's part in a block: what it forces, and all that finding it out needs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import borrowing, inlined
from tbgen.index.outcome_kernels import WORST_RANK, rank_of_byte
from tbgen.index.words import NOTHING, ONE, count, lowest_square, square_bit
from tbgen.retro.levels.bucket_queue import MEMBER, PLIES, UNBLOCK, Seeds, add_seed, clear_seeds, new_seeds, seed_place
from tbgen.retro.levels.histories import Store, event_of, intern, new_store
from tbgen.retro.levels.middle import Middle, end_level, new_middle
from tbgen.retro.words.block import FIRST, MASK, NO_LABEL, find_resets
from tbgen.retro.words.geometry import WHITE, Geometry
from tbgen.retro.words.quiet import Near, new_near
from tbgen.retro.words.worklist import Marks, drop_word, new_marks

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

TOO_FAR, STORE_FULL, TOO_HIGH, FORCED_TWICE, AGENDA_FULL = 2, 3, 4, 5, 6
"""What can go wrong: a distance, the number of histories, an outcome's code beyond their limits; a position that both
sides force, which cannot be; more to be looked at again than there is room for."""

BEGUN, STATUS, SWEEPS, LAYER, MEMO_LABEL, MEMO_BEFORE, MEMO_AFTER = range(7)
"""State: whether there are labels; what went wrong; sweeps made; the plies of the class's layer at hand, NO_LAYER
between stages; the label given last, a history before and after."""

NO_LAYER = -1


class Members(NamedTuple):
    """Who is decided: what is still free to join, and what a defender can still escape to."""

    free: Words
    """[side, word] open cells that have not joined."""
    live: Words
    """[side, word >> 6] the words that have any."""
    left: Words
    """[word] the forcer's cells, frozen ones too, that have not joined."""
    blocked: Words
    """[word] the other side's cells with a reset that is better for it than what is being spread."""


class Forcer(NamedTuple):
    """All that one side's forcing needs beside the block."""

    side: int
    forced: Members
    middle: Middle
    label: npt.NDArray[np.uint32]
    """[place] the label of the last middle: read far more often than the history, so they lie apart."""
    history: npt.NDArray[np.uint32]
    """[place] how the label changed from level to level."""
    seeds: Seeds
    joining: Marks
    joining_next: Marks
    yielding: Marks
    checked: Marks
    store: Store
    near: Near
    latest: Ints
    """[square] room for labels."""
    men: Ints
    state: Ints


def new_forcer(side: int, geometry: Geometry, capacity: int) -> Forcer:
    """The arrays of a forcer for blocks of this geometry; what depends on the work is touched as it is needed."""
    words = geometry.words
    return Forcer(
        side,
        _new_members(words),
        new_middle(words),
        np.empty(words * 128, np.uint32),
        np.empty(words * 128, np.uint32),
        new_seeds(words * 256),
        new_marks(words),
        new_marks(words),
        new_marks(words),
        new_marks(words),
        new_store(capacity),
        new_near(),
        np.zeros(64, np.int64),
        np.zeros(len(geometry.role), np.int64),
        np.zeros(7, np.int64),
    )


def _new_members(words: int) -> Members:
    pair = np.zeros((2, words), np.uint64), np.zeros((2, (words + 63) >> 6), np.uint64)
    return Members(*pair, np.zeros(words, np.uint64), np.zeros(words, np.uint64))


@inlined
def reset_label(block, forcer, side, cell):
    """The rank and plies, as a label of this forcer, that a cell's best reset brings."""
    rank = rank_of_byte(np.int64(block.reset[side, cell]), forcer.side)
    return rank << 16 | 1 + np.int64(block.near[side, cell] if side == forcer.side else block.far[side, cell])


@inlined
def file_reset(block, forcer, side, word, square):
    """File a cell's reset as a seed."""
    label = reset_label(block, forcer, side, word * 64 + square)
    if label & 0xFFFF >= PLIES:
        forcer.state[STATUS] = TOO_FAR
        return
    kind = MEMBER if side == forcer.side else UNBLOCK
    add_seed(forcer.seeds, label, seed_place(kind, side, word), square_bit(square))


@borrowing
def open_words(block, white, black, first, end):
    """Begin a range of words: what is legal is open, and nobody forces anything yet; how many cells that are.

    Which words are live says the first `freeze`.
    """
    cells = 0
    for side in range(2):
        ours, theirs = white if side == WHITE else black, black if side == WHITE else white
        for word in range(first, end):
            legal = block.legal[side, word]
            block.open[side, word] = legal
            block.undecided[side, word] = legal
            ours.forced.free[side, word] = legal
            theirs.forced.free[side, word] = legal
            ours.forced.left[word] = legal
            theirs.forced.blocked[word] = find_resets(block, side, word)
            cells += count(legal)
    return cells


@borrowing
def start_forcer(block, forcer):
    """Begin with a block whose words are open: resets to mate are seeds."""
    state = forcer.state
    clear_seeds(forcer.seeds)
    end_level(forcer.middle)
    state[BEGUN], state[STATUS], state[LAYER] = 0, 0, NO_LAYER
    for mover in range(2):
        for word in range(len(forcer.forced.left)):
            lanes = block.resets[mover, word]
            while lanes:
                square = lowest_square(lanes)
                lanes &= lanes - ONE
                if rank_of_byte(np.int64(block.reset[mover, word * 64 + square]), forcer.side) == 0:
                    file_reset(block, forcer, mover, word, square)


@borrowing
def start_middles(block, forcer, places):
    """After the mates: the other resets of the cells that have places are seeds, and there are no labels yet."""
    forcer.label[:places] = NO_LABEL
    forcer.history[:places] = 0
    for mover in range(2):
        for word in range(len(forcer.forced.left)):
            lanes = block.numbered[mover, word, MASK] & block.resets[mover, word]
            while lanes:
                square = lowest_square(lanes)
                lanes &= lanes - ONE
                rank = rank_of_byte(np.int64(block.reset[mover, word * 64 + square]), forcer.side)
                if 0 < rank < WORST_RANK:
                    file_reset(block, forcer, mover, word, square)


@inlined
def leave_free(members, side, word, bits):
    """Some positions of a word are free no longer."""
    at = np.uint64(word)
    rest = members.free[side, at] & ~bits
    members.free[side, at] = rest
    if rest == NOTHING:
        drop_word(members.live[side], word)


@inlined
def label_cells(block, forcer, side, word, bits, label, level):
    """Label some cells of the middle, and note the change in their histories."""
    state, history, store = forcer.state, forcer.history, forcer.store
    mask, place = block.numbered[side, word, MASK], block.numbered[side, word, FIRST]
    if state[MEMO_LABEL] != label:
        state[MEMO_LABEL], state[MEMO_BEFORE] = label, -1
    before, after = state[MEMO_BEFORE], state[MEMO_AFTER]
    while bits:
        lowest = bits & (~bits + ONE)
        bits ^= lowest
        at = place + np.uint64(count(mask & (lowest - ONE)))
        was = np.int64(history[at])
        if was != before:
            before, after = was, was
            if store.event[was] & 0xFFFFFFFF != label:
                after = intern(store, was, event_of(level, label))
        forcer.label[at], history[at] = label, after
    state[MEMO_BEFORE], state[MEMO_AFTER] = before, after
