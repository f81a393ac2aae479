"""Interning: a number for every distinct history, so that one small integer per cell holds the middle.

A history is a chain of nodes. A node is a pair (before, event): `before` the node it extends (0 is the
empty history) and `event` the level and the label that came with it. A pair of histories, one per
forcer, is interned in the same way. Numbers depend on the order of work; contents do not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import inlined, inner, small

EMPTY = 0
OVERFLOWED = 2
FIRST_SIZE = 1 << 12
HASH = np.uint64(0x9E3779B97F4A7C15)
HASH2 = np.uint64(0xC2B2AE3D27D4EB4F)
SHIFT = np.uint64(29)


class Store(NamedTuple):
    """Nodes of one thread and one kind; memory is taken as it fills."""

    before: npt.NDArray[np.int64]
    event: npt.NDArray[np.int64]
    table: npt.NDArray[np.int32]
    state: npt.NDArray[np.int64]
    """Nodes in use, slots in use (a power of two), whether it overflowed."""


def new_store(capacity: int) -> Store:
    """An empty store for at most `capacity` nodes."""
    size = 1 << (2 * capacity - 1).bit_length()
    state = np.array([1, min(FIRST_SIZE, size), 0], np.int64)
    return Store(np.zeros(capacity, np.int64), np.zeros(capacity, np.int64), np.zeros(size, np.int32), state)


@small
def _slot(before, event, size):
    mixed = (np.uint64(before) * HASH) ^ (np.uint64(event) * HASH2)
    mixed = (mixed ^ (mixed >> SHIFT)) * HASH
    return np.int64((mixed ^ (mixed >> SHIFT)) & np.uint64(size - 1))


@inner
def forget(store):
    """Empty a store."""
    store.table[: store.state[1]] = 0
    store.state[0] = 1
    store.state[1] = min(FIRST_SIZE, len(store.table))


@inner
def grow(store):
    """Double the slots in use and file every node anew."""
    size = store.state[1] * 2
    store.table[:size] = 0
    for node in range(1, store.state[0]):
        slot = _slot(store.before[node], store.event[node], size)
        while store.table[slot]:
            slot = (slot + 1) & (size - 1)
        store.table[slot] = node
    store.state[1] = size


@inlined
def intern(store, before, event):
    """The node of this pair, new if it has not been seen; EMPTY if the store is full (see its state)."""
    size = store.state[1]
    slot = _slot(before, event, size)
    while store.table[slot]:
        node = store.table[slot]
        if store.before[node] == before and store.event[node] == event:
            return np.int64(node)
        slot = (slot + 1) & (size - 1)
    node = store.state[0]
    if node == len(store.before):
        store.state[2] = 1
        return np.int64(EMPTY)
    store.before[node] = before
    store.event[node] = event
    store.table[slot] = node
    store.state[0] = node + 1
    if 2 * node > size and size < len(store.table):
        grow(store)
    return np.int64(node)


@small
def event_of(level, label):
    """A new label of the middle, and the first accrued code it holds for."""
    return level << 32 | np.int64(label)


@inlined
def label_at(store, node, level):
    """The label that a history gives for an accrued code."""
    while node != EMPTY:
        if store.event[node] >> 32 <= level:
            return store.event[node] & 0xFFFFFFFF
        node = store.before[node]
    return np.int64(0xFFFFFFFF)
