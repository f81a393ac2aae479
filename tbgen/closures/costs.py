"""Costs: what solving a block takes by figures that were measured, and how much of it is done.

docs/measurements.md has the plans of drawn games that they lead to.
"""

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tbgen.closures.bounds import ENDS, Cuts
from tbgen.system.watching import Watch, unwatched

MOST_IN_MEMORY: Final = 1 << 28
"""Bytes of an array, or cells of a block, that memory holds; larger arrays lie in files."""

PROGRAM_BYTES: Final = 1 << 29
"""The memory of the program itself."""

PLANNED_BYTES: Final = 4096
"""The memory of a block in a plan: what it leads to, by name."""

LISTING_SECONDS: Final = 0.0006
"""CPU seconds to list what a placement of pawns leads to, once for a position."""

ADDING_SECONDS: Final = 0.0004
"""CPU seconds to add a block to a closure, once for each way and question."""

# Blocks with all outcomes. docs/design/solver.md, "One threshold or all outcomes", has more of what
# was measured.

CELL_BYTES: Final = 10.0
"""Bytes of a cell: labels of both sides, their journals, and values."""

GROUPED_BLOCK_SECONDS: Final = 0.0012
"""CPU seconds of a block that is solved in a group, besides those of its cells, for each bound.

Measured: 480 blocks of two kings with four pawns took 1.5 s with both bounds, cells included.
"""

GROUPED_CELL_SECONDS: Final = 50e-9
"""CPU seconds of a cell in a group, for each bound.

Measured: 40 to 65 ns in closures of KPPvKBP and KNPvKPP, of 18 to 72 blocks with three free men.
"""

MOST_GROUP_BYTES: Final = 3 << 28
"""The memory of a group: values that a wave reads, planes that were read last, and blocks that wait
for their file.
"""

VALUES_A_STORED_BYTE: Final = 8
"""Values are compressed: 12 to 15 take a byte in blocks with two and three free men."""

# Blocks at cuts. docs/design/memory.md, "Blocks of tbgen solve", has the bytes of each phase.

BLOCK_SECONDS: Final = 0.03
"""CPU seconds of a block at cuts, besides those of its cells."""

MOVES_AT_CUTS: Final = 20e-9
"""CPU seconds to find the moves of a cell: 49 s in a block of 2.1 billion cells."""

CUT_SECONDS: Final = 4e-9
"""CPU seconds of a cell for each cut, in a block that memory holds.

It is the same in larger blocks that are asked for mates alone.
"""

LARGE_CUT_SECONDS: Final = 13e-9
"""CPU seconds of a cell for each cut, in a block with files for its arrays.

Cuts of a block of 2.1 billion cells took 19 to 39 s, 9 to 18 ns a cell.
"""

HUGE_CUT_SECONDS: Final = 35e-9
"""CPU seconds of a cell for each cut, in a block of at least `HUGE_CELLS`.

A cut in the 21 billion cells of KRBvKQR took 672 s, and one in those of KRBvKRN 1,730 s: 31 and
80 ns a cell, moves included.
"""

HUGE_HIGH_CUT_SECONDS: Final = 100e-9
"""The same for cuts that take `MANY_PLANES` planes of mobility or more."""

HUGE_CELLS: Final = 1 << 33
MANY_PLANES: Final = 5

OCCUPIED: Final = 1 / 16
"""Bytes of a cell for the squares of men, a word for 64 cells of either side."""

SETS_AT_CUT: Final = 0.53
"""Bytes of a cell for the sets that grow while a cut is asked, four bits, and their marks."""

FOLDING: Final = 0.375
"""Bytes of a cell for the positions after a promotion, while it is bounded."""

CELLS_A_STORED_BYTE: Final = 25
"""The bits of a cut are packed: so many cells take a byte on the disk."""


@dataclass(frozen=True)
class BlockCost:
    """What a block takes to solve."""

    cells: int
    """Its cells that are solved, once for each bound."""
    cpu_seconds: float
    memory_bytes: int
    """Without files; one question at a time."""
    disk_bytes: int
    scratch_bytes: int
    """Disk for large arrays while it is solved."""
    question_bytes: int = 0
    """Memory for a further question that is asked at the same time."""
    value_bytes: int = 0
    """Its values if it is solved in a group, which waits for its file in memory."""


class Budget:
    """The CPU seconds that are left to answer a position, by the plan.

    Planning is paid as well, whether or not what is planned is solved.

    Arguments:
        seconds: How many are granted.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self.seconds = seconds
        self.left = seconds
        self.paid_keys = set[str]()
        """The keys of blocks that are paid, and cost nothing any more."""
        self.paid_nodes = set[str]()

    @property
    def refusal(self) -> str:
        """The reason of a refusal for want of seconds."""
        return f"more than {self.seconds:,.0f} CPU seconds by the plan; try a larger --budget"

    def pay(self, seconds: float) -> None:
        """Take some seconds off."""
        self.left -= seconds


def cost_of_block(
    cells: int,
    passes: int,
    child_cells: Sequence[int],
    *,
    share: float = 1.0,
) -> BlockCost:
    """What a block takes of which all outcomes are found.

    `passes` counts the bounds with which it is solved. `child_cells` has the cells of each plane
    that it reads. So large a `share` of its own is solved.
    """
    solved = int(cells * share)
    read = sum(min(size, cells) for size in child_cells)
    children_bytes = passes * read + max(child_cells, default=0)
    return BlockCost(
        cells=passes * solved,
        cpu_seconds=passes * (GROUPED_BLOCK_SECONDS + solved * GROUPED_CELL_SECONDS),
        memory_bytes=int(cells * CELL_BYTES) + children_bytes,
        disk_bytes=passes * solved // VALUES_A_STORED_BYTE,
        scratch_bytes=0,
        value_bytes=passes * cells,
    )


def cost_at_cuts(
    cells: int, cuts: Cuts, read_bytes: int = 0, rights_bytes: int = 0, *, share: float = 1.0
) -> BlockCost:
    """What a block takes of which some cuts are asked, for a share of its cells.

    It reads `read_bytes` of values at once. Where a pawn may be taken en passant, `rights_bytes` of
    them are values with such a right.
    """
    solved = int(cells * share)
    planes = _planes_of_mobility(cuts)
    seconds = MOVES_AT_CUTS + len(cuts) * _seconds_at_cut(cells, planes)
    # Bits of legal positions, of check, of resets, of each plane of mobility and of each cut.
    arrays = cells * (3 + planes + len(cuts)) // 8
    question = int(cells * SETS_AT_CUT)
    kept_bytes = 0  # of the values that were read, while a question is asked
    if rights_bytes:
        arrays += cells  # their own codes
        question += cells + rights_bytes  # the values of all cells, and of those with a right
        kept_bytes = read_bytes
    folding = int(cells * FOLDING)
    memory = int(cells * OCCUPIED)
    if cells >= MOST_IN_MEMORY:
        memory += max(folding, question)
        scratch = arrays + read_bytes
    else:
        memory += arrays + max(read_bytes + folding, kept_bytes + question)
        scratch = 0
    return BlockCost(
        cells=solved,
        cpu_seconds=BLOCK_SECONDS + solved * seconds,
        memory_bytes=memory,
        disk_bytes=len(cuts) * solved // CELLS_A_STORED_BYTE,
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


_MOST_OF_RUNNING: Final = 0.95
"""A block that is being solved counts as this part of its plan at most."""

_SHARE_OF_QUESTION: Final = 0.75
"""A question counts as this part of what is left, because its answer may lead to others."""


class SolvePace:
    """Tells a watch how much of a solve is done; the part never falls.

    It counts in CPU seconds of the plan. While a block is being solved, the CPU time since the last
    one counts.
    """

    def __init__(self, watch: Watch = unwatched) -> None:
        self._watch = watch
        self._lock = threading.Lock()
        self._before = 0.0
        """The part that was told before this question."""
        self._told = 0.0
        self._expected = 1.0
        """The planned seconds of the question."""
        self._done = 0.0
        """The planned seconds of its solved blocks."""
        self._last_block = time.process_time()

    def begin(self, expected: float) -> None:
        """Begin with a question that takes so many seconds by the plan."""
        self._before = self._told
        self._expected = max(expected, 1e-3)
        self._done = 0.0
        self._last_block = time.process_time()

    def finish(self, planned: float) -> None:
        """Count a solved block with its planned seconds; several threads may."""
        with self._lock:
            self._done += planned
            self._last_block = time.process_time()
            self._tell(self._done)

    def tick(self, running: float) -> None:
        """Blocks with so many planned seconds are still being solved."""
        with self._lock:
            taken = time.process_time() - self._last_block
            self._tell(self._done + min(taken, _MOST_OF_RUNNING * running))

    def _tell(self, seconds: float) -> None:
        part = _SHARE_OF_QUESTION * min(1.0, seconds / self._expected)
        self._told = max(self._told, self._before + (1 - self._before) * part)
        self._watch(self._told)
