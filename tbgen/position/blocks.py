"""Blocks: one after another is solved from what it leads to.

A block that leads to bounds is solved twice: with the least that its unsolved promotions can be worth to White, and
with the most. Values are monotone in those, so the true ones lie between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from functools import lru_cache, partial
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.index.handover import Entries
from tbgen.index.layout import HOW_BITS, Squares, partial_layout, slots_of
from tbgen.material import Material
from tbgen.position.bounds import Bound, bounds_of_promotions
from tbgen.position.closure import Closure, Node, PlannedBlock, node_of
from tbgen.position.cuts import outcomes_at, threshold_of
from tbgen.position.known import BlockFolder
from tbgen.retro.drive.many_blocks import en_passant_of
from tbgen.retro.drive.single import BlockOutcomes, PlaneNumber, SingleBlock
from tbgen.retro.resets.destinations import ChildLayouts, ChildTables
from tbgen.retro.words.geometry import NO_SLOT
from tbgen.system.process import threads_for

Arrays = dict[str, npt.NDArray[Any]]

ENTRY, RIGHTS, ANSWERS = BlockOutcomes._fields
"""The values of a block: all cells, those with a right to take en passant, and what is asked."""


class ClosureBlocks:
    """The values of a closure's blocks, with both bounds of what it does not solve; LookupError if they are not there.

    With `solves`, a block that is missing is solved: another process may have removed it.
    """

    def __init__(self, closure: Closure, folder: BlockFolder, *, solves: bool = True) -> None:
        self.closure, self.folder, self._solves = closure, folder, solves
        self._known_plane = lru_cache(maxsize=16)(closure.known.plane)  # 256 MiB where four men are not pawns

    def solve(self, block: PlannedBlock) -> None:
        """Solve a block with each of its bounds, unless somebody else has by now."""
        if self.folder.get(block.key) is None:
            self.folder.put(block.key, BlockSolver(block, self).solve())

    def read(self, block: PlannedBlock, part: str, bound: Bound, first: int = 0, end: int | None = None) -> Entries:
        """Some values in a part of a block, with a bound of what it leads to."""
        while (file := self.folder.get(block.key)) is None:
            if not self._solves:
                raise LookupError(block.key)
            self.solve(block)
        return file.items(f"{(block.bounds[0] if block.is_exact else bound).name} {part}", first, end)

    def plane(self, node: Node, side: int, bound: Bound) -> Entries:
        """The entry values of a node that the closure leads to, with one side to move."""
        half, block = node.cells // 2, self.closure.blocks.get(node)
        if block is not None:
            return self.read(block, ENTRY, bound, side * half, (side + 1) * half)
        if self.closure.known.has(node.material):
            return self._known_plane(*node, side)
        return np.full(half, bound.value, np.int8)


def solve_closure(blocks: ClosureBlocks, pool: Executor, threads: int, tell: Callable[[float], None]) -> None:
    """Solve all blocks that are not solved yet, each once those that it leads to are; tell the planned seconds of each.

    A block that leads to bounds keeps two threads busy.
    """
    running = dict[Future[None], PlannedBlock]()
    lacking = {block.key: block for block in blocks.closure.blocks.values() if blocks.folder.get(block.key) is None}
    most = threads_for(max((block.cost.memory_bytes for block in lacking.values()), default=1), threads)
    while lacking:
        for block in islice(lacking.values(), 64):  # a look at all of them would take long
            busy = sum(len(each.bounds) for each in running.values())
            is_room = not running or (len(running) < most and busy + len(block.bounds) <= threads)
            if is_room and block not in running.values() and lacking.keys().isdisjoint(e.digest for e in block.edges):
                running[pool.submit(blocks.solve, block)] = block
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            future.result()
            block = running.pop(future)
            del lacking[block.key]
            tell(block.cost.cpu_seconds)


class BlockSolver:
    """Solves a block of a closure from the values of those that it leads to."""

    def __init__(self, block: PlannedBlock, blocks: ClosureBlocks) -> None:
        self.block, self.node, self.blocks = block, block.node, blocks
        self._bounded = [each.reset for each in block.edges if not each.digest and each.reset.gone == NO_SLOT]
        edges = [each for each in block.edges if each.reset not in self._bounded]
        placements: dict[Material, list[Squares]] = {self.node.material: [self.node.pawns]}
        slots, self._planes = slots_of(self.node.material), dict[tuple[Node, int], None]()
        for reset, child, _ in edges:
            placements.setdefault(child.material, []).append(child.pawns)
            if reset.gone != NO_SLOT:  # the side whose man is gone is to move
                self._planes[child, int(slots[reset.gone][0]) ^ reset.flip] = None
            elif reset.promoted == NO_SLOT:
                pawns = slots[: len(self.node.pawns)]
                self._planes |= dict.fromkeys((child, int(color.other)) for color, _ in pawns)
        layouts = [partial_layout(*some) for some in placements.items()]
        self._layout, self._layouts = layouts[0], ChildLayouts(layouts, [*dict.fromkeys(each.reset for each in edges)])
        self._single = SingleBlock(self._layouts, self._place_of(self.node)[1])

    def _place_of(self, child: Node) -> tuple[int, int]:
        """The table of a child, and its block there."""
        table = self._layouts.number_of(child.material)
        return table, self._layouts.layouts[table].address_of(child.pawns) >> HOW_BITS

    def solve(self) -> Arrays:
        """The values of the block with each bound."""
        cuts, bounds, asked = self.block.cuts, self.block.bounds, self.block.asked
        if cuts:
            bits = self._single.solve_thresholds(self._children(), [threshold_of(cut)[0] for cut in cuts], asked)
            found = [outcomes_at(cuts, bound, some) for bound, some in zip(bounds, bits, strict=True)]
        else:
            found = self._single.solve(self._children(), asked)
        named = ((bound, each._asdict().items()) for bound, each in zip(bounds, found, strict=True))
        return {f"{bound.name} {part}": values for bound, parts in named for part, values in parts}

    def _children(self) -> Sequence[ChildTables]:
        """All that the block leads to, with each bound."""
        read = lru_cache(maxsize=1)(self.blocks.plane)  # exact blocks have one plane for both bounds

        def entries(bound: Bound, plane: PlaneNumber) -> Entries:
            layout = self._layouts.layouts[plane[0]]
            node = node_of(layout.material, layout.blocks[plane[1]])
            block = self.blocks.closure.blocks.get(node)
            return read(node, plane[2], Bound.LOWER if block and block.is_exact else bound)

        planes = [(*self._place_of(child), side) for child, side in self._planes]
        children = self._single.children(planes, [partial(entries, bound) for bound in self.block.bounds])
        for bound, tables in zip(self.block.bounds, children, strict=True):
            for number, pawns in enumerate(self._layout.blocks):
                if number != self._single.number:
                    here, _ = en_passant_of(tables.en_passant, (number, number + 1), self._layout.block_words * 128)
                    block = self.blocks.closure.blocks[node_of(self.node.material, pawns)]
                    here[:] = self.blocks.read(block, RIGHTS, bound)
        for pawn in sorted({reset.promoted for reset in self._bounded}):
            roles = [reset.role for reset in self._bounded if reset.promoted == pawn]
            found = bounds_of_promotions(self._layout, self.node.pawns, pawn, roles, children)
            for n, each in enumerate(children):
                each.promotions.start[self._single.number, pawn, roles] = len(each.promotions.entry)
                entry = np.concatenate([each.promotions.entry, found[n]])
                children[n] = each._replace(promotions=each.promotions._replace(entry=entry))
        return children
