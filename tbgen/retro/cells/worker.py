"""Worker: a thread's own arrays, whichever way it solves the accrued codes, and its mode."""

from __future__ import annotations

import logging
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Ints32, Word
from tbgen.compiled.jit import by_address, inlined, small
from tbgen.errors import RepresentationError
from tbgen.index.words import ONE, count
from tbgen.retro.cells.members import Members
from tbgen.retro.patterns.histories import OVERFLOWED, Interner, intern
from tbgen.retro.patterns.packing import event_from, label_of_event
from tbgen.retro.status import INTERNER_FULL
from tbgen.retro.words.block import FIRST, MASK, Block
from tbgen.retro.words.moves import Scratch
from tbgen.retro.words.quiet import Neighbours

_logger = logging.getLogger("tbgen")

HISTORIES = 0
"""Mode: cells have histories, which say at which codes a hold is broken, and with which goal."""

JOURNAL = 1
"""Mode: holds are broken, and rights to take en passant are answered on the way, from journals.
So the blocks of a position are solved, whose accrued scores nobody asks for later."""

THRESHOLD = 2
"""Mode: outcomes are not told apart, and there are no middles: two sets grow from code to code."""

NO_BREAKS = 3
"""Mode: no hold can be broken, so there are no middles.

This is whole-game mobility, in which no reset forgets what has accrued.
"""


@small
def has_middles(mode: Int) -> bool:
    """Whether each forcer looks for what breaks the other side's hold, code by code."""
    return mode in (HISTORIES, JOURNAL)


STATUS, MEMO_LABEL, MEMO_BEFORE, MEMO_AFTER = range(4)
"""State: the status; the label given last, a history before and after it."""

NO_MEMO = -1

MOST_NODES = 1 << 26
"""Histories of one run at most."""
MOST_ENTRIES = 256
"""Entries of a queue for each word at most."""

FIRST_ROOM = 1 << 20
"""At first there is room for so many histories, and for so many entries of a queue."""
NODES = 8
"""There is room for so many histories more for each word: three times what four men take."""
ENTRIES = 16
"""And for so many entries, again three times what four men take."""


class FullError(RepresentationError):
    """The solver has no room for histories or positions; with more room the work may be done."""


class Room(NamedTuple):
    """How much memory is reserved for what grows with the work.

    A system that does not promise more memory than it has would refuse the most that any work
    takes. So where the room does not suffice, the work is done anew with twice as much.
    """

    words: int
    doublings: int = 0

    @property
    def nodes(self) -> int:
        return min((FIRST_ROOM + NODES * self.words) << self.doublings, MOST_NODES)

    @property
    def entries(self) -> int:
        most = MOST_ENTRIES * self.words
        return min((FIRST_ROOM + ENTRIES * self.words) << self.doublings, most)

    def doubled(self, full: FullError) -> Room:
        """Twice the room; the error again if there is no more to have."""
        more = Room(self.words, self.doublings + 1)
        if (more.nodes, more.entries) == (self.nodes, self.entries):
            raise full
        _logger.warning("%s exceeds the room for it; solving again with twice as much", full.value)
        return more


class Searcher(Protocol):
    """What a solved block asks of either side's part: a Forcer or a Grower."""

    @property
    def mode(self) -> int: ...
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


AnyWorker = Worker[Any]


# In a thick step nearly all cells get the same label and had the same history before, so the last
# step from history to history is remembered (the memo): one look at the interner serves thousands
# of cells. The history says whether the label is new; the label itself may have been provisional.
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
    """Note in their histories, and in `labels`, that cells have this label from this code on."""
    state = searcher.state
    history = searcher.history
    interner = searcher.interner
    mask = block.numbered[side, word, MASK]
    first = block.numbered[side, word, FIRST]
    if state[MEMO_LABEL] != label:
        state[MEMO_LABEL] = label
        state[MEMO_BEFORE] = NO_MEMO
    before = state[MEMO_BEFORE]
    after = state[MEMO_AFTER]
    while bits:
        lowest = bits & (~bits + ONE)
        bits ^= lowest
        number = first + np.uint64(count(mask & (lowest - ONE)))
        was = np.int64(history[number])
        if was != before:
            before = was
            after = was
            if label_of_event(interner.event[was]) != label:
                after = intern(interner, was, event_from(code, label))
                if interner.state[OVERFLOWED]:
                    state[STATUS] = INTERNER_FULL
        history[number] = after
        if labels is not None:
            labels[number] = label
    state[MEMO_BEFORE] = before
    state[MEMO_AFTER] = after
