"""Materials of the reference: the men in the order of the name, and where a capture or promotion leads."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from .moves import BLACK, NO_MAN, NO_PROMOTION, OWN, PAWN, WHITE

LETTERS = ".PNBRQK" + "".join(reversed(OWN))
"""[role] -> its letter; those of men that are not of chess are counted from the end."""
ROLES = {letter: role for role in range(-len(OWN), 7) for letter in LETTERS[role]}

Squares = list[NDArray[np.int64]]


@dataclass(frozen=True)
class Material:
    """Men in the order written: White's, then Black's, as in "KBvKN"."""

    name: str

    @cached_property
    def roles(self) -> NDArray[np.int64]:
        """The role of each man."""
        return np.array([ROLES[letter] for letter in self.name.replace("v", "")], dtype=np.int64)

    @cached_property
    def colors(self) -> NDArray[np.int64]:
        """The colour of each man."""
        white, black = self.name.split("v")
        return np.array([WHITE] * len(white) + [BLACK] * len(black), dtype=np.int64)

    @cached_property
    def pawns(self) -> list[int]:
        """The men that are pawns."""
        return [int(man) for man in np.flatnonzero(self.roles == PAWN)]

    @property
    def men(self) -> int:
        """The number of men, kings included."""
        return len(self.roles)

    @property
    def shape(self) -> tuple[int, ...]:
        """The axes of a table: side to move, then the square of each man."""
        return (2, *[64] * self.men)

    def steps_left(self, placement: tuple[int, ...]) -> int:
        """How many single steps the pawns, one square each, can still make in all."""
        ranks = [square // 8 for square in placement]
        return sum(
            7 - rank if self.colors[pawn] == WHITE else rank
            for pawn, rank in zip(self.pawns, ranks, strict=True)
        )

    def placements(self) -> list[tuple[int, ...]]:
        """Every placement of the pawns, fewest steps left first: no pawn move leads to a later one."""
        squares = product(range(8, 56), repeat=len(self.pawns))
        return sorted(
            (each for each in squares if len(set(each)) == len(each)), key=self.steps_left
        )


@dataclass(frozen=True)
class Descent:
    """The way from a position of one material to that of another that a capture or promotion makes."""

    material: Material
    order: tuple[int, ...]  # for each man of the child, which man of the parent it is
    colors_swapped: bool

    def cells(self, side: NDArray[np.int64], squares: Squares) -> tuple[NDArray[np.int64], ...]:
        """The child's indices of positions given by the parent's side to move and squares."""
        if self.colors_swapped:
            return (1 - side, *[squares[man] ^ 56 for man in self.order])
        return (side, *[squares[man] for man in self.order])


def descent(parent: Material, captured: int, promoted: int, promotion: int) -> Descent:
    """Where the capture of one man and the promotion of another lead (either may be absent)."""
    roles = parent.roles.copy()
    if promotion != NO_PROMOTION:
        roles[promoted] = promotion
    men = [man for man in range(parent.men) if man != captured or captured == NO_MAN]
    sides = [
        sorted((man for man in men if parent.colors[man] == color), key=lambda man: -roles[man])
        for color in (WHITE, BLACK)
    ]
    strengths = [(len(side), [int(roles[man]) for man in side]) for side in sides]
    colors_swapped = strengths[BLACK] > strengths[WHITE]
    if colors_swapped:
        sides.reverse()
    name = "v".join("".join(LETTERS[roles[man]] for man in side) for side in sides)
    return Descent(Material(name), (*sides[0], *sides[1]), colors_swapped)


def material_of(name: str) -> Material:
    """The material of a name such as "KBvKN", each side's king first."""
    white, _, black = name.partition("v")
    for side in (white, black):
        if not side.startswith("K") or any(
            letter in ".K" or letter not in ROLES for letter in side[1:]
        ):
            raise ValueError(f"not a material: {name!r}")
    return Material(name)
