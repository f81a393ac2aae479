"""Solved tables, each made once for all tests that ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from tbgen.index.bulk import are_legal, cells_of
from tbgen.index.layout import layout_of
from tbgen.index.squares import TRIANGLE
from tbgen.material import Material, TableMaterial, table_named
from tbgen.retro import DISTANCES, MemoryStore, Method, Solved, solve_into
from tbgen.score import Mobility
from tbgen.table import Cells, Child, EntryValues, Table
from tbgen.verify import verify_table
from tbgen.verify.report import Report

_values: dict[str, EntryValues] = {}


def solve(
    material: TableMaterial,
    children: Mapping[Material, Child],
    threads: int = 2,
    mobility: Mobility = Mobility.RESET,
    method: Method[Any] = DISTANCES,
) -> Table:
    """The table of a canonical material whose children are solved, in memory."""
    return table_of(
        solve_into(MemoryStore(), material, children, threads, mobility=mobility, method=method)
    )


def table_of(solved: Solved) -> Table:
    """All that the runs of a solved material hold."""
    cells = held_cells(solved, 0, layout_of(solved.material).cells)
    return Table(solved.material, *cells, solved.patterns, solved.tallies, solved.mobility)


def held_cells(solved: Solved, first: int, end: int) -> Cells:
    """What cells first to end hold."""
    pieces = solved.pieces(first, end)
    columns = zip(
        *(cells._replace(pattern=numbers[cells.pattern]) for _, cells, numbers in pieces),
        strict=True,
    )
    return Cells(*map(np.concatenate, columns))


@cache
def solved(
    name: str | TableMaterial, mobility: Mobility = Mobility.RESET, threads: int = 2
) -> Table:
    """The table of a material, its children solved on the way; for tables that are small."""
    material = table_named(name) if isinstance(name, str) else name
    children = {child: solved(child, mobility, threads) for child in material.children()}
    return solve(material, children, threads, mobility=mobility)


def values(name: str) -> EntryValues:
    """Entry values and distances only, so that many tables fit into memory at once."""
    if name not in _values:
        solve_from_values(name)
    return _values[name]


def solve_from_values(name: str, threads: int = 2) -> Table:
    """A table that is not kept, but for its values."""
    material = table_named(name)
    table = solve(
        material, {child: values(str(child)) for child in material.children()}, threads=threads
    )
    _values.setdefault(name, EntryValues(material, table.entry, table.dtg))
    return table


def report_of(
    table: Table, sample: int | None = None, seed: int = 0, most_cells: int | None = None
) -> Report:
    """What the verifier says of a table that may be wrong; those of its children are right."""
    return verify_table(
        table,
        lambda child: solved(str(child), table.mobility),
        sample=sample,
        seed=seed,
        threads=2,
        most_cells=most_cells,
    )


def has_filled_blank(table: Table) -> bool:
    """Whether a cell without a position has an entry value.

    A solver leaves it none, and a file may have any there.
    """
    layout = layout_of(table.material)
    filled = np.flatnonzero(table.entry)
    block, side, king, *rest = np.unravel_index(filled, layout.shape)
    pawns = np.array(layout.blocks, np.int64).reshape(len(layout.blocks), layout.pawns)[block]
    squares = np.column_stack([pawns, king if layout.pawns else np.array(TRIANGLE)[king], *rest])
    return not (
        are_legal(layout, side, squares) & (cells_of(layout, side, squares) == filled)
    ).all()
