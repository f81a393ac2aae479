"""Patterns: the histories of all threads, as one dictionary that depends on the table alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tbgen.retro.block import byte_of_rank
from tbgen.retro.interning import Store
from tbgen.storage.table import Patterns

Row = tuple[int, int, int, int]
"""Holder, code, outcome byte, plies."""


def _histories(store: Store, forcer: int) -> list[tuple[Row, ...]]:
    """[node] -> the rows it stands for."""
    count = int(store.state[0])
    before, event = store.before[:count].tolist(), store.event[:count].tolist()
    rows: list[tuple[Row, ...]] = [()]
    for node in range(1, count):
        level, label = event[node] >> 32, event[node] & 0xFFFFFFFF
        row = (1 - forcer, level, int(byte_of_rank(label >> 16, forcer)), label & 0xFFFF)
        rows.append((*rows[before[node]], row))
    return rows


def _pairs(pairs: Store, white: Store, black: Store) -> list[tuple[Row, ...]]:
    """[pair] -> its rows, White's holds (which Black breaks) first."""
    of_white, of_black = _histories(white, 0), _histories(black, 1)
    count = int(pairs.state[0])
    nodes = zip(pairs.before[1:count].tolist(), pairs.event[1:count].tolist(), strict=True)
    return [(), *[of_black[right] + of_white[left] for left, right in nodes]]


def merge_patterns(
    stores: Sequence[tuple[Store, Store, Store]], counts: Sequence[npt.NDArray[np.int64]]
) -> tuple[Patterns, list[npt.NDArray[np.uint32]]]:
    """The dictionary, the most frequent first, and for each thread [its pair] -> pattern.

    `stores` are each thread's pairs, White's and Black's histories; `counts` how often each pair occurs.
    """
    rows_of = [_pairs(*each) for each in stores]
    total: dict[tuple[Row, ...], int] = {(): 0}
    for rows, count in zip(rows_of, counts, strict=True):
        for key, often in zip(rows, count.tolist(), strict=True):
            if often:
                total[key] = total.get(key, 0) + often
    order = sorted(total, key=lambda key: (key != (), -total[key], key))
    number = {key: n for n, key in enumerate(order)}
    maps = [np.array([number.get(key, 0) for key in rows], np.uint32) for rows in rows_of]
    start = np.cumsum([0, *[len(key) for key in order]]).astype(np.uint32)
    table = np.array([row for key in order for row in key], np.int64).reshape(-1, 4)
    holder, code, outcome, dtg = table.T
    return (
        Patterns(
            start,
            holder.astype(np.uint8),
            code.astype(np.uint8),
            outcome.astype(np.int8),
            dtg.astype(np.uint16),
        ),
        maps,
    )
