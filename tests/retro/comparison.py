"""Every pair of a solved table beside the reference solver's, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material, Role
from tbgen.score import Color
from tbgen.storage.table import Table
from tests import reference

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Places:
    """Where the positions of a table stand in it and in the reference's arrays."""

    cells: Ints
    index: tuple[Ints, ...]


def places_of(material: Material, own: npt.NDArray[np.uint8]) -> Places:
    """All cells, reference index included, that the reference knows as positions."""
    layout = layout_of(material)
    cells = np.arange(layout.cells)
    squares, rest = [], cells
    for _ in range(layout.others + 1):
        squares.insert(0, rest % 64)
        rest = rest // 64
    kings = np.arange(64) if layout.pawns else np.array([0, 1, 2, 3, 9, 10, 11, 18, 19, 27])
    squares.insert(0, kings[rest % len(kings)])
    rest = rest // len(kings)
    pawns = np.array(layout.blocks, np.int64).reshape(len(layout.blocks), layout.pawns)
    squares = [pawns[rest // 2, n] for n in range(layout.pawns)] + squares
    left = list(layout.slots)
    order = []
    for color in Color:
        for role in material.side(color):
            slot = left.index((color, Role(role)))
            order.append(slot)
            left[slot] = (color, Role.KING) if role is not Role.KING else (color, Role.PAWN)
            left[slot] = None  # type: ignore[call-overload]
    index = (rest % 2, *[squares[slot] for slot in order])
    known = own[index] != 255
    return Places(cells[known], tuple(axis[known] for axis in index))


def own_cells(table: Table, places: Places) -> npt.NDArray[np.bool_]:
    """Which places are primary cells."""
    return table.entry[places.cells] != 0


def middle(table: Table, holder: int, code: int) -> tuple[Ints, Ints]:
    """[pattern] -> what becomes of that accrued score, by Patterns' own words, row by row."""
    patterns, size = table.patterns, len(table.patterns)
    held = code + 1 if holder == 0 else -(code + 1)
    outcome, plies = np.full(size, held, np.int64), np.zeros(size, np.int64)
    for pattern in range(size):
        for row in range(int(patterns.start[pattern]), int(patterns.start[pattern + 1])):
            if patterns.holder[row] == holder and patterns.code[row] <= code:
                outcome[pattern], plies[pattern] = patterns.outcome[row], patterns.dtg[row]
        mine, worth = goodness(np.array(held), holder), goodness(outcome[pattern], holder)
        if worth >= mine:
            outcome[pattern], plies[pattern] = held, 0
    return outcome, plies


def goodness(signed: npt.ArrayLike, holder: int) -> Ints:
    """How good a signed outcome is for a side; larger is better."""
    signed = np.asarray(signed, np.int64)
    for_white = np.where(signed > 0, 1000 - signed, -1000 - signed)
    return for_white if holder == 0 else -for_white


def differences(material: Material, table: Table, known: reference.ReferenceTable) -> list[str]:
    """The first few pairs, entries included, in which a table and the reference disagree."""
    places = places_of(material, known.own)
    primary = own_cells(table, places)
    cells, index = places.cells[primary], tuple(axis[primary] for axis in places.index)
    found: list[str] = []

    def compare(what: str, here: Ints, there: Ints, chosen: npt.NDArray[np.bool_]) -> None:
        wrong = np.flatnonzero(chosen & (here != there))
        found.extend(f"{what}: {[int(axis[n]) for axis in index]} {here[n]} != {there[n]}" for n in wrong[:3])

    everywhere = np.ones(len(cells), bool)
    own, entry, dtg = known.own[index].astype(np.int64), table.entry[cells].astype(np.int64), table.dtg[cells]
    compare("entry", entry, known.entry[index].astype(np.int64), everywhere)
    compare("dtg", dtg.astype(np.int64), known.dtg[index].astype(np.int64), everywhere)
    for holder, code, values, plies in known.levels():
        inside = own >= code
        lawful = (np.abs(entry) - 1 < own) & (np.abs(entry) - 1 < code)
        fresh = (own == code) & (index[0] != holder)
        outcome, distance = middle(table, holder, code)
        by_entry = lawful | fresh
        here = np.where(by_entry, entry, outcome[table.pattern[cells]])
        there = np.where(by_entry, dtg, distance[table.pattern[cells]])
        compare(f"value with {holder} {code}", here, values[index].astype(np.int64), inside)
        compare(f"plies with {holder} {code}", there, plies[index].astype(np.int64), inside)
    return found


def uncovered(material: Material, table: Table, known: reference.ReferenceTable) -> int:
    """Positions the reference knows that have no primary cell, not even through symmetry."""
    layout = layout_of(material)
    places = places_of(material, known.own)
    missing = places.cells[~own_cells(table, places)]
    return sum(table.entry[layout.cell_of(*layout.squares_of(int(cell)))] == 0 for cell in missing[:20000])


def en_passant_differences(solving: Any, known: reference.ReferenceTable) -> tuple[int, list[str]]:
    """How many positions with a right to take en passant were compared, and the first that differ.

    `solving` is a solver that has run: these values are never stored, they lie beside the table while it is solved.
    """
    layout, family, found = solving.layout, solving.family, []
    slots = [man_of_slot(layout, slot) for slot in range(len(layout.slots))]
    half = layout.block_words * 64
    jumps, compared = known.en_passant, 0
    for row in np.flatnonzero(jumps.reachable).tolist():
        squares = [int(jumps.index[1 + man][row]) for man in slots]
        side, file = int(jumps.index[0][row]), int(jumps.square[row]) % 8
        cell = layout.cell_of(side, squares)
        placed = layout.squares_of(cell)[1]
        mirrored = placed[: layout.pawns] != tuple(squares[: layout.pawns])
        base = int(family.ep_base[cell // (2 * half), side, file ^ 7 if mirrored else file])
        here = (int(family.ep_entry[base + cell % half]), int(family.ep_dtg[base + cell % half]))
        there = (int(jumps.entry[row]), int(jumps.dtg[row]))
        compared += 1
        if base < 0 or here != there:
            found.append(f"{side} {squares} {file}: {here} != {there}")
    return compared, found[:10]


def man_of_slot(layout: Layout, slot: int) -> int:
    """Which man of the material's name stands in a slot (no two men of the material may be equal)."""
    men = [(color, role) for color in Color for role in layout.material.side(color)]
    return men.index(layout.slots[slot])
