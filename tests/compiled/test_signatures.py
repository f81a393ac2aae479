"""Types of kernels' arguments as text, and back."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import pytest

from tbgen.compiled.groups import Groups, read, written
from tbgen.table import Cells


class Three(NamedTuple):
    """Fields of several types, or of one."""

    first: object
    second: object
    third: object


READ_ONLY = np.zeros((2, 3), np.uint8)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "int64"),
        (True, "bool"),
        (np.uint64(1), "uint64"),
        (np.zeros(3, np.int16), "int16[1C]"),
        (np.zeros((2, 3, 4), np.uint64)[:, ::2], "uint64[3A]"),
        (READ_ONLY, "uint8[2C]!"),
        ((1, np.zeros(1)), "(int64 float64[1C])"),
        (Three(1, 2, 3), "@tests.compiled.test_signatures:Three"),
        (Three(1, Three(1, 2.0, 3), np.zeros(2)), "@tests.compiled.test_signatures:Three#1"),
    ],
)
def test_a_type_is_read_as_it_was_written(value: object, text: str) -> None:
    groups: Groups = {}
    kind = numba.typeof(value)
    kinds = written(kind, groups)
    assert read(kinds, groups) == kind
    assert kinds.replace(__name__, "tests.compiled.test_signatures") == text


def test_a_group_that_has_other_fields_now_is_not_read() -> None:
    groups = {"@tbgen.table:Cells": ["int8[1C]"] * (len(Cells._fields) - 1)}
    with pytest.raises(ValueError, match=r"scripts/kernels\.py"):
        read("@tbgen.table:Cells", groups)
