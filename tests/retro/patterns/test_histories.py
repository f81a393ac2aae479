"""The interner of histories against a dictionary."""

from __future__ import annotations

from typing import Any

import numpy as np

from tbgen.compiled.arrays import Ints
from tbgen.compiled.jit import kernel
from tbgen.retro.patterns.histories import (
    FIRST_SLOTS,
    NODES,
    OVERFLOWED,
    SLOTS,
    Interner,
    intern,
    new_interner,
)

NONE = 0xFFFFFFFF


@kernel
def intern_all(interner: Any, before: Ints, event: Ints, nodes: Ints) -> None:
    for n in range(len(nodes)):
        nodes[n] = intern(interner, before[n], event[n])


def nodes_of(interner: Interner, before: Ints, event: Ints) -> list[int]:
    nodes = np.full(len(before), -1, np.int64)
    intern_all(interner, before, event, nodes)
    return nodes.tolist()


def pairs(wanted: int, most: int) -> tuple[Ints, Ints]:
    """Seeded pairs with many repetitions; events use all of their bits."""
    random = np.random.default_rng(5)
    return random.integers(0, most, wanted), random.integers(0, most, wanted) * 0x1_0003_0001


def expected_nodes(before: Ints, event: Ints) -> list[int]:
    """Numbers from 1 on in the order in which pairs are first seen."""
    known: dict[tuple[int, int], int] = {}
    rows = zip(before.tolist(), event.tolist(), strict=True)
    return [known.setdefault(row, len(known) + 1) for row in rows]


def test_numbers_stay_while_the_store_grows() -> None:
    before, event = pairs(60000, 200)
    interner = new_interner(1 << 16)
    assert nodes_of(interner, before, event) == expected_nodes(before, event)
    assert interner.state[NODES] > FIRST_SLOTS
    assert interner.state[SLOTS] > FIRST_SLOTS
    assert nodes_of(interner, before, event) == expected_nodes(before, event)
    assert interner.state[OVERFLOWED] == 0
