"""Every pair of a solved table beside the reference solver's, block by block."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Ints
from tbgen.index.bulk import cells_of
from tbgen.index.layout import Layout, layout_of
from tbgen.score import Color
from tbgen.table import Cells, Patterns, Table
from tests import reference
from tests.own_men import material


def men_of_slots(layout: Layout) -> list[int]:
    """Which man of the material's name stands in each slot, equal men in turn."""
    men: list[Any] = [(color, role) for color in Color for role in layout.material.side(color)]
    order = []
    for slot in layout.slots:
        order.append(men.index(slot))
        men[order[-1]] = None
    return order


class Comparison:
    """A table, or a part of one, and the reference's solution of the same material."""

    def __init__(
        self,
        known: reference.ReferenceTable,
        patterns: Patterns,
        held: Callable[[Ints], Cells],
        *,
        plies: bool = True,
    ) -> None:
        self.known = known
        self.patterns = patterns
        self.held = held
        self.plies = plies
        self.layout = layout_of(material(known.material.name))
        self.slots = men_of_slots(self.layout)
        self.middle = cache(self.middle_of)
        self.found: list[str] = []
        self.pairs = 0

    def middle_of(self, holder: int, code: int) -> tuple[Ints, Ints]:
        """[pattern] -> what becomes of that accrued score, by Patterns' own words, row by row."""
        patterns = self.patterns
        size = len(self.patterns)
        held = code + 1 if holder == 0 else -(code + 1)
        number = np.repeat(np.arange(size), np.diff(patterns.start).astype(np.int64))
        outcome = np.full(size, held, np.int64)
        plies = np.zeros(size, np.int64)
        for row in np.flatnonzero((patterns.holder == holder) & (patterns.code <= code)).tolist():
            outcome[number[row]] = patterns.outcome[row]
            plies[number[row]] = patterns.dtg[row]
        stands = goodness(outcome, holder) >= goodness(held, holder)
        return np.where(stands, held, outcome), np.where(stands, 0, plies)

    def compare(
        self, what: str, here: Ints, there: Ints, chosen: npt.NDArray[np.bool_], index: Any
    ) -> None:
        """Note the first few of the chosen positions in which the two differ."""
        for n in np.flatnonzero(chosen & (here != there))[:3].tolist():
            self.found.append(f"{what}: {[int(axis[n]) for axis in index]} {here[n]} != {there[n]}")

    def block(self, block: reference.Block) -> None:
        """Compare one placement of the pawns: entry values, distances and every pair."""
        plain = np.flatnonzero(block.nodes.en_passant < 0)
        index = tuple(np.asarray(axis)[plain] for axis in self.known.index_of(block))
        cells = cells_of(
            self.layout, index[0], np.stack([index[1 + man] for man in self.slots], axis=1)
        )
        own = block.nodes.own[plain].astype(np.int64)
        side = index[0]
        held = self.held(cells)
        everywhere = np.ones(len(cells), bool)
        entry = held.entry.astype(np.int64)
        dtg = held.dtg.astype(np.int64)
        pattern = held.pattern
        self.compare("entry", entry, block.entry[plain].astype(np.int64), everywhere, index)
        if self.plies:
            self.compare("dtg", dtg, block.dtg[plain].astype(np.int64), everywhere, index)
        for holder, code, values, plies in block.pairs():
            inside = own >= code
            by_entry = (np.abs(entry) - 1 < np.minimum(own, code)) | (
                (own == code) & (side != holder)
            )
            outcome, distance = self.middle(holder, code)
            here = np.where(by_entry, entry, outcome[pattern])
            there = np.where(by_entry, dtg, distance[pattern])
            self.compare(
                f"value with {holder} {code}", here, values[plain].astype(np.int64), inside, index
            )
            if self.plies:
                self.compare(
                    f"plies with {holder} {code}",
                    there,
                    plies[plain].astype(np.int64),
                    inside,
                    index,
                )
            self.pairs += int(inside.sum())


def goodness(signed: npt.ArrayLike, holder: int) -> Ints:
    """How good a signed outcome is for a side; larger is better."""
    signed = np.asarray(signed, np.int64)
    for_white = np.where(signed > 0, 1000 - signed, -1000 - signed)
    return for_white if holder == 0 else -for_white


def differences(
    table: Table, known: reference.ReferenceTable, *, plies: bool = True
) -> tuple[int, list[str]]:
    """How many pairs were compared, and the first few in which table and reference disagree."""

    def held(cells: Ints) -> Cells:
        return Cells(table.entry[cells], table.dtg[cells], table.pattern[cells])

    comparison = Comparison(known, table.patterns, held, plies=plies)
    for placement in known.placements:
        comparison.block(known.block(placement))
    return comparison.pairs, comparison.found[:10]
