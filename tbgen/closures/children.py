"""Children: the values that some blocks of one material lead to, read for the solver.

A bound replaces the values of unsolved promotions. Values are read plane by plane: a *plane* has
the cells of a block with one side to move. `SolvedBlocks` has them, from tables or solved blocks.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from tbgen.closures.bounds import UNKNOWN, Bound
from tbgen.closures.closure import Edge, PlannedBlock, mover_of
from tbgen.closures.placements import Node, node_of
from tbgen.closures.promotions import BestPromotion, BoundOfBest, PromotedGeometries
from tbgen.closures.reach import word_of
from tbgen.closures.reading import ALL_CELLS, Plane, SolvedBlocks, SomeCells
from tbgen.compiled.arrays import Ints, NewArray
from tbgen.index.layout import Layout, partial_layout
from tbgen.index.placements import HOW_BITS, Squares
from tbgen.index.resets import NO_SLOT, Reset
from tbgen.index.words import EVERYTHING
from tbgen.material import Material
from tbgen.men import Role
from tbgen.retro.drive.results import en_passant_of
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
from tbgen.table import Box, Entries

NO_DISTANCES: Final = np.zeros(0, np.uint16)

BATCH_BYTES: Final = 1 << 28
"""The values that the blocks of a batch read, unless it is a single block."""

WORTH_READING_ALONE: Final = 1 << 12
"""So many needed cells in a row are worth being read without those around them."""

BOTH_SIDES: Final = tuple(Color)


DoAll = Callable[[Callable[[Any], None], Iterable[Any]], Iterable[None]]
"""`map`, or that of a pool of threads."""


class NeededPlane(NamedTuple):
    """A plane that is read to solve a block."""

    mover: Color
    """Whose capture or pawn step leads there."""
    gone: int
    """The slot of the man that is taken, or NO_SLOT."""
    child: Node
    side: int
    """The side to move in the child."""
    is_bounded: bool
    """Whether a bound replaces its values."""


class ClosureReader:
    """Reads what blocks of one material lead to.

    For the driver that builds tables it takes the place of a `ChildReader`, with a round for each
    bound.

    Arguments:
        blocks: The blocks, which have one material.
        source: Reads planes.
        bounds: Each replaces the values of unsolved promotions.
        new: Makes all large arrays but that of planes.
        new_planes: Makes the array of planes, which are read whole. Its items may have any values.
        do_all: Reads several planes at a time.
    """

    def __init__(
        self,
        blocks: Sequence[PlannedBlock],
        source: SolvedBlocks,
        bounds: Sequence[Bound],
        new: NewArray = np.zeros,
        new_planes: NewArray = np.empty,
        do_all: DoAll = map,
    ) -> None:
        self._source = source
        self.bounds = bounds
        self._new = new
        self._new_planes = new_planes
        self._do_all = do_all
        self.child_layouts = _layouts_of(blocks)
        """The layout of the material, and those of all that its blocks lead to."""
        layouts = self.child_layouts.layouts
        self._table_of = {layout.material: table for table, layout in enumerate(layouts)}
        layout = layouts[0]
        self._slots = layout.slots
        self._half = layout.block_words * 64
        self._planes = dict[int, list[NeededPlane]]()
        """[block] what its captures and pawn steps lead to."""
        self._rounds = dict[int, Sequence[int]]()
        """[block] the rounds in which it is solved."""
        self._bounded = dict[int, dict[int, set[Role]]]()
        """[block, pawn] the roles of its promotions that bounds replace."""
        self.shades = np.full(len(layout.blocks), EVERYTHING)
        """[block] the shades of its bishops that are solved, for the solver."""
        for block in blocks:
            number = _number_in(layout, block.node)
            self.shades[number] = word_of(block.shades)
            self._planes[number] = list(_needed_planes(block))
            self._rounds[number] = [n for n, bound in enumerate(bounds) if bound in block.bounds]
            self._bounded[number] = _bounded_roles(block)
        self.readings: Sequence[ChildTables] = []
        """[round] what was read last, in the order of the bounds."""
        for _ in bounds:
            self.readings.append(empty_child_tables(self.child_layouts, plies=False))
        self.layout = replace(layout, waves=self._batches(layout.waves))

    @property
    def cells(self) -> int:
        """The cells of a block of the material."""
        return 2 * self._half

    def number_of(self, node: Node) -> int:
        """The number of a block of the material."""
        return _number_in(self.layout, node)

    def node_of(self, number: int) -> Node:
        """The node of a block of the material."""
        return Node(self.layout.material, self.layout.blocks[number])

    def rounds_of(self, block: int) -> Sequence[int]:
        """The rounds in which a block is solved: those of its bounds."""
        return self._rounds[block]

    def rights_in(self, children: ChildTables, number: int) -> Entries:
        """Where the values of a block with a right to take en passant are, if it has any."""
        entry, _ = en_passant_of(children.en_passant, range(number, number + 1), self.cells)
        return entry

    def _batches(self, waves: Sequence[int]) -> tuple[int, ...]:
        """Where batches begin, parts of waves that read at most `BATCH_BYTES`."""
        starts = list[int]()
        for first, end in itertools.pairwise(waves):
            starts.append(first)
            read = 0
            for number in range(first, end):
                needed = sum(plane.child.cells // 2 for plane in self._planes.get(number, ()))
                needed *= len(self.bounds)
                if read and read + needed > BATCH_BYTES:
                    starts.append(number)
                    read = 0
                read += needed
        return (*starts, waves[-1])

    def read_captures(self) -> None:
        """Captures are read with each batch, as far as its blocks need them."""

    def read_wave(self, blocks: Sequence[int], _solved: ValuesSource) -> None:
        """Read all that some blocks ask for."""
        self.readings = self.read(blocks, BOTH_SIDES)

    def read(self, blocks: Sequence[int], sides: Sequence[Color]) -> list[ChildTables]:
        """[round] what moves of some sides in some blocks lead to.

        One side at a time saves memory. Captures of a pawn bound its promotions, and are moves of
        the other side. So they are read before, and given up before the side's own planes are read.
        """
        planes = list[NeededPlane]()
        for number in blocks:
            planes += [plane for plane in self._planes[number] if plane.mover in sides]
        if len(sides) == len(BOTH_SIDES):
            readings = self._read_planes(planes)
            promotions = self._promotions(blocks, sides, readings)
        else:
            readings = self._read_planes(self._captures_of_bounded(blocks, sides))
            promotions = self._promotions(blocks, sides, readings)
            readings = self._read_planes(planes)
        complete = list[ChildTables]()
        for children, promoted in zip(readings, promotions, strict=True):
            complete.append(children._replace(promotions=promoted))
        return complete

    def _captures_of_bounded(
        self, blocks: Sequence[int], sides: Sequence[Color]
    ) -> Sequence[NeededPlane]:
        """What captures of the pawns lead to whose promotions by some sides are bounded."""
        planes = list[NeededPlane]()
        for number in blocks:
            pawns = {pawn for pawn in self._bounded[number] if self._slots[pawn][0] in sides}
            planes += [plane for plane in self._planes[number] if plane.gone in pawns]
        return planes

    def _read_planes(self, planes: Iterable[NeededPlane]) -> list[ChildTables]:
        """[round] some planes, each read once; one that is exact serves all rounds."""
        plane_of = {self._number_of_plane(plane): plane for plane in planes}
        no_plane = np.full_like(self.readings[0].planes.start, -1)
        starts = [no_plane.copy() for _ in self.bounds]
        """[round, plane] its first cell."""
        wanted = list[tuple[NeededPlane, Bound, int]]()
        """The planes, with the bound and the first cell of each."""
        cells = 0
        for number, plane in plane_of.items():
            serves_all = not plane.is_bounded and self._source.is_exact(plane.child)
            first = cells
            for start, bound in zip(starts, self.bounds, strict=True):
                if not serves_all or cells == first:
                    first = cells
                    wanted.append((plane, bound, first))
                    cells += plane.child.cells // 2
                start[number] = first
        entry = self._new_planes(cells, np.int8)

        def read(wanted_plane: tuple[NeededPlane, Bound, int]) -> None:
            plane, bound, first = wanted_plane
            room = entry[first : first + plane.child.cells // 2]
            if plane.is_bounded:
                # Another edge may have had the child solved, but not all of it that this one needs.
                room[:] = UNKNOWN[bound]
                return
            self._source.fill_plane(Plane(plane.child, plane.side, bound), room)

        list(self._do_all(read, wanted))
        readings = list[ChildTables]()
        for children, start in zip(self.readings, starts, strict=True):
            readings.append(children._replace(planes=AtHand(start, entry, NO_DISTANCES)))
        return readings

    def _number_of_plane(self, plane: NeededPlane) -> int:
        """The number of a plane among those of all children."""
        table = self._table_of[plane.child.material]
        block = _number_in(self.child_layouts.layouts[table], plane.child)
        return int(self.readings[0].shapes.plane_start[table]) + 2 * block + plane.side

    @cached_property
    def _promotion_readers(self) -> Mapping[Color, PromotionReader]:
        """[side] -> reads what its promotions lead to."""
        readers = dict[Color, PromotionReader]()
        for side in Color:
            resets = [
                reset
                for reset in self.child_layouts.resets
                if reset.promoted != NO_SLOT and self._slots[reset.promoted][0] is side
            ]
            readers[side] = PromotionReader(self.child_layouts._replace(resets=resets))
        return readers

    @cached_property
    def _promoted_geometries(self) -> PromotedGeometries:
        return PromotedGeometries(self.layout)

    def _promotions(
        self, blocks: Sequence[int], sides: Sequence[Color], readings: Sequence[ChildTables]
    ) -> list[AtHand]:
        """[round] the values of promotions of some sides. Bounds replace unsolved ones."""
        bounded = list[tuple[int, int]]()
        for number in blocks:
            for pawn in self._bounded[number]:
                if self._slots[pawn][0] in sides:
                    bounded.append((number, pawn))
        promotions = list[AtHand]()
        for bound in self.bounds:
            promotions.append(self._solved_promotions(blocks, sides, bounded, bound))

        def bound_pawn(number_and_pawn: tuple[int, int]) -> None:
            self._bound_promotions(*number_and_pawn, readings, promotions)

        list(self._do_all(bound_pawn, bounded))
        return promotions

    def _solved_promotions(
        self,
        blocks: Sequence[int],
        sides: Sequence[Color],
        bounded: Sequence[tuple[int, int]],
        bound: Bound,
    ) -> AtHand:
        """The values of solved promotions, with room for bounds of unsolved ones."""
        start = promotion_starts(self.layout)
        requests = list[tuple[PromotionReader, PlaneRequest, list[Target]]]()
        cells = 0
        for side in sides:
            reader = self._promotion_readers[side]
            targets_of, cells = reader.requests(blocks, start, cells)
            for plane, targets in targets_of.items():
                requests.append((reader, plane, targets))
        for number, pawn in bounded:
            roles = self._bounded[number][pawn]
            if Role.QUEEN in roles:  # her bounds need room of their own
                start[number, pawn, Role.QUEEN] = cells
                cells += self._half
            for role in roles:
                start[number, pawn, role] = start[number, pawn, Role.QUEEN]
        promotions = AtHand(start, self._new(cells, np.int8), NO_DISTANCES)

        def read(request: tuple[PromotionReader, PlaneRequest, list[Target]]) -> None:
            self._read_promotions(*request, bound, promotions)

        list(self._do_all(read, requests))
        return promotions

    def _read_promotions(
        self,
        reader: PromotionReader,
        plane: PlaneRequest,
        targets: Sequence[Target],
        bound: Bound,
        promotions: AtHand,
    ) -> None:
        """Read a plane that promotions lead to, and copy its cells to where they are asked for."""
        child = self.child_layouts.layouts[plane.table]
        routes = reader.routes[plane.table]
        needed = _cells_needed(child.others + 1, targets, routes.axis)
        entry = self._new(child.block_words * 64, np.int8)
        node = node_of(child.material, child.blocks[plane.block])
        self._source.fill_plane(Plane(node, int(plane.side), bound), entry, needed)

        box = Box.whole(child, lambda: (entry, NO_DISTANCES))
        copy_box(box, routes, plane.how, np.array(targets, np.int64), promotions)

    def _bound_promotions(
        self,
        number: int,
        pawn: int,
        readings: Sequence[ChildTables],
        promotions: Sequence[AtHand],
    ) -> None:
        """Find the bounds of a pawn's best promotion, and closer values of solved ones."""
        unsolved = self._bounded[number][pawn]
        best_with = {Role.QUEEN: unsolved}
        """[first role] -> the unsolved roles that are bounded together with it."""
        if Role.KNIGHT not in unsolved:
            best_with[Role.KNIGHT] = set()
        for first, others in best_with.items():
            bounds = list[BoundOfBest]()
            for bound, children, at_hand in zip(self.bounds, readings, promotions, strict=True):
                start = int(at_hand.start[number, pawn, first])
                entry = at_hand.entry[start : start + self._half]
                bounds.append(BoundOfBest(bound, children, entry))
            pawns = self.layout.blocks[number]
            shades = self.shades[number]
            best = BestPromotion(self._promoted_geometries, pawns, shades, pawn, bounds)
            best.find(first, others)


def _layouts_of(blocks: Sequence[PlannedBlock]) -> ChildLayouts:
    """The layout of some blocks of one material, and those of all that they lead to."""
    placements = dict[Material, dict[Squares, None]]()  # each once, in order
    placements[blocks[0].node.material] = {}
    resets = dict[Reset, None]()
    for block in blocks:
        placements[block.node.material][block.node.pawns] = None
        for edge in block.edges:
            if not _is_bounded_promotion(edge):
                placements.setdefault(edge.child.material, {})[edge.child.pawns] = None
                resets[edge.reset] = None
    layouts = [partial_layout(material, pawns) for material, pawns in placements.items()]
    return ChildLayouts(layouts, list(resets))


def _number_in(layout: Layout, node: Node) -> int:
    """The number of a node's block in the layout of its material."""
    return layout.address_of(node.pawns) >> HOW_BITS


def _needed_planes(block: PlannedBlock) -> Iterator[NeededPlane]:
    """The planes that captures and pawn steps lead to. Those of promotions are read apart."""
    for edge in block.edges:
        if not edge.is_plain_promotion:
            reset = edge.reset
            mover = mover_of(block.node, edge)
            side = int(mover.other) ^ reset.flip
            yield NeededPlane(mover, reset.gone, edge.child, side, edge.is_bounded)


def _is_bounded_promotion(edge: Edge) -> bool:
    return edge.is_bounded and edge.is_plain_promotion


def _bounded_roles(block: PlannedBlock) -> dict[int, set[Role]]:
    """[pawn] -> the roles that it may promote to and that are not solved."""
    roles = dict[int, set[Role]]()
    for edge in block.edges:
        if _is_bounded_promotion(edge):
            roles.setdefault(edge.reset.promoted, set()).add(edge.reset.role)
    return roles


def _cells_needed(last_axis: int, targets: Sequence[Target], axis_of: Ints) -> SomeCells:
    """The cells that promotions need: the new man is on a square of the last rank.

    All cells, if reading those alone is not worth it.
    """
    axes = {int(axis_of[target.route]) for target in targets}
    stride = 64 ** (last_axis - min(axes))
    if len(axes) > 1 or stride < WORTH_READING_ALONE:
        return ALL_CELLS
    return SomeCells(stride, frozenset(target.square for target in targets))
