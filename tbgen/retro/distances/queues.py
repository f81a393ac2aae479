"""Bucket queues: entries in lists by the goal and plies of a label.

A *site* is where an entry belongs: a word, the kind of the entry, the side to move. An entry has
bits of that word. Two queues serve a forcer. Its *seeds* are resets, and cells that have been
frozen with their entry values: they are pushed once and stay for all accrued codes, and each code
uses those whose outcome is still in question. The *agenda* of its middle holds what is to be looked
at in a later step of the same code. The newest entry of a list comes first.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, SignedInts32, Word, Words
from tbgen.compiled.jit import by_address, inlined, inner, small
from tbgen.index.kernels import GOALS
from tbgen.retro.patterns.packing import goal_of_label, plies_of_label

LAST_LABEL = 1 << 40
"""Greater than any label."""


@small
def site_from(kind: Int, side: Int, word: Int) -> Int:
    return word * 8 + kind * 2 + side


@small
def word_of_site(site: Int) -> Int:
    return site >> 3


@small
def kind_of_site(site: Int) -> Int:
    return (site >> 1) & 3


@small
def side_of_site(site: Int) -> Int:
    return site & 1


PLIES = 2048
"""Longer distances are refused: the longest best play known takes 553 plies."""

MEMBER, UNBLOCK, EXIT, RECHECK = range(4)
"""Kinds of entries. Seeds are resets of the forcer (MEMBER) and of the defender (UNBLOCK), and
frozen cells (EXIT). On the agenda are cells to be rechecked (RECHECK), and frozen cells (EXIT)."""

MOST_ENTRIES = (1 << 31) - 1
"""Their numbers have 32 bits, one of them for the end of a list."""


@by_address
class BucketQueue(NamedTuple):
    """Lists of entries by goal and plies; memory for entries is touched as they come."""

    head: SignedInts32
    """[goal, plies] -> the first entry of the list, or -1."""
    farthest: Ints
    """[goal] -> the most plies of any entry, or -1."""
    next: SignedInts32
    """[entry] -> the next one of its list, or -1."""
    site: SignedInts32
    """[entry] -> kind, side and word, packed."""
    bits: Words
    """[entry]"""
    used: Ints
    """[0] how many entries there are."""


def new_bucket_queue(entries: int) -> BucketQueue:
    """An empty queue for so many entries, as far as they can be numbered."""
    entries = min(entries, MOST_ENTRIES)
    return BucketQueue(
        head=np.full((GOALS, PLIES), -1, np.int32),
        farthest=np.full(GOALS, -1, np.int64),
        next=np.empty(entries, np.int32),
        site=np.empty(entries, np.int32),
        bits=np.empty(entries, np.uint64),
        used=np.zeros(1, np.int64),
    )


@inlined
def push(queue: BucketQueue, label: Int, site: Int, bits: Word) -> bool:
    """Add an entry under a label; False if the queue is full.

    Entries of one site that follow each other share one.
    """
    goal = goal_of_label(label)
    plies = plies_of_label(label)
    node = queue.head[goal, plies]
    if node >= 0 and queue.site[node] == site:
        queue.bits[node] |= bits
        return True
    new = queue.used[0]
    if new == len(queue.next):
        return False
    queue.used[0] += 1
    queue.next[new] = node
    queue.site[new] = site
    queue.bits[new] = bits
    queue.head[goal, plies] = new
    queue.farthest[goal] = max(queue.farthest[goal], plies)
    return True


@inlined
def first_plies(queue: BucketQueue, goal: Int, plies: Int) -> Int:
    """The fewest plies, from `plies` on, of any entry of this goal; PLIES if there is none."""
    while plies <= queue.farthest[goal]:
        if queue.head[goal, plies] >= 0:
            return plies
        plies += 1
    return np.int64(PLIES)


@inner
def clear_queue(queue: BucketQueue) -> None:
    if queue.used[0] == 0:
        return
    for goal in range(GOALS):
        for plies in range(queue.farthest[goal] + 1):
            queue.head[goal, plies] = -1
        queue.farthest[goal] = -1
    queue.used[0] = 0
