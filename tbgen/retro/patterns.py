"""Patterns: the histories of all threads, as one dictionary that depends on the table alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tbgen.retro.block import RANKS, byte_of_rank
from tbgen.retro.interning import Store
from tbgen.table import Patterns

ROW = np.dtype([("holder", "u1"), ("code", "u1"), ("outcome", "i1"), ("dtg", ">u2")])
"""A row as bytes, so that rows sort as they stand."""


def _histories(store: Store, forcer: int) -> list[bytes]:
    """[node] -> its rows."""
    size = int(store.state[0])
    event = store.event[:size]
    rows = np.zeros(size, ROW)
    rows["holder"], rows["code"], rows["dtg"] = 1 - forcer, event >> 32, event & 0xFFFF
    rows["outcome"] = np.array([byte_of_rank(rank, forcer) for rank in range(RANKS)])[event >> 16 & 0xFFFF]
    packed, width = rows.tobytes(), ROW.itemsize
    histories = [b""]
    for node, before in enumerate(store.before[1:size].tolist(), 1):
        histories.append(histories[before] + packed[node * width : node * width + width])
    return histories


def _pairs(pairs: Store, white: Store, black: Store) -> list[bytes]:
    """[pair] -> its rows, White's holds (which Black breaks) first."""
    of_white, of_black = _histories(white, 0), _histories(black, 1)
    size = int(pairs.state[0])
    nodes = zip(pairs.before[1:size].tolist(), pairs.event[1:size].tolist(), strict=True)
    return [b"", *[of_black[right] + of_white[left] for left, right in nodes]]


def merge_patterns(
    stores: Sequence[tuple[Store, Store, Store]], often: Sequence[npt.NDArray[np.int64]]
) -> tuple[Patterns, list[npt.NDArray[np.uint32]]]:
    """The dictionary, the most frequent first, and for each thread [its pair] -> pattern.

    `stores` are each thread's pairs, White's and Black's histories; `often` counts how often each pair occurs.
    """
    rows_of = [_pairs(*each) for each in stores]
    total: dict[bytes, int] = {}
    for rows, numbers in zip(rows_of, often, strict=True):
        for key, number in zip(rows, numbers.tolist(), strict=True):
            if number:
                total[key] = total.get(key, 0) + number
    total.pop(b"", None)
    order = [b"", *sorted(total, key=lambda key: (-total[key], key))]
    number_of = {key: n for n, key in enumerate(order)}
    maps = [np.array([number_of.get(key, 0) for key in rows], np.uint32) for rows in rows_of]
    start = np.cumsum([0, *[len(key) // ROW.itemsize for key in order]]).astype(np.uint32)
    table = np.frombuffer(b"".join(order), ROW)
    columns = (table["holder"], table["code"], table["outcome"], table["dtg"].astype(np.uint16))
    return Patterns(start, *[np.ascontiguousarray(column) for column in columns]), maps
