"""How much memory it takes to solve a material."""

from __future__ import annotations

from tbgen.index.layout import layout_of
from tbgen.material import Material

BASE_BYTES = 300 << 20
"""The program itself, its compiled kernels and its dictionaries."""

BLOCK_CELL_BYTES = 48
"""Labels and histories of two forcers, codes, resets, and the seeds that a cell leaves behind."""

TABLE_CELL_BYTES = 16
"""Entry, distance and pattern while they are found, and once more while they are handed over."""

VALUE_BYTES = 3
"""Entry and distance of a child."""


def memory_needed(material: Material, threads: int) -> int:
    """An estimate, in bytes, of the memory it takes to solve a canonical material."""
    layout = layout_of(material)
    workers = min(threads, len(layout.blocks))
    blocks = workers * layout.block_words * 128 * BLOCK_CELL_BYTES
    children = sum(layout_of(child).cells for child in material.children()) * VALUE_BYTES * 2
    return BASE_BYTES + blocks + layout.cells * TABLE_CELL_BYTES + children
