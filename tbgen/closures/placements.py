"""Placements of the pawns: nodes, what a position asks of its node, and moves between placements.

A *node* stands for a placement and its mirror image. It has the colours of the position that was
asked about, or of that position with reversed colours. So a lower bound for White is one in all
nodes of a closure.

A *reset* says which kind of move it is and which material it leads to, whatever the squares. Each
reset leads from a placement to a few others, if to any. Where a table has one of these, its digest
stands beside the move.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import chess

from tbgen.closures.costs import LISTING_SECONDS, Budget
from tbgen.errors import ClosureTooLargeError
from tbgen.index.layout import Layout, partial_layout, slots_of
from tbgen.index.placements import Slot, Squares, double_steps, placement_of
from tbgen.index.resets import NO_SLOT, Reset, resets_of
from tbgen.index.squares import TRIANGLE
from tbgen.material import Material, Scope
from tbgen.men import Role
from tbgen.probe.opened import OpenTables, pieces_of, squares_on
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
    def steps(self) -> int:
        """The steps that its pawns have behind them, up to a number that its material has.

        Each pawn step makes them more.
        """
        white = self.material.side(Color.WHITE).count(Role.PAWN)
        ranks = [square // 8 for square in self.pawns]
        return sum(ranks[:white]) - sum(ranks[white:])

    @property
    def double_steps(self) -> list[int]:
        """The squares of the pawns that could be taken en passant, had they just come there."""
        return [square for _, square in double_steps(slots_of(self.material), self.pawns)]

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


class RootNode(NamedTuple):
    """The node of a position that is to be solved, and what the position asks of it."""

    node: Node
    queries: Queries = ()
    """Accrued scores, each with a cell: those of the position and of its quiet moves.

    Without any, all of the block is needed.
    """
    is_reversed: bool = False
    """Whether the node is that of the position with reversed colours."""
    has_right: bool = False
    """Whether a pawn may be taken en passant in the position."""

    @property
    def material(self) -> Material:
        """The material in the colours of the position."""
        material = self.node.material
        return material.flipped() if self.is_reversed else material


def root_of(board: chess.Board, accrued: Score) -> RootNode:
    """The root of a position, whose node is that of its reversal in colours, too."""
    is_reversed = is_reversed_in_root(board)
    node = node_on(board.mirror() if is_reversed else board)
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
    return RootNode(node, sorted(queries), is_reversed, board.has_legal_en_passant())


def is_reversed_in_root(board: chess.Board) -> bool:
    """Whether a position and its reversal in colours share the node of the reversal."""
    nodes = (node_on(board), node_on(board.mirror()))
    own, reversed_ = [(not node.material.is_canonical, node.pawns) for node in nodes]
    return reversed_ < own


def cell_on(node: Node, board: chess.Board) -> int:
    """The cell of a position in its block."""
    side = 0 if board.turn == chess.WHITE else 1
    return node.layout.cell_of(side, squares_on(board, pieces_of(node.material)))


class PlacementMove(NamedTuple):
    """A reset from a node, and a placement that it leads to."""

    reset: Reset
    pawns: Squares
    table: str
    """The digest of the table that has the placement; empty without one."""
    child: Node
    """The node of that placement."""


MOST_PLACEMENTS: Final = 60_000
"""A position that leads to more is refused: each takes about 12 KiB, with its block."""


class PlacementMoves:
    """The moves from nodes, each listed once until `forget`: every way and question asks for them.

    Arguments:
        tables: Tell which moves lead to a table.
        budget: Pays for the listing.
    """

    def __init__(self, tables: OpenTables, budget: Budget | None = None) -> None:
        self._tables = tables
        self._budget = Budget() if budget is None else budget
        self._resets = dict[Material, Sequence[tuple[Reset, str, bool]]]()
        self._moves = dict[Node, Sequence[PlacementMove]]()

    def of(self, node: Node) -> Sequence[PlacementMove]:
        """All moves from a node; ClosureTooLargeError if listing them takes too much."""
        moves = self._moves.get(node)
        if moves is None:
            self._refuse_more(node.material)
            self._budget.pay(LISTING_SECONDS)
            moves = self._listed(node)
            self._moves[node] = moves
        return moves

    def _refuse_more(self, material: Material) -> None:
        """ClosureTooLargeError if no further placement may be listed."""
        if len(self._moves) >= MOST_PLACEMENTS:
            reason = f"it leads to more than {MOST_PLACEMENTS:,} placements of pawns"
            raise ClosureTooLargeError(str(material), reason)
        if self._budget.left <= 0:
            raise ClosureTooLargeError(str(material), self._budget.refusal)

    def forget(self) -> None:
        """Free the memory of all moves that are listed."""
        self._moves.clear()

    def _listed(self, node: Node) -> Sequence[PlacementMove]:
        moves = list[PlacementMove]()
        slots = slots_of(node.material)
        for reset, digest, has_pairs in self._resets_of(node):
            for pawns in _pawns_after(slots, node.pawns, reset):
                child = node_of(reset.material, pawns)
                table = digest
                if has_pairs and not digest:
                    table = self._tables.digest_of_pairs(*child)
                moves.append(PlacementMove(reset, pawns, table, child))
        return moves

    def _resets_of(self, node: Node) -> Sequence[tuple[Reset, str, bool]]:
        """The resets of a node's material, into the colours of a table where there is one.

        Each with the digest of that table, and whether a table of pairs has some placements.
        """
        material = node.material
        if material not in self._resets:
            known = list[tuple[Reset, str, bool]]()
            for reset in resets_of(node.layout, self._in_colours_of_table):
                digest = self._tables.digest(reset.material)
                known.append((reset, digest, self._has_pairs(reset.material)))
            self._resets[material] = known
        return self._resets[material]

    def _in_colours_of_table(self, material: Material) -> Material:
        return material.canonical() if self._tables.digest(material) else material

    def _has_pairs(self, material: Material) -> bool:
        """Whether there is a table of pairs of a material."""
        if any(Role.PAWN not in material.side(color) for color in Color):
            return False
        return bool(self._tables.digest(material.within(Scope.PAIRS)))


def _pawns_after(slots: Sequence[Slot], pawns: Squares, reset: Reset) -> Iterable[Squares]:
    """Where the pawns may stand after a reset, in the order of its material's slots."""
    kept = reset.slots[: reset.material.pawns]
    turn = reset.turn
    placements = dict[Squares, None]()  # each once, in order
    for moved in _moved_pawns(slots, pawns, reset):
        placements[tuple(moved[slot] ^ turn for slot in kept)] = None
    return placements


def _moved_pawns(slots: Sequence[Slot], pawns: Squares, reset: Reset) -> Iterator[Squares]:
    """The squares of the pawns by their slots before the reset.

    A pawn that is captured or promoted keeps its square.
    """
    if reset.promoted != NO_SLOT:
        color, _ = slots[reset.promoted]
        if chess.square_rank(pawns[reset.promoted]) == _last_but_one_rank(color):
            yield pawns
        return
    if reset.gone != NO_SLOT and _may_be_taken_by_piece(slots, pawns, reset.gone):
        yield pawns
    for pawn in range(len(pawns)):
        for target in _pawn_targets(slots, pawns, pawn, reset.gone):
            if chess.square_rank(target) not in (0, 7):
                yield (*pawns[:pawn], target, *pawns[pawn + 1 :])


def _last_but_one_rank(color: Color) -> int:
    """The rank from which a side's pawns promote."""
    return 6 if color is Color.WHITE else 1


def _may_be_taken_by_piece(slots: Sequence[Slot], pawns: Squares, gone: int) -> bool:
    """Whether a man that is no pawn may take the man in the slot `gone`.

    A king alone takes no pawn that another one protects. It may take the man that a pawn promotes
    to, which leaves the same placement as taking the pawn.
    """
    color, role = slots[gone]
    pieces = [taker for taker, kind in slots if taker is not color and kind is not Role.PAWN]
    if role is not Role.PAWN or len(pieces) > 1:
        return True
    if chess.square_rank(pawns[gone]) == _last_but_one_rank(color):
        return True
    # The squares from which a pawn of this side protects another are those that an enemy attacks.
    protectors = chess.SquareSet(chess.BB_PAWN_ATTACKS[color.other.chess][pawns[gone]])
    return not any(
        square in protectors
        for (protector, _), square in zip(slots, pawns, strict=False)
        if protector is color
    )


def _pawn_targets(slots: Sequence[Slot], pawns: Squares, pawn: int, gone: int) -> list[int]:
    """The squares where a pawn captures the man in the slot `gone`.

    If that is NO_SLOT, the squares to which it steps.
    """
    if gone == NO_SLOT:
        return _steps(slots, pawns, pawn)
    color, _ = slots[pawn]
    prey_color, _ = slots[gone]
    if prey_color is color:
        return []
    attacked = chess.SquareSet(chess.BB_PAWN_ATTACKS[color.chess][pawns[pawn]])
    if gone >= len(pawns):
        return [square for square in attacked if square not in pawns]
    passed = _passed_square(color, pawns, gone)
    return [square for square in attacked if square in (pawns[gone], passed)]


def _steps(slots: Sequence[Slot], pawns: Squares, pawn: int) -> list[int]:
    """The squares to which a pawn steps between the other pawns."""
    color, _ = slots[pawn]
    square = pawns[pawn]
    up = 8 if color is Color.WHITE else -8
    home_rank = 1 if color is Color.WHITE else 6
    if square + up in pawns:
        return []
    if chess.square_rank(square) != home_rank or square + 2 * up in pawns:
        return [square + up]
    return [square + up, square + 2 * up]


def _passed_square(color: Color, pawns: Squares, gone: int) -> int | None:
    """The square where a pawn of `color` takes the pawn `gone` en passant.

    None if that pawn cannot just have made a double step.
    """
    passed = pawns[gone] + (8 if color is Color.WHITE else -8)
    behind_double_step = 5 if color is Color.WHITE else 2
    if chess.square_rank(passed) != behind_double_step or passed in pawns:
        return None
    return passed
