"""The sets of a middle of outcomes alone, after each accrued code: who is in it, who is not.

From code to code it only grows.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tbgen.material import table_named
from tbgen.retro import OUTCOMES
from tbgen.retro.outcomes.grower import Grower, Journal
from tbgen.retro.words.block import Block, BlockValues
from tests.retro.tables import solve, values

NOT_IN_IT = 255
"""In place of a goal: this one breaks no hold."""


def as_flags(words: np.ndarray) -> np.ndarray:
    """[cell] whether a set of words has it."""
    return np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool)


def goals_in(journal: Journal, goals: range, words: int) -> np.ndarray:
    """The goal of each cell of a journal.

    No cell is in it twice, and the words of a goal ascend.
    """
    goal_of = np.full(words * 64, NOT_IN_IT)
    for goal in goals:
        entries = slice(journal.first[goal], journal.first[goal + 1])
        assert all(first < second for first, second in pairwise(journal.word[entries]))
        members = np.zeros(words, np.uint64)
        members[journal.word[entries]] = journal.bits[entries]
        assert (goal_of[as_flags(members)] == NOT_IN_IT).all()
        goal_of[as_flags(members)] = goal
    return goal_of


class Watched:
    """Looks at the sets of a middle as soon as it is found."""

    def __init__(self) -> None:
        self.goals = dict[tuple[int, int], list[np.ndarray]]()
        """[forcer, side to move] -> the goals of its cells, code by code."""

    def search(
        self, block: Block, grower: Grower, other: Grower, values: BlockValues, code: int
    ) -> None:
        OUTCOMES.search(block, grower, other, values, code)
        if code == 0:
            return
        side = grower.side
        middle = grower.middle
        middle_code = code + 1
        in_question = range(middle_code, 255 - middle_code)
        journal = middle.odd if middle_code % 2 else middle.even
        both_sides = goals_in(journal, in_question, 2 * len(middle.never))
        for mover, goals in enumerate(np.split(both_sides, 2)):
            free = as_flags(grower.forced.free[mover])
            not_in_it = as_flags(middle.members.free[mover])
            assert (goals[free & ~not_in_it] < NOT_IN_IT).all()
            assert (goals[not_in_it] == NOT_IN_IT).all()
            codes = self.goals.setdefault((side, mover), [])
            if codes:
                before = codes[-1]
                still = free & (before >= in_question.start) & (before < in_question.stop)
                assert (goals[still] <= before[still]).all()
            codes.append(goals)
        own = self.goals[side, side][-1]
        never = as_flags(middle.never)
        assert (middle.never == middle.members.left).all()
        assert not (never & (own < NOT_IN_IT)).any()
        assert (never | (own < NOT_IN_IT))[as_flags(grower.forced.free[side])].all()
        assert not middle.pending.bits.any()
        assert not middle.joined.bits.any()


@pytest.mark.parametrize(
    "name", ["KNvK", "KBvK", "KQvK", pytest.param("KBvKN", marks=pytest.mark.slow)]
)
def test_a_middle_has_the_cells_that_joined_and_only_grows(name: str) -> None:
    watched = Watched()
    material = table_named(name)
    method = OUTCOMES._replace(search=watched.search)
    children = {child: values(str(child)) for child in material.children()}
    solve(material, children, threads=1, method=method)
    for codes in watched.goals.values():
        assert len(codes) > 2
    assert any((goals < NOT_IN_IT).any() for codes in watched.goals.values() for goals in codes)
