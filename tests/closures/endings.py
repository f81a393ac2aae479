"""Seeded pawn endings of five to nine men, whose closures are small enough for the reference."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import chess

from tbgen.closures.bounds import Bound
from tbgen.closures.closure import Closure
from tbgen.closures.costs import ADDING_SECONDS, LISTING_SECONDS, Budget, cost_of_block
from tbgen.closures.placements import Node, RootNode, node_of
from tbgen.closures.policy import Way
from tbgen.errors import ClosureTooLargeError
from tbgen.material import Material
from tests.closures.made_up import MadeUpTables

MOST_BLOCKS: Final = 20
BOUNDS_ALONE: Final = Way(queen=0, knight=0, others=0)

Pawns = dict[chess.Square, chess.Color]
Motif = Callable[[random.Random], Pawns]


@dataclass(frozen=True)
class Ending:
    """A placement of pawns, and how few men a position must have for its values to be made up."""

    node: Node
    most_made_up_men: int
    motifs: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.node} from {self.most_made_up_men} men, {' '.join(self.motifs)}"

    def closure(self, most_blocks: int = MOST_BLOCKS) -> Closure:
        """The closure of its placement, with bounds in place of all promotions."""
        tables = MadeUpTables(self.most_made_up_men + 1)
        one_block = cost_of_block(self.node.cells, len(Bound), ()).cpu_seconds
        seconds = most_blocks * (one_block + LISTING_SECONDS + ADDING_SECONDS)
        closure = Closure(tables, BOUNDS_ALONE, budget=Budget(seconds))
        closure.add(RootNode(self.node))
        return closure


def blocked_pair(draw: random.Random) -> Pawns:
    """Two pawns that block each other for good."""
    file = draw.randrange(8)
    rank = draw.randrange(1, 6)
    return {chess.square(file, rank): chess.WHITE, chess.square(file, rank + 1): chess.BLACK}


def blocked_chain(draw: random.Random) -> Pawns:
    """Two blocked pairs, of which a pawn protects another one on either side."""
    file = draw.randrange(7)
    rank = draw.randrange(1, 5)
    return {
        chess.square(file, rank): chess.WHITE,
        chess.square(file, rank + 1): chess.BLACK,
        chess.square(file + 1, rank + 1): chess.WHITE,
        chess.square(file + 1, rank + 2): chess.BLACK,
    }


def passed_pawn(draw: random.Random) -> Pawns:
    """A pawn that promotes soon."""
    color = draw.choice(chess.COLORS)
    rank = draw.choice((4, 5, 6))
    return {chess.square(draw.randrange(8), rank if color else 7 - rank): color}


def double_step(draw: random.Random) -> Pawns:
    """A pawn at home, with one of the other side that it may step beside."""
    color = draw.choice(chess.COLORS)
    file = draw.randrange(7)
    files = draw.choice(((file, file + 1), (file + 1, file)))
    home, beside = (1, 3) if color else (6, 4)
    return {chess.square(files[0], home): color, chess.square(files[1], beside): not color}


def pawns_that_may_take(draw: random.Random) -> Pawns:
    """Two pawns, each of which may take the other."""
    file = draw.randrange(7)
    rank = draw.randrange(2, 5)
    files = draw.choice(((file, file + 1), (file + 1, file)))
    return {
        chess.square(files[0], rank): chess.WHITE,
        chess.square(files[1], rank + 1): chess.BLACK,
    }


MOTIFS: Final[Sequence[Motif]] = (
    blocked_pair,
    blocked_chain,
    passed_pawn,
    double_step,
    pawns_that_may_take,
)


def endings(draw: random.Random, count: int) -> Iterator[Ending]:
    """Endings with five to nine men, as many of each number, whose closures have few blocks."""
    for number in range(count):
        yield _ending(draw, pawns=3 + number % 5)


def _ending(draw: random.Random, pawns: int) -> Ending:
    while True:
        motifs = list[str]()
        placed = Pawns()
        while len(placed) < pawns:
            motif = draw.choice(MOTIFS)
            added = motif(draw)
            if placed.keys() & added.keys() or len(placed) + len(added) > pawns:
                continue
            motifs.append(motif.__name__)
            placed.update(added)
        ending = ending_of(placed, draw.choice((1, 1, 2)), tuple(motifs))
        if is_small(ending):
            return ending


def ending_of(placed: Pawns, made_up_men_fewer: int, motifs: tuple[str, ...]) -> Ending:
    """The ending of some pawns; values of positions with so many men fewer are made up."""
    white = sorted(square for square, color in placed.items() if color)
    black = sorted(square for square, color in placed.items() if not color)
    material = Material.parse(f"K{'P' * len(white)}vK{'P' * len(black)}")
    node = node_of(material, [*white, *black])
    return Ending(node, material.men - made_up_men_fewer, motifs)


def is_small(ending: Ending, most_blocks: int = MOST_BLOCKS) -> bool:
    """Whether its closure has few blocks."""
    try:
        ending.closure(most_blocks)
    except ClosureTooLargeError:
        return False
    return True
