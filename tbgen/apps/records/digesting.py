"""Digesting: the digests of a table's values, whatever bytes its file has; docs/digests.md defines them."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import numpy as np

from tbgen.apps.records.counting import Men, PlaceRun, men_of, rows_of
from tbgen.apps.records.digest_kernels import (
    EMPTY,
    KEYS,
    NEVER,
    NO_ROOM,
    POSITIONS,
    Buffers,
    Contents,
    Found,
    Values,
    number_places,
    write_values,
)
from tbgen.apps.records.digest_mobility import no_bound
from tbgen.apps.records.digests import Digests
from tbgen.board.board import BOARD_WORDS
from tbgen.compiled.arrays import Bytes, WideInts, as_starts, kind_of_numbers
from tbgen.index.layout import Layout
from tbgen.material import Material
from tbgen.rules.accrual import why_not_accrued
from tbgen.score import MOST_STORED_CODE, Accrued, Color
from tbgen.storage.reader import TableFile

Tell = Callable[[int, int], None]

LEAF_ROWS: Final = {False: 1 << 12, True: 1 << 10}
"""[are there pawns] -> rows of a leaf, which has at most 65,536 places."""

_LAYERS: Final = ("outcomes", "distances")
_FIRST_ROOM: Final = 1 << 20

Leaf = list[bytes]
"""The digests of its outcomes and, where there are distances, of its outcomes with them."""


@dataclass(frozen=True, slots=True)
class Stripe:
    """Some rows of a block: its number, the first place, and how many places they are."""

    block: int
    first: int
    places: int


def digests_of(file: TableFile, threads: int | None = None, tell: Tell = lambda *_: None) -> Digests:
    """The digests of a table on some threads, or on as many as there are processors; `tell` hears of parts done."""
    layout = file.order.layout
    values, stripes = _values_of(file), list(_stripes(layout))
    idle: list[_Worker] = []

    def work(stripe: Stripe) -> tuple[Leaf, Leaf]:
        worker = idle.pop() if idle else _Worker(file, values, stripes[0].places)
        found = worker.leaves_of(stripe)
        idle.append(worker)
        return found

    by_side: tuple[list[Leaf], list[Leaf]] = [], []
    leaves, blocks = list[Leaf](), len(stripes) // len(layout.blocks)
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for number, both in enumerate(pool.map(work, stripes), 1):
            for some, leaf in zip(by_side, both, strict=True):
                some.append(leaf)
            if number % blocks == 0:
                leaves += [leaf for some in by_side for leaf in some]
                by_side = [], []
            tell(number, len(stripes))
    outcomes, distances = (
        _digest_of(file.material, name, [leaf[n] for leaf in leaves]) if n < len(leaves[0]) else None
        for n, name in enumerate(_LAYERS)
    )
    assert outcomes is not None
    return Digests(outcomes, distances)


def _digest_of(material: Material, layer: str, leaves: list[bytes]) -> str:
    head = f"tbgen digest 1: {layer} of {material} under r-mobility 1\n"
    return sha256(head.encode() + b"".join(leaves)).hexdigest()


def _stripes(layout: Layout) -> Iterator[Stripe]:
    places = layout.block_words * 64
    step = min(places, LEAF_ROWS[layout.pawns > 0] * layout.shape[2])
    for block in range(len(layout.blocks)):
        for first in range(0, places, step):
            yield Stripe(block, first, step)


def _values_of(file: TableFile) -> Values:
    layout = file.order.layout
    bare = [sum(color is side for color, _ in layout.slots) == 1 for side in Color]
    if not file.has_distances:
        return _outcomes_of(file, _possible_codes(bare))
    states, patterns = file.states, file.patterns
    rows = (patterns.start, patterns.holder, patterns.code, patterns.outcome, patterns.dtg)
    return Values(states.entry, states.dtg, states.pattern, *rows, _possible_codes(bare))


def _outcomes_of(file: TableFile, possible: Bytes) -> Values:
    """What symbols mean: each is a state with a pattern of its own, and all distances are 0."""
    symbols, rows = file.column("symbols"), file.column("outcome_rows")
    counts = symbols["rows"].astype(np.int64)
    start = np.append(0, np.cumsum(counts))
    places = np.repeat(symbols["first"].astype(np.int64) - start[:-1], counts) + np.arange(start[-1])
    holder, code, outcome = (np.ascontiguousarray(rows[name][places]) for name in ("holder", "code", "outcome"))
    entry, numbers = np.ascontiguousarray(symbols["entry"]), np.arange(len(symbols), dtype=np.uint32)
    dtg, row_dtg = np.zeros(len(symbols), np.uint16), np.zeros(len(places), np.uint16)
    return Values(entry, dtg, numbers, as_starts(start), holder, code, outcome, row_dtg, possible)


def _possible_codes(bare: list[bool]) -> Bytes:
    """[holder, code] -> the least code from this one on that can have accrued, or NEVER."""
    found = np.full((len(Color), MOST_STORED_CODE + 2), NEVER, np.uint8)
    for holder in Color:
        for code in range(MOST_STORED_CODE, -1, -1):
            is_possible = why_not_accrued(Accrued(code, holder), bare) is None
            found[holder, code] = code if is_possible else found[holder, code + 1]
    return found


class _Worker:
    """What one thread needs for a leaf of either side to move."""

    def __init__(self, file: TableFile, values: Values, places: int) -> None:
        self._file, self._values, self._layout = file, values, file.order.layout
        self._found = [no_positions(places) for _ in Color]
        self._contents = Contents(
            room=np.empty(_FIRST_ROOM, np.uint8),
            offset=np.empty(places + 1, np.int64),
            slots=np.empty(_power_above(2 * places), np.int32),
            number_of=np.empty(places, np.uint16),
        )
        self._numbers, self._bound = np.empty(places, np.uint16), no_bound()
        self._buffers = Buffers(np.zeros(BOARD_WORDS, np.uint64), rows_of(self._layout))
        self._block, self._men = -1, men_of(self._layout, 0)
        self._kind = kind_of_numbers(len(values.entry))
        self._chunk_number, self._chunk = -1, np.zeros(0, self._kind)

    def leaves_of(self, stripe: Stripe) -> tuple[Leaf, Leaf]:
        """The digests of a stripe with White to move, and with Black to move."""
        plane = self._layout.block_words * 64
        runs = [self._states((2 * stripe.block + side) * plane + stripe.first, stripe.places) for side in Color]
        white, black = self._found
        men, run = self._men_of(stripe.block), PlaceRun(stripe.first, *runs)
        number_places(men, run, self._values, white, black, self._bound, self._buffers)
        return self._leaves(Color.WHITE), self._leaves(Color.BLACK)

    def _leaves(self, side: Color) -> Leaf:
        return [
            self._leaf(side, distances=False),
            *([self._leaf(side, distances=True)] if self._file.has_distances else []),
        ]

    def _leaf(self, side: Color, *, distances: bool) -> bytes:
        found = self._found[side]
        while True:
            count = write_values(self._values, found, int(side), distances, self._contents, self._numbers)
            if count != NO_ROOM:
                break
            self._contents = self._contents._replace(room=np.empty(2 * len(self._contents.room), np.uint8))
        positions, end = int(found.counts[POSITIONS]), int(self._contents.offset[count])
        digest = sha256(struct.pack("<II", positions, count))
        digest.update(self._numbers[:positions].astype("<u2", copy=False).data)
        digest.update(self._contents.room[:end].data)
        return digest.digest()

    def _men_of(self, block: int) -> Men:
        if block != self._block:
            self._block, self._men = block, men_of(self._layout, block)
        return self._men

    def _states(self, start: int, count: int) -> WideInts:
        """The states of some places, or their symbols where there are no distances."""
        if not self._file.has_distances:
            return self._file.symbols(start, start + count).astype(self._kind, copy=False)
        cells, parts, stop = self._file.order.chunk_cells, list[WideInts](), start + count
        while start < stop:
            number, offset = divmod(start, cells)
            if number != self._chunk_number:
                self._chunk_number, self._chunk = number, self._file.chunk(number).astype(self._kind, copy=False)
            parts.append(self._chunk[offset : offset + stop - start])
            start += len(parts[-1])
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def no_positions(places: int) -> Found:
    """Room for the positions of a leaf."""
    slots = _power_above(4 * places)
    return Found(
        numbers=np.empty(places, np.uint16),
        keys=np.empty(places, np.int64),
        slots=np.full(slots, EMPTY, np.int64),
        number_at=np.empty(slots, np.int32),
        highest_at=np.empty(slots, np.uint8),
        used=np.empty(2 * places, np.int32),
        counts=np.zeros(KEYS + 2, np.int64),
    )


def _power_above(number: int) -> int:
    return 1 << number.bit_length()
