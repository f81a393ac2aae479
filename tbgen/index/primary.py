"""The primary cell of a position, in one text for plain Python and for kernels.

Plain Python passes lists, which it indexes in a third of the time of arrays. kernels.py compiles
the same function for arrays. Kernels cannot call plain functions, so it calls none, and its tables
are arguments and flat.
"""

from __future__ import annotations

from typing import TypeAlias

from tbgen.compiled.arrays import Int, Ints
from tbgen.index.squares import TRANSPOSE

IntRow: TypeAlias = list[int] | Ints
"""A list for plain Python, an array for kernels."""


def turn_to_primary(
    squares: IntRow,
    images: IntRow,
    twin_start: IntRow,
    king: Int,
    end: Int,
    how: Int,
    turns: IntRow,
    symmetry: IntRow,
) -> None:
    """Turn the board so that a position has its primary cell; equal men get into order.

    `squares` are those of the slots up to `end`, of which `king` is the white king's; pawns stay.
    `images` is room for as many. `how` is that of the pawns' address. `turns` and `symmetry` are
    TURNS and SYMMETRY, row by row.
    """
    turn = turns[64 * how + squares[king]]
    for slot in range(king, end):
        image = symmetry[64 * turn + squares[slot]]
        at = slot
        while at > twin_start[slot] and squares[at - 1] > image:
            squares[at] = squares[at - 1]
            at -= 1
        squares[at] = image
    if king > 0 or squares[king] % 9 > 0:
        return
    # Without pawns and with the white king on the long diagonal, the lesser of both images counts.
    for slot in range(1, end):
        image = symmetry[64 * TRANSPOSE + squares[slot]]
        at = slot
        while at > twin_start[slot] and images[at - 1] > image:
            images[at] = images[at - 1]
            at -= 1
        images[at] = image
    is_less = False
    for slot in range(1, end):
        if images[slot] != squares[slot]:
            is_less = bool(images[slot] < squares[slot])
            break
    if is_less:
        for slot in range(1, end):
            squares[slot] = images[slot]
