"""Blocks: one after another is solved from what it leads to.

A node that leads to bounds is solved twice: with the least that its unsolved promotions can be worth to White, and with
the most. Values are monotone in those, so the true ones lie between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from functools import cache, cached_property, lru_cache, partial
from itertools import accumulate, islice
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.index.layout import HOW_BITS, HOW_MASK, TURNS, Squares, partial_layout, slots_of
from tbgen.material import Material, Role
from tbgen.position.bounds import Bound, Classes, bound_of_promotions, image, taken
from tbgen.position.closure import Closure, Cuts, Edge, Kind, Node, node_of
from tbgen.position.coarse import gets, outcomes_of, threshold_of
from tbgen.position.known import BlockFolder, key_of
from tbgen.retro.drive.many_blocks import en_passant_of
from tbgen.retro.drive.single import Accrued, BlockBits, BlockOutcomes, PlaneNumber, PlaneSource, SingleBlock
from tbgen.retro.resets.destinations import ChildLayouts, ChildTables, Reset, en_passant_places
from tbgen.retro.words.geometry import NO_SLOT
from tbgen.score import Color, Score
from tbgen.storage.arrays import ArrayFile
from tbgen.system.process import threads_for
from tbgen.table import Entries

NOTHING_ASKED: Final = Accrued(Score(0, Color.WHITE), ())

Watch = Callable[[float], None]
"""Is told the part of the work that is done."""


def unwatched(done: float) -> None:
    """No progress."""


def work_off(works: Iterable[float], total: float, watch: Watch) -> None:
    """Do pieces of work. Each says its share, in the unit of the total, which may turn out to be less."""
    for done in accumulate(works):
        watch(done / max(done, total))
    watch(1.0)


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

    def __init__(
        self, closure: Closure, folder: BlockFolder, classes: Classes, question: BlockQuestion | None = None
    ) -> None:
        self.closure, self.classes, self.question = closure, classes, question
        self.folder, self.key = folder, cache(self._key_of)

    def _key_of(self, node: Node) -> str:
        """A block, and a digest of all that its values rest on."""
        below = {(str(e.child), e.kind.value, self._digest(e)) for e in self.closure.edges[node]}
        cuts = [str(cut) for cut in self.closure.cuts if self.closure.is_coarse(node)]
        return f"{node}-{key_of([str(node), sorted(below), cuts])}"

    def _digest(self, edge: Edge) -> str:
        if edge.kind is Kind.TABLE:
            return self.closure.known.digest(edge.child.material)
        if edge.kind is Kind.NODE:
            return self.key(edge.child)
        return self.classes.digest(edge.child)

    def bounds_of(self, node: Node) -> Sequence[Bound]:
        """The bounds with which a block is solved: of an exact one, it makes no difference."""
        return [*Bound] if node in self.closure.inexact else [Bound.LOWER]

    def block(self, node: Node) -> ArrayFile:
        """A solved block; LookupError if it is not solved yet."""
        if (found := self.folder.get(self.key(node))) is None:
            raise UnsolvedError(node)
        return found

    def lacks(self, node: Node) -> bool:
        """Whether a block is still to be solved, or what is asked of it."""
        return self.folder.get(self.key(node)) is None or (self._is_asked(node) and self._answers() is None)

    def _is_asked(self, node: Node) -> bool:
        return self.question is not None and self.question.node == node

    def _answers(self) -> ArrayFile | None:
        return self.folder.get(self._answers_key)

    @cached_property
    def _answers_key(self) -> str:
        assert self.question is not None
        node, asked = self.question
        return f"{node}-{key_of([self.key(node), str(asked.score), asked.cells])}"

    def solve(self, node: Node) -> None:
        """Solve a block with each of its bounds, unless somebody else has by now."""
        while self.lacks(node):
            try:
                self._solve(node)
            except UnsolvedError as error:  # another process has removed it meanwhile
                self.solve(error.node)

    def _solve(self, node: Node) -> None:
        bounds, is_asked, arrays = self.bounds_of(node), self._is_asked(node), dict[str, npt.NDArray[Any]]()
        asked = self.question.accrued if self.question and is_asked else NOTHING_ASKED
        solver = BlockSolver(node, self, bounds)
        if self.closure.is_coarse(node):
            answers = dict[str, npt.NDArray[Any]]()
            for bound, some in zip(bounds, solver.solve_cuts(self.closure.cuts, asked), strict=True):
                for cut, each in zip(self.closure.cuts, some, strict=True):
                    arrays[f"{bound.name} {cut}"] = each.met.ravel().view(np.uint8)
                    answers[f"{bound.name} {cut}"] = gets(each.answers, cut).view(np.uint8)
        else:
            found = solver.solve(asked)
            arrays = {bound.name: each.entry for bound, each in zip(bounds, found, strict=True)}
            arrays |= {f"{bound.name} en passant": each.en_passant for bound, each in zip(bounds, found, strict=True)}
            answers = {bound.name: each.answers for bound, each in zip(bounds, found, strict=True)}
        self.folder.put(self.key(node), arrays)
        if is_asked:
            self.folder.put(self._answers_key, answers)

    def plane(self, node: Node, side: int, bound: Bound) -> Entries:
        """The entry values of a block of the closure with one side to move."""
        half = node.cells // 2
        if not self.closure.is_coarse(node):
            return self.block(node).items(self._name(node, bound), side * half, (side + 1) * half)
        found, size = np.empty(half, np.int8), min(half, 1 << 22)
        for first in range(0, half, size):
            found[first : first + size] = self._coarse(node, bound, side * half + first, size)
        return found

    def _coarse(self, node: Node, bound: Bound, first: int, cells: int) -> Entries:
        """The bounds that cuts give some cells from one on; both numbers are multiples of eight."""
        block, name, cuts = self.block(node), self._name(node, bound), self.closure.cuts
        bits = (block.items(f"{name} {cut}", first >> 3, first + cells >> 3) for cut in cuts)
        return outcomes_of((np.unpackbits(each, bitorder="little") for each in bits), cuts, bound)

    def en_passant(self, node: Node, bound: Bound) -> Entries:
        """Its values with a right to take en passant."""
        if self.closure.is_coarse(node):  # it has one pawn
            return np.zeros(0, np.int8)
        return self.block(node).items(f"{self._name(node, bound)} en passant")

    def _name(self, node: Node, bound: Bound) -> str:
        return (bound if node in self.closure.inexact else Bound.LOWER).name

    def value(self, node: Node, cell: int, bound: Bound) -> Score:
        """The entry value of a position."""
        if self.closure.is_coarse(node):
            return Score.from_byte(int(self._coarse(node, bound, cell & ~7, 8)[cell & 7]))
        return Score.from_byte(int(self.block(node).items(self._name(node, bound), cell, cell + 1)[0]))

    def value_with_right(self, node: Node, cell: int, file: int, king: int, bound: Bound) -> Score:
        """The value of a position in which the pawn on a file has just made a double step beside another one."""
        layout, half = node.layout, node.cells // 2
        start, _ = en_passant_places(layout)
        file ^= 7 * bool(TURNS[layout.address_of(node.pawns) & HOW_MASK, king])
        values = self.block(node)
        at = int(start[0, cell // half, file]) + cell % half
        return Score.from_byte(int(values.items(f"{self._name(node, bound)} en passant", at, at + 1)[0]))

    def answer(self, node: Node, cell: int, accrued: Score, bound: Bound) -> Score:
        """What the accrued score that is asked is worth in a position; LookupError if that is not solved or asked."""
        if self.question is None or (node, accrued) != (self.question.node, self.question.accrued.score):
            raise LookupError(node)
        if (answers := self._answers()) is None:
            raise UnsolvedError(node)
        at, name, cuts = self.question.accrued.cells.index(cell), self._name(node, bound), self.closure.cuts
        if self.closure.is_coarse(node):
            got = (answers.items(f"{name} {cut}", at, at + 1) for cut in cuts)
            return Score.from_byte(int(outcomes_of(got, cuts, bound)[0]))
        return Score.from_byte(int(answers.items(name, at, at + 1)[0]))


def solve_closures(
    closures: Iterable[ClosureBlocks],
    pool: Executor,
    threads: int,
    watch: Watch = unwatched,
    is_enough: Callable[[ClosureBlocks], bool] = lambda _: False,
) -> None:
    """Solve all nodes that are not solved yet; closures come one after another, until one `is_enough`."""
    left = [
        (blocks, {blocks.key(node): node for node in blocks.closure.edges if blocks.lacks(node)}) for blocks in closures
    ]

    def solved() -> Iterator[float]:
        for blocks, lacking in left:
            yield from _solve_side_by_side(blocks, lacking, pool, threads)
            if is_enough(blocks):
                return

    total = sum(blocks.closure.cpu_seconds_of(node) for blocks, lacking in left for node in lacking.values())
    work_off(solved(), total, watch)


def _solve_side_by_side(
    blocks: ClosureBlocks, lacking: dict[str, Node], pool: Executor, threads: int
) -> Iterator[float]:
    """Solve blocks by their keys, each once those that it leads to are solved; the planned seconds of each.

    A block that leads to bounds keeps two threads busy.
    """
    closure = blocks.closure
    memory = max(map(closure.memory_of, lacking.values()), default=1)
    most, running = threads_for(memory, threads), dict[Future[None], str]()
    while lacking:
        for key, node in islice(lacking.items(), 64):  # a look at all of them would take long
            below = (blocks.key(edge.child) for edge in closure.edges[node] if edge.kind is Kind.NODE)
            busy = sum(len(blocks.bounds_of(lacking[each])) for each in running.values())
            is_room = not running or (len(running) < most and busy + len(blocks.bounds_of(node)) <= threads)
            if is_room and key not in running.values() and lacking.keys().isdisjoint(below):
                running[pool.submit(blocks.solve, node)] = key
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            future.result()
            yield closure.cpu_seconds_of(lacking.pop(running.pop(future)))


class BlockSolver:
    """Solves one node of a closure whose children are solved, with some bounds of what is not."""

    def __init__(self, node: Node, blocks: ClosureBlocks, bounds: Sequence[Bound]) -> None:
        self.node, self.blocks, self.bounds = node, blocks, bounds
        placements: dict[Material, list[Squares]] = {node.material: [node.pawns]}
        kinds, resets, bounded = {node.material: Kind.NODE}, dict[Reset, None](), dict[Reset, None]()
        slots, planes = slots_of(node.material), dict[tuple[Node, int], None]()
        for reset, child, kind in blocks.closure.edges[node]:
            if kind is Kind.BOUND and reset.gone == NO_SLOT:
                bounded[reset] = None
                continue
            if reset.gone != NO_SLOT:  # the side whose man is gone is to move
                planes[child, int(slots[reset.gone][0]) ^ reset.flip] = None
            elif reset.promoted == NO_SLOT:
                planes |= dict.fromkeys((child, int(color.other)) for color, _ in slots[: len(node.pawns)])
            placements.setdefault(child.material, []).append(child.pawns)
            kinds[child.material], resets[reset] = kind, None
        layouts = [partial_layout(material, some) for material, some in placements.items()]
        self.bounded, self.layout, self._kinds = [*bounded], layouts[0], kinds
        number = self.layout.address_of(node.pawns) >> HOW_BITS
        self._single, self._layouts = SingleBlock(ChildLayouts(layouts, [*resets]), number), layouts
        self._planes = [(*self._place_of(child), side) for child, side in planes]

    def _place_of(self, child: Node) -> tuple[int, int]:
        """The table of a child, and its block there."""
        table = [layout.material for layout in self._layouts].index(child.material)
        return table, self._layouts[table].address_of(child.pawns) >> HOW_BITS

    def _source(self, bound: Bound) -> PlaneSource:
        """Where the values of planes come from, with one of the bounds."""

        def entries(plane: PlaneNumber) -> Entries:
            table, block, side = plane
            node = node_of(self._layouts[table].material, self._layouts[table].blocks[block])
            kind = self._kinds[node.material]
            if kind is Kind.TABLE:
                return self.blocks.closure.known.recent_plane(*node, side)
            if kind is Kind.BOUND:
                return np.full(node.cells // 2, bound.value, np.int8)
            return self._node_plane(node, side, bound if node in self.blocks.closure.inexact else Bound.LOWER)

        return entries

    def solve(self, asked: Accrued) -> list[BlockOutcomes]:
        """Solve the node with each bound."""
        return self._single.solve(self._children(), asked)

    def solve_cuts(self, cuts: Cuts, asked: Accrued) -> list[list[BlockBits]]:
        """With each bound, where White gets each of some cuts."""
        thresholds = [*map(threshold_of, cuts)]
        found = self._single.solve_thresholds(self._children(), [each for each, _ in thresholds], asked)
        for some in found:
            for (_, is_other), each in zip(thresholds, some, strict=True):
                if is_other:
                    np.invert(each.met, each.met)
        return found

    def _children(self) -> list[ChildTables]:
        """All that the node leads to, with each bound."""
        self._node_plane = lru_cache(maxsize=None)(self.blocks.plane)
        children = self._single.children(self._planes, [self._source(bound) for bound in self.bounds])
        for bound, tables in zip(self.bounds, children, strict=True):
            for number, pawns in enumerate(self.layout.blocks):
                if number != self._single.number:
                    here, _ = en_passant_of(tables.en_passant, (number, number + 1), self.layout.block_words * 128)
                    here[:] = self.blocks.en_passant(node_of(self.node.material, pawns), bound)
        del self._node_plane
        return [self._with_bounds(tables, bound) for bound, tables in zip(self.bounds, children, strict=True)]

    def _with_bounds(self, tables: ChildTables, bound: Bound) -> ChildTables:
        """The child tables with the bounds of promotions without a capture to unsolved positions."""
        start, entry, _ = tables.promotions
        limits_of = partial(self.blocks.classes.limits, bound)
        for pawn in sorted({reset.promoted for reset in self.bounded}):
            color, pawns = self.layout.slots[pawn][0], self.node.pawns
            left, file = (*pawns[:pawn], *pawns[pawn + 1 :]), pawns[pawn] % 8
            limits = {
                each.role: limits_of(Node(each.material, left), (color, each.role), file)
                for each in self.bounded
                if each.promoted == pawn
            }
            by_queen = self._limits_by_queen(pawn, bound)
            limits |= {role: by_queen for role in {Role.ROOK, Role.BISHOP} & {*limits} if not len(limits[role])}
            found = bound_of_promotions(self.layout, pawns, pawn, limits, tables, bound)
            start[self._single.number, pawn, [int(role) for role in limits]] = len(entry)
            entry = np.concatenate([entry, found])
        return tables._replace(promotions=tables.promotions._replace(entry=entry))

    def _limits_by_queen(self, pawn: int, bound: Bound) -> Entries:
        """Bounds of a pawn's promotion to a rook or a bishop by its solved promotion to a queen; nothing without it.

        She has all their moves, and leaves the other side no others. So she is worth as much to her side, unless she
        stalemates where they mate later, or must move where they leave her side stalemated.
        """
        color, _ = self.layout.slots[pawn]
        queens = [
            child
            for reset, child, kind in self.blocks.closure.edges[self.node]
            if kind is Kind.NODE and (reset.promoted, reset.gone, reset.role) == (pawn, NO_SLOT, Role.QUEEN)
        ]
        if not queens or (bound is Bound.UPPER) != (color is Color.WHITE):
            return np.zeros(0, np.int8)
        (child,), pawns, slots = queens, self.node.pawns, slots_of(queens[0].material)
        left, layout = pawns[:pawn] + pawns[pawn + 1 :], child.layout
        is_mirrored = {*zip(slots, left, strict=False)} != {*zip(slots, child.pawns, strict=False)}
        square = pawns[pawn] % 8 + (56 if color is Color.WHITE else 0)
        cells = self.blocks.plane(child, int(color.other), bound)
        found, mate = np.zeros(64 ** (child.free - 1), np.int8), np.int8(bound.value)
        # A position is stored once, whichever of equal men is the new one, and in one image if its pawns are symmetric.
        for mirrored in {is_mirrored, is_mirrored or layout.is_own_mirror(child.pawns)}:
            for some in taken(cells, slots[len(left) :], (color, Role.QUEEN), square ^ 7 * mirrored):
                found = np.where(found, found, image(some, 0, turned=False, mirrored=mirrored))
        return np.where(found == 2 * mate, mate, np.where(found == -mate, -2 * mate, found))
