"""Blocks: each is solved from what it leads to, kept in a folder, and read from there.

A block that leads to bounds is solved with the least that its unsolved promotions can be worth to
White, or the most, or with both. Values are monotone in those, so the true ones lie between.
"""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from graphlib import TopologicalSorter
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.closures.closure import Closure, Edge, PlannedBlock
from tbgen.closures.cuts import (
    UNKNOWN,
    Bound,
    Cuts,
    bounds_of_bits,
    bounds_of_values,
    threshold_of,
)
from tbgen.closures.folder import BlockFolder
from tbgen.closures.nodes import Node, node_of
from tbgen.closures.pace import TICK_SECONDS, Pace
from tbgen.closures.promotions import CELLS_AT_ONCE, fold_promotions
from tbgen.index.layout import HOW_BITS, Squares, partial_layout, slots_of
from tbgen.index.resets import NO_SLOT, Reset
from tbgen.material import Material
from tbgen.men import Role
from tbgen.retro.drive.results import en_passant_of
from tbgen.retro.drive.single import ALL_CELLS, PlaneNumber, SingleBlock, SomeCells
from tbgen.retro.resets.destinations import AtHand, ChildLayouts, ChildTables
from tbgen.score import Color
from tbgen.storage.arrays import ArrayFile
from tbgen.system.process import free_memory, threads_for
from tbgen.table import Entries

ENTRY: Final = "entry"
"""The values of all cells; those with Black to move are behind those with White to move."""
RIGHTS: Final = "en_passant"
"""The values of cells with a right to take en passant."""
ANSWERS: Final = "answers"
"""The values of what was asked with an accrued score."""

BlockArrays = Mapping[str, npt.NDArray[Any]]
"""[ENTRY, RIGHTS or ANSWERS] values or bits of a block."""


class SolvedBlocks:
    """The values of a closure's blocks, with both bounds of what it does not solve.

    With `solves`, a block that is missing is solved, since another process may have removed it;
    else LookupError.
    """

    def __init__(self, closure: Closure, folder: BlockFolder, *, solves: bool = True) -> None:
        self.closure = closure
        self.folder = folder
        self._solves = solves

    def solve(self, block: PlannedBlock) -> None:
        """Solve a block with each of its bounds, unless another process has done it meanwhile."""
        if self.folder.get(block.key) is None:
            self.folder.put(block.key, BlockSolver(block, self).solve())

    def _file(self, block: PlannedBlock) -> ArrayFile:
        while True:
            file = self.folder.get(block.key)
            if file is not None:
                return file
            if not self._solves:
                raise LookupError(block.key)
            self.solve(block)

    def read(
        self,
        block: PlannedBlock,
        part: str,
        bound: Bound,
        first: int = 0,
        end: int | None = None,
        asked: SomeCells = ALL_CELLS,
        room: Entries | None = None,
    ) -> Entries:
        """Some values of a part of a block, with a bound in place of unsolved promotions.

        `part` is ENTRY, RIGHTS or ANSWERS. Only the cells in `asked` need their values. They are
        written into `room`, an array of zeros, if it is given.
        """
        file = self._file(block)
        if not block.cuts:
            solved_bound = Bound.LOWER if block.is_exact else bound
            values: Entries = file.items(f"{solved_bound.name} {part}", first, end, room)
            return values
        size = (block.node.cells if end is None else end) - first
        if bound not in block.bounds and not block.is_exact:
            return np.full(size, UNKNOWN[bound], np.int8)
        if part != ENTRY:
            rows = [file.items(f"{cut} {part}") for cut in block.cuts]
            return bounds_of_values(rows, block.cuts, bound)[first:end]
        entry: Entries = np.zeros(size, np.int8) if room is None else room
        for start in range(0, size, CELLS_AT_ONCE):
            part_of_entry = entry[start : start + CELLS_AT_ONCE]
            _read_bounds(file, block.cuts, bound, first + start, asked, part_of_entry)
        return entry

    def plane(
        self,
        node: Node,
        side: int,
        bound: Bound,
        asked: SomeCells = ALL_CELLS,
        room: Entries | None = None,
    ) -> Entries:
        """The entry values of a node with one side to move; arguments are as for `read`.

        A node that is neither solved nor in a table has the bound everywhere.
        """
        half = node.cells // 2
        block = self.closure.blocks.get(node)
        if block is not None:
            return self.read(block, ENTRY, bound, side * half, (side + 1) * half, asked, room)
        if self.closure.known.digest(node.material):
            return self.closure.known.plane(*node, side, room)
        if self.closure.known.digest_of_pairs(*node):
            return self.closure.known.plane_of_pairs(*node, side, room)
        return np.full(half, UNKNOWN[bound], np.int8)


def _read_bounds(
    file: ArrayFile, cuts: Cuts, bound: Bound, first: int, asked: SomeCells, entry: Entries
) -> None:
    """Fill an array with the bounds of cells from `first` on, at least of those in `asked`."""
    stride, squares = asked
    step = min(CELLS_AT_ONCE, stride)
    end = first + len(entry)
    bits = [file.items(f"{cut} {ENTRY}", first >> 3, (end + 7) >> 3) for cut in cuts]
    for start in range(0, len(entry), step):
        square = (first + start) // stride % 64
        if square in squares:
            part = entry[start : start + step]
            some_bits = [row[start >> 3 : ((start + step) >> 3) + 1] for row in bits]
            part[:] = bounds_of_bits(some_bits, cuts, bound, first & 7, len(part))


def solve_closure(blocks: SolvedBlocks, threads: int, pace: Pace) -> None:
    """Solve the unsolved blocks of a closure, each after those that it leads to.

    A solve that takes too long ends after the blocks at which threads are at work.
    """
    lacking = dict[str, PlannedBlock]()
    for block in blocks.closure.blocks.values():
        if blocks.folder.get(block.key) is None:
            lacking[block.key] = block
    order = TopologicalSorter[str]()
    for key, block in lacking.items():
        before = {edge.digest for edge in block.edges if edge.digest in lacking}
        order.add(key, *before)
    order.prepare()
    running = dict[Future[None], str]()
    most_memory = max((block.cost.memory_bytes for block in lacking.values()), default=1)
    pool = ThreadPoolExecutor(threads_for(most_memory, threads))
    try:
        while order.is_active():
            for key in order.get_ready():
                running[pool.submit(blocks.solve, lacking[key])] = key
            finished = wait(running, timeout=TICK_SECONDS, return_when=FIRST_COMPLETED).done
            for future in finished:
                future.result()
                key = running.pop(future)
                order.done(key)
                pace.finish(lacking[key].cost.cpu_seconds)
            if not finished:
                pace.tick(sum(lacking[key].cost.cpu_seconds for key in running.values()))
    finally:
        pool.shutdown(cancel_futures=True)


class NeededPlane(NamedTuple):
    """A plane that is read to solve a block."""

    mover: Color
    """Whose capture or pawn step leads there."""
    gone: int
    """The slot of the man that is taken, or NO_SLOT."""
    child: Node
    side: int
    """The side to move in the child."""


class BlockSolver:
    """Solves a block of a closure from the values of those that it leads to."""

    def __init__(self, block: PlannedBlock, blocks: SolvedBlocks) -> None:
        self.block = block
        self.node = block.node
        self.blocks = blocks
        self._bounded = list[Reset]()
        """Promotions without a capture that bounds replace."""
        for edge in block.edges:
            if edge.is_bounded and edge.reset.gone == NO_SLOT:
                self._bounded.append(edge.reset)
        edges = [edge for edge in block.edges if edge.reset not in self._bounded]
        self._planes = self._needed_planes(edges)
        placements: dict[Material, list[Squares]] = {self.node.material: [self.node.pawns]}
        for edge in edges:
            placements.setdefault(edge.child.material, []).append(edge.child.pawns)
        layouts = [partial_layout(material, pawns) for material, pawns in placements.items()]
        resets = dict.fromkeys(edge.reset for edge in edges)  # each once, in order
        self._layout = layouts[0]
        self._layouts = ChildLayouts(layouts, list(resets))
        _, own_number, _ = self._plane_number(self.node, 0)
        self._single = SingleBlock(self._layouts, own_number, blocks.folder.zeros)

    def _needed_planes(self, edges: Sequence[Edge]) -> list[NeededPlane]:
        """The planes of all captures and pawn steps."""
        slots = slots_of(self.node.material)
        planes = list[NeededPlane]()
        for reset, child, _ in edges:
            if reset.gone != NO_SLOT:
                prey_color, _ = slots[reset.gone]
                mover = prey_color.other
            elif reset.promoted == NO_SLOT:
                mover = self._stepping_side(child)
            else:
                continue  # `SingleBlock.promotions` reads what promotions lead to
            planes.append(NeededPlane(mover, reset.gone, child, int(mover.other) ^ reset.flip))
        return planes

    def _stepping_side(self, child: Node) -> Color:
        """Whose pawn step leads to a child: White's pawns step up the board."""
        ranks = sum(square // 8 for square in self.node.pawns)
        ranks_after = sum(square // 8 for square in child.pawns)
        return Color.WHITE if ranks_after > ranks else Color.BLACK

    def _plane_number(self, child: Node, side: int) -> PlaneNumber:
        """The plane of a child with one side to move."""
        table = self._layouts.number_of(child.material)
        address = self._layouts.layouts[table].address_of(child.pawns)
        return PlaneNumber(table, address >> HOW_BITS, side)

    def solve(self) -> dict[str, npt.NDArray[Any]]:
        """The values of the block with each bound, or at each cut."""
        free_memory()
        arrays = dict[str, npt.NDArray[Any]]()
        for bound in self.block.bounds:
            for name, values in self._solve_with(bound).items():
                for part, array in values.items():
                    arrays[f"{name} {part}"] = array
        return arrays

    def _solve_with(self, bound: Bound) -> dict[str, BlockArrays]:
        """[name of the bound, or of a cut] the values of the block."""
        source = partial(self._children, bound)
        if not self.block.cuts:
            outcomes = self._single.solve(source(list(Color)), self.block.queries)
            values: BlockArrays = {
                ENTRY: outcomes.entry,
                RIGHTS: outcomes.en_passant,
                ANSWERS: outcomes.answers,
            }
            return {bound.name: values}
        thresholds = [threshold_of(cut).score for cut in self.block.cuts]
        solved = self._single.solve_thresholds(source, thresholds, self.block.queries)
        by_name = dict[str, BlockArrays]()
        for cut, bits in zip(self.block.cuts, solved, strict=True):
            by_name[str(cut)] = {
                ENTRY: bits.met,
                RIGHTS: bits.en_passant,
                ANSWERS: bits.answers,
            }
        return by_name

    def _children(self, bound: Bound, sides: Sequence[Color]) -> ChildTables:
        """The values of all that moves of some sides lead to, with a bound."""
        promotions = self._promotions(bound, sides)
        children = self._read_planes(
            (plane for plane in self._planes if plane.mover in sides), bound
        )
        self._read_rights(children, bound)
        return children._replace(promotions=promotions)

    def _entries(
        self, bound: Bound, plane: PlaneNumber, asked: SomeCells, room: Entries
    ) -> Entries:
        """The entry values of a plane, as `SingleBlock` asks for them."""
        table, number, side = plane
        layout = self._layouts.layouts[table]
        child = node_of(layout.material, layout.blocks[number])
        return self.blocks.plane(child, side, bound, asked, room)

    def _read_planes(self, planes: Iterable[NeededPlane], bound: Bound) -> ChildTables:
        numbers = dict[PlaneNumber, None]()  # each once, in order
        for plane in planes:
            numbers[self._plane_number(plane.child, plane.side)] = None
        return self._single.children(list(numbers), partial(self._entries, bound))

    def _read_rights(self, children: ChildTables, bound: Bound) -> None:
        """Read the values of blocks where a double step can be answered en passant."""
        cells = self._layout.block_words * 128
        for number, pawns in enumerate(self._layout.blocks):
            if number != self._single.number:
                block = self.blocks.closure.blocks[node_of(self.node.material, pawns)]
                entry, _ = en_passant_of(children.en_passant, range(number, number + 1), cells)
                entry[:] = self.blocks.read(block, RIGHTS, bound)

    def _promotions(self, bound: Bound, sides: Sequence[Color]) -> AtHand:
        """The values of promotions of some sides, with a bound in place of unsolved ones."""
        pawns = [
            pawn
            for pawn in sorted({reset.promoted for reset in self._bounded})
            if self._layout.slots[pawn][0] in sides
        ]
        # Where a queen is not solved, her bounds need room of their own.
        queens = [pawn for pawn in pawns if Role.QUEEN in self._bounded_roles(pawn)]
        half = self.node.cells // 2
        entries = partial(self._entries, bound)
        promotions = self._single.promotions(sides, entries, len(queens) * half)
        first = len(promotions.entry) - len(queens) * half
        for number, pawn in enumerate(queens):
            promotions.start[self._single.number, pawn, Role.QUEEN] = first + number * half
        for pawn in pawns:
            taking = (plane for plane in self._planes if plane.gone == pawn)
            self._fold_promotions(self._read_planes(taking, bound), promotions, bound, pawn)
        return promotions

    def _bounded_roles(self, pawn: int) -> set[Role]:
        """The roles that a pawn may promote to and that are not solved."""
        return {reset.role for reset in self._bounded if reset.promoted == pawn}

    def _fold_promotions(
        self, children: ChildTables, promotions: AtHand, bound: Bound, pawn: int
    ) -> None:
        """Fold the unsolved promotions of one pawn into bounds of the best one.

        `children` have the values after captures of that pawn.
        """
        roles = self._bounded_roles(pawn)
        half = self.node.cells // 2
        start = promotions.start[self._single.number, pawn]
        for role in roles:
            start[role] = start[Role.QUEEN]

        def fold(main: Role, unsolved: set[Role]) -> None:
            best = promotions.entry[start[main] :][:half]
            fold_promotions(
                self._layout, self.node.pawns, pawn, main, unsolved, children, bound, best
            )

        fold(Role.QUEEN, roles)
        if Role.KNIGHT not in roles:
            fold(Role.KNIGHT, set())
