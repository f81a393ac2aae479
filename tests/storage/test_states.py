from __future__ import annotations

import errno
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.errors import RepresentationError
from tbgen.material import table_named
from tbgen.storage import numbering as numbering_module
from tbgen.storage import symbols as symbols_module
from tbgen.storage.numbering import states_of
from tbgen.storage.order import order_of
from tbgen.storage.symbols import in_32_bits, symbols_of
from tbgen.table import Patterns, Table, often_first

NONE = np.zeros(0, np.uint8)
PATTERNS = Patterns(
    np.zeros(4, np.uint32), NONE, NONE, NONE.astype(np.int8), NONE.astype(np.uint16)
)


def table_of(seed: int, name: str = "KBvK") -> Table:
    """A table of made-up values, four in ten of its cells without a position."""
    draw = np.random.default_rng(seed)
    material = table_named(name)
    order = order_of(material)
    cells = order.layout.cells
    entry = draw.choice([-127, -8, 4, 127], cells).astype(np.int8) * (draw.random(cells) < 0.6)
    dtg = np.minimum(draw.geometric(0.3, cells), 60_000).astype(np.uint16)
    dtg[draw.integers(0, cells, 5)] = 65_535
    return Table(
        material,
        entry,
        dtg,
        draw.integers(0, 3, cells).astype(np.uint32),
        PATTERNS,
        {},
    )


@given(
    st.lists(
        st.integers(0, 3) | st.integers(0, 2**32 - 1) | st.integers(2**32 - 2, 2**40), max_size=50
    )
)
def test_what_occurs_most_often_comes_first_and_equal_things_as_they_are(often: list[int]) -> None:
    expected = sorted(range(len(often)), key=lambda n: -often[n])
    assert often_first(np.array(often, np.int64)).tolist() == expected


def test_numbers_that_a_file_has_no_bits_for_are_refused() -> None:
    assert in_32_bits(np.array([0, (1 << 32) - 1]), "states").tolist() == [0, (1 << 32) - 1]
    with pytest.raises(RepresentationError, match="the number of states does not fit the 32 bits"):
        in_32_bits(np.array([1 << 32, 0]), "states")


def test_a_full_disk_is_an_error() -> None:
    def full(size: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
        raise OSError(errno.ENOSPC, "no space left")

    with pytest.raises(OSError, match="no space left"):
        states_of(table_of(7), order_of(table_named("KBvK")), 2, full)


def test_more_states_than_can_have_numbers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    _, states, often = states_of(table_of(7), order_of(table_named("KBvK")), 1)
    monkeypatch.setattr(symbols_module, "_FIRST_SLOTS", 16)
    assert len(symbols_of(states, often, PATTERNS)[1]["symbols"]) == 4
    monkeypatch.setattr(numbering_module, "MOST_NUMBERS", 16)
    with pytest.raises(RepresentationError, match="the number of states does not fit the 32 bits"):
        states_of(table_of(7), order_of(table_named("KBvK")), 1)
