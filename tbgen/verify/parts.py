"""The parts of a table that are checked one after another, because memory may not hold it whole.

A part has some blocks that are checked, and those that their moves lead to: pawn moves are the only
moves from one block to another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bytes, Ints
from tbgen.index.layout import Layout
from tbgen.index.placements import HOW_BITS
from tbgen.score import Color
from tbgen.verify.kept import KeptCells, cells_of_block, some_cells, whole_blocks, whole_table
from tbgen.verify.resets import ENTRY_TASK, PAIRS_TASK, RESETS_TASK, needs_of


@dataclass(frozen=True)
class CheckedPart:
    """Kept cells, and what is asked about them."""

    kept: KeptCells
    task: Bytes
    """[kept block, or kept cell] -> its task."""

    def task_of_cells(self) -> Bytes:
        """[index] -> the task, with an item more."""
        task = self.task
        if len(self.kept.blocks):
            task = np.repeat(task, self.kept.total // len(task))
        return np.append(task, np.uint8(ENTRY_TASK))


def whole_part(layout: Layout) -> CheckedPart:
    return CheckedPart(whole_table(layout), np.full(len(layout.blocks), PAIRS_TASK, np.uint8))


def sampled_part(layout: Layout, cells: Ints) -> CheckedPart:
    """Some cells, and all that checking them reads."""
    needed, tasks = needs_of(layout, cells)
    return CheckedPart(some_cells(needed), tasks)


def parts_of(layout: Layout, most_cells: int) -> list[CheckedPart]:
    """All blocks in parts of at most so many cells, unless a single block needs more."""
    if layout.cells <= most_cells:
        return [whole_part(layout)]
    most_blocks = most_cells // cells_of_block(layout)
    needs = _BlocksRead(layout)
    parts = list[CheckedPart]()
    blocks = _GrowingPart()
    for block in range(len(layout.blocks)):
        with_resets = needs.with_resets(block)
        read = needs.read(with_resets)
        new = len(read - blocks.read)  # a union of both would take time that grows with its square
        if blocks.checked and len(blocks.read) + new > most_blocks:
            parts.append(blocks.part(layout))
            blocks = _GrowingPart()
        blocks.add(block, with_resets, read)
    parts.append(blocks.part(layout))
    return parts


class _GrowingPart:
    """The blocks of a part that grows. Those that are checked have resets, and all are read."""

    def __init__(self) -> None:
        self.checked = set[int]()
        self.with_resets = set[int]()
        self.read = set[int]()

    def add(self, block: int, with_resets: set[int], read: set[int]) -> None:
        """Check another block, with what that takes."""
        self.checked.add(block)
        self.with_resets |= with_resets
        self.read |= read

    def part(self, layout: Layout) -> CheckedPart:
        blocks = np.array(sorted(self.read), np.int64)
        task = np.full(len(blocks), ENTRY_TASK, np.uint8)
        task[np.isin(blocks, list(self.with_resets))] = RESETS_TASK
        task[np.isin(blocks, list(self.checked))] = PAIRS_TASK
        return CheckedPart(whole_blocks(layout, blocks), task)


class _BlocksRead:
    """What the check of a block reads of others."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._squares = np.array(layout.blocks, np.int64).reshape(len(layout.blocks), layout.pawns)

    def with_resets(self, block: int) -> set[int]:
        """The block, and those in which its double steps can be answered en passant.

        The verifier weighs all moves after such a step.
        """
        found = {block}
        waiting = [block]
        while waiting:
            new = set(self._with_takers[waiting.pop()]) - found
            found |= new
            waiting += new
        return found

    def read(self, with_resets: set[int]) -> set[int]:
        """Some blocks, and all that pawn moves lead to from there."""
        found = set(with_resets)
        for block in with_resets:
            found.update(self._after_steps[block])
        return found

    @cached_property
    def _after_steps(self) -> Sequence[set[int]]:
        """[block] -> the blocks after steps of its pawns."""
        found: list[set[int]] = [set() for _ in self._squares]
        for pawn in range(self._layout.pawns):
            for squares in (1, 2):
                for block, after in self._steps(pawn, squares):
                    found[block].add(after)
        return found

    @cached_property
    def _with_takers(self) -> Sequence[set[int]]:
        """[block] -> the blocks after double steps beside which an enemy pawn stands."""
        found: list[set[int]] = [set() for _ in self._squares]
        for pawn in range(self._layout.pawns):
            has_taker = self._have_takers(pawn)
            for block, after in self._steps(pawn, 2):
                if has_taker[block]:
                    found[block].add(after)
        return found

    def _steps(self, pawn: int, squares: int) -> Iterator[tuple[int, int]]:
        """The blocks from which a pawn goes one or two squares ahead, each with the block after it.

        Men on the way count as if they were not there.
        """
        after = self._squares.copy()
        after[:, pawn] += squares * self._ahead(pawn)
        ranks = after[:, pawn] >> 3
        is_step = (ranks > 0) & (ranks < 7)
        if squares == 2:
            is_step &= self._squares[:, pawn] >> 3 == self._first_rank(pawn)
        blocks = np.flatnonzero(is_step)
        addresses = self._layout.addresses_of(after[blocks])
        is_free = addresses >= 0
        after_step = addresses[is_free] >> HOW_BITS
        return zip(blocks[is_free].tolist(), after_step.tolist(), strict=True)

    def _have_takers(self, pawn: int) -> npt.NDArray[np.bool_]:
        """[block] -> whether an enemy pawn stands beside the square two ahead of a pawn."""
        to = self._squares[:, pawn] + 2 * self._ahead(pawn)
        found = np.zeros(len(to), np.bool_)
        for taker in range(self._layout.pawns):
            if self._color(taker) is self._color(pawn):
                continue
            square = self._squares[:, taker]
            found |= (square >> 3 == to >> 3) & (np.abs((square & 7) - (to & 7)) == 1)
        return found

    def _color(self, pawn: int) -> Color:
        return self._layout.slots[pawn][0]

    def _ahead(self, pawn: int) -> int:
        return 8 if self._color(pawn) is Color.WHITE else -8

    def _first_rank(self, pawn: int) -> int:
        return 1 if self._color(pawn) is Color.WHITE else 6
