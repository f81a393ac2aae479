"""Whole-game mobility, slowly: every position with every accrued score, from the definition alone.

No move forgets: a capture or pawn move leads to the same accrued score, unless the position it leads to has a lower
one. So all materials that a position can come to are one graph, and each accrued score is a game on the whole of it:
a move to a position of a lower code ends it, with what that position is worth (its own score is the accrued one there);
what neither side can force to end is worth the accrued score. Codes are taken in ascending order, so that these
ends are known, and within a code a material is taken after those that its captures and promotions lead to.

`Outside` may say what moves to materials and placements lead to that are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .graph import Men, Nodes, Resets, positions_of, trace_moves, turn_round
from .level import Graph, Level, outcome, solve_level
from .material import Descent, Material, Squares, descent, material_of
from .moves import BLACK, NO_MAN, NO_PROMOTION, NO_SQUARE, PAWN, WHITE
from .solver import LOWEST_CODE

Outside = Callable[[str, NDArray[np.int64], Squares, int, int], Level]
"""Values and distances of positions with a score accrued that their own may improve: material, sides to move, squares,
holder and code."""


class Exits(NamedTuple):
    """What the resets of a block lead to, each position once."""

    node: NDArray[np.int64]
    """Among all nodes of all blocks; -1 for what is left out."""
    swapped: NDArray[np.bool_]
    """Whether colours are exchanged there."""
    elsewhere: list[tuple[str, NDArray[np.int64], NDArray[np.int64], Squares, bool]]
    """Material, which exits are left out, sides to move and squares there, whether colours are exchanged."""


@dataclass(frozen=True, eq=False)
class Part:
    """A placement of the pawns of one material, and where its nodes lie among all."""

    material: Material
    placement: tuple[int, ...]
    first: int
    node_of: NDArray[np.int32]
    nodes: Nodes
    graph: Graph
    exits: Exits

    @property
    def here(self) -> slice:
        return slice(self.first, self.first + len(self.nodes.own))


class WholeGame:
    """A material and all that it leads to; with `placements` only these, the rest is asked of `outside`."""

    def __init__(
        self,
        name: str,
        *,
        reduced: bool = False,
        placements: Sequence[tuple[int, ...]] | None = None,
        outside: Outside | None = None,
    ) -> None:
        self.material, self.reduced, self.outside = material_of(name), reduced, outside
        self.parts: dict[tuple[str, tuple[int, ...]], Part] = {}
        self.size = 0
        self._added: set[str] = set()
        self._add(self.material, placements)
        self.own = np.concatenate([part.nodes.own for part in self.parts.values()])
        self.side = np.concatenate([part.nodes.side for part in self.parts.values()])
        self.entry, self.dtg = np.zeros(self.size, np.int16), np.zeros(self.size, np.int16)
        over = np.flatnonzero(self.own < LOWEST_CODE)
        self.entry[over] = [outcome(1 - int(self.side[node]), int(self.own[node])) for node in over]

    def pairs(self) -> Iterator[tuple[int, int, NDArray[np.int16], NDArray[np.int16]]]:
        """Yield (holder, code, values, plies) of all nodes, in ascending code; only where their own code is not lower.

        Entry values of codes up to the one yielded are known, and all of them at the end.
        """
        for code in range(LOWEST_CODE, int(self.own.max()) + 1):
            levels = {}
            for holder in (WHITE, BLACK):
                # what a side has improved on counts by its entry value, whoever held what before
                levels[holder] = self.entry.copy(), self.dtg.copy()
            for part in self.parts.values():
                for holder in (WHITE, BLACK):
                    self._solve_part(part, holder, code, levels)
            for holder in (WHITE, BLACK):
                arrived = (self.own == code) & (self.side != holder)
                self.entry[arrived], self.dtg[arrived] = levels[holder][0][arrived], levels[holder][1][arrived]
            for holder in (WHITE, BLACK):
                yield holder, code, *levels[holder]

    def solve(self) -> None:
        """Find all entry values."""
        for _ in self.pairs():
            pass

    def table(self, name: str, numbers: NDArray[np.int16]) -> NDArray[np.int16]:
        """A number of every node of a material, by side to move and the square of each man; 0 for no position."""
        material = material_of(name)
        found = np.zeros(material.shape, np.int16)
        for part in self.parts.values():
            if part.material.name == name:
                corner: list[int | slice] = [slice(None)] * found.ndim
                for man, square in zip(material.pawns, part.placement, strict=True):
                    corner[1 + man] = square
                of_nodes = np.append(numbers[part.here], np.int16(0))  # the last one for cells without a node, -1
                found[tuple(corner)] = of_nodes[part.node_of].reshape(2, *[64] * (material.men - len(material.pawns)))
        return found

    def _solve_part(self, part: Part, holder: int, code: int, levels: dict[int, Level]) -> None:
        """One accrued score in one block, whose exits are solved for it."""
        if not (part.nodes.own >= code).any():
            return
        (value, plies), exits = levels[holder], part.exits
        (swapped_value, swapped_plies) = levels[1 - holder]
        leaving = np.where(exits.swapped, -swapped_value[exits.node], value[exits.node])
        distance = np.where(exits.swapped, swapped_plies[exits.node], plies[exits.node])
        for name, which, side, squares, swapped in exits.elsewhere:
            assert self.outside is not None
            found, away = self.outside(name, side, squares, 1 - holder if swapped else holder, code)
            leaving[which], distance[which] = -found if swapped else found, away
        entry = np.concatenate((self.entry[part.here], leaving.astype(np.int16)))
        dtg = np.concatenate((self.dtg[part.here], distance.astype(np.int16)))
        for each, level in solve_level(part.graph, code, entry, dtg):
            if each == holder:
                for known, found in zip(levels[holder], level, strict=True):
                    known[part.here] = found[: len(part.nodes.own)]

    def _add(self, material: Material, placements: Sequence[tuple[int, ...]] | None) -> None:
        """Add a material's blocks, after the materials that they lead to."""
        if material.name in self._added:
            return
        self._added.add(material.name)
        chosen = material.placements() if placements is None else placements
        for placement in chosen:
            if not self.reduced or not placement or placement[0] % 8 < 4:
                self._add_block(material, tuple(placement))

    def _add_block(self, material: Material, placement: tuple[int, ...]) -> None:
        squares = np.zeros(material.men, np.int64)
        squares[material.pawns] = placement
        men = Men(material.roles, material.colors, squares)
        node_of, nodes, reset_number = positions_of(men, 8 if self.reduced and not placement else 1)
        targets, resets = trace_moves(men, nodes, node_of, reset_number)
        exits, exit_of = self._exits(material, resets)
        positions = len(nodes.cell)
        targets[resets.edge] = positions + exit_of
        own = np.concatenate((nodes.own, np.zeros(len(exits.node), np.uint8)))
        order = np.argsort(-nodes.own.astype(np.int64), kind="stable")
        start, sources = turn_round(nodes.moves, targets, len(own), order)
        graph = Graph(nodes.side, own, nodes.moves, start, sources, positions)
        part = Part(material, placement, self.size, node_of, nodes, graph, exits)
        self.parts[material.name, placement] = part
        self.size += positions

    def _exits(self, material: Material, resets: Resets) -> tuple[Exits, NDArray[np.int64]]:
        """Where the resets of a block lead to, each position once, and which of them each reset leads to."""
        rows = np.stack(
            [
                resets.captured,
                np.where(resets.promotion == NO_PROMOTION, NO_MAN, resets.promoted),
                resets.promotion,
                resets.en_passant,
                resets.side,
                *resets.squares.T,
            ]
        ).astype(np.int64)
        unique, exit_of = np.unique(rows, axis=1, return_inverse=True)
        count = unique.shape[1]
        exits = Exits(np.full(count, -1, np.int64), np.zeros(count, np.bool_), [])
        for captured, promoted, promotion in {tuple(column) for column in unique[:3].T.tolist()}:
            which = np.flatnonzero(np.equal(unique[:3].T, (captured, promoted, promotion)).all(axis=1))
            same = captured == NO_MAN and promotion == NO_PROMOTION
            way = descent(material, captured, promoted, promotion)
            if not same and self.outside is None:
                self._add(way.material, None)
            self._lead(exits, which, material if same else way.material, None if same else way, unique[:, which])
        return exits, exit_of.ravel()

    def _lead(
        self, exits: Exits, which: NDArray[np.int64], there: Material, way: Descent | None, rows: NDArray[np.int64]
    ) -> None:
        """Find the nodes that exits of one kind lead to."""
        jumped, side, squares = rows[3], rows[4], list(rows[5:])
        if way is not None:
            side, *squares = way.cells(side, squares)
            exits.swapped[which] = way.colors_swapped
        found = self._nodes(there, side, squares, jumped)
        exits.node[which] = np.maximum(found, 0)
        out = np.flatnonzero(found < 0)
        if len(out):
            swapped = way is not None and way.colors_swapped
            exits.elsewhere.append((there.name, which[out], side[out], [each[out] for each in squares], swapped))

    def _nodes(
        self, material: Material, side: NDArray[np.int64], squares: Squares, jumped: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The nodes of positions, -1 where their block is left out."""
        if self.reduced and material.pawns:
            turn = np.where(squares[material.pawns[0]] % 8 >= 4, 7, 0)
            squares = [each ^ turn for each in squares]
            jumped = np.where(jumped == NO_SQUARE, NO_SQUARE, jumped ^ turn)
        cell = side
        for man, square in enumerate(squares):
            cell = cell if material.roles[man] == PAWN else cell * 64 + square
        pawns = np.array([squares[man] for man in material.pawns]).reshape(len(material.pawns), len(side))
        found = np.full(len(side), -1, np.int64)
        for placement in {tuple(column) for column in pawns.T.tolist()}:
            part = self.parts.get((material.name, placement))
            here = np.flatnonzero(np.equal(pawns.T, placement).all(axis=1))
            if part is not None:
                found[here] = part.first + part.node_of[cell[here]]
                special = part.nodes.en_passant != NO_SQUARE
                keys = part.nodes.cell[special] * 64 + part.nodes.en_passant[special]
                wanted = cell[here] * 64 + jumped[here]
                for row in np.flatnonzero(np.isin(wanted, keys) & (jumped[here] != NO_SQUARE)):
                    at = np.flatnonzero(special)[np.flatnonzero(keys == wanted[row])[0]]
                    found[here[row]] = part.first + at
        return found

    def index_of(self, part: Part) -> tuple[NDArray[np.int64], ...]:
        """Side to move, and the square of each man, of a block's nodes."""
        cells, squares = part.nodes.cell, list[NDArray[np.int64]]()
        placed = dict(zip(part.material.pawns, part.placement, strict=True))
        for man in reversed(range(part.material.men)):
            if man in placed:
                squares.insert(0, np.full_like(cells, placed[man]))
            else:
                squares.insert(0, cells % 64)
                cells = cells // 64
        return (cells, *squares)
