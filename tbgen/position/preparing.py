"""Preparing: the classes of mates of all that a material promotes to, made ahead, a block after another.

They are two thresholds, White's mate and Black's, with both bounds of the other promotions. A side mates for certain
where it does so with the bounds that are worse for it; with those that are better for it, it may mate.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from tbgen.compiled.arrays import Words
from tbgen.errors import ClosureTooLargeError
from tbgen.index.layout import Slot, slots_of
from tbgen.material import Material
from tbgen.position.blocks import BlockSolver
from tbgen.position.bounds import Bound, Classes, children_of, new_men, taken
from tbgen.position.bracket import SolvePlan
from tbgen.position.closure import PROGRAM_BYTES, Closure, Level, Node, node_of
from tbgen.score import MATE_CODE, Color, Score
from tbgen.table import Entries

MOST_FREE_MEN: Final = 5
MATES: Final = [Score(MATE_CODE, color) for color in Color]
_CELL_SECONDS, _NODE_SECONDS, _CELL_BYTES = 40e-9, 0.05, 4.5
"""CPU seconds of a cell, and of a block beside its cells; memory of a cell."""


class Preparation:
    """The classes that promotions of a material lead to, as far as they are missing."""

    def __init__(self, classes: Classes, material: Material) -> None:
        promoted = [each for each in material.children() if each.men == material.men and each.pawns == 1]
        if not promoted or material.men - 1 > MOST_FREE_MEN:
            raise ClosureTooLargeError(str(material), "no promotion leads to one pawn and at most five other men")
        lacking = [each for each in promoted if not classes.known.has(each)]
        for child in itertools.chain(*map(children_of, lacking)):
            classes.known.table(child)
        files = [[node_of(each, [rank * 8 + file]) for rank in range(1, 7)] for each in lacking for file in range(4)]
        self.classes, self.files = classes, [nodes for nodes in files if not all(map(classes.digest, nodes))]

    def plan(self) -> SolvePlan:
        """The cost of making them."""
        nodes = [*itertools.chain(*self.files)]
        cells = sum(node.cells for node in nodes)
        seconds = round(cells * _CELL_SECONDS + len(nodes) * _NODE_SECONDS, 1)
        memory = PROGRAM_BYTES + int(max((node.cells for node in nodes), default=0) * _CELL_BYTES)
        return SolvePlan(len(nodes), cells, seconds, memory, cells // 64, exact=False, most_free=MOST_FREE_MEN)

    def make(self, threads: int) -> Iterator[float]:
        """Make them, a block after another; 1 for each that is done."""
        for nodes in self.files:
            for node, mates in PawnFile(self.classes, nodes).solve(threads):
                men = enumerate(itertools.product(new_men(node.material), range(8)))
                self.classes.keep(node, {str(n): slice_of(node, mates, *man) for n, man in men})
                yield 1


Mates = Mapping[Bound, Sequence[Words]]
"""[bound][side that mates] the words, with each side to move, in which it does."""


class PawnFile:
    """The blocks of one file of a pawn, and what solving one asks of those before it."""

    def __init__(self, classes: Classes, nodes: Sequence[Node]) -> None:
        self.classes, self.closure, self._solved = (
            classes,
            Closure(classes.known, Level(0, 0, 0), math.inf),
            dict[Node, Mates](),
        )
        for node in nodes:
            self.closure.add(node)

    def solve(self, threads: int) -> Iterator[tuple[Node, Mates]]:
        """Who mates in each block, each after those that it leads to."""
        for node in self.closure.edges:
            bits = BlockSolver(node, self, [*Bound]).solve_thresholds(MATES, threads)
            found = {bound: [each.met for each in some] for bound, some in zip(Bound, bits, strict=True)}
            self._solved = dict([*self._solved.items()][-1:]) | {node: found}
            yield node, found

    def plane(self, node: Node, side: int, bound: Bound) -> Entries:
        """The entry values of a block with one side to move, as far as mates go."""
        white, black = (
            np.unpackbits(each[side].view(np.uint8), bitorder="little").view(np.int8)
            for each in self._solved[node][bound]
        )
        white -= black
        white += np.int8(2) * (white == 0)  # any outcome that is no mate
        return white

    def en_passant(self, node: Node, bound: Bound) -> Entries:
        """A single pawn is never taken en passant."""
        return np.zeros(0, np.int8)


def slice_of(node: Node, mates: Mates, man: Slot, file: int) -> Entries:
    """The classes, as bytes, of the positions with a new man on a file of its last rank and the other side to move.

    Cells are in the order of words without this man.
    """
    slots, (color, _) = slots_of(node.material)[1:-1], man
    square, found = file + (56 if color is Color.WHITE else 0), np.zeros(64 ** len(slots), np.uint8)
    least, most = mates[Bound.LOWER], mates[Bound.UPPER]
    for bit, sets in enumerate((least[0], most[1], most[0], least[1])):  # certain mates, then possible ones
        some = np.bitwise_or.reduce(taken(sets[color.other], slots, man, square)).astype("<u8")
        found |= np.unpackbits(some.reshape(-1, 1).view(np.uint8), axis=1, bitorder="little").ravel() << bit
    return found.view(np.int8)
