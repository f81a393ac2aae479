"""Blocks: one after another is solved from what it leads to.

A node that leads to bounds is solved twice: with the least that its unsolved promotions can be worth to White, and with
the most. Values are monotone in those, so the true ones lie between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from functools import lru_cache, partial
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.index.handover import Entries
from tbgen.index.layout import HOW_BITS, HOW_MASK, TURNS, Squares, partial_layout, slots_of
from tbgen.material import Material
from tbgen.position.bounds import Bound, bounds_of_promotions
from tbgen.position.closure import Closure, Kind, Node, node_of
from tbgen.position.cuts import joined, outcomes_of, threshold_of
from tbgen.position.known import BlockFolder, key_of
from tbgen.retro.drive.many_blocks import en_passant_of
from tbgen.retro.drive.single import Accrued, PlaneNumber, SingleBlock
from tbgen.retro.resets.destinations import ChildLayouts, ChildTables, Reset, en_passant_places
from tbgen.retro.words.geometry import NO_SLOT
from tbgen.score import Color, Score
from tbgen.storage.arrays import ArrayFile
from tbgen.system.process import threads_for

NOTHING_ASKED: Final = Accrued(Score(0, Color.WHITE), ())

Arrays = dict[str, npt.NDArray[Any]]


class BlockQuestion(NamedTuple):
    """An accrued score, and the cells of a block in which it is asked."""

    node: Node
    accrued: Accrued


class UnsolvedError(LookupError):
    """A block is not solved yet, or another process has removed it."""

    def __init__(self, node: Node) -> None:
        super().__init__(str(node))
        self.node = node


class ClosureBlocks:
    """The blocks of a closure, with both bounds of what it does not solve."""

    def __init__(self, closure: Closure, folder: BlockFolder, question: BlockQuestion | None = None) -> None:
        self.closure, self.folder, self.question = closure, folder, question

    def bounds_of(self, node: Node) -> Sequence[Bound]:
        """The bounds with which a block is solved: of an exact one, it makes no difference."""
        return [*Bound] if node in self.closure.inexact else [Bound.LOWER]

    def keys(self, node: Node) -> list[str]:
        """The names of a block's file, and of that with the answers to what is asked of it."""
        key = self.closure.key(node)
        if self.question is None or self.question.node != node:
            return [key]
        _, asked = self.question
        return [key, f"{node}-{key_of([key, str(asked.score), asked.cells])}"]

    def file(self, node: Node, number: int = 0) -> ArrayFile:
        """One of these files; LookupError if the block is not solved yet."""
        if (found := self.folder.get(self.keys(node)[number])) is None:
            raise UnsolvedError(node)
        return found

    def lacks(self, node: Node) -> bool:
        """Whether a block is still to be solved, or what is asked of it."""
        return any(self.folder.get(key) is None for key in self.keys(node))

    def solve(self, node: Node) -> None:
        """Solve a block with each of its bounds, unless somebody else has by now."""
        while self.lacks(node):
            try:
                found = BlockSolver(node, self, self.bounds_of(node)).solve()
            except UnsolvedError as error:  # another process has removed it meanwhile
                self.solve(error.node)
            else:
                for key, arrays in zip(self.keys(node), found, strict=False):
                    self.folder.put(key, arrays)

    def entries(self, node: Node, bound: Bound, first: int, end: int) -> Entries:
        """The entry values of some cells of a block of the closure."""
        block, name, cuts = self.file(node), self._name(node, bound), self.closure.way.cuts
        if not self.closure.is_coarse(node):
            return block.items(name, first, end)
        found, size = np.empty(end - first, np.int8), 1 << 22
        for start in range(first, end, size):
            stop = min(start + size, end)
            packed = (block.items(f"{name} {cut}", start >> 3, (stop + 7) >> 3) for cut in cuts)
            bits = (np.unpackbits(each, bitorder="little")[start & 7 :][: stop - start] for each in packed)
            found[start - first : stop - first] = outcomes_of(bits, cuts, bound)
        return found

    def plane(self, node: Node, side: int, bound: Bound) -> Entries:
        """The entry values of a block that the closure leads to, with one side to move."""
        half = node.cells // 2
        if self.closure.known.has(node.material):
            return self.closure.known.recent_plane(*node, side)
        if node not in self.closure.edges:
            return np.full(half, bound.value, np.int8)
        return self.entries(node, bound, side * half, (side + 1) * half)

    def en_passant(self, node: Node, bound: Bound) -> Entries:
        """Its values with a right to take en passant."""
        return self.file(node).items(f"{self._name(node, bound)} en passant")

    def _name(self, node: Node, bound: Bound) -> str:
        return (bound if node in self.closure.inexact else Bound.LOWER).name

    def value(self, node: Node, cell: int, bound: Bound) -> Score:
        """The entry value of a position."""
        return Score.from_signed(int(self.entries(node, bound, cell, cell + 1)[0]))

    def value_with_right(self, node: Node, cell: int, file: int, king: int, bound: Bound) -> Score:
        """The value of a position in which the pawn on a file has just made a double step beside another one."""
        layout, half = node.layout, node.cells // 2
        start, _ = en_passant_places(layout)
        file ^= 7 * bool(TURNS[layout.address_of(node.pawns) & HOW_MASK, king])
        return Score.from_signed(int(self.en_passant(node, bound)[int(start[0, cell // half, file]) + cell % half]))

    def answer(self, node: Node, cell: int, accrued: Score, bound: Bound) -> Score:
        """What the accrued score that is asked is worth in a position; LookupError if that is not solved or asked."""
        if self.question is None or (node, accrued) != (self.question.node, self.question.accrued.score):
            raise LookupError(node)
        at = self.question.accrued.cells.index(cell)
        return Score.from_signed(int(self.file(node, 1).items(self._name(node, bound), at, at + 1)[0]))


def solve_closure(blocks: ClosureBlocks, pool: Executor, threads: int) -> Iterator[float]:
    """Solve all nodes that are not solved yet, each once those that it leads to are; the planned seconds of each.

    A block that leads to bounds keeps two threads busy.
    """
    closure, running = blocks.closure, dict[Future[None], str]()
    lacking = {closure.key(node): node for node in closure.edges if blocks.lacks(node)}
    most = threads_for(max((closure.cost_of(node).memory_bytes for node in lacking.values()), default=1), threads)
    while lacking:
        for key, node in islice(lacking.items(), 64):  # a look at all of them would take long
            below = (closure.key(edge.child) for edge in closure.edges[node] if edge.kind is Kind.NODE)
            busy = sum(len(blocks.bounds_of(lacking[each])) for each in running.values())
            is_room = not running or (len(running) < most and busy + len(blocks.bounds_of(node)) <= threads)
            if is_room and key not in running.values() and lacking.keys().isdisjoint(below):
                running[pool.submit(blocks.solve, node)] = key
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            future.result()
            yield closure.cost_of(lacking.pop(running.pop(future))).cpu_seconds


class BlockSolver:
    """Solves one node of a closure whose children are solved, with some bounds of what is not."""

    def __init__(self, node: Node, blocks: ClosureBlocks, bounds: Sequence[Bound]) -> None:
        self.node, self.blocks, self.bounds = node, blocks, bounds
        placements: dict[Material, list[Squares]] = {node.material: [node.pawns]}
        slots, planes = slots_of(node.material), dict[tuple[Node, int], None]()
        resets, bounded = dict[Reset, None](), dict[Reset, None]()
        for reset, child, kind in blocks.closure.edges[node]:
            if kind is Kind.BOUND and reset.gone == NO_SLOT:
                bounded[reset] = None
                continue
            if reset.gone != NO_SLOT:  # the side whose man is gone is to move
                planes[child, int(slots[reset.gone][0]) ^ reset.flip] = None
            elif reset.promoted == NO_SLOT:
                planes |= dict.fromkeys((child, int(color.other)) for color, _ in slots[: len(node.pawns)])
            placements.setdefault(child.material, []).append(child.pawns)
            resets[reset] = None
        layouts = ChildLayouts([partial_layout(*some) for some in placements.items()], [*resets])
        self.bounded, self.layout, self._layouts, self._planes = [*bounded], layouts.layouts[0], layouts, planes
        self._single = SingleBlock(layouts, self._place_of(node)[1])

    def _place_of(self, child: Node) -> tuple[int, int]:
        """The table of a child, and its block there."""
        table = self._layouts.number_of(child.material)
        return table, self._layouts.layouts[table].address_of(child.pawns) >> HOW_BITS

    def solve(self) -> tuple[Arrays, Arrays]:
        """The values of the node with each bound, and the answers to what is asked."""
        closure, arrays, answers, question = self.blocks.closure, Arrays(), Arrays(), self.blocks.question
        asked = question.accrued if question and question.node == self.node else NOTHING_ASKED
        if not closure.is_coarse(self.node):
            for bound, each in zip(self.bounds, self._single.solve(self._children(), asked), strict=True):
                arrays |= {bound.name: each.entry, f"{bound.name} en passant": each.en_passant}
                answers[bound.name] = each.answers
            return arrays, answers
        cuts, thresholds = closure.way.cuts, [*map(threshold_of, closure.way.cuts)]
        found = self._single.solve_thresholds(self._children(), [each for each, _ in thresholds], asked)
        for bound, some in zip(self.bounds, found, strict=True):
            for cut, (_, is_other), bits in zip(cuts, thresholds, some, strict=True):
                if is_other:
                    np.invert(bits.met, bits.met)
                arrays[f"{bound.name} {cut}"] = bits.met.ravel().view(np.uint8)
            arrays[f"{bound.name} en passant"] = joined([bits.en_passant for bits in some], cuts, bound)
            answers[bound.name] = joined([bits.answers for bits in some], cuts, bound)
        return arrays, answers

    def _children(self) -> Sequence[ChildTables]:
        """All that the node leads to, with each bound."""
        closure = self.blocks.closure
        read = lru_cache(maxsize=1)(self.blocks.plane)  # exact nodes have one plane for both bounds

        def entries(bound: Bound, plane: PlaneNumber) -> Entries:
            layout = self._layouts.layouts[plane[0]]
            node = node_of(layout.material, layout.blocks[plane[1]])
            is_exact = node in closure.edges and node not in closure.inexact
            return read(node, plane[2], Bound.LOWER if is_exact else bound)

        planes = [(*self._place_of(child), side) for child, side in self._planes]
        children = self._single.children(planes, [partial(entries, bound) for bound in self.bounds])
        for bound, tables in zip(self.bounds, children, strict=True):
            for number, pawns in enumerate(self.layout.blocks):
                if number != self._single.number:
                    here, _ = en_passant_of(tables.en_passant, (number, number + 1), self.layout.block_words * 128)
                    here[:] = self.blocks.en_passant(node_of(self.node.material, pawns), bound)
        for pawn in sorted({reset.promoted for reset in self.bounded}):
            roles = [reset.role for reset in self.bounded if reset.promoted == pawn]
            found = bounds_of_promotions(self.layout, self.node.pawns, pawn, roles, children)
            for n, each in enumerate(children):
                each.promotions.start[self._single.number, pawn, roles] = len(each.promotions.entry)
                entry = np.concatenate([each.promotions.entry, found[n]])
                children[n] = each._replace(promotions=each.promotions._replace(entry=entry))
        return children
