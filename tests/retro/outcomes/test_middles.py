"""The sets of a middle of outcomes alone, after each accrued code: who is in it, who is not, and that it only grows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tbgen.material import Material
from tbgen.retro import OUTCOMES
from tbgen.retro.outcomes.grower import Grower, Journal
from tbgen.retro.words.block import Block, BlockValues
from tests.retro.tables import solve, values

NOT_IN_IT = 255


class Watched:
    """Looks at the sets of a middle as soon as it is found."""

    def __init__(self) -> None:
        self.goals: dict[tuple[int, int], list[np.ndarray]] = {}

    def search(
        self, block: Block, grower: Grower, other: Grower, values: BlockValues, code: int
    ) -> None:
        OUTCOMES.search(block, grower, other, values, code)
        if code == 0:
            return
        side, middle, at = grower.side, grower.middle, code + 1
        in_it = goals_in(
            middle.odd if at & 1 else middle.even, range(at, 255 - at), 2 * len(middle.never)
        )
        for mover, goals in enumerate(np.split(in_it, 2)):
            free = as_flags(grower.forced.free[mover])
            assert (goals[free & ~as_flags(middle.members.free[mover])] < NOT_IN_IT).all()
            assert (goals[as_flags(middle.members.free[mover])] == NOT_IN_IT).all()
            for before in self.goals.setdefault((side, mover), [])[-1:]:
                still = free & (before >= at) & (before < 255 - at)
                assert (goals[still] <= before[still]).all()
            self.goals[side, mover].append(goals)
        assert (middle.never == middle.members.left).all()
        outside, free = as_flags(middle.never), as_flags(grower.forced.free[side])
        assert not (outside & (self.goals[side, side][-1] < NOT_IN_IT)).any()
        assert (outside | (self.goals[side, side][-1] < NOT_IN_IT))[free].all()
        assert not middle.pending.bits.any()
        assert not middle.joined.bits.any()


def as_flags(words: np.ndarray) -> np.ndarray:
    return np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool)


def goals_in(journal: Journal, goals: range, words: int) -> np.ndarray:
    """The goal of each cell of a journal; no cell is in it twice, and the words of a goal ascend."""
    found = np.full(words * 64, NOT_IN_IT)
    for goal in goals:
        here = slice(journal.first[goal], journal.first[goal + 1])
        assert all(first < second for first, second in pairwise(journal.word[here]))
        members = np.zeros(words, np.uint64)
        members[journal.word[here]] = journal.bits[here]
        assert (found[as_flags(members)] == NOT_IN_IT).all()
        found[as_flags(members)] = goal
    return found


@pytest.mark.parametrize(
    "name", ["KNvK", "KBvK", "KQvK", pytest.param("KBvKN", marks=pytest.mark.slow)]
)
def test_a_middle_has_the_cells_that_joined_and_only_grows(name: str) -> None:
    watched, material = Watched(), Material.parse(name)
    method = OUTCOMES._replace(search=watched.search)
    solve(
        material,
        {child: values(str(child)) for child in material.children()},
        threads=1,
        method=method,
    )
    assert all(len(each) > 2 for each in watched.goals.values())
    assert any((goals < NOT_IN_IT).any() for each in watched.goals.values() for goals in each)
