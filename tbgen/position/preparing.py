"""Preparing: the classes of mates of all that a material promotes to, made ahead, a block after another.

They are the bounds of blocks that are solved at two cuts, White's mate and Black's (coarse.py).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from tbgen.errors import ClosureTooLargeError
from tbgen.index.layout import slots_of
from tbgen.material import Material
from tbgen.position.blocks import ClosureBlocks
from tbgen.position.bounds import Bound, Classes, children_of, new_men, taken
from tbgen.position.bracket import SolvePlan
from tbgen.position.closure import MOST_COARSE_FREE, PROGRAM_BYTES, Closure, Level, Node, node_of
from tbgen.position.coarse import MATES
from tbgen.position.known import BlockFolder
from tbgen.score import Color
from tbgen.table import Entries


class Preparation:
    """The classes that promotions of a material lead to, as far as they are missing."""

    def __init__(self, classes: Classes, folder: BlockFolder, material: Material) -> None:
        promoted = [each for each in material.children() if each.men == material.men and each.pawns == 1]
        if not promoted or material.men - 1 > MOST_COARSE_FREE:
            raise ClosureTooLargeError(str(material), "no promotion leads to one pawn and at most five other men")
        lacking = [each for each in promoted if not classes.known.has(each)]
        for child in itertools.chain(*map(children_of, lacking)):
            classes.known.table(child)
        files = [[node_of(each, [rank * 8 + file]) for rank in range(1, 7)] for each in lacking for file in range(4)]
        files = [nodes for nodes in files if not all(map(classes.digest, nodes))]
        self.classes = classes
        self._blocks = [ClosureBlocks(self._closure(nodes), folder, classes) for nodes in files]

    def _closure(self, nodes: Sequence[Node]) -> Closure:
        closure = Closure(self.classes.known, Level(0, 0, 0), math.inf, MATES, coarse_free=0)
        for node in nodes:
            closure.add(node)
        return closure

    def plan(self) -> SolvePlan:
        """The cost of making them."""
        plans = [blocks.closure.plan() for blocks in self._blocks]
        sums = [sum(some) for some in zip(*((each.nodes, each.cells, each.cpu_seconds) for each in plans), strict=True)]
        nodes, cells, seconds = sums or (0, 0, 0.0)
        memory = max((each.memory_bytes for each in plans), default=PROGRAM_BYTES)
        return SolvePlan(nodes, cells, seconds, memory, sum(each.disk_bytes for each in plans), False, MOST_COARSE_FREE)

    def make(self) -> Iterator[float]:
        """Make them, a block after another; 1 for each that is done."""
        for blocks in self._blocks:
            for node in blocks.closure.edges:
                blocks.solve(node)
                self.classes.keep(node, dict(slices_of(blocks, node)))
                yield 1


def slices_of(blocks: ClosureBlocks, node: Node) -> Iterator[tuple[str, Entries]]:
    """The bounds of the positions with each new man on each file of its last rank, and the other side to move.

    Cells are in the order of words without this man.
    """
    slots, men = slots_of(node.material)[1:], [*itertools.product(new_men(node.material), range(8))]
    for bound in Bound:
        planes, unknown = [blocks.plane(node, side, bound) for side in range(2)], 2 * bound.value
        for number, (man, file) in enumerate(men):
            color, found = man[0], np.full(64 ** (len(slots) - 1), unknown, np.int8)
            # A position is stored once, whichever of equal men is the new one.
            for some in taken(planes[color.other], slots, man, file + (56 if color is Color.WHITE else 0)):
                found = np.where(found == unknown, some, found)
            yield f"{number} {bound.name}", found
