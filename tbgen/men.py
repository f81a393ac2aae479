"""Men: the six of chess, and men of your own."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, total_ordering
from typing import Final

from tbgen.betza import LEAPS, LETTERS, Ray, moves_of, rays_in, walks_from
from tbgen.errors import OWN_MEN, UsageError

MOST_RAYS = 16
"""A man goes in at most so many directions."""

_OWN_LETTERS: Final = "ACDEFGHIJLMOSTUWXYZ"


class Role(enum.IntEnum):
    """A kind of man in chess.

    >>> Role.QUEEN.letter, len(Role.QUEEN.rays), Role.PAWN.rays
    ('Q', 8, ())
    """

    PAWN = 1
    KNIGHT = 2
    BISHOP = 3
    ROOK = 4
    QUEEN = 5
    KING = 6

    @property
    def letter(self) -> str:
        """The letter in a FEN, and in the name of a material."""
        return "PNBRQK"[self - 1]

    @property
    def rays(self) -> tuple[Ray, ...]:
        """The directions in which the man goes; none for a pawn."""
        return _RAYS[self]


_RAYS: Final = {
    Role.PAWN: (),
    Role.KNIGHT: rays_in("N"),
    Role.BISHOP: rays_in("B"),
    Role.ROOK: rays_in("R"),
    Role.QUEEN: rays_in("Q"),
    Role.KING: rays_in("K"),
}


PROMOTIONS = (Role.QUEEN, Role.ROOK, Role.BISHOP, Role.KNIGHT)


@total_ordering
@dataclass(frozen=True)
class Man:
    """A man of your own: his letter, and the directions in which he goes.

    In names he stands behind the men of chess, A before Z.

    >>> commoner = Man.parse("M=FW")
    >>> commoner.name, commoner < Role.PAWN, commoner == Man("M", rays_in("K"))
    ('M=WF', True, True)
    """

    letter: str
    rays: tuple[Ray, ...]

    @classmethod
    def parse(cls, text: str) -> Man:
        """A man of your own.

        Arguments:
            text: A letter, =, and the man's moves in Betza's notation: `M=WF`. A letter twice is a
                rider.

        Returns:
            The man.

        Raises:
            UsageError: The text defines no man whom tables can have.
        """
        letter, _, moves = text.partition("=")
        if len(letter) != 1 or letter not in _OWN_LETTERS:
            reason = "write a letter, =, and his moves, such as M=WF; the letter is one of"
            raise _bad_man(text, f"{reason} {_OWN_LETTERS}")
        strange = sorted(set(moves) - LETTERS)
        if strange:
            raise _bad_man(
                text,
                f"no move is called {strange[0]!r}; use {' '.join(LEAPS)}, and Q R B K for sums",
            )
        if not moves:
            raise _bad_man(text, "he never moves; say how, such as M=WF")
        man = cls(letter, rays_in(moves))
        if len(man.rays) > MOST_RAYS:
            raise _bad_man(
                text, f"he goes in {len(man.rays)} directions, and tables take at most {MOST_RAYS}"
            )
        for square in range(64):
            reached = [to for walk in walks_from(square, man.rays) for to in walk]
            if len(reached) > len(set(reached)):
                raise _bad_man(text, "he comes to one square in two ways; leave one of them out")
        return man

    @property
    def moves(self) -> str:
        """The moves in Betza's notation."""
        return moves_of(self.rays)

    @property
    def name(self) -> str:
        """The definition, as `parse` reads it."""
        return f"{self.letter}={self.moves}"

    def __lt__(self, other: object) -> bool:
        if isinstance(other, Role):
            return True
        if isinstance(other, Man):
            return (self.letter, self.rays) > (other.letter, other.rays)
        return NotImplemented


def _bad_man(text: str, reason: str) -> UsageError:
    return UsageError(f"bad man {text!r}: {reason}")


AnyMan = Role | Man
"""A kind of man, of chess or of your own."""


def number_of(kind: AnyMan) -> int:
    """The number of a man of chess, for python-chess and for kernels.

    ValueError for another man.
    """
    if isinstance(kind, Man):
        raise ValueError(f"{kind.name} is no man of chess")
    return int(kind)


def is_bound(kind: AnyMan) -> bool:
    """Whether a man never leaves the squares of one colour."""
    return bool(kind.rays) and all((ray.right + ray.up) % 2 == 0 for ray in kind.rays)


def own_men(texts: Iterable[str]) -> tuple[Man, ...]:
    """The men of your own that some texts define, in the order of their letters.

    >>> name_of_men(own_men(["M=WF", "D=DW"]))
    'D=WD,M=WF'
    """
    men = list[Man]()
    for text in texts:
        man = Man.parse(text)
        others: list[AnyMan] = [*PROMOTIONS, *men]
        for other in others:
            if man.letter == other.letter or man.rays == other.rays:
                raise _bad_man(
                    text,
                    f"{other.letter} is {moves_of(other.rays)} already; "
                    "one letter a man, one man a letter",
                )
        men.append(man)
    return tuple(sorted(men, reverse=True))


def name_of_men(men: Iterable[Man]) -> str:
    """Men of your own as the folder of their tables is called."""
    return ",".join(man.name for man in men)


@lru_cache(maxsize=64)
def men_of_name(name: str) -> tuple[Man, ...]:
    """The men of your own in the tables of a folder of some name; none where it names none."""
    if OWN_MEN.fullmatch(name):
        return own_men(name.split(","))
    return ()
