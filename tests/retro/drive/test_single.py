"""Blocks that keep no histories, each solved alone, against tables: every entry value."""

from __future__ import annotations

import random

import pytest

from tbgen.index.layout import layout_of
from tbgen.material import table_named
from tests.retro.single import known_blocks


def differences(name: str, numbers: list[int]) -> tuple[int, int]:
    """How many cells of some blocks were compared, and how many values are wrong."""
    compared = 0
    wrong = 0
    for known in known_blocks(name, numbers):
        found = known.outcomes()
        wrong += int((found.entry[known.cells] != known.entry[known.cells]).sum())
        compared += len(known.cells)
    return compared, wrong


def test_every_entry_value_of_some_blocks_is_that_of_its_table() -> None:
    compared, wrong = differences("KPvK", [0, 9, 17, 23])
    assert (wrong, compared > 4 * 5_000) == (0, True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KPvKP", "KRvKP", "KBvKP", "KNvKP", "KQvKP", "KPPvK"])
def test_every_entry_value_of_four_men_is_that_of_its_table(name: str) -> None:
    numbers = random.Random(name).sample(range(len(layout_of(table_named(name)).blocks)), 12)
    compared, wrong = differences(name, sorted(numbers))
    assert (wrong, compared > 0) == (0, True)
