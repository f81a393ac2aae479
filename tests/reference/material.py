"""Materials of the reference: the men in the order of the name, and where resets lead."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from .moves import BLACK, NO_PROMOTION, OWN, PAWN, WHITE

LETTERS = ".PNBRQK" + "".join(reversed(OWN))
"""[role] -> its letter. Men that are not of chess have negative roles, counted from the end."""
ROLES = {letter: role for role in range(-len(OWN), 7) for letter in LETTERS[role]}

Squares = list[NDArray[np.int64]]
"""[man] -> its square in each of many positions."""


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
        steps = 0
        for pawn, square in zip(self.pawns, placement, strict=True):
            rank = square // 8
            steps += 7 - rank if self.colors[pawn] == WHITE else rank
        return steps

    def placements(self) -> list[tuple[int, ...]]:
        """Every placement of the pawns, fewest steps left first.

        Pawn moves lead to earlier ones.
        """
        placements = []
        for squares in product(range(8, 56), repeat=len(self.pawns)):
            stand_apart = len(set(squares)) == len(squares)
            if stand_apart:
                placements.append(squares)
        return sorted(placements, key=self.steps_left)


@dataclass(frozen=True)
class Descent:
    """The way from positions of one material to those that a capture or a promotion makes."""

    material: Material
    """The child's material."""
    order: tuple[int, ...]
    """[man of the child] -> which man of the parent it is"""
    colors_swapped: bool
    """Whether the child's White is the parent's Black, because that is the stronger side."""

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
    sides = []
    for color in (WHITE, BLACK):
        men = [man for man in np.flatnonzero(parent.colors == color).tolist() if man != captured]
        sides.append(sorted(men, key=lambda man: -roles[man]))
    strengths = [(len(men), roles[men].tolist()) for men in sides]
    colors_swapped = strengths[BLACK] > strengths[WHITE]
    if colors_swapped:
        sides.reverse()
    stronger, weaker = sides
    name = f"{letters_of(roles[stronger])}v{letters_of(roles[weaker])}"
    return Descent(Material(name), (*stronger, *weaker), colors_swapped)


def letters_of(roles: NDArray[np.int64]) -> str:
    return "".join(LETTERS[role] for role in roles)


def material_of(name: str) -> Material:
    """The material of a name such as "KBvKN", each side's king first."""
    white, _, black = name.partition("v")
    for side in (white, black):
        has_one_king = side.startswith("K") and "K" not in side[1:]
        is_known = all(letter in ROLES and letter != "." for letter in side)
        if not has_one_king or not is_known:
            raise ValueError(f"not a material: {name!r}")
    return Material(name)
