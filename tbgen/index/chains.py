"""Chains of rows, each of which extends another by one row, in the order of their rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Ints, SignedInts32
from tbgen.compiled.jit import borrowing

MOST_CHAINS = (1 << 31) - 1
"""Numbers of chains have 31 bits, which suffice for all tables of five men."""


def places_of_chains(before: Ints | SignedInts32, by_row: npt.NDArray[np.int64]) -> SignedInts32:
    """[chain] -> its place in the order of the rows, where a beginning is before what it begins.

    `before` is [chain - 1] -> the chain that it extends, which has a lower number; chain 0 is empty
    and has the first place. `by_row` has the indices of `before`, sorted by the row at the end.
    """
    chains = len(before) + 1
    size = np.ones(chains, np.int32)
    taken = np.ones(chains, np.int32)
    ahead = np.zeros(chains, np.int32)
    places = np.zeros(chains, np.int32)
    place_chains(before, by_row, size, taken, ahead, places)
    return places


# The chains that extend one by a lower row come first, each with all that extend it in turn.
# size[chain]: how many chains begin with it, 1 before; taken[chain]: how many places it and those
# that extend it have so far, 1 before; ahead[chain]: how many of these lie between the one that it
# extends and itself.
@borrowing
def place_chains(
    before: Ints | SignedInts32,
    by_row: Ints,
    size: SignedInts32,
    taken: SignedInts32,
    ahead: SignedInts32,
    places: SignedInts32,
) -> None:
    chains = len(places)
    for chain in range(chains - 1, 0, -1):
        size[before[chain - 1]] += size[chain]
    for n in by_row:
        parent = before[n]
        ahead[n + 1] = taken[parent]
        taken[parent] += size[n + 1]
    for chain in range(1, chains):
        places[chain] = places[before[chain - 1]] + ahead[chain]
