"""Groups of arrays: by their address a kernel reads what it reads of a named tuple that numba
passes by value.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from tbgen.compiled.arrays import Int, Ints, Words
from tbgen.compiled.jit import borrowing, by_address, inner, kernel


class FewByValue(NamedTuple):
    """What lies within another group."""

    bits: Words
    is_set: bool
    number: int


class ManyByValue(NamedTuple):
    """Arrays of several dimensions, numbers, and groups."""

    side: int
    first: Any
    cube: Any
    strided: Any
    factor: float
    second: Any


@by_address
class Few(FewByValue):
    """The same for a kernel that is given an address."""


@by_address
class Many(ManyByValue):
    """The same for a kernel that is given an address."""


def new_group(many: type = Many, few: type = Few) -> Any:
    cube = np.arange(60, dtype=np.int16).reshape(3, 4, 5)
    first, second = (few(np.arange(n, dtype=np.uint64) << np.uint64(60), n > 2, -n) for n in (2, 3))
    return many(7, first, cube, np.arange(48.0).reshape(6, 8)[1:, ::3], 0.25, second)


@inner
def weigh(few: Few, found: Ints) -> None:
    for n in range(len(few.bits)):
        found[0] += np.int64(few.bits[n] >> np.uint64(60)) + 100 * n
    found[0] += 10000 * few.is_set + 100000 * few.number


def describe(many: Many, chosen: Int, found: Ints) -> int:
    few = many.first if chosen == 0 else many.second
    weigh(few, found)
    cube = many.cube
    strided = many.strided
    found[1] = cube.shape[0]
    found[2] = cube.shape[1]
    found[3] = cube.shape[2]
    found[4] = cube.size
    found[5] = cube[1, 2, 3] + cube[-1, -1, -1]
    found[6] = cube[1].sum() + cube[:, 2].sum() + cube[:, 1:3, ::2].sum()
    found[7] = strided.shape[0]
    found[8] = strided.shape[1]
    found[9] = strided.size
    found[10] = np.int64(strided[2, 1] * 8 + strided[-1].sum() * many.factor)
    for each in (many.first, many.second):
        found[11] += each.number
    cube[0, 1, 2] = many.side
    many.second.bits[1:] = cube[0, 1, 2]
    return len(strided)


@pytest.mark.parametrize("decorator", [kernel, borrowing])
def test_a_kernel_reads_of_an_address_what_it_reads_of_a_value(decorator: Any) -> None:
    compiled = decorator(describe)
    for chosen in (0, 1):
        ours = new_group()
        theirs = new_group(ManyByValue, FewByValue)
        found = np.zeros(12, np.int64)
        wanted = np.zeros(12, np.int64)
        assert compiled(ours, chosen, found) == compiled(theirs, chosen, wanted) == 5
        assert found.tolist() == wanted.tolist()
        assert ours.cube[0, 1, 2] == theirs.cube[0, 1, 2] == 7
        assert ours.second.bits.tolist() == theirs.second.bits.tolist() == [0, 7, 7]
