"""Shades: how many bishops of each side stand on light squares.

A bishop never leaves the squares of one colour. So a position with one bishop needs half of the
cells in its block, and a position with two of them a quarter or a half. The walk through placements
(`reach`) tells which shades a block needs.
"""

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Word
from tbgen.index.layout import Slot, slots_of
from tbgen.index.squares import LIGHT_BISHOP, is_light
from tbgen.material import Material
from tbgen.men import Role
from tbgen.score import Color


class Shade(NamedTuple):
    """How many bishops of each side stand on light squares."""

    white: int
    black: int

    def plus(self, color: Color, count: int) -> "Shade":
        """The same with so many more bishops of a side on light squares."""
        if color is Color.WHITE:
            return self._replace(white=self.white + count)
        return self._replace(black=self.black + count)


Shades = frozenset[Shade]
"""Those that a block needs, or those that are solved of it."""


class Bishops(NamedTuple):
    """How many bishops each side has."""

    white: int
    black: int


@lru_cache
def bishops_of(material: Material) -> Bishops:
    """The bishops of a material."""
    white, black = (slots_of(material).count((color, Role.BISHOP)) for color in Color)
    return Bishops(white, black)


@lru_cache
def every_shade(material: Material) -> Shades:
    """All shades that a material's bishops can have."""
    bishops = bishops_of(material)
    counts = itertools.product(range(bishops.white + 1), range(bishops.black + 1))
    return Shades(Shade(white, black) for white, black in counts)


def shade_on(slots: Sequence[Slot], squares: Sequence[int]) -> Shade:
    """The shade where the men of some slots stand on these squares."""
    shade = Shade(0, 0)
    for (color, role), square in zip(slots, squares, strict=True):
        if role is Role.BISHOP and is_light(square):
            shade = shade.plus(color, 1)
    return shade


def mirrored(shades: Shades, material: Material) -> Shades:
    """The shades of mirror images, in which light squares have become dark."""
    bishops = bishops_of(material)
    return Shades(
        Shade(bishops.white - shade.white, bishops.black - shade.black) for shade in shades
    )


def without_bishop(shades: Shades, material: Material, color: Color) -> Shades:
    """The shades after some bishop of a side has been taken."""
    bishops = bishops_of(material)[color]
    after = set[Shade]()
    for shade in shades:
        light = shade[color]
        if light < bishops:  # the one that is taken stands on a dark square
            after.add(shade)
        if light > 0:
            after.add(shade.plus(color, -1))
    return Shades(after)


def with_light_bishop(shades: Shades, color: Color) -> Shades:
    """The shades after a pawn of a side has become a bishop on a light square."""
    return Shades(shade.plus(color, 1) for shade in shades)


def share_of(shades: Shades, material: Material) -> float:
    """Which part of a block's cells has one of some shades."""
    bishops = bishops_of(material)
    part = 0
    for shade in shades:
        part += math.comb(bishops.white, shade.white) * math.comb(bishops.black, shade.black)
    return part / (1 << sum(bishops))


def least_share(material: Material) -> float:
    """The part of a block's cells that is needed at least: that of one shade."""
    return 1 / (1 << sum(bishops_of(material)))


def word_of(shades: Shades) -> Word:
    """The shades as the solver takes them: a bit for each, by its number.

    A side with eight bishops has too many cells for any solver.
    """
    white, black = LIGHT_BISHOP
    word = 0
    for shade in shades:
        word |= 1 << (white * shade.white + black * shade.black)
    return np.uint64(word)
