"""Nodes: placements of the pawns of a material, and what a position asks of its node.

A *node* stands for a placement and its mirror image. It has the colours of the position that was
asked about, or of that position with reversed colours. So a lower bound for White is one in all
nodes of a closure.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import chess

from tbgen.closures.shades import Shade, shade_on
from tbgen.index.layout import Layout, Squares, partial_layout, placement_of, slots_of
from tbgen.index.squares import TRIANGLE
from tbgen.material import Material
from tbgen.probe.opened import pieces_of, squares_on
from tbgen.rules.position import board_after, material_on
from tbgen.score import Color, Score
from tbgen.table import Queries


class Node(NamedTuple):
    """A placement of a material's pawns, or its mirror image. Each node has a block of cells."""

    material: Material
    pawns: Squares

    def __str__(self) -> str:
        return _name_of(self)

    @property
    def free(self) -> int:
        """How many *free* men it has, which are not pawns."""
        return self.material.men - len(self.pawns)

    @property
    def side_with_pawn(self) -> Color | None:
        """The side that has pawns, White if both have some; None without pawns."""
        if not self.pawns:
            return None
        first_color, _ = slots_of(self.material)[0]
        return first_color

    @property
    def cells(self) -> int:
        """Its cells, of both sides to move."""
        white_king_squares = 64 if self.pawns else len(TRIANGLE)
        return 2 * white_king_squares << (6 * (self.free - 1))

    @property
    def double_steps(self) -> int:
        """How many of the pawns could be taken en passant, had they just made a double step."""
        colors = [color for color, _ in slots_of(self.material)[: len(self.pawns)]]
        pawns = list(zip(colors, self.pawns, strict=True))
        count = 0
        for color, square in pawns:
            rank = 3 if color is Color.WHITE else 4
            enemies = {
                enemy
                for other, enemy in pawns
                if other is not color and chess.square_rank(enemy) == rank
            }
            if chess.square_rank(square) == rank and enemies & {square - 1, square + 1}:
                count += 1
        return count

    @property
    def layout(self) -> Layout:
        """The layout of the block alone."""
        return _layout_of(self)


@lru_cache(maxsize=1 << 16)
def _name_of(node: Node) -> str:
    """The name of a node, kept because each block's key has the names of all that it leads to."""
    squares = "".join(chess.square_name(square) for square in node.pawns)
    return f"{node.material}-{squares}"


@lru_cache(maxsize=32)
def _layout_of(node: Node) -> Layout:
    """The layout of a node, kept because it takes two milliseconds with four pawns."""
    return partial_layout(node.material, [node.pawns])


class PawnPlacement(NamedTuple):
    """Pawns on their own squares, while a node may have those of the mirror image."""

    material: Material
    pawns: Squares

    @property
    def node(self) -> Node:
        """The node that it belongs to."""
        return node_of(self.material, self.pawns)


def node_of(material: Material, pawns: Sequence[int]) -> Node:
    """The node of a placement and of its mirror image."""
    return _node_of(material, tuple(pawns))


@lru_cache(maxsize=1 << 16)
def _node_of(material: Material, pawns: Squares) -> Node:
    """The node, kept because several moves lead to the same one."""
    return Node(material, placement_of(slots_of(material), pawns))


def node_on(board: chess.Board) -> Node:
    """The node of a position."""
    white = board.pieces(chess.PAWN, chess.WHITE)
    black = board.pieces(chess.PAWN, chess.BLACK)
    return node_of(material_on(board), [*white, *black])


class SharedNode(NamedTuple):
    """The node that a position and its reversal in colours share."""

    node: Node
    is_reversed: bool
    """Whether it is the node of the reversal."""


def shared_node(board: chess.Board) -> SharedNode:
    """The node of a position or of its reversal in colours, the same for both."""
    own = SharedNode(node_on(board), is_reversed=False)
    reversed_ = SharedNode(node_on(board.mirror()), is_reversed=True)
    return min(
        own,
        reversed_,
        key=lambda shared: (not shared.node.material.is_canonical, shared.node.pawns),
    )


class RootNode(NamedTuple):
    """The node of a position that is to be solved, and what the position asks of it."""

    node: Node
    queries: Queries
    """Accrued scores, each with a cell."""
    has_right: bool
    """Whether a pawn may be taken en passant in the position."""


def root_of(board: chess.Board, accrued: Score) -> RootNode:
    """The root of a position: its values there and after quiet moves depend on what has accrued."""
    node, is_reversed = shared_node(board)
    queries = set[tuple[Score, int]]()
    boards = [board]
    for move in board.legal_moves:
        if not board.is_zeroing(move):
            boards.append(board_after(board, move))
    for position in boards:
        if is_reversed:
            queries.add((accrued.flipped(), cell_on(node, position.mirror())))
        else:
            queries.add((accrued, cell_on(node, position)))
    return RootNode(node, sorted(queries), board.has_legal_en_passant())


def shade_in(node: Node, cell: int) -> Shade:
    """The shade of a cell of a block."""
    _, squares = node.layout.squares_of(cell)
    return shade_on(slots_of(node.material), squares)


def cell_on(node: Node, board: chess.Board) -> int:
    """The cell of a position in its block."""
    side = 0 if board.turn == chess.WHITE else 1
    return node.layout.cell_of(side, squares_on(board, pieces_of(node.material)))
