"""The slow solver: every position and every accrued score of a material, code by code."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from .code import Graph, Values, outcome, solve_code
from .en_passant import EnPassant, Index, join_en_passant, mirrored
from .graph import Men, Nodes, Resets, positions_of, trace_moves, turn_round
from .material import Material, descent, material_of
from .moves import NO_MAN, NO_PROMOTION, NO_SQUARE, PAWN

NO_CODE = 255
LOWEST_CODE = 2  # mate and stalemate, codes 0 and 1, end the game

Numbers = NDArray[np.int16] | NDArray[np.uint8]


@dataclass(frozen=True)
class Block:
    """One placement of the pawns: its graph, and what is known of its nodes so far (exits included)."""

    placement: tuple[int, ...]
    node_of: NDArray[np.int32]
    nodes: Nodes
    graph: Graph
    entry: NDArray[np.int16]
    dtg: NDArray[np.int16]
    found: dict[tuple[int, int], Values] = field(default_factory=dict)
    """[holder, code] the values and plies of scores that somebody asked for."""

    @property
    def codes(self) -> range:
        """The codes that can be accrued in the block."""
        return range(LOWEST_CODE, int(self.nodes.own.max(initial=0)) + 1)

    def solve_code(self, code: int) -> Iterator[tuple[int, Values]]:
        """For each holder each node's value and plies with `code` accrued, given the lower codes' entries."""
        yield from solve_code(self.graph, code, self.entry, self.dtg)

    @property
    def bytes(self) -> int:
        """Roughly what it takes in memory."""
        values = 4 * len(self.found) * len(self.entry)
        return (
            self.graph.sources.nbytes + self.graph.start.nbytes + 3 * self.node_of.nbytes + values
        )

    def values(self, holder: int, code: int) -> Values:
        """Each node's value and plies with that score accrued, kept for the next time."""
        if (holder, code) not in self.found:
            self.found.update({(each, code): values for each, values in self.solve_code(code)})
        return self.found[holder, code]

    def pairs(self) -> Iterator[tuple[int, int, NDArray[np.int16], NDArray[np.int16]]]:
        """Yield (holder, code, values, plies) of the positions, 0 for those that cannot have the code accrued."""
        for code in self.codes:
            inside = self.nodes.own >= code
            for holder, (value, plies) in self.solve_code(code):
                yield holder, code, value[: len(inside)] * inside, plies[: len(inside)] * inside

    def solve(self) -> None:
        """Fill in the entry values, code by code in ascending order."""
        for code in self.codes:
            own = np.flatnonzero(self.nodes.own == code)
            if not len(own):
                continue
            for holder, (value, plies) in self.solve_code(code):
                arrived = own[self.nodes.side[own] != holder]
                self.entry[arrived] = value[arrived]
                self.dtg[arrived] = plies[arrived]


Key = tuple[str, Material, bool, tuple[int, ...]]
"""The fifty-move rule of a block's table, its material, whether that is reduced, and the placement of the pawns."""


class Recent:
    """The blocks that were used last, of all tables; what has been forgotten is built again when it is asked for."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._blocks: OrderedDict[Key, Block] = OrderedDict()

    def get(self, key: Key) -> Block | None:
        """A block, if it is still there."""
        block = self._blocks.get(key)
        if block is not None:
            self._blocks.move_to_end(key)
        return block

    def put(self, key: Key, block: Block) -> None:
        """Remember a block, and forget those that were not used for longest."""
        self._blocks[key] = block
        taken = sum(each.bytes for each in self._blocks.values())
        while taken > self._room and len(self._blocks) > 1:
            taken -= self._blocks.popitem(last=False)[1].bytes


_recent = Recent(3 << 29)


@dataclass
class ReferenceTable:
    """A material's solution; arrays are indexed [side to move, square of each man in the order of the name].

    `own` is the position's own code (255: no legal position), `entry` its entry value as a signed number,
    +(code + 1) for White and -(code + 1) for Black (0: no legal position), `dtg` the plies to it.
    """

    rule = "none"
    """The fifty-move rule that values follow."""

    material: Material
    reduced: bool
    own: NDArray[np.uint8] = field(init=False, repr=False)
    entry: NDArray[np.int16] = field(init=False, repr=False)
    dtg: NDArray[np.int16] = field(init=False, repr=False)
    en_passant: EnPassant = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Solve block by block, those with the most advanced pawns first."""
        self.own = np.full(self.material.shape, NO_CODE, dtype=np.uint8)
        self.entry = np.zeros(self.material.shape, dtype=np.int16)
        self.dtg = np.zeros(self.material.shape, dtype=np.int16)
        self.en_passant = join_en_passant([], self.material.men)
        parts: list[EnPassant] = []
        steps_left = -1
        for placement in self.placements:
            if self.material.steps_left(placement) != steps_left:
                steps_left = self.material.steps_left(placement)
                self.en_passant = join_en_passant([self.en_passant, *parts], self.material.men)
                parts = []
            block = self._build(placement)
            self._solve(block)
            _recent.put(self._key(placement), block)
            self._store(block)
            parts += self._en_passant_of(block)
        self.en_passant = join_en_passant([self.en_passant, *parts], self.material.men)

    def value(
        self, position: tuple[int, ...], holder: int, code: int, en_passant: int = NO_SQUARE
    ) -> tuple[int, int]:
        """The signed value and the plies of (side to move, squares ...) with that score accrued."""
        block, node = self._find(position, en_passant)
        own = int(block.graph.own[node])
        if own < LOWEST_CODE and (holder, code) == (1 - position[0], own):
            return int(block.entry[node]), 0
        if not LOWEST_CODE <= code <= own:
            raise ValueError(f"code {code} cannot be accrued in a position of own code {own}")
        value, plies = block.values(holder, code)
        return int(value[node]), int(plies[node])

    def _find(self, position: tuple[int, ...], en_passant: int) -> tuple[Block, int]:
        """The block and node of a position; the first pawn on files e-h is looked up in the mirror."""
        side, *squares = position
        pawns = self.material.pawns
        if self.reduced and pawns and squares[pawns[0]] % 8 >= 4:
            squares = [square ^ 7 for square in squares]
            en_passant = en_passant ^ 7 if en_passant != NO_SQUARE else NO_SQUARE
        block = self.block(tuple(squares[pawn] for pawn in pawns))
        cell = side
        for man, square in enumerate(squares):
            cell = cell if man in pawns else cell * 64 + square
        node = int(block.node_of[cell])
        if node < 0:
            raise ValueError(f"not a legal position: {position}")
        jumped = np.flatnonzero((block.nodes.cell == cell) & (block.nodes.en_passant == en_passant))
        return block, int(jumped[0]) if en_passant != NO_SQUARE and len(jumped) else node

    @cached_property
    def placements(self) -> list[tuple[int, ...]]:
        """The blocks to solve: with reduction, only those with the first pawn on files a-d."""
        everything = self.material.placements()
        return [each for each in everything if not self.reduced or not each or each[0] % 8 < 4]

    def _men(self, placement: tuple[int, ...]) -> Men:
        """The material's men with the pawns placed."""
        squares = np.zeros(self.material.men, dtype=np.int64)
        squares[self.material.pawns] = placement
        return Men(self.material.roles, self.material.colors, squares)

    def block(self, placement: tuple[int, ...]) -> Block:
        """A block of the solved table, with all its entry values."""
        block = _recent.get(self._key(placement))
        if block is None:
            block = self._build(placement)
            index = self._index(block)
            found = self.en_passant.find(index, block.nodes.en_passant)
            entries = np.append(self.en_passant.entry, 0)[found]
            distances = np.append(self.en_passant.dtg, 0)[found]
            block.entry[: len(found)] = np.where(found < 0, self.entry[index], entries)
            block.dtg[: len(found)] = np.where(found < 0, self.dtg[index], distances)
            _recent.put(self._key(placement), block)
        return block

    def _key(self, placement: tuple[int, ...]) -> Key:
        return self.rule, self.material, self.reduced, placement

    def _solve(self, block: Block) -> None:
        """Fill in a block's entry values."""
        block.solve()

    def _child(self, name: str) -> ReferenceTable:
        """The table of a material that resets lead to."""
        return solve(name, reduced=self.reduced)

    def _index(self, block: Block) -> Index:
        """The indices of a block's positions into the table's arrays."""
        cells = block.nodes.cell
        index = [cells] * (1 + self.material.men)
        for pawn, square in zip(self.material.pawns, block.placement, strict=True):
            index[1 + pawn] = np.full_like(cells, square)
        for man in reversed(range(self.material.men)):
            if self.material.roles[man] != PAWN:
                index[1 + man] = cells % 64
                cells = cells // 64
        return (cells, *index[1:])

    def _build(self, placement: tuple[int, ...]) -> Block:
        """A block with its graph, and the values of its exits and of mates and stalemates."""
        men = self._men(placement)
        symmetries = 8 if self.reduced and not placement else 1
        node_of, nodes, reset_number = positions_of(men, symmetries)
        targets, resets = trace_moves(men, nodes, node_of, reset_number)
        positions = len(nodes.cell)
        exits, exit_of = np.unique(np.stack(self._read(resets)), axis=1, return_inverse=True)
        targets[resets.edge] = positions + exit_of
        own = np.concatenate((nodes.own, np.zeros(exits.shape[1], dtype=np.uint8)))
        order = np.argsort(-nodes.own.astype(np.int64), kind="stable")
        start, sources = turn_round(nodes.moves, targets, len(own), order)
        graph = Graph(nodes.side, own, nodes.moves, start, sources, positions)
        entry = np.zeros(len(own), dtype=np.int16)
        dtg = np.zeros(len(own), dtype=np.int16)
        entry[positions:], dtg[positions:] = exits
        over = np.flatnonzero(nodes.own < LOWEST_CODE)
        held = [outcome(1 - int(nodes.side[node]), int(nodes.own[node])) for node in over]
        entry[over] = np.array(held, dtype=np.int16)
        return Block(placement, node_of, nodes, graph, entry, dtg)

    def _read(self, resets: Resets) -> Values:
        """The entry value and distance of the positions that resets lead to, in this table or in others."""
        entry = np.zeros(len(resets.edge), dtype=np.int16)
        dtg = np.zeros(len(resets.edge), dtype=np.int16)
        promotes = resets.promotion != NO_PROMOTION
        changes = np.stack(
            (resets.captured, np.where(promotes, resets.promoted, NO_MAN), resets.promotion)
        )
        kinds, kind_of = np.unique(changes, axis=1, return_inverse=True)
        for kind in range(kinds.shape[1]):
            rows = np.flatnonzero(kind_of == kind)
            entry[rows], dtg[rows] = self._read_kind(
                resets, rows, *(int(each) for each in kinds[:, kind])
            )
        return entry, dtg

    def _read_kind(
        self, resets: Resets, rows: NDArray[np.int64], captured: int, promoted: int, promotion: int
    ) -> Values:
        """The same for the resets that change the material in one way, or not at all."""
        side = resets.side[rows].astype(np.int64)
        squares = [column.astype(np.int64) for column in resets.squares[rows].T]
        if captured != NO_MAN or promotion != NO_PROMOTION:
            way = descent(self.material, captured, promoted, promotion)
            child = self._child(way.material.name)
            index = way.cells(side, squares)
            sign = np.int16(-1 if way.colors_swapped else 1)
            return child.entry[index] * sign, child.dtg[index]
        index = (side, *squares)
        entry = self.entry[index]
        dtg = self.dtg[index]
        found = self.en_passant.find(index, resets.en_passant[rows].astype(np.int64))
        jumped = found >= 0
        entry[jumped] = self.en_passant.entry[found[jumped]]
        dtg[jumped] = self.en_passant.dtg[found[jumped]]
        return entry, dtg

    def _store(self, block: Block) -> None:
        """Write a solved block, and its mirror image, into the table."""
        positions = block.graph.positions
        self._spread(block, block.entry[:positions], self.entry, 0)
        self._spread(block, block.dtg[:positions], self.dtg, 0)
        self._spread(block, block.graph.own[:positions], self.own, NO_CODE)

    def _spread(self, block: Block, of_nodes: Numbers, array: Numbers, nothing: int) -> None:
        """Write a block's numbers, one a node, into an array of all positions."""
        officers = self.material.men - len(block.placement)
        # The last number is for cells without a node, -1.
        numbers = np.append(of_nodes, of_nodes.dtype.type(nothing))
        part = numbers[block.node_of].reshape(2, *[64] * officers)
        array[self._corner(block.placement)] = part
        if self.reduced and block.placement:
            for axis in range(1, part.ndim):
                part = np.take(part, np.arange(64) ^ 7, axis=axis)
            array[self._corner(tuple(square ^ 7 for square in block.placement))] = part

    def _corner(self, placement: tuple[int, ...]) -> tuple[int | slice, ...]:
        """The part of an array that belongs to one placement of the pawns."""
        corner: list[int | slice] = [slice(None)] * (1 + self.material.men)
        for pawn, square in zip(self.material.pawns, placement, strict=True):
            corner[1 + pawn] = square
        return tuple(corner)

    def _en_passant_of(self, block: Block) -> list[EnPassant]:
        """The block's positions with a legal en passant capture, and those of its mirror image."""
        rows = np.flatnonzero(block.nodes.en_passant != NO_SQUARE)
        if not len(rows):
            return []
        index = tuple(axis[rows] for axis in self._index(block))
        columns = (
            block.nodes.en_passant[rows],
            block.nodes.own[rows],
            block.entry[rows],
            block.dtg[rows],
        )
        one = EnPassant(index, *columns)
        return [one, mirrored(one)] if self.reduced else [one]


def solve(material: str, *, reduced: bool | None = None) -> ReferenceTable:
    """The solution of a material such as "KBvKN", kept in memory.

    Reduced tables compute one position of each symmetry class; by default all but those of two men are.
    """
    men = material_of(material)
    return _solved(men, men.men > 2 if reduced is None else reduced)


@cache
def _solved(material: Material, reduced: bool) -> ReferenceTable:
    """The solution, computed once."""
    return ReferenceTable(material, reduced)
