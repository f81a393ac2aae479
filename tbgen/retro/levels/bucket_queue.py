"""Seeds: what begins a spread, filed by the rank of its outcome and its distance.

A seed is a reset, or a cell that is frozen and keeps its entry value. They are filed once and stay for all
levels; each level uses those whose outcome is still in question. The newest of a list comes first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import inlined, inner, small
from tbgen.index.outcome_kernels import RANKS

PLIES = 2048
"""Longer distances are refused."""

MEMBER, UNBLOCK, EXIT = 0, 1, 2
"""Kinds of seeds: a reset of the forcer; a reset of the other side; a frozen cell."""


class Seeds(NamedTuple):
    """Lists of (kind, side, word, bits) by rank and plies."""

    head: npt.NDArray[np.int32]
    """[rank, plies] -> the first node, or -1."""
    farthest: npt.NDArray[np.int64]
    """[rank] -> the most plies of any seed, or -1."""
    next: npt.NDArray[np.int32]
    where: npt.NDArray[np.int32]
    bits: npt.NDArray[np.uint64]
    used: npt.NDArray[np.int64]


def new_seeds(nodes: int) -> Seeds:
    """No seeds yet; memory for the lists is taken as they fill."""
    return Seeds(
        np.full((RANKS, PLIES), -1, np.int32),
        np.full(RANKS, -1, np.int64),
        np.empty(nodes, np.int32),
        np.empty(nodes, np.int32),
        np.empty(nodes, np.uint64),
        np.zeros(1, np.int64),
    )


@small
def seed_place(kind, side, word):
    """The kind, side and word of a seed as one number."""
    return word * 8 + kind * 2 + side


@inlined
def add_seed(seeds, label, where, bits):
    """File a seed by a label; those of one word that follow each other share a node."""
    rank, plies = label >> 16, label & 0xFFFF
    node = seeds.head[rank, plies]
    if node >= 0 and seeds.where[node] == where:
        seeds.bits[node] |= bits
        return
    new = seeds.used[0]
    seeds.used[0] += 1
    seeds.next[new], seeds.where[new], seeds.bits[new] = node, where, bits
    seeds.head[rank, plies] = new
    seeds.farthest[rank] = max(seeds.farthest[rank], plies)


@inner
def clear_seeds(seeds):
    """Forget all seeds."""
    if seeds.used[0] == 0:
        return
    for rank in range(RANKS):
        for plies in range(seeds.farthest[rank] + 1):
            seeds.head[rank, plies] = -1
        seeds.farthest[rank] = -1
    seeds.used[0] = 0
