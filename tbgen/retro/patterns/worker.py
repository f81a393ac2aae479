"""Worker: a thread's own arrays, whichever way it solves the accrued codes; and who has joined a class."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Ints32, Word, Words
from tbgen.compiled.jit import borrowing, by_address, inlined
from tbgen.errors import RepresentationError
from tbgen.index.words import NOTHING, ONE, count, lowest_and_rest, square_bit
from tbgen.retro.patterns.histories import OVERFLOWED, Interner, intern
from tbgen.retro.patterns.packing import event_from, label_of_event
from tbgen.retro.words.block import FIRST, MASK, Block, BlockValues
from tbgen.retro.words.geometry import WHITE
from tbgen.retro.words.moves import Scratch
from tbgen.retro.words.quiet import Neighbours
from tbgen.retro.words.worklist import drop_word, new_word_set
from tbgen.score import MOST_STORED_CODE

_logger = logging.getLogger("tbgen")

TOP_CODE = MOST_STORED_CODE
"""No outcome has a higher code: where a position's own code is higher, a side can force a lower one."""

TOO_FAR, INTERNER_FULL, TOO_HIGH, FORCED_TWICE, QUEUE_FULL = 2, 3, 4, 5, 6
"""What can go wrong: a distance, the number of histories, an outcome's code beyond their limits; a position that both
sides force, which cannot be; more seeds, or more to be rechecked, than there is space for."""

STATUS, MEMO_LABEL, MEMO_BEFORE, MEMO_AFTER = range(4)
"""State: what went wrong; the label given last, a history before and after it."""

NO_MEMO = -1

FIRST_MIDDLE = 2
"""The accrued code of the first middle: mates and stalemates end the game."""


@by_address
class Members(NamedTuple):
    """The cells that have joined a class of the forcer, or a middle too, by their complements.

    What the other side forces at this code leaves `free` and `live` when the next one begins; the others keep it.
    """

    free: Words
    """[side, word] cells that can join: not frozen, not here yet, nor forced by the other side at the last freezing."""
    live: Words
    """[side, word >> 6] at least the words that have any."""
    left: Words
    """[word] the forcer's cells that have not joined, frozen and foreign ones too: a defender escapes to them."""
    blocked: Words
    """[word] the defender's cells, decided ones too, with a reset whose step has not come yet: a way out for now."""


def new_members(words: int) -> Members:
    """Nobody has joined, and nobody can."""
    free, live = (
        np.zeros((2, words), np.uint64),
        np.stack([new_word_set(words), new_word_set(words)]),
    )
    return Members(free, live, np.zeros(words, np.uint64), np.zeros(words, np.uint64))


@inlined
def leave_free(members: Members, side: Int, word: Int, bits: Word) -> None:
    """Some cells of a word are free no longer."""
    at = np.uint64(word)
    rest = members.free[side, at] & ~bits
    members.free[side, at] = rest
    if rest == NOTHING:
        drop_word(members.live[side], word)


@inlined
def open_word(members: Members, side: Int, word: Int, legal: Word) -> None:
    """All legal cells of a word are free. Words of a side are opened in ascending order."""
    members.free[side, word] = legal
    if word & 63 == 0:
        members.live[side, word >> 6] = NOTHING
    if legal:
        members.live[side, word >> 6] |= square_bit(word & 63)


@borrowing
def open_words(block: Block, white: Members, black: Members, first: int, end: int) -> int:
    """Begin a range of words: what is legal is open, and nobody forces anything yet; how many cells that are.

    The range begins with a group of 64 words.
    """
    cells = 0
    for side in range(2):
        ours, theirs = white if side == WHITE else black, black if side == WHITE else white
        for word in range(first, end):
            legal = block.legal[side, word]
            block.undecided[side, word] = legal
            open_word(ours, side, word, legal)
            open_word(theirs, side, word, legal)
            ours.left[word] = legal
            theirs.blocked[word] = block.resets[side, word]
            cells += count(legal)
    return cells


@inlined
def ripe_cells(block: Block, side: Int, word: Int, still: Word, code: Int) -> Word:
    """Those of the undecided cells of a word that have this own code; the next higher one is noted."""
    if np.int64(block.next_code[side, word]) > code:
        return NOTHING
    ripe, next_code = NOTHING, np.int64(255)
    while still:
        square, still = lowest_and_rest(still)
        own = np.int64(block.code[side, word * 64 + square])
        if own == code:
            ripe |= square_bit(square)
        else:
            next_code = min(next_code, own)
    block.next_code[side, word] = next_code
    return ripe


MOST_NODES, MOST_ENTRIES = 1 << 26, 256
"""Histories of one run, and entries of a queue for each word, at most."""
FIRST_ROOM, NODES, ENTRIES = 1 << 20, 8, 16
"""At first there is room for so many of either, and for so many histories and entries more for each word: three times
what tables of four men take."""


class Room(NamedTuple):
    """How much memory is reserved for what grows with the work.

    A system that does not promise more memory than it has would refuse the most that any work takes. So where the room
    does not suffice, the work is done anew with twice as much.
    """

    words: int
    doublings: int = 0

    @property
    def nodes(self) -> int:
        return min((FIRST_ROOM + NODES * self.words) << self.doublings, MOST_NODES)

    @property
    def entries(self) -> int:
        return min((FIRST_ROOM + ENTRIES * self.words) << self.doublings, MOST_ENTRIES * self.words)

    def doubled(self, full: RepresentationError) -> Room:
        """Twice the room; the error again if there is no more to have."""
        more = Room(self.words, self.doublings + 1)
        if (more.nodes, more.entries) == (self.nodes, self.entries):
            raise full
        _logger.warning("%s exceeds the room for it; solving again with twice as much", full.value)
        return more


class Searcher(Protocol):
    """What a solved block asks of either side's part: a Forcer or a Grower."""

    @property
    def forced(self) -> Members: ...
    @property
    def history(self) -> Ints32: ...
    @property
    def interner(self) -> Interner: ...
    @property
    def neighbours(self) -> Neighbours: ...
    @property
    def state(self) -> Ints: ...


S = TypeVar("S", bound=Searcher)


@by_address
class Worker(NamedTuple, Generic[S]):
    """A thread's own arrays."""

    block: Block
    scratch: Scratch
    white: S
    black: S
    pairs: Interner
    """Pairs of histories, White's as the forcer and Black's, that a cell has."""


@inlined
def has_histories(searcher: Searcher) -> bool:
    """Whether histories are kept: not under whole-game mobility, nor for a block alone."""
    return len(searcher.history) > 0


AnyWorker = Worker[Any]


# `freeze_word` is a solver's own: it writes entry values, and returns the cells that have one now.
@inlined
def freeze_cells(
    freeze_word: Callable[[Block, S, BlockValues, Int, Int, Int, Word], Word],
    block: Block, white: S, black: S, values: BlockValues, code: Int, first: Int, end: Int,
) -> int:  # fmt: skip
    """Freeze those undecided cells of a range of words that neither side has forced before; how many are left."""
    left = 0
    for side in range(2):
        mover = white if side == WHITE else black
        for word in range(first, end):
            block.frozen[side, word], undecided = NOTHING, block.undecided[side, word]
            if undecided == NOTHING:
                continue
            ours, theirs = white.forced.free[side, word], black.forced.free[side, word]
            if undecided & ~ours & ~theirs:
                white.state[STATUS] = FORCED_TWICE
            still = undecided & ours & theirs
            block.frozen[side, word] = freeze_word(block, mover, values, code, side, word, still)
            still &= ~block.frozen[side, word]
            block.undecided[side, word] = still
            for members in (white.forced, black.forced):
                members.free[side, word] = still
                if still == NOTHING:
                    drop_word(members.live[side], word)
            left += count(still)
    return left


# In a thick step nearly all cells get the same label and had the same history before, so the last step from history
# to history is remembered (the memo): one look at the interner serves thousands of cells. The history says whether the
# label is new; the label itself may have been provisional.
@inlined
def note_label(
    block: Block,
    searcher: Searcher,
    labels: Ints32 | None,
    side: Int,
    word: Int,
    bits: Word,
    label: Int,
    code: Int,
) -> None:
    """Note in their histories, and among the labels, that cells have this label from this accrued code on."""
    state, history, interner = searcher.state, searcher.history, searcher.interner
    mask, first = block.numbered[side, word, MASK], block.numbered[side, word, FIRST]
    if state[MEMO_LABEL] != label:
        state[MEMO_LABEL], state[MEMO_BEFORE] = label, NO_MEMO
    before, after = state[MEMO_BEFORE], state[MEMO_AFTER]
    while bits:
        lowest = bits & (~bits + ONE)
        bits ^= lowest
        at = first + np.uint64(count(mask & (lowest - ONE)))
        was = np.int64(history[at])
        if was != before:
            before, after = was, was
            if label_of_event(interner.event[was]) != label:
                after = intern(interner, was, event_from(code, label))
                if interner.state[OVERFLOWED]:
                    state[STATUS] = INTERNER_FULL
        history[at] = after
        if labels is not None:
            labels[at] = label
    state[MEMO_BEFORE], state[MEMO_AFTER] = before, after
