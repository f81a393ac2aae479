"""Children: what some blocks of one material lead to, brought to hand for the solver.

Values are read with a bound in place of unsolved promotions. `SolvedBlocks` has them, plane by
plane (the cells of a block with one side to move).
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from tbgen.closures.closure import Edge, PlannedBlock, mover_of
from tbgen.closures.cuts import Bound
from tbgen.closures.nodes import Node, node_of
from tbgen.closures.promotions import fold_promotions
from tbgen.compiled.arrays import Ints, NewArray
from tbgen.index.layout import HOW_BITS, Squares, partial_layout, slots_of
from tbgen.index.resets import NO_SLOT, Reset
from tbgen.material import Material
from tbgen.men import Role
from tbgen.retro.resets.children import ValuesSource
from tbgen.retro.resets.destinations import (
    AtHand,
    ChildLayouts,
    ChildTables,
    empty_child_tables,
    promotion_starts,
)
from tbgen.retro.resets.promotions import PlaneRequest, PromotionReader, Target, copy_box
from tbgen.score import Color
from tbgen.table import Box, Distances, Entries

NO_DISTANCES: Final = np.zeros(0, np.uint16)

BATCH_BYTES: Final = 1 << 28
"""The values that the blocks of a batch read, unless it is a single block."""

WORTH_ASKING: Final = 1 << 12
"""So many cells in a row are worth being asked for alone."""

BOTH_SIDES: Final = tuple(Color)


class SomeCells(NamedTuple):
    """The cells of a plane that have a man on one of some squares."""

    stride: int
    """What a step of that man to the next square adds to a cell's number."""
    squares: frozenset[int]


ALL_CELLS: Final = SomeCells(1 << 62, frozenset([0]))

PlaneSource = Callable[[Node, int, Bound, SomeCells, Entries], Entries]
"""The entry values of a node with one side to move, right at least for the cells asked for.

They are in the zeros given, or in another array.
"""


DoAll = Callable[[Callable[[Any], None], Iterable[Any]], Iterable[None]]
"""Does some work with each of some things."""


class NeededPlane(NamedTuple):
    """A plane that is read to solve a block."""

    mover: Color
    """Whose capture or pawn step leads there."""
    gone: int
    """The slot of the man that is taken, or NO_SLOT."""
    child: Node
    side: int
    """The side to move in the child."""


class ClosureReader:
    """Brings to hand what blocks of one material lead to: `tables` has what was read last.

    It takes the place of a `ChildReader`. `new` makes all large arrays. `do_all` is `map`, or that
    of a pool of threads.
    """

    def __init__(
        self,
        blocks: Sequence[PlannedBlock],
        source: PlaneSource,
        bound: Bound,
        new: NewArray = np.zeros,
        do_all: DoAll = map,
    ) -> None:
        self._source = source
        self._bound = bound
        self._new = new
        self._do_all = do_all
        material = blocks[0].node.material
        self._slots = slots_of(material)
        placements: dict[Material, dict[Squares, None]] = {material: {}}  # each once, in order
        resets = dict[Reset, None]()
        for block in blocks:
            placements[material][block.node.pawns] = None
            for edge in _unbounded(block):
                placements.setdefault(edge.child.material, {})[edge.child.pawns] = None
                resets[edge.reset] = None
        layouts = [partial_layout(each, pawns) for each, pawns in placements.items()]
        self._layouts = ChildLayouts(layouts, list(resets))
        self._table_of = {layout.material: table for table, layout in enumerate(layouts)}
        self.layout = layouts[0]
        self.half = self.layout.block_words * 64
        self._planes = dict[int, list[NeededPlane]]()
        self._bounded = dict[int, dict[int, set[Role]]]()
        """[block, pawn] the roles of its promotions that bounds replace."""
        for block in blocks:
            number = self.number_of(block.node)
            self._planes[number] = list(self._needed_planes(block))
            self._bounded[number] = _bounded_roles(block)
        self.tables = empty_child_tables(self._layouts, plies=False)
        self.layout = replace(self.layout, waves=self._batches(self.layout.waves))

    @property
    def child_layouts(self) -> ChildLayouts:
        """The layout of the material, and those of all that its blocks lead to."""
        return self._layouts

    def number_of(self, node: Node) -> int:
        """The number of a block of the material."""
        return self.layout.address_of(node.pawns) >> HOW_BITS

    def node_of(self, number: int) -> Node:
        """The node of a block of the material."""
        return Node(self.layout.material, self.layout.blocks[number])

    def _needed_planes(self, block: PlannedBlock) -> Iterator[NeededPlane]:
        """The planes of all captures and pawn steps."""
        for edge in _unbounded(block):
            reset = edge.reset
            if reset.gone == NO_SLOT and reset.promoted != NO_SLOT:
                continue  # promotions are read apart
            mover = mover_of(block.node, edge)
            yield NeededPlane(mover, reset.gone, edge.child, int(mover.other) ^ reset.flip)

    def _batches(self, waves: Sequence[int]) -> tuple[int, ...]:
        """Where batches begin: parts of waves that read so many values at most."""
        starts = list[int]()
        for first, end in itertools.pairwise(waves):
            starts.append(first)
            read = 0
            for number in range(first, end):
                needed = sum(plane.child.cells // 2 for plane in self._planes.get(number, ()))
                if read and read + needed > BATCH_BYTES:
                    starts.append(number)
                    read = 0
                read += needed
        return (*starts, waves[-1])

    def read_captures(self) -> None:
        """Captures are read with each batch, as far as its blocks need them."""

    def read_wave(self, blocks: Sequence[int], _solved: ValuesSource) -> None:
        """Read all that some blocks ask for."""
        self.tables = self.read(blocks, BOTH_SIDES)

    def read(self, blocks: Sequence[int], sides: Sequence[Color]) -> ChildTables:
        """What moves of some sides in some blocks lead to."""
        promotions = None
        if len(sides) < len(BOTH_SIDES):
            # Captures of a pawn, which bound its promotions, are moves of the other side.
            children = self._read_captures_of_bounded(blocks, sides)
            promotions = self._promotions(blocks, sides, children)
        children = self._read_planes(
            plane for number in blocks for plane in self._planes[number] if plane.mover in sides
        )
        if promotions is None:
            promotions = self._promotions(blocks, sides, children)
        return children._replace(promotions=promotions)

    def _read_captures_of_bounded(
        self, blocks: Sequence[int], sides: Sequence[Color]
    ) -> ChildTables:
        """What captures of the pawns lead to whose promotions by some sides are bounded."""
        planes = list[NeededPlane]()
        for number in blocks:
            pawns = {pawn for pawn in self._bounded[number] if self._slots[pawn][0] in sides}
            planes += [plane for plane in self._planes[number] if plane.gone in pawns]
        return self._read_planes(planes)

    def _read_planes(self, planes: Iterator[NeededPlane] | Sequence[NeededPlane]) -> ChildTables:
        """Read some planes, each once."""
        shapes = self.tables.shapes
        start = np.full_like(self.tables.planes.start, -1)
        wanted = list[tuple[Node, int, int]]()
        cells = 0
        for plane in planes:
            table = self._table_of[plane.child.material]
            address = self._layouts.layouts[table].address_of(plane.child.pawns)
            number = shapes.plane_start[table] + 2 * (address >> HOW_BITS) + plane.side
            if start[number] < 0:
                start[number] = cells
                wanted.append((plane.child, plane.side, cells))
                cells += plane.child.cells // 2
        entry = self._new(cells, np.int8)

        def read(plane: tuple[Node, int, int]) -> None:
            child, side, first = plane
            part = entry[first : first + child.cells // 2]
            values = self._source(child, side, self._bound, ALL_CELLS, part)
            if values is not part:
                part[:] = values

        list(self._do_all(read, wanted))
        return self.tables._replace(planes=AtHand(start, entry, NO_DISTANCES))

    @cached_property
    def _promotion_readers(self) -> Mapping[Color, PromotionReader]:
        """[side] -> reads what its promotions lead to."""
        readers = dict[Color, PromotionReader]()
        for side in Color:
            resets = [
                reset
                for reset in self._layouts.resets
                if reset.promoted != NO_SLOT and self._slots[reset.promoted][0] is side
            ]
            readers[side] = PromotionReader(self._layouts._replace(resets=resets))
        return readers

    def _promotions(
        self, blocks: Sequence[int], sides: Sequence[Color], children: ChildTables
    ) -> AtHand:
        """The values of promotions of some sides, with a bound in place of unsolved ones."""
        start = promotion_starts(self.layout)
        requests = list[tuple[PromotionReader, PlaneRequest, list[Target]]]()
        cells = 0
        for side in sides:
            reader = self._promotion_readers[side]
            targets, cells = reader.requests(blocks, start, cells)
            requests += [(reader, request, asked) for request, asked in targets.items()]
        folded = list[tuple[int, int]]()
        for number in blocks:
            for pawn, roles in self._bounded[number].items():
                if self._slots[pawn][0] not in sides:
                    continue
                folded.append((number, pawn))
                if Role.QUEEN in roles:  # her bounds need room of their own
                    start[number, pawn, Role.QUEEN] = cells
                    cells += self.half
                for role in roles:
                    start[number, pawn, role] = start[number, pawn, Role.QUEEN]
        promotions = AtHand(start, self._new(cells, np.int8), NO_DISTANCES)

        def copy(request: tuple[PromotionReader, PlaneRequest, list[Target]]) -> None:
            self._copy(*request, promotions)

        def fold(block_and_pawn: tuple[int, int]) -> None:
            self._fold(*block_and_pawn, children, promotions)

        list(self._do_all(copy, requests))
        list(self._do_all(fold, folded))
        return promotions

    def _copy(
        self,
        reader: PromotionReader,
        request: PlaneRequest,
        targets: Sequence[Target],
        promotions: AtHand,
    ) -> None:
        """Read a plane that promotions lead to, and copy its cells to where they are asked for."""
        child = self._layouts.layouts[request.table]
        routes = reader.routes[request.table]
        asked = _cells_asked(child.others + 1, targets, routes.axis)
        room = self._new(child.block_words * 64, np.int8)
        node = node_of(child.material, child.blocks[request.block])
        entry = self._source(node, int(request.side), self._bound, asked, room)

        def read() -> tuple[Entries, Distances]:
            return entry, NO_DISTANCES

        copy_box(
            Box.whole(child, read), routes, request.how, np.array(targets, np.int64), promotions
        )

    def _fold(self, number: int, pawn: int, children: ChildTables, promotions: AtHand) -> None:
        """Fold the unsolved promotions of one pawn into bounds of the best one."""
        roles = self._bounded[number][pawn]
        start = promotions.start[number, pawn]

        def fold(main: Role, unsolved: set[Role]) -> None:
            best = promotions.entry[start[main] :][: self.half]
            fold_promotions(
                self.layout,
                self.layout.blocks[number],
                pawn,
                main,
                unsolved,
                children,
                self._bound,
                best,
            )

        fold(Role.QUEEN, roles)
        if Role.KNIGHT not in roles:
            fold(Role.KNIGHT, set())


def _unbounded(block: PlannedBlock) -> Iterator[Edge]:
    """The edges of a block, but for plain promotions that bounds replace."""
    bounded = {edge.reset for edge in block.edges if _is_bounded_promotion(edge)}
    for edge in block.edges:
        if edge.reset not in bounded:
            yield edge


def _is_bounded_promotion(edge: Edge) -> bool:
    return edge.is_bounded and edge.reset.gone == NO_SLOT and edge.reset.promoted != NO_SLOT


def _bounded_roles(block: PlannedBlock) -> dict[int, set[Role]]:
    """[pawn] -> the roles that it may promote to and that are not solved."""
    roles = dict[int, set[Role]]()
    for edge in block.edges:
        if _is_bounded_promotion(edge):
            roles.setdefault(edge.reset.promoted, set()).add(edge.reset.role)
    return roles


def _cells_asked(last_axis: int, targets: Sequence[Target], axis_of: Ints) -> SomeCells:
    """The cells that are worth being asked for alone, by where the new man can be."""
    axes = {int(axis_of[target.route]) for target in targets}
    stride = 64 ** (last_axis - min(axes))
    if len(axes) > 1 or stride < WORTH_ASKING:
        return ALL_CELLS
    return SomeCells(stride, frozenset(target.square for target in targets))
