"""Histories: how a cell's label changed from one accrued code to the next, as one small integer.

A history is a chain of nodes. A node is a pair (before, event): `before` the node that it extends
(0 is the empty history) and `event` an accrued code and the label that came with it. Nodes are
*interned* (hash-consed): equal pairs are one node, so equal histories are one number. A pair of
histories, one per forcer, is interned in the same way. The numbers depend on the order of work;
what they stand for does not.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, SignedInts32
from tbgen.compiled.jit import borrowing, by_address, inlined, inner, small
from tbgen.retro.patterns.packing import NO_LABEL, code_of_event, label_of_event

EMPTY = 0
"""The node of the empty history."""

NODES, SLOTS, OVERFLOWED = range(3)
"""State: nodes in use, used slots of the hash table, whether there were too many nodes.

The hash table has a power of two slots.
"""

FIRST_SLOTS = 1 << 12
"""Slots of the hash table that an empty interner uses."""

HASH = np.uint64(0x9E3779B97F4A7C15)
HASH2 = np.uint64(0xC2B2AE3D27D4EB4F)
SHIFT = np.uint64(29)
"""Two odd numbers and a shift that mix the bits of a pair."""


@by_address
class Interner(NamedTuple):
    """Nodes of one thread and one kind, found by an open-addressing hash table.

    Memory is touched as it fills.
    """

    before: Ints
    """[node]"""
    event: Ints
    """[node]"""
    table: SignedInts32
    """[slot] -> node, 0 where it is free."""
    state: Ints
    """NODES, SLOTS, OVERFLOWED."""


def new_interner(capacity: int) -> Interner:
    """An empty interner for at most `capacity` nodes."""
    slots = 1 << (2 * capacity - 1).bit_length()
    return Interner(
        before=np.zeros(capacity, np.int64),
        event=np.zeros(capacity, np.int64),
        table=np.zeros(slots, np.int32),
        state=np.array([1, min(FIRST_SLOTS, slots), 0], np.int64),
    )


@small
def _slot_of(before: Int, event: Int, slots: Int) -> np.int64:
    mixed = (np.uint64(before) * HASH) ^ (np.uint64(event) * HASH2)
    mixed = (mixed ^ (mixed >> SHIFT)) * HASH
    return np.int64((mixed ^ (mixed >> SHIFT)) & np.uint64(slots - 1))


@borrowing
def forget_nodes(interner: Interner) -> None:
    """Forget all nodes.

    Only the slots in use are cleared: a run of small blocks must not pay for the whole table.
    """
    interner.table[: interner.state[SLOTS]] = 0
    interner.state[NODES] = 1
    interner.state[SLOTS] = min(FIRST_SLOTS, len(interner.table))


@inner
def double_slots(interner: Interner) -> None:
    """Double the slots in use, and enter every node anew."""
    slots = interner.state[SLOTS] * 2
    interner.table[:slots] = 0
    for node in range(1, interner.state[NODES]):
        slot = _slot_of(interner.before[node], interner.event[node], slots)
        while interner.table[slot]:
            slot = (slot + 1) & (slots - 1)
        interner.table[slot] = node
    interner.state[SLOTS] = slots


# An overflow is a flag and no error, for a kernel cannot raise; whoever called it looks at the
# state afterwards. EMPTY is a wrong answer then, but a valid index, so that nothing is written out
# of bounds on the way there.
@inlined
def intern(interner: Interner, before: Int, event: Int) -> np.int64:
    """The node of this pair, a new one if it has not been met.

    It is EMPTY, and the state says OVERFLOWED, if there is no space.
    """
    slots = interner.state[SLOTS]
    slot = _slot_of(before, event, slots)
    while interner.table[slot]:
        node = interner.table[slot]
        if interner.before[node] == before and interner.event[node] == event:
            return np.int64(node)
        slot = (slot + 1) & (slots - 1)
    node = interner.state[NODES]
    if node == len(interner.before):
        interner.state[OVERFLOWED] = 1
        return np.int64(EMPTY)
    interner.before[node] = before
    interner.event[node] = event
    interner.table[slot] = node
    interner.state[NODES] = node + 1
    if 2 * node > slots and slots < len(interner.table):
        double_slots(interner)
    return np.int64(node)


@inlined
def label_at_code(interner: Interner, node: Int, code: Int) -> Int:
    """The label that a history gives for an accrued code: that of the last event not after it."""
    while node != EMPTY:
        if code_of_event(interner.event[node]) <= code:
            return label_of_event(interner.event[node])
        node = interner.before[node]
    return np.int64(NO_LABEL)
