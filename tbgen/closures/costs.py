"""What solving a block takes: CPU seconds, memory and disk, by figures that were measured.

docs/measurements.md has the plans of drawn games that they lead to.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tbgen.closures.cuts import ENDS, Cuts

MOST_IN_MEMORY: Final = 1 << 28
"""Bytes of an array, or cells of a block, that memory holds; larger arrays lie in files."""

PROGRAM_BYTES: Final = 1 << 29
"""The memory of the program itself."""

BLOCK_SECONDS: Final = 0.03
"""CPU seconds of a block that is solved alone, besides those of its cells, for each bound."""

TABLE_BLOCK_SECONDS: Final = 0.0025
"""The same in a table of many blocks.

Measured in Fine's no. 70: 7,013 solves of a block of kings and pawns took 19 s, cells included.
"""

PLANNING_SECONDS: Final = 0.002
"""CPU seconds to list what a block leads to, once for the plan and once for the solve."""

TABLE_CELL_SECONDS: Final = 80e-9
"""CPU seconds of a cell in such a table, of which all outcomes are found with one bound.

Measured: 52 ns in Fine's no. 70, whose 1,194 blocks with a queen have half a million cells each,
and 130 ns in 11 blocks of KBPvKPP.
"""


class CellCost(NamedTuple):
    """What a cell takes."""

    seconds: float
    memory_bytes: float


WHOLE: Final = CellCost(seconds=0.17e-6, memory_bytes=10.0)
"""All outcomes with one bound: labels of both sides, their journals, and values."""

MOVES_AT_CUTS: Final = 20e-9
"""CPU seconds to find the moves of a cell of which only cuts are asked."""

OCCUPIED: Final = 1 / 16
"""Bytes of a cell for the squares of men, a word for 64 cells of either side."""

SETS_AT_CUT: Final = 0.53
"""Bytes of a cell for the sets that grow while a cut is asked, four bits, and their marks."""

FOLDING: Final = 0.375
"""Bytes of a cell for the positions after a promotion, while it is bounded."""

CELLS_A_STORED_BYTE: Final = 25
"""The bits of a cut are packed: so many cells take a byte on the disk."""

VALUES_A_STORED_BYTE: Final = 8
"""Values are compressed: 12 to 15 take a byte in blocks with two and three men beside pawns."""

PLANNED_BYTES: Final = 4096
"""The memory of a block in a plan: what it leads to, by name."""

MOST_TABLE_BYTES: Final = 3 << 28
"""The memory for values that a wave of blocks reads, and for blocks that wait for their file."""

CUT_SECONDS: Final = 4e-9
"""CPU seconds of a cell for each cut, in a block that memory holds.

It is the same in larger blocks that are asked for mates alone.
"""

LARGE_CUT_SECONDS: Final = 13e-9
"""CPU seconds of a cell for each cut, in a block with files for its arrays."""

HUGE_CUT_SECONDS: Final = 35e-9
"""The same in a block of at least `HUGE_CELLS`."""

HUGE_HIGH_CUT_SECONDS: Final = 100e-9
"""The same for cuts that take `MANY_PLANES` planes of mobility or more."""

HUGE_CELLS: Final = 1 << 33
MANY_PLANES: Final = 5


@dataclass(frozen=True)
class BlockCost:
    """What a block takes to solve."""

    cells: int
    """Its cells, once for each bound."""
    cpu_seconds: float
    memory_bytes: int
    """Without files; one question at a time."""
    disk_bytes: int
    scratch_bytes: int
    """Disk for large arrays while it is solved."""
    question_bytes: int = 0
    """Memory for a further question that is asked at the same time."""


def cost_of_block(
    cells: int, passes: int, child_cells: Sequence[int], *, is_alone: bool
) -> BlockCost:
    """What a block takes of which all outcomes are found.

    `passes` counts the bounds with which it is solved. `child_cells` has the cells of each plane
    that it reads. `is_alone` says that it is solved by itself, and not with others as a table.
    """
    read = sum(min(size, cells) for size in child_cells)
    children_bytes = passes * read + max(child_cells, default=0)
    if is_alone:
        seconds = passes * (BLOCK_SECONDS + cells * WHOLE.seconds)
    else:
        each_pass = TABLE_BLOCK_SECONDS + cells * TABLE_CELL_SECONDS
        seconds = PLANNING_SECONDS + passes * each_pass
    return BlockCost(
        cells=passes * cells,
        cpu_seconds=seconds,
        memory_bytes=int(cells * WHOLE.memory_bytes) + children_bytes,
        disk_bytes=passes * cells // VALUES_A_STORED_BYTE,
        scratch_bytes=0,
    )


def cost_at_cuts(cells: int, cuts: Cuts, read_bytes: int = 0, rights_bytes: int = 0) -> BlockCost:
    """What a block takes of which some cuts are asked.

    It reads `read_bytes` of values at once. Where a pawn may be taken en passant, `rights_bytes` of
    them are values with such a right.
    """
    planes = _planes_of_mobility(cuts)
    seconds = MOVES_AT_CUTS + len(cuts) * _seconds_at_cut(cells, planes)
    # Bits of legal positions, of check, of resets, of each plane of mobility and of each cut.
    arrays = cells * (3 + planes + len(cuts)) // 8
    question = int(cells * SETS_AT_CUT)
    asking = question
    if rights_bytes:
        arrays += cells  # their own codes
        question += cells + rights_bytes  # the values of all cells, and of those with a right
        asking = question + read_bytes
    reading = read_bytes + int(cells * FOLDING)
    always = int(cells * OCCUPIED)
    if cells >= MOST_IN_MEMORY:
        memory = always + max(question, int(cells * FOLDING))
        scratch = arrays + read_bytes
    else:
        memory = always + arrays + max(reading, asking)
        scratch = 0
    return BlockCost(
        cells=cells,
        cpu_seconds=BLOCK_SECONDS + cells * seconds,
        memory_bytes=memory,
        disk_bytes=len(cuts) * cells // CELLS_A_STORED_BYTE,
        scratch_bytes=scratch,
        question_bytes=question,
    )


def _planes_of_mobility(cuts: Cuts) -> int:
    """The bits that tell apart all numbers of moves that matter for some cuts.

    Mates and stalemates take none.
    """
    if all(cut in ENDS for cut in cuts):
        return 0
    most_moves = max(cut.code for cut in cuts) // 2
    return (most_moves + 1).bit_length()


def _seconds_at_cut(cells: int, planes: int) -> float:
    """CPU seconds of a cell for a cut that takes some planes of mobility."""
    if cells < MOST_IN_MEMORY or planes == 0:
        return CUT_SECONDS
    if cells < HUGE_CELLS:
        return LARGE_CUT_SECONDS
    if planes < MANY_PLANES:
        return HUGE_CUT_SECONDS
    return HUGE_HIGH_CUT_SECONDS
