"""Single blocks against tables: every entry value, and every accrued score of every cell."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tbgen.index.layout import layout_of
from tbgen.material import Material
from tbgen.score import Color, Score
from tests.retro.single import known_blocks


def differences(name: str, numbers: list[int], scores: list[Score]) -> tuple[int, int]:
    """How many accrued scores of some blocks were compared, and how many values are wrong."""
    compared = 0
    wrong = 0
    for known in known_blocks(name, numbers):
        found = known.single.solve(known.tables, known.asked(scores))
        wrong += int((found.entry[known.cells] != known.entry[known.cells]).sum())
        wrong += int((found.answers != np.concatenate([*map(known.worth, scores)])).sum())
        compared += len(found.answers)
    return compared, wrong


SCORES = [
    Score(code, color) for code in (0, 1, 2, 3, 4, 5, 7, 8, 11, 16, 23, 40, 200) for color in Color
]


def test_every_accrued_score_of_some_blocks_is_worth_what_its_table_says() -> None:
    compared, wrong = differences("KPvK", [0, 9, 17, 23], SCORES)
    assert (wrong, compared > 400_000) == (0, True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KPvKP", "KRvKP", "KBvKP", "KNvKP", "KQvKP", "KPPvK"])
def test_every_accrued_score_of_four_men_is_worth_what_its_table_says(name: str) -> None:
    numbers = random.Random(name).sample(range(len(layout_of(Material.parse(name)).blocks)), 12)
    compared, wrong = differences(name, sorted(numbers), SCORES)
    assert (wrong, compared > 0) == (0, True)
