"""Material: which men stand on the board, and how one material leads to another."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from tbgen.errors import OWN_MEN, ManError, MaterialError, TooManyMenError, UsageError, expect
from tbgen.score import Color

FEWEST_TABLE_MEN = 2
MOST_TABLE_MEN = 5
"""The most men of tables, kings included."""

MOST_BUILT_MEN = 6
"""The most men of a table if there are memory and disk for it."""

_MOST_MEN_A_SIDE = 16

MOST_TABLE_MOVES = 127
"""The most moves of a side in a table: a code, twice the moves and one without check, fills a byte."""

MOST_RAYS = 16
"""A man goes in at most so many directions."""
_MOST_STEPS = 7
_LEAPS = ((file, rank) for rank in (1, 2, 3) for file in range(rank + 1))
_ATOMS: Final = dict(zip("WFDNAHLJG", _LEAPS, strict=True))
"""[letter of Betza's notation] -> one of a leaper's steps, by file and rank; a rider has the letter twice."""
_SUMS: Final = str.maketrans(
    {"Q": " WW FF ", "R": " WW ", "B": " FF ", "K": " W F ", "C": "L", "Z": "J"}
)
_MOVES: Final = ("", "", "N", "B", "R", "Q", "K")
_OWN_LETTERS: Final = "ACDEFGHIJLMOSTUWXYZ"

Walk = tuple[int, ...]
"""The squares that a man comes to one after another along a ray."""


class Role(enum.IntEnum):
    """A kind of man: one of chess, or a man of your own, whose number says how he moves.

    >>> commoner = Role.own("M=FW")
    >>> commoner.letter, commoner.moves, Role(int(commoner)) is commoner, Role.QUEEN.moves
    ('M', 'WF', True, 'Q')
    """

    PAWN = 1
    KNIGHT = 2
    BISHOP = 3
    ROOK = 4
    QUEEN = 5
    KING = 6

    @classmethod
    def _missing_(cls, value: object) -> Role | None:
        """A man of your own: below the pawn, by his letter, then by two bits for each of `_ATOMS`."""
        if not isinstance(value, int) or not 0 < -value >> 2 * len(_ATOMS) <= len(_OWN_LETTERS):
            return None
        role = cls._value2member_map_[value] = cls._made(value)
        return role

    @classmethod
    def _made(cls, number: int) -> Role:
        """A man of your own who is in no table of men yet."""
        role = int.__new__(cls, number)
        role._value_ = number
        role._name_ = f"{role.letter}={role.moves}"
        return role

    @classmethod
    def own(cls, text: str) -> Role:
        """A man of your own.

        Arguments:
            text: A letter, =, and the man's moves in Betza's notation: `M=WF`. A letter twice is a rider.

        Returns:
            The man.

        Raises:
            ManError: The text defines no man whom tables can have.
        """
        letter, _, moves = text.partition("=")
        if len(letter) != 1 or letter not in _OWN_LETTERS:
            raise ManError(
                text,
                f"write a letter, =, and his moves, such as M=WF; the letter is one of {_OWN_LETTERS}",
            )
        plain, bits = moves.translate(_SUMS), 0
        if strange := sorted({*moves} - {*_ATOMS, *map(chr, _SUMS)}):
            raise ManError(
                text,
                f"no move is called {strange[0]!r}; use {' '.join(_ATOMS)}, and Q R B K for sums",
            )
        if not moves:
            raise ManError(text, "he never moves; say how, such as M=WF")
        for n, atom in enumerate(_ATOMS):
            bits |= (2 if atom * 2 in plain else atom in plain) << 2 * n
        role = cls._made(-(_OWN_LETTERS.index(letter) + 1 << 2 * len(_ATOMS) | bits))
        if len(role.rays) > MOST_RAYS:
            raise ManError(
                text, f"he goes in {len(role.rays)} directions, and tables take at most {MOST_RAYS}"
            )
        for square in range(64):
            reached = [*itertools.chain(*role.walks(square))]
            if len(reached) > len(set(reached)):
                raise ManError(text, "he comes to one square in two ways; leave one of them out")
        return cls(role.value)

    @property
    def is_own(self) -> bool:
        """Whether it is no man of chess."""
        return self < Role.PAWN

    @property
    def is_bound(self) -> bool:
        """Whether the man never leaves the squares of one colour."""
        return bool(self.rays) and all((file + rank) % 2 == 0 for file, rank, _ in self.rays)

    @property
    def letter(self) -> str:
        return _OWN_LETTERS[(-self >> 2 * len(_ATOMS)) - 1] if self.is_own else " PNBRQK"[self]

    @property
    def moves(self) -> str:
        """The moves in Betza's notation; nothing for a pawn."""
        if not self.is_own:
            return _MOVES[self]
        moves = "".join(atom * (-self >> 2 * n & 3) for n, atom in enumerate(_ATOMS))
        return moves.replace("WWFF", "Q").replace("WW", "R").replace("FF", "B")

    @property
    def rays(self) -> list[tuple[int, int, int]]:
        """The directions in which the man goes: a step by file and rank, and how many of them in a row."""
        found, plain = list[tuple[int, int, int]](), self.moves.translate(_SUMS)
        for atom, (file, rank) in _ATOMS.items():
            starts, most = (
                [(file, rank), (rank, file)][: 2 if 0 < file < rank else 1],
                plain.count(atom),
            )
            for _ in range(4 if most else 0):
                found += [(*start, _MOST_STEPS if most > 1 else 1) for start in starts]
                starts = [(y, -x) for x, y in starts]
        return found

    def walks(self, square: int) -> list[Walk]:
        """The squares that the man comes to on an empty board, ray by ray."""
        file, rank = square % 8, square // 8
        rays = (
            [(file + n * right, rank + n * up) for n in range(1, most + 1)]
            for right, up, most in self.rays
        )
        return [tuple(8 * y + x for x, y in itertools.takewhile(_is_on_board, ray)) for ray in rays]


def _is_on_board(at: tuple[int, int]) -> bool:
    return 0 <= min(at) <= max(at) < 8


def own_men(texts: Iterable[str]) -> tuple[Role, ...]:
    """The men of your own that some texts define, in the order of their letters.

    >>> name_of_men(own_men(["M=WF", "D=DW"]))
    'D=WD,M=WF'
    """
    found = list[Role]()
    for text in texts:
        role = Role.own(text)
        for other in (*PROMOTIONS, *found):
            if role.letter == other.letter or role.rays == other.rays:
                raise ManError(
                    text,
                    f"{other.letter} is {other.moves} already; one letter a man, one man a letter",
                )
        found.append(role)
    return tuple(sorted(found, reverse=True))


def name_of_men(men: Iterable[Role]) -> str:
    """Men of your own as the folder of their tables is called."""
    return ",".join(role.name for role in men)


@lru_cache(maxsize=64)
def men_of_name(name: str) -> tuple[Role, ...]:
    """The men of your own in the tables of a folder of some name; none where it names none."""
    return own_men(name.split(",")) if OWN_MEN.fullmatch(name) else ()


PROMOTIONS = (Role.QUEEN, Role.ROOK, Role.BISHOP, Role.KNIGHT)
_MEN = (*PROMOTIONS, Role.PAWN)


@dataclass(frozen=True, slots=True)
class Material:
    """The men of both sides; `Material.parse` reads a name.

    Arguments:
        white: White's men in any order.
        black: Black's men in any order.

    Raises:
        UsageError: A man is no Role.
        MaterialError: A side has not one king, or pawns stand beside men of your own.

    >>> material = Material.parse("KRvKP")
    >>> material.men, material.pawns, str(material.flipped())
    (4, 1, 'KPvKR')
    >>> str(material.canonical()), [str(child) for child in Material.parse("KPvK").children()]
    ('KRvKP', ['KvK', 'KNvK', 'KBvK', 'KRvK', 'KQvK'])
    >>> str(Material(material.side(Color.BLACK), [Role.KING]))
    'KPvK'
    """

    white: tuple[Role, ...]
    """White's men, the king first, then the strongest first."""
    black: tuple[Role, ...]
    """Black's men in the same order."""

    def __init__(self, white: Iterable[Role], black: Iterable[Role]) -> None:
        for name, men in (("white", white), ("black", black)):
            side = tuple(sorted(men, reverse=True))
            if not all(isinstance(role, Role) for role in side):
                raise UsageError(f"{name} must be roles such as Role.KING, not {men!r}")
            object.__setattr__(self, name, side)
        if not self.white.count(Role.KING) == self.black.count(Role.KING) == 1:
            raise MaterialError(str(self), "each side has exactly one king")
        if self.own and self.pawns:
            raise MaterialError(
                str(self),
                "pawns cannot stand beside men of your own: what they become is not known",
            )

    @classmethod
    def parse(cls, text: str, own: Sequence[Role] = ()) -> Material:
        """The material that a text names.

        Arguments:
            text: White's men, a v, Black's men; upper or lower case, any order of men.
            own: Men of your own that the text may name.

        Returns:
            The material, with the colours of the text.

        Raises:
            MaterialError: The text names no material.

        >>> Material.parse("kvkb").canonical()
        Material.parse('KBvK')
        """
        sides = expect(text, str, "material", "a text such as 'KBvK'").upper().split("V")
        if len(sides) != 2 or not text.isascii():
            raise MaterialError(text, "write both sides' men with a v between them, such as KBvK")
        roles = {role.letter: role for role in (*reversed(Role), *own)}
        for letters in sides:
            strange = sorted(set(letters) - set(roles))
            if strange:
                raise MaterialError(text, f"no man is called {strange[0]!r}; use {' '.join(roles)}")
            if len(letters) > _MOST_MEN_A_SIDE or letters.count("P") > 8:
                raise MaterialError(text, "a side has at most 16 men, 8 of them pawns")
        return cls(*([roles[letter] for letter in letters] for letters in sides))

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

    @property
    def own(self) -> tuple[Role, ...]:
        """The men of your own, each kind once."""
        return tuple(
            sorted({role for role in (*self.white, *self.black) if role.is_own}, reverse=True)
        )

    def children(self) -> list[Material]:
        """The materials that a capture, a promotion or a capture with promotion leads to.

        Returns:
            Canonical materials, in build order.
        """
        found: set[Material] = set()
        for mover in Color:
            prey = set(self.side(mover.other)) - {Role.KING}
            new = PROMOTIONS if Role.PAWN in self.side(mover) else ()
            promoted = [with_man(self, mover, Role.PAWN, role) for role in new]
            found.update(promoted, (with_man(self, mover.other, role) for role in prey))
            found.update(
                with_man(each, mover.other, role)
                for each in promoted
                for role in prey - {Role.PAWN}
            )
        return sorted({material.canonical() for material in found}, key=build_key)


def with_man(material: Material, color: Color, gone: Role, *new: Role) -> Material:
    """The material with another man in place of one of a side's, or with none after a capture.

    >>> str(with_man(Material.parse("KRvKP"), Color.BLACK, Role.PAWN, Role.QUEEN))
    'KRvKQ'
    """
    men = [*material.side(color), *new]
    men.remove(gone)
    return Material(men, material.black) if color is Color.WHITE else Material(material.white, men)


def build_key(material: Material) -> tuple[int, int, tuple[Role, ...], tuple[Role, ...]]:
    """A child has fewer men, or as many men and fewer pawns, so it sorts before its parents."""
    return material.men, material.pawns, material.white, material.black


def materials(men: int, own: Sequence[Role] = ()) -> list[Material]:
    """All canonical materials with exactly `men` men, in build order; beside men of your own, those without pawns.

    >>> [len(materials(men)) for men in (2, 3, 4, 5)]
    [1, 5, 30, 110]
    """
    found, kinds = set[Material](), (*PROMOTIONS, *own) if own else _MEN
    for black_men in range(men // 2):
        for white in itertools.combinations_with_replacement(kinds, men - 2 - black_men):
            for black in itertools.combinations_with_replacement(kinds, black_men):
                found.add(Material((Role.KING, *white), (Role.KING, *black)).canonical())
    return sorted(found, key=build_key)


def all_materials(own: Sequence[Role] = ()) -> list[Material]:
    """Every canonical material that there are tables for, in build order.

    >>> len(all_materials())
    146
    """
    return [
        each for men in range(FEWEST_TABLE_MEN, MOST_TABLE_MEN + 1) for each in materials(men, own)
    ]


def build_order(wanted: Iterable[Material]) -> list[Material]:
    """The wanted materials and all they lead to, canonical, every child before its parents."""
    found: set[Material] = set()
    open_ends = [material.canonical() for material in wanted]
    while open_ends:
        material = open_ends.pop()
        if material not in found:
            found.add(material)
            open_ends.extend(material.children())
    return sorted(found, key=build_key)


def table_material(
    text: str | Material, most: int = MOST_TABLE_MEN, own: Sequence[Role] = ()
) -> Material:
    """The canonical material of the table that `text` asks for, which has at most so many men."""
    material = (Material.parse(text, own) if isinstance(text, str) else text).canonical()
    if material.men > most:
        raise TooManyMenError(str(material), material.men, most)
    for color in Color:
        moves = sum(_most_moves(role) for role in material.side(color))
        if moves > MOST_TABLE_MOVES:
            raise MaterialError(
                str(material),
                f"{color} may have {moves} moves, and tables count up to {MOST_TABLE_MOVES}",
            )
    return material


@cache
def _most_moves(role: Role) -> int:
    """The moves of a man at most; a pawn's are three captures, each with four promotions."""
    if role is Role.PAWN:
        return 3 * len(PROMOTIONS)
    return max(sum(len(walk) for walk in role.walks(square)) for square in range(64))
