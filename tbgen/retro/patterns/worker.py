"""Worker: a thread's own arrays, whichever way it solves the accrued codes; and who has joined a class."""

from __future__ import annotations

import logging
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Ints32, Word, Words
from tbgen.compiled.jit import borrowing, by_address, inlined
from tbgen.errors import RepresentationError
from tbgen.index.words import NOTHING, count
from tbgen.retro.patterns.histories import Interner
from tbgen.retro.words.block import Block
from tbgen.retro.words.geometry import WHITE
from tbgen.retro.words.moves import Scratch
from tbgen.retro.words.quiet import Neighbours
from tbgen.retro.words.worklist import drop_word
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

    What the other side forces at this code leaves these sets when the next code begins.
    """

    free: Words
    """[side, word] cells that neither side forces and that are not frozen: they can still join."""
    live: Words
    """[side, word >> 6] at least the words that have any."""
    left: Words
    """[word] the forcer's cells, frozen ones too, that have not joined: a defender escapes to them."""
    blocked: Words
    """[word] the defender's cells with a reset whose step has not come yet: it is a way out for now."""


@inlined
def leave_free(members: Members, side: Int, word: Int, bits: Word) -> None:
    """Some cells of a word are free no longer."""
    at = np.uint64(word)
    rest = members.free[side, at] & ~bits
    members.free[side, at] = rest
    if rest == NOTHING:
        drop_word(members.live[side], word)


@borrowing
def open_words(block: Block, white: Members, black: Members, first: int, end: int) -> int:
    """Begin a range of words: what is legal is open, and nobody forces anything yet; how many cells that are.

    The first `freeze` finds which words are live.
    """
    cells = 0
    for side in range(2):
        ours, theirs = white if side == WHITE else black, black if side == WHITE else white
        for word in range(first, end):
            legal = block.legal[side, word]
            block.undecided[side, word] = legal
            ours.free[side, word] = legal
            theirs.free[side, word] = legal
            ours.left[word] = legal
            theirs.blocked[word] = block.resets[side, word]
            cells += count(legal)
    return cells


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
    """Whether histories are kept: not under whole-game mobility, where no hold is ever broken."""
    return len(searcher.history) > 0


AnyWorker = Worker[Any]
