"""Resets: which table each capture, pawn move and promotion leads to.

A *reset* says, for a man gone, a pawn promoted and its new role, which table the position falls
into and which of the men goes where in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from tbgen.index.layout import Layout, slots_of
from tbgen.index.placements import Slot
from tbgen.material import Material, Scope
from tbgen.men import PROMOTIONS, Role
from tbgen.score import Color

NO_SLOT = -1
"""In place of a slot, where nobody is captured, or nobody promotes."""

UPSIDE_DOWN = 56
"""square ^ UPSIDE_DOWN has the same file, and the rank as Black counts it."""


class Reset(NamedTuple):
    """What one reset leads to."""

    gone: int
    promoted: int
    role: Role
    """The new role; KING where none is promoted."""
    material: Material
    flip: bool
    slots: tuple[int, ...]
    """[slot there] -> slot here."""

    @property
    def turn(self) -> int:
        """A square there is square ^ turn: the board is upside down where colours change sides."""
        return UPSIDE_DOWN if self.flip else 0


def resets_of(
    layout: Layout, turned: Callable[[Material], Material] = Material.canonical
) -> list[Reset]:
    """Every reset there is; `turned` says which side is White in the table of a material."""
    resets = list[Reset]()
    for gone, promoted, role in _resets(layout):
        material, flip, slots = _destination(layout, gone, promoted, role, turned)
        resets.append(Reset(gone, promoted, role, material, flip, slots))
    return resets


def _resets(layout: Layout) -> Iterator[tuple[int, int, Role]]:
    """Every (gone slot, promoted slot, new role) there is; NO_SLOT for none, KING for no role."""
    men = [slot for slot, (_, role) in enumerate(layout.slots) if role is not Role.KING]
    yield NO_SLOT, NO_SLOT, Role.KING
    for gone in men:
        yield gone, NO_SLOT, Role.KING
    pieces = [slot for slot in men if slot >= layout.pawns]  # no pawn stands on a last rank
    for promoted in range(layout.pawns):
        color = layout.slots[promoted][0]
        if not layout.material.may_promote(color):
            continue
        prey = [slot for slot in pieces if layout.slots[slot][0] is not color]
        for gone in (NO_SLOT, *prey):
            for role in PROMOTIONS:
                yield gone, promoted, role


def _destination(
    layout: Layout, gone: int, promoted: int, role: Role, turned: Callable[[Material], Material]
) -> tuple[Material, bool, tuple[int, ...]]:
    """The table after a reset, whether colours change sides in it, its slots as slots here."""
    left = dict[int, Slot]()
    for slot, (color, was) in enumerate(layout.slots):
        if slot != gone:
            left[slot] = (color, role if slot == promoted else was)
    white = [kind for color, kind in left.values() if color is Color.WHITE]
    black = [kind for color, kind in left.values() if color is Color.BLACK]
    # What takes a man leads to a whole table.
    scope = layout.material.scope if gone == NO_SLOT else Scope.ALL
    material = Material(white, black, scope)
    there = turned(material)
    flip = there != material
    return there, flip, slots_there(left, there, flip=flip)


def slots_there(men: Mapping[int, Slot], there: Material, *, flip: bool) -> tuple[int, ...]:
    """[slot in the table of a material] -> slot of the man here; equal men stay in order.

    `men` are those that go there, by their slots here. With `flip`, colours change sides.
    """
    left = dict(men)
    slots = list[int]()
    for color, kind in slots_of(there):
        man = (color.other if flip else color, kind)
        slot = next(slot for slot in left if left[slot] == man)
        del left[slot]
        slots.append(slot)
    return tuple(slots)
