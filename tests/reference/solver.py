"""The slow solver: every position and every accrued score of a material, code by code."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from .code import Graph, Values, outcome, solve_code
from .en_passant import NO_ROW, EnPassant, Index, join_en_passant, mirrored, no_en_passant
from .graph import Men, Nodes, Resets, positions_of, trace_moves, turn_round
from .material import Material, descent, material_of
from .moves import NO_MAN, NO_PROMOTION, NO_SQUARE, PAWN

NO_CODE = 255
"""The own code of what is no legal position."""
LOWEST_CODE = 2
"""The lowest code that can accrue: mate and stalemate, codes 0 and 1, end the game."""
LAST_LEFT_FILE = 3

Numbers = NDArray[np.int16] | NDArray[np.uint8]


@dataclass(frozen=True)
class Block:
    """One placement of the pawns: its graph, and the entry values of its nodes so far."""

    placement: tuple[int, ...]
    node_of: NDArray[np.int32]
    """[local cell] -> its node"""
    nodes: Nodes
    graph: Graph
    entry: NDArray[np.int16]
    """[node] -> its entry value, 0 if that is not known yet. Exits are nodes, too."""
    dtg: NDArray[np.int16]
    """[node] -> the plies to that outcome"""
    kept: dict[tuple[int, int], Values] = field(default_factory=dict)
    """[holder, code] -> values and plies with that score accrued, if somebody has asked for them"""

    @property
    def codes(self) -> range:
        """The codes that can be accrued in the block."""
        return range(LOWEST_CODE, int(self.nodes.own.max(initial=0)) + 1)

    def solve_code(self, code: int) -> Iterator[tuple[int, Values]]:
        """For each holder of `code`, each node's value and plies with that score accrued.

        The entry values of positions with lower codes must be known.
        """
        yield from solve_code(self.graph, code, self.entry, self.dtg)

    @property
    def bytes(self) -> int:
        """Roughly what it takes in memory."""
        graph = self.graph.sources.nbytes + self.graph.start.nbytes
        nodes = 3 * self.node_of.nbytes
        values = 4 * len(self.kept) * len(self.entry)
        return graph + nodes + values

    def values(self, holder: int, code: int) -> Values:
        """Each node's value and plies with that score accrued, kept for the next time."""
        if (holder, code) not in self.kept:
            for either_holder, values in self.solve_code(code):
                self.kept[either_holder, code] = values
        return self.kept[holder, code]

    def pairs(self) -> Iterator[tuple[int, int, NDArray[np.int16], NDArray[np.int16]]]:
        """Yield (holder, code, values, plies) of the positions.

        They are 0 where the code cannot have accrued.
        """
        positions = self.graph.positions
        for code in self.codes:
            can_accrue = self.nodes.own >= code
            for holder, (value, plies) in self.solve_code(code):
                yield holder, code, value[:positions] * can_accrue, plies[:positions] * can_accrue

    def solve(self) -> None:
        """Fill in the entry values, code by code in ascending order."""
        for code in self.codes:
            with_code = np.flatnonzero(self.nodes.own == code)
            if not len(with_code):
                continue
            for holder, (value, plies) in self.solve_code(code):
                arrived = with_code[self.nodes.side[with_code] != holder]
                self.entry[arrived] = value[arrived]
                self.dtg[arrived] = plies[arrived]


Key = tuple[str, Material, bool, tuple[int, ...]]
"""The fifty-move rule of a block's table, its material, whether it is reduced, and the pawns."""


class Recent:
    """The blocks of all tables that were used last.

    A block that has been forgotten is built again when somebody asks for it.
    """

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
        taken = sum(kept.bytes for kept in self._blocks.values())
        while taken > self._room and len(self._blocks) > 1:
            _, oldest = self._blocks.popitem(last=False)
            taken -= oldest.bytes


_recent = Recent(room=3 << 29)


@dataclass
class ReferenceTable:
    """The solution of a material.

    Its arrays are indexed [side to move, square of each man in the order of the name].
    """

    rule = "none"
    """The fifty-move rule that values follow."""

    material: Material
    reduced: bool
    """Whether one position of each symmetry class is computed, and its value copied to the others.

    With pawns, one block of each pair of mirror images is solved. Without them, the arrays have the
    values of all positions, but a block's graph has one node for the eight images of a position.
    """
    own: NDArray[np.uint8] = field(init=False, repr=False)
    """The position's own code; `NO_CODE` for what is no legal position."""
    entry: NDArray[np.int16] = field(init=False, repr=False)
    """Its entry value as a signed number; 0 for what is no legal position."""
    dtg: NDArray[np.int16] = field(init=False, repr=False)
    """The plies to the entry value."""
    en_passant: EnPassant = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Solve block by block, those with the most advanced pawns first."""
        self.own = np.full(self.material.shape, NO_CODE, dtype=np.uint8)
        self.entry = np.zeros(self.material.shape, dtype=np.int16)
        self.dtg = np.zeros(self.material.shape, dtype=np.int16)
        self.en_passant = no_en_passant(self.material.men)
        for _, placements in groupby(self.placements, self.material.steps_left):
            # None of these blocks leads to another one of them.
            solved = [self.en_passant]
            for placement in placements:
                block = self._build(placement)
                self._solve(block)
                _recent.put(self._key(placement), block)
                self._store(block)
                solved += self._en_passant_of(block)
            self.en_passant = join_en_passant(solved)

    def value(
        self, position: tuple[int, ...], holder: int, code: int, en_passant: int = NO_SQUARE
    ) -> tuple[int, int]:
        """The signed value and the plies of (side to move, squares ...) with that score accrued."""
        block, node = self._find(position, en_passant)
        own = int(block.graph.own[node])
        is_own_score = holder == 1 - position[0] and code == own
        if own < LOWEST_CODE and is_own_score:
            return int(block.entry[node]), 0
        if not LOWEST_CODE <= code <= own:
            raise ValueError(f"code {code} cannot be accrued in a position of own code {own}")
        value, plies = block.values(holder, code)
        return int(value[node]), int(plies[node])

    def _find(self, position: tuple[int, ...], en_passant: int) -> tuple[Block, int]:
        """The block and the node of a position, or of its mirror image if that one is solved."""
        side, *squares = position
        placement = tuple(squares[pawn] for pawn in self.material.pawns)
        if not self._is_solved(placement):
            squares = [square ^ 7 for square in squares]
            placement = tuple(square ^ 7 for square in placement)
            if en_passant != NO_SQUARE:
                en_passant ^= 7
        block = self.block(placement)
        cell = side
        for man, square in enumerate(squares):
            if man not in self.material.pawns:
                cell = cell * 64 + square
        node = int(block.node_of[cell])
        if node < 0:
            raise ValueError(f"not a legal position: {position}")
        if en_passant != NO_SQUARE:
            is_jump = (block.nodes.cell == cell) & (block.nodes.en_passant == en_passant)
            for jumped in np.flatnonzero(is_jump):
                node = int(jumped)
        return block, node

    @cached_property
    def placements(self) -> list[tuple[int, ...]]:
        """The blocks to solve, fewest steps left first."""
        return [each for each in self.material.placements() if self._is_solved(each)]

    def _is_solved(self, placement: tuple[int, ...]) -> bool:
        """Whether a placement is solved itself: if reduced, with the first pawn on files a-d."""
        if not self.reduced or not placement:
            return True
        return placement[0] % 8 <= LAST_LEFT_FILE

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
            positions = block.graph.positions
            entry, dtg = self._entries(self.index_of(block), block.nodes.en_passant)
            block.entry[:positions] = entry
            block.dtg[:positions] = dtg
            _recent.put(self._key(placement), block)
        return block

    def _entries(self, index: Index, en_passant: NDArray[np.int64]) -> Values:
        """The entry values and distances of positions with their en passant squares."""
        entry = self.entry[index]
        dtg = self.dtg[index]
        row = self.en_passant.find(index, en_passant)
        has_right = row != NO_ROW
        entry[has_right] = self.en_passant.entry[row[has_right]]
        dtg[has_right] = self.en_passant.dtg[row[has_right]]
        return entry, dtg

    def _key(self, placement: tuple[int, ...]) -> Key:
        return self.rule, self.material, self.reduced, placement

    def _solve(self, block: Block) -> None:
        """Fill in a block's entry values."""
        block.solve()

    def _child(self, name: str) -> ReferenceTable:
        """The table of a material that resets lead to."""
        return solve(name, reduced=self.reduced)

    def index_of(self, block: Block) -> Index:
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
        reset_values = np.stack(self._read(resets))
        exits, exit_of = np.unique(reset_values, axis=1, return_inverse=True)
        exit_entry, exit_dtg = exits
        targets[resets.edge] = positions + exit_of
        own = np.concatenate((nodes.own, np.zeros(len(exit_entry), dtype=np.uint8)))
        highest_first = np.argsort(-nodes.own.astype(np.int64), kind="stable")
        start, sources = turn_round(nodes.moves, targets, len(own), highest_first)
        graph = Graph(nodes.side, own, nodes.moves, start, sources, positions)
        entry = np.concatenate((np.zeros(positions, dtype=np.int16), exit_entry))
        dtg = np.concatenate((np.zeros(positions, dtype=np.int16), exit_dtg))
        for over in np.flatnonzero(nodes.own < LOWEST_CODE):
            holder = 1 - int(nodes.side[over])
            entry[over] = outcome(holder, int(nodes.own[over]))
        return Block(placement, node_of, nodes, graph, entry, dtg)

    def _read(self, resets: Resets) -> Values:
        """The entry values and distances of the positions that resets lead to."""
        entry = np.zeros(len(resets.edge), dtype=np.int16)
        dtg = np.zeros(len(resets.edge), dtype=np.int16)
        promotes = resets.promotion != NO_PROMOTION
        promoted_men = np.where(promotes, resets.promoted, NO_MAN)
        changes = np.stack((resets.captured, promoted_men, resets.promotion), axis=1)
        kinds, kind_of = np.unique(changes, axis=0, return_inverse=True)
        for kind, (captured, promoted, promotion) in enumerate(kinds.tolist()):
            rows = np.flatnonzero(kind_of.ravel() == kind)
            entry[rows], dtg[rows] = self.read_kind(resets, rows, captured, promoted, promotion)
        return entry, dtg

    def read_kind(
        self, resets: Resets, rows: NDArray[np.int64], captured: int, promoted: int, promotion: int
    ) -> Values:
        """The same for resets that change the material in one way, or not at all."""
        side = resets.side[rows].astype(np.int64)
        squares = [column.astype(np.int64) for column in resets.squares[rows].T]
        if captured == NO_MAN and promotion == NO_PROMOTION:
            return self._entries((side, *squares), resets.en_passant[rows].astype(np.int64))
        way = descent(self.material, captured, promoted, promotion)
        child = self._child(way.material.name)
        index = way.cells(side, squares)
        sign = np.int16(-1 if way.colors_swapped else 1)
        return child.entry[index] * sign, child.dtg[index]

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
        array[self._part_of(block.placement)] = part
        if self.reduced and block.placement:
            for axis in range(1, part.ndim):
                part = np.take(part, np.arange(64) ^ 7, axis=axis)
            image = tuple(square ^ 7 for square in block.placement)
            array[self._part_of(image)] = part

    def _part_of(self, placement: tuple[int, ...]) -> tuple[int | slice, ...]:
        """The part of an array of all positions that belongs to one placement of the pawns."""
        part: list[int | slice] = [slice(None)] * (1 + self.material.men)
        for pawn, square in zip(self.material.pawns, placement, strict=True):
            part[1 + pawn] = square
        return tuple(part)

    def _en_passant_of(self, block: Block) -> list[EnPassant]:
        """The block's positions with a legal en passant capture, and those of its mirror image."""
        rows = np.flatnonzero(block.nodes.en_passant != NO_SQUARE)
        if not len(rows):
            return []
        positions = EnPassant(
            index=tuple(axis[rows] for axis in self.index_of(block)),
            square=block.nodes.en_passant[rows],
            own=block.nodes.own[rows],
            entry=block.entry[rows],
            dtg=block.dtg[rows],
        )
        if self.reduced:
            return [positions, mirrored(positions)]
        return [positions]


def solve(material: str, *, reduced: bool | None = None) -> ReferenceTable:
    """The solution of a material such as "KBvKN", kept in memory.

    A reduced table computes one position of each symmetry class. All but those of two men are
    reduced, unless `reduced` says.
    """
    its_men = material_of(material)
    if reduced is None:
        reduced = its_men.men > 2
    return _solved(its_men, reduced)


@cache
def _solved(material: Material, reduced: bool) -> ReferenceTable:
    """The solution, computed once."""
    return ReferenceTable(material, reduced)
