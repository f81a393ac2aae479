"""Forcer: one side's part in a block: what it forces, and all that finding it out needs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import borrowing, inlined, inner
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit
from tbgen.retro.block import MASK, NO_LABEL, WORST_RANK, place_of, rank_of_byte
from tbgen.retro.geometry import WHITE, Geometry
from tbgen.retro.interning import Store, event_of, intern, new_store
from tbgen.retro.journal import Journal, clear_journal, new_journal
from tbgen.retro.marks import Marks, copy, drop_word, find_live, new_marks
from tbgen.retro.seeds import MEMBER, PLIES, UNBLOCK, Seeds, add_seed, clear_seeds, new_seeds, seed_place

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

TOO_FAR, STORE_FULL, TOO_HIGH, FORCED_TWICE = 2, 3, 4, 5
"""What can go wrong: a distance, the number of histories, an outcome's code beyond their limits; a position that both
sides force, which cannot be."""

CHANGED, STATUS, SWEEPS, NEW_FROM, REPLAYS = range(5)
"""State: whether exits or members changed since the middle was last solved; what went wrong; sweeps made; the first
seed filed since the middle was last solved; whether levels are replayed."""

LABEL, HISTORY = 0, 1

LEAST_REPLAYED_WORDS = 1 << 16
"""Smaller blocks are searched anew at each level: they lie in the cache, where looking anew costs less."""

JOURNAL_ENTRIES = 64
"""Room of the journal, in entries a word."""


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


class Doubts(NamedTuple):
    """What may differ from the level in the journal; [side, word] all of them."""

    stirred: Words
    """[side, word >> 6] the words in which anything below has bits, or a position has joined where it did not."""
    closed: Words
    """Frozen since."""
    gained: Words
    """Joined a class since."""
    touched: Words
    """Something that they could move to does not join where it did."""
    waiting: Words
    """Were asked, and did not join."""
    watched: Words
    """What these could move to."""
    agenda: Seeds
    """Resets of positions that wait."""


class Forcer(NamedTuple):
    """All that one side's forcing needs beside the block."""

    side: int
    forced: Members
    middle: Members
    arrived: Words
    """[word] the other side's members of the middle."""
    found: npt.NDArray[np.uint32]
    """[place, LABEL or HISTORY] the label of the last middle, and how it changed from level to level."""
    seeds: Seeds
    joining: Marks
    joining_next: Marks
    yielding: Marks
    checked: Marks
    journal: Journal
    doubts: Doubts
    store: Store
    men: Ints
    state: Ints


def new_forcer(side: int, geometry: Geometry, capacity: int) -> Forcer:
    """The arrays of a forcer for blocks of this geometry; what depends on the work is touched as it is needed."""
    words = geometry.words
    replays = words >= LEAST_REPLAYED_WORDS
    state = np.zeros(5, np.int64)
    state[REPLAYS] = replays
    return Forcer(
        side,
        _new_members(words),
        _new_members(words),
        np.zeros(words, np.uint64),
        np.empty((words * 128, 2), np.uint32),
        new_seeds(words * 256),
        new_marks(words),
        new_marks(words),
        new_marks(words),
        new_marks(words),
        new_journal(words * JOURNAL_ENTRIES if replays else 0),
        _new_doubts(words),
        new_store(capacity),
        np.zeros(len(geometry.role), np.int64),
        state,
    )


def _new_members(words: int) -> Members:
    pair = np.zeros((2, words), np.uint64), np.zeros((2, (words + 63) >> 6), np.uint64)
    return Members(*pair, np.zeros(words, np.uint64), np.zeros(words, np.uint64))


def _new_doubts(words: int) -> Doubts:
    closed, gained, touched, waiting, watched = (np.zeros((2, words), np.uint64) for _ in range(5))
    stirred = np.zeros((2, (words + 63) >> 6), np.uint64)
    return Doubts(stirred, closed, gained, touched, waiting, watched, new_seeds(words * 128))


@inner
def clear_doubts(doubts):
    """Nothing is in doubt."""
    for side in range(2):
        for group in range(doubts.stirred.shape[1]):
            words = doubts.stirred[side, group]
            doubts.stirred[side, group] = NOTHING
            while words:
                word = group * 64 + lowest_square(words)
                words &= words - ONE
                doubts.closed[side, word], doubts.gained[side, word] = NOTHING, NOTHING
                doubts.touched[side, word], doubts.watched[side, word] = NOTHING, NOTHING
                doubts.waiting[side, word] = NOTHING
    clear_seeds(doubts.agenda)


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
    add_seed(forcer.seeds, np.int64(0), label, seed_place(kind, side, word), square_bit(square))


@borrowing
def start_forcer(block, forcer):
    """Begin a block: nobody forces anything yet, and resets to mate are seeds."""
    side, forced, state = forcer.side, forcer.forced, forcer.state
    clear_seeds(forcer.seeds)
    clear_journal(forcer.journal)
    clear_doubts(forcer.doubts)
    copy(forced.left, block.legal[side])
    copy(forced.blocked, block.resets[1 - side])
    state[CHANGED], state[STATUS], state[NEW_FROM] = 0, 0, 0
    for mover in range(2):
        copy(forced.free[mover], block.legal[mover])
        if side == WHITE:
            copy(block.open[mover], block.legal[mover])
            copy(block.undecided[mover], block.legal[mover])
        find_live(forced.live[mover], forced.free[mover])
        for word in range(len(forced.left)):
            lanes = block.resets[mover, word]
            while lanes:
                square = lowest_square(lanes)
                lanes &= lanes - ONE
                if rank_of_byte(np.int64(block.reset[mover, word * 64 + square]), side) == 0:
                    file_reset(block, forcer, mover, word, square)


@borrowing
def start_middles(block, forcer, places):
    """After the mates: the other resets of the cells that have places are seeds, and there are no labels yet."""
    forcer.found[:places, LABEL] = NO_LABEL
    forcer.found[:places, HISTORY] = 0
    for mover in range(2):
        for word in range(len(forcer.arrived)):
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


@inner
def label_cells(block, forcer, side, word, bits, label, level):
    """Label some cells of the middle, and note the change in their histories."""
    while bits:
        place = place_of(block, side, word, lowest_square(bits))
        bits &= bits - ONE
        if forcer.found[place, LABEL] != label:
            forcer.found[place, LABEL] = label
            before = np.int64(forcer.found[place, HISTORY])
            forcer.found[place, HISTORY] = intern(forcer.store, before, event_of(level, label))
