"""Material: which men stand on the board, and how one material leads to another."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NewType

from tbgen.betza import walks_from
from tbgen.errors import MaterialError, TooManyMenError, UsageError, expect
from tbgen.men import PROMOTIONS, AnyMan, Man, Role
from tbgen.score import Color

FEWEST_TABLE_MEN = 2
MOST_TABLE_MEN = 5
"""The most men of tables, kings included."""

MOST_BUILT_MEN = 6
"""The most men of a table if there are memory and disk for it."""

FEWEST_PAIRS_MEN = 4
MOST_PAIRS_MEN = 6
"""The most men of a table of pairs (see `Scope.PAIRS`)."""

_MOST_MEN_A_SIDE = 16
_MOST_PAWNS_A_SIDE = 8

MOST_TABLE_MOVES = 126
"""The most moves of a side in a table.

A code takes one byte, and is twice the moves and one; 255 stands for no code.
"""


class Scope(enum.Enum):
    """The placements of pawns that a table holds.

    A scope is closed: only a move that takes a man leads out of it, and always to a whole table.
    """

    ALL = ""
    """Every placement."""
    PAIRS = "pairs"
    """Placements with an opposed pair: a white pawn below a black one on the same file.

    Neither can step onto or past the other. So only a move that takes a man can part them.
    """

    # Each member equals itself alone. An enum's own hash takes a Python call for each material.
    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True)
class Material:
    """The men of both sides; `Material.parse` reads a name.

    Arguments:
        white: White's men in any order.
        black: Black's men in any order.
        scope: The placements of the pawns that a table of these men holds.

    Raises:
        UsageError: A man is neither a Role nor a Man.
        MaterialError: A side has not one king, or pawns stand beside men of your own, or a side
            has no pawn for a pair.

    >>> material = Material.parse("KRvKP")
    >>> material.men, material.pawns, str(material.flipped())
    (4, 1, 'KPvKR')
    >>> str(material.canonical()), [str(child) for child in Material.parse("KPvK").children()]
    ('KRvKP', ['KvK', 'KNvK', 'KBvK', 'KRvK', 'KQvK'])
    >>> str(Material(material.side(Color.BLACK), [Role.KING]))
    'KPvK'
    >>> [str(child) for child in Material.parse("KPPvKP.pairs").children()]
    ['KPvKP', 'KPPvK', 'KNPvKP.pairs', 'KBPvKP.pairs', 'KRPvKP.pairs', 'KQPvKP.pairs']
    """

    white: tuple[AnyMan, ...]
    """White's men, the king first, then the strongest first."""
    black: tuple[AnyMan, ...]
    """Black's men in the same order."""
    scope: Scope
    """The placements of the pawns that a table of these men holds."""

    def __init__(
        self, white: Iterable[AnyMan], black: Iterable[AnyMan], scope: Scope = Scope.ALL
    ) -> None:
        object.__setattr__(self, "white", _sorted_men(white, "white"))
        object.__setattr__(self, "black", _sorted_men(black, "black"))
        object.__setattr__(self, "scope", scope)
        if self.white.count(Role.KING) != 1 or self.black.count(Role.KING) != 1:
            raise MaterialError(str(self), "each side has exactly one king")
        if self.own and self.pawns:
            raise MaterialError(
                str(self),
                "pawns cannot stand beside men of your own: what they become is not known",
            )
        if scope is Scope.PAIRS and not self.may_have_pairs:
            raise MaterialError(str(self), "a pair takes a pawn of either side")

    @classmethod
    def parse(cls, text: str, own: Sequence[Man] = ()) -> Material:
        """The material that a text names.

        Arguments:
            text: White's men, a v, Black's men; upper or lower case, any order of men. Without a
                v, Black's begin with the second king. With ".pairs" behind them, the material of a
                table of pairs.
            own: Men of your own that the text may name.

        Returns:
            The material, with the colours of the text.

        Raises:
            MaterialError: The text names no material.

        >>> Material.parse("kvkb").canonical()
        Material.parse('KBvK')
        >>> Material.parse("knkb")
        Material.parse('KNvKB')
        >>> Material.parse("KRPvKRP.pairs").scope
        <Scope.PAIRS: 'pairs'>
        """
        men, dot, scope_name = expect(text, str, "material", "a text such as 'KBvK'").partition(".")
        if dot and scope_name != Scope.PAIRS.value:
            raise MaterialError(text, "only .pairs may stand behind the men")
        sides = _sides_in(men.upper())
        if len(sides) != 2 or not text.isascii():
            raise MaterialError(text, "write both sides' men with a v between them, such as KBvK")
        kinds: dict[str, AnyMan] = {role.letter: role for role in reversed(Role)}
        kinds.update((man.letter, man) for man in own)
        for letters in sides:
            strange = sorted(set(letters) - set(kinds))
            if strange:
                raise MaterialError(text, f"no man is called {strange[0]!r}; use {' '.join(kinds)}")
            if len(letters) > _MOST_MEN_A_SIDE or letters.count("P") > _MOST_PAWNS_A_SIDE:
                raise MaterialError(text, "a side has at most 16 men, 8 of them pawns")
        white, black = sides
        return cls(
            [kinds[letter] for letter in white],
            [kinds[letter] for letter in black],
            Scope(scope_name),
        )

    def __repr__(self) -> str:
        return f"Material.parse({str(self)!r})"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __str__(self) -> str:
        white = "".join(kind.letter for kind in self.white)
        black = "".join(kind.letter for kind in self.black)
        if self.scope is Scope.ALL:
            return f"{white}v{black}"
        return f"{white}v{black}.{self.scope.value}"

    def side(self, color: Color) -> tuple[AnyMan, ...]:
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
        return Material(self.black, self.white, self.scope)

    def within(self, scope: Scope) -> Material:
        """The material of a table of the same men.

        Arguments:
            scope: The placements of the pawns that the table holds.

        Returns:
            The same men with that scope.

        Raises:
            MaterialError: A side has no pawn for a pair.

        >>> Material.parse("KRPvKRP").within(Scope.PAIRS)
        Material.parse('KRPvKRP.pairs')
        """
        return Material(self.white, self.black, scope)

    def canonical(self) -> TableMaterial:
        """The material with the stronger side as White, as tables have it.

        Returns:
            The side with more men as White; with equal numbers, the side with the better first man
            that differs.
        """
        if self.is_canonical:
            return TableMaterial(self)
        return TableMaterial(self.flipped())

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
    def may_have_pairs(self) -> bool:
        """Whether both sides have a pawn."""
        return Role.PAWN in self.white and Role.PAWN in self.black

    def may_promote(self, color: Color) -> bool:
        """Whether a side may promote a pawn in a position of its scope.

        Arguments:
            color: The side.

        Returns:
            Whether it has a pawn; in a scope of pairs, one besides that of the pair.

        >>> [Material.parse("KPPvKP.pairs").may_promote(color) for color in Color]
        [True, False]
        """
        pawns = self.side(color).count(Role.PAWN)
        return pawns > (1 if self.scope is Scope.PAIRS else 0)

    @property
    def own(self) -> tuple[Man, ...]:
        """The men of your own, each kind once."""
        kinds = {kind for kind in (*self.white, *self.black) if isinstance(kind, Man)}
        return tuple(sorted(kinds, reverse=True))

    def children(self) -> list[TableMaterial]:
        """The materials that a capture, a promotion or a capture with promotion leads to.

        Returns:
            Canonical materials, in build order.
        """
        children = set[Material]()
        for mover in Color:
            prey = set(self.side(mover.other)) - {Role.KING}
            children.update(with_man(self, mover.other, kind) for kind in prey)
            if not self.may_promote(mover):
                continue
            for role in PROMOTIONS:
                promoted = with_man(self, mover, Role.PAWN, role)
                children.add(promoted)
                # No pawn stands where pawns promote.
                for kind in prey - {Role.PAWN}:
                    children.add(with_man(promoted, mover.other, kind))
        return sorted({material.canonical() for material in children}, key=build_key)


TableMaterial = NewType("TableMaterial", Material)
"""A material with the stronger side as White: the only ones that tables are of.

Whoever reads a table takes this type, so that nobody forgets the colours of a name.
`Material.canonical` makes it, `table_named` asks a user for it.
"""


def _sides_in(men: str) -> list[str]:
    """The men of both sides in capital letters; without a v, Black's begin with the last king."""
    if "V" in men or men.count("K") != 2:
        return men.split("V")
    black_king = men.rindex("K")
    return [men[:black_king], men[black_king:]]


def _sorted_men(men: Iterable[AnyMan], name: str) -> tuple[AnyMan, ...]:
    """A side's men, the strongest first; UsageError names the side if one is no man."""
    side = tuple(men)
    if not all(isinstance(kind, Role | Man) for kind in side):
        raise UsageError(f"{name} must be roles such as Role.KING, not {men!r}")
    return tuple(sorted(side, reverse=True))


def with_man(material: Material, color: Color, gone: AnyMan, *new: AnyMan) -> Material:
    """The material with another man in place of one of a side's, or with none after a capture.

    A capture leads to a whole table.

    >>> str(with_man(Material.parse("KRvKP"), Color.BLACK, Role.PAWN, Role.QUEEN))
    'KRvKQ'
    """
    men = [*material.side(color), *new]
    men.remove(gone)
    scope = material.scope if new else Scope.ALL
    if color is Color.WHITE:
        return Material(men, material.black, scope)
    return Material(material.white, men, scope)


def build_key(material: Material) -> tuple[int, int, tuple[AnyMan, ...], tuple[AnyMan, ...], str]:
    """A child has fewer men, or as many men and fewer pawns, so it sorts before its parents."""
    return material.men, material.pawns, material.white, material.black, material.scope.value


def materials(men: int, own: Sequence[Man] = ()) -> list[TableMaterial]:
    """All canonical materials with exactly `men` men, in build order.

    With men of your own, none has pawns.

    >>> [len(materials(men)) for men in (2, 3, 4, 5)]
    [1, 5, 30, 110]
    """
    kinds: Sequence[AnyMan] = (*PROMOTIONS, *own) if own else (*PROMOTIONS, Role.PAWN)
    canonical = set[TableMaterial]()
    for black_men in range(men // 2):
        for white in itertools.combinations_with_replacement(kinds, men - 2 - black_men):
            for black in itertools.combinations_with_replacement(kinds, black_men):
                canonical.add(Material((Role.KING, *white), (Role.KING, *black)).canonical())
    return sorted(canonical, key=build_key)


def pairs_materials(men: int) -> list[TableMaterial]:
    """The materials of all tables of pairs with exactly `men` men, in build order.

    >>> [len(pairs_materials(men)) for men in (4, 5, 6)]
    [1, 5, 30]
    """
    whole = [material for material in materials(men) if material.may_have_pairs]
    return [material.within(Scope.PAIRS).canonical() for material in whole]


def all_materials(own: Sequence[Man] = ()) -> list[TableMaterial]:
    """Every canonical material that there are tables for, in build order.

    >>> len(all_materials())
    146
    """
    every = list[TableMaterial]()
    for men in range(FEWEST_TABLE_MEN, MOST_TABLE_MEN + 1):
        every += materials(men, own)
    return every


def build_order(wanted: Iterable[Material]) -> list[TableMaterial]:
    """The wanted materials and all they lead to, canonical, every child before its parents."""
    reached = set[TableMaterial]()
    open_ends = [material.canonical() for material in wanted]
    while open_ends:
        material = open_ends.pop()
        if material not in reached:
            reached.add(material)
            open_ends.extend(material.children())
    return sorted(reached, key=build_key)


def most_useful_first(missing: Iterable[str]) -> list[str]:
    """Names of missing tables that promotions lead to: those with queens first, then the smallest.

    >>> most_useful_first(["KRBvKR", "KQPvKQ", "KQvKQ", "KQRvKR"])
    ['KQvKQ', 'KQPvKQ', 'KQRvKR', 'KRBvKR']
    """

    def use_of(name: str) -> tuple[int, int, list[int], str]:
        others = [-name.count(letter) for letter in "RBN"]
        return -name.count("Q"), len(name), others, name

    return sorted(missing, key=use_of)


def table_named(name: str | Material, own: Sequence[Man] = ()) -> TableMaterial:
    """The material of a table that is read as it is; MaterialError for exchanged colours.

    >>> table_named("KvKB")
    Traceback (most recent call last):
    tbgen.errors.MaterialError: unknown material 'KvKB': its table is KBvK, with the colours \
exchanged; name that
    """
    material = Material.parse(name, own) if isinstance(name, str) else name
    canonical = material.canonical()
    if material != canonical:
        raise MaterialError(
            str(name), f"its table is {canonical}, with the colours exchanged; name that"
        )
    return canonical


def table_material(
    text: str | Material, most: int = MOST_TABLE_MEN, own: Sequence[Man] = ()
) -> TableMaterial:
    """The canonical material of the table that answers for `text`, whichever side is White there.

    `most` is the most men of a whole table. Tables of pairs have a limit of their own.
    """
    named = Material.parse(text, own) if isinstance(text, str) else text
    material = named.canonical()
    most_of_scope = MOST_PAIRS_MEN if material.scope is Scope.PAIRS else most
    if material.men > most_of_scope:
        raise TooManyMenError(str(material), material.men, most_of_scope)
    for color in Color:
        moves = sum(_most_moves(kind) for kind in material.side(color))
        if moves > MOST_TABLE_MOVES:
            reason = f"{color} may have {moves} moves, and tables count up to {MOST_TABLE_MOVES}"
            raise MaterialError(str(material), reason)
    return material


@cache
def _most_moves(kind: AnyMan) -> int:
    """The moves of a man at most; a pawn's are three captures, each with four promotions."""
    if kind is Role.PAWN:
        return 3 * len(PROMOTIONS)
    return max(sum(map(len, walks_from(square, kind.rays))) for square in range(64))
