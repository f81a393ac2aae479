"""Material: which men stand on the board, and how one material leads to another.

>>> str(Material.parse("kvkb").canonical())
'KBvK'
>>> [str(child) for child in Material.parse("KPvK").children()]
['KvK', 'KNvK', 'KBvK', 'KRvK', 'KQvK']
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from tbgen.errors import MaterialError, TooManyMenError, UsageError, expect
from tbgen.score import Color

FEWEST_TABLE_MEN = 2
MOST_TABLE_MEN = 5
"""Tables are made for so many men, kings included."""

MOST_BUILT_MEN = 6
"""So many where there are memory and disk for it (record 282)."""

_MOST_MEN_A_SIDE = 16


class Role(enum.IntEnum):
    """A kind of man."""

    PAWN = 1
    KNIGHT = 2
    BISHOP = 3
    ROOK = 4
    QUEEN = 5
    KING = 6

    @property
    def letter(self) -> str:
        return " PNBRQK"[self]

    @classmethod
    def from_letter(cls, letter: str) -> Role:
        """The role of an English letter in either case; ValueError for any other text."""
        if len(letter) != 1:
            raise ValueError(f"not one letter: {letter!r}")
        return cls("PNBRQK".index(letter.upper()) + 1)


PROMOTIONS = (Role.QUEEN, Role.ROOK, Role.BISHOP, Role.KNIGHT)
_MEN = (*PROMOTIONS, Role.PAWN)


def _side(roles: Iterable[Role]) -> tuple[Role, ...]:
    return tuple(sorted(roles, reverse=True))


@dataclass(frozen=True, slots=True)
class Material:
    """The men of both sides, each side with its king first, then the strongest first.

    `Material.parse` reads a name, and `Material.of` takes roles in any order.

    >>> material = Material.parse("KRvKP")
    >>> material.men, material.pawns, str(material.flipped())
    (4, 1, 'KPvKR')
    >>> str(material.canonical()), [str(child) for child in Material.parse("KPvK").children()]
    ('KRvKP', ['KvK', 'KNvK', 'KBvK', 'KRvK', 'KQvK'])
    >>> str(material.without(Color.BLACK, Role.PAWN)), str(material.promoted(Color.BLACK, Role.QUEEN))
    ('KRvK', 'KRvKQ')
    >>> str(Material.of(material.side(Color.BLACK), [Role.KING]))
    'KPvK'
    """

    white: tuple[Role, ...]
    """White's men, the king first, then the strongest first."""
    black: tuple[Role, ...]
    """Black's men in the same order."""

    def __post_init__(self) -> None:
        for name, side in (("white", self.white), ("black", self.black)):
            if not all(isinstance(role, Role) for role in expect(side, tuple, name, "roles in a tuple")):
                raise UsageError(f"{name} must be roles such as Role.KING, not {side!r}")
            if side.count(Role.KING) != 1 or side != _side(side):
                raise ValueError(f"not one king followed by men, strongest first: {side}")

    @classmethod
    def of(cls, white: Iterable[Role], black: Iterable[Role]) -> Material:
        """The material of two sides.

        Arguments:
            white: White's men in any order.
            black: Black's men in any order.

        Returns:
            The material.
        """
        return cls(_side(white), _side(black))

    @classmethod
    def parse(cls, text: str) -> Material:
        """The material that a text names.

        Arguments:
            text: White's men, a v, Black's men; upper or lower case, any order of men.

        Returns:
            The material, with the colours of the text.

        Raises:
            MaterialError: The text names no material.

        >>> Material.parse("bkvk")
        Material.parse('KBvK')
        """
        sides = expect(text, str, "material", "a text such as 'KBvK'").upper().split("V")
        if len(sides) != 2 or not text.isascii():
            raise MaterialError(text, "write both sides' men with a v between them, such as KBvK")
        for letters in sides:
            strange = sorted(set(letters) - set("KQRBNP"))
            if strange:
                raise MaterialError(text, f"no man is called {strange[0]!r}; use K Q R B N P")
            if letters.count("K") != 1:
                raise MaterialError(text, "each side has exactly one king")
            if len(letters) > _MOST_MEN_A_SIDE or letters.count("P") > 8:
                raise MaterialError(text, "a side has at most 16 men, 8 of them pawns")
        white, black = ([Role.from_letter(letter) for letter in letters] for letters in sides)
        return cls.of(white, black)

    def __repr__(self) -> str:
        return f"Material.parse({str(self)!r})"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __str__(self) -> str:
        return "v".join("".join(role.letter for role in side) for side in (self.white, self.black))

    def side(self, color: Color) -> tuple[Role, ...]:
        """The men of a side.

        Arguments:
            color: The side.

        Returns:
            Its men, the king first, then the strongest first.
        """
        return self.white if color is Color.WHITE else self.black

    def flipped(self) -> Material:
        """The same men with the colours exchanged.

        Returns:
            The material of the colour-reversed position.
        """
        return Material(self.black, self.white)

    def canonical(self) -> Material:
        """The material with the stronger side as White, as tables have it.

        Returns:
            The side with more men as White; with equal numbers, the side with the better first man that differs.
        """
        return self if self.is_canonical else self.flipped()

    @property
    def is_canonical(self) -> bool:
        """Whether White is the stronger side."""
        return (len(self.white), self.white) >= (len(self.black), self.black)

    @property
    def men(self) -> int:
        """The number of men, kings included."""
        return len(self.white) + len(self.black)

    @property
    def pawns(self) -> int:
        """The number of pawns."""
        return self.white.count(Role.PAWN) + self.black.count(Role.PAWN)

    def without(self, color: Color, role: Role) -> Material:
        """The material after a capture.

        Arguments:
            color: The side that loses a man.
            role: The man.

        Returns:
            The remaining men.

        Raises:
            ValueError: The side has no such man, or it is a king.
        """
        if role is Role.KING:
            raise ValueError("a king is never captured")
        men = list(self.side(color))
        men.remove(role)
        return self._with_side(color, men)

    def promoted(self, color: Color, role: Role) -> Material:
        """The material after a promotion.

        Arguments:
            color: The side that promotes a pawn.
            role: The new man.

        Returns:
            The material with the new man in place of a pawn.

        Raises:
            ValueError: The side has no pawn, or no pawn becomes such a man.
        """
        if role not in PROMOTIONS:
            raise ValueError(f"a pawn does not become a {role.name.lower()}")
        men = list(self.side(color))
        men[men.index(Role.PAWN)] = role
        return self._with_side(color, men)

    def _with_side(self, color: Color, men: Iterable[Role]) -> Material:
        if color is Color.WHITE:
            return Material(_side(men), self.black)
        return Material(self.white, _side(men))

    def children(self) -> list[Material]:
        """The materials that a capture, a promotion or a capture with promotion leads to.

        Returns:
            Canonical materials, in build order.
        """
        found: set[Material] = set()
        for mover in Color:
            prey = set(self.side(mover.other)) - {Role.KING}
            found.update(self.without(mover.other, role) for role in prey)
            if Role.PAWN not in self.side(mover):
                continue
            for promotion in PROMOTIONS:
                promoted = self.promoted(mover, promotion)
                found.add(promoted)
                found.update(promoted.without(mover.other, role) for role in prey - {Role.PAWN})
        return sorted({material.canonical() for material in found}, key=_build_key)


def is_material(text: str) -> bool:
    """Whether a text names a material.

    >>> is_material("KBvK"), is_material("KvKvK")
    (True, False)
    """
    try:
        Material.parse(text)
    except MaterialError:
        return False
    return True


def _build_key(material: Material) -> tuple[int, int, tuple[Role, ...], tuple[Role, ...]]:
    """A child has fewer men, or as many men and fewer pawns, so it sorts before its parents."""
    return material.men, material.pawns, material.white, material.black


def materials(men: int) -> list[Material]:
    """All canonical materials with exactly `men` men, in build order.

    >>> [len(materials(men)) for men in (2, 3, 4, 5)]
    [1, 5, 30, 110]
    """
    found: set[Material] = set()
    for black_men in range(men // 2):
        for white in itertools.combinations_with_replacement(_MEN, men - 2 - black_men):
            for black in itertools.combinations_with_replacement(_MEN, black_men):
                found.add(Material.of((Role.KING, *white), (Role.KING, *black)).canonical())
    return sorted(found, key=_build_key)


def all_materials() -> list[Material]:
    """Every canonical material that there are tables for, in build order.

    >>> len(all_materials())
    146
    """
    return [material for men in range(FEWEST_TABLE_MEN, MOST_TABLE_MEN + 1) for material in materials(men)]


def build_order(wanted: Iterable[Material]) -> list[Material]:
    """The wanted materials and all they lead to, canonical, every child before its parents."""
    found: set[Material] = set()
    open_ends = [material.canonical() for material in wanted]
    while open_ends:
        material = open_ends.pop()
        if material not in found:
            found.add(material)
            open_ends.extend(material.children())
    return sorted(found, key=_build_key)


def table_material(text: str, most: int = MOST_TABLE_MEN) -> Material:
    """The canonical material of the table that `text` asks for, which has at most so many men."""
    material = Material.parse(text).canonical()
    if material.men > most:
        raise TooManyMenError(str(material), material.men, most)
    return material
