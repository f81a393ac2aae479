"""Moves from placement to placement: captures, pawn moves and promotions.

A *reset* says which kind of move it is and which material it leads to, whatever the squares. Each
reset leads from a placement to a few others, if to any. Where a table has one of these, its digest
stands beside the move.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import chess

from tbgen.closures.costs import LISTING_SECONDS, Budget
from tbgen.closures.nodes import Node, PawnPlacement, node_of
from tbgen.errors import ClosureTooLargeError
from tbgen.index.layout import Slot, Squares, slots_of
from tbgen.index.resets import NO_SLOT, Reset, resets_of
from tbgen.material import Material, Scope
from tbgen.men import Role
from tbgen.probe.opened import OpenTables
from tbgen.score import Color


class PlacementMove(NamedTuple):
    """A reset from a placement, and a placement that it leads to."""

    reset: Reset
    pawns: Squares
    table: str
    """The digest of the table that has the placement; empty without one."""
    child: Node
    """The node of that placement."""
    is_in_pairs: bool
    """Whether the table is one of pairs."""

    @property
    def name_of_table(self) -> str:
        """The name of the table that has the placement."""
        material = self.reset.material
        return str(material.within(Scope.PAIRS) if self.is_in_pairs else material)

    @property
    def child_placement(self) -> PawnPlacement:
        """The placement that it leads to."""
        return PawnPlacement(self.reset.material, self.pawns)


class KnownReset(NamedTuple):
    """A reset, and the tables of the material that it leads to."""

    reset: Reset
    digest: str
    """The digest of the table; empty without one."""
    has_pairs: bool
    """Whether a table of pairs has some placements."""


MOST_PLACEMENTS: Final = 60_000
"""A position that leads to more is refused: each takes about 12 KiB, with its block."""


class PlacementMoves:
    """The moves from placements, each listed once: every way, question and walk asks for them.

    Arguments:
        tables: Tell which moves lead to a table.
        budget: Pays for the listing.
    """

    def __init__(self, tables: OpenTables, budget: Budget | None = None) -> None:
        self._tables = tables
        self._budget = Budget() if budget is None else budget
        self._resets = dict[Material, Sequence[KnownReset]]()
        self._moves = dict[PawnPlacement, Sequence[PlacementMove]]()

    def from_placement(self, placement: PawnPlacement) -> Sequence[PlacementMove]:
        """All moves from a placement; ClosureTooLargeError if listing them takes too much."""
        moves = self._moves.get(placement)
        if moves is None:
            self._refuse_more(placement.material)
            self._budget.pay(LISTING_SECONDS)
            moves = self._listed(placement)
            self._moves[placement] = moves
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

    def _listed(self, placement: PawnPlacement) -> Sequence[PlacementMove]:
        moves = list[PlacementMove]()
        slots = slots_of(placement.material)
        for reset, digest, has_pairs in self._resets_of(placement):
            for pawns in _pawns_after(slots, placement.pawns, reset):
                child = node_of(reset.material, pawns)
                table = digest
                if has_pairs and not digest:
                    table = self._tables.digest_of_pairs(*child)
                is_in_pairs = table != digest
                moves.append(PlacementMove(reset, pawns, table, child, is_in_pairs))
        return moves

    def _resets_of(self, placement: PawnPlacement) -> Sequence[KnownReset]:
        """The resets of a placement's material, into the colours of a table where there is one."""
        material = placement.material
        if material not in self._resets:
            known = list[KnownReset]()
            for reset in resets_of(placement.node.layout, self._in_colours_of_table):
                digest = self._tables.digest(reset.material)
                known.append(KnownReset(reset, digest, self._has_pairs(reset.material)))
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
