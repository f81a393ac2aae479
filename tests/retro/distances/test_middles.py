"""The sets of a middle of distances: their equations hold after every step."""

from __future__ import annotations

import numpy as np
import pytest

from tbgen.compiled.arrays import Ints
from tbgen.compiled.jit import borrowing
from tbgen.index.kernels import WORST_GOAL
from tbgen.material import table_named
from tbgen.retro import DISTANCES
from tbgen.retro.cells.freezing import FIRST_MIDDLE
from tbgen.retro.cells.worker import MEMO_LABEL, NO_MEMO
from tbgen.retro.distances.forcer import Forcer, end_code, next_step
from tbgen.retro.distances.labels import begin_first_code
from tbgen.retro.distances.middles import begin_next_code, find_step, update_step
from tbgen.retro.distances.one_code import push_frozen, spread_outcome
from tbgen.retro.distances.queues import PLIES
from tbgen.retro.patterns.packing import label_from
from tbgen.retro.words.block import Block, BlockValues
from tests.retro.tables import solve, values

FIRST_STEPS, LATER_STEPS, WRONG = range(3)


@borrowing
def look(forcer: Forcer, counts: Ints) -> None:
    """Count the words in which the sets break an equation."""
    middle = forcer.middle
    forced = forcer.forced
    for word in range(len(middle.out)):
        for side in range(2):
            unlabelled = middle.unlabelled[side, word]
            labelled = middle.labelled[side, word]
            fresh = middle.fresh[side, word]
            twice = (unlabelled & labelled) | (unlabelled & fresh) | (labelled & fresh)
            nowhere = forced.free[side, word] & ~(unlabelled | labelled | fresh)
            if twice or nowhere:
                counts[WRONG] += 1
            if side == forcer.side and middle.out[word] != forced.left[word] & ~(labelled | fresh):
                counts[WRONG] += 1


@borrowing
def search_and_look(
    block: Block, forcer: Forcer, _: Forcer, values: BlockValues, code: int, counts: Ints
) -> None:
    """`search_code`, with a look after every step of the middle."""
    push_frozen(block, forcer, values, code)
    spread_outcome(block, forcer, values, code)
    if code == 0:
        return
    forcer.state[MEMO_LABEL] = NO_MEMO
    middle_code = code + 1
    is_first = middle_code == FIRST_MIDDLE
    if is_first:
        begin_first_code(forcer)
    else:
        begin_next_code(block, forcer, middle_code)
    queue = forcer.seeds if is_first else forcer.middle.agenda
    joining = forcer.joining
    joining_next = forcer.joining_next
    for goal in range(middle_code, WORST_GOAL - middle_code):
        plies = next_step(forcer, queue, joining, goal, np.int64(0))
        while plies < PLIES:
            label = label_from(goal, plies)
            if is_first:
                find_step(block, forcer, joining, joining_next, label)
                counts[FIRST_STEPS] += 1
            else:
                update_step(block, forcer, joining, joining_next, label, middle_code)
                counts[LATER_STEPS] += 1
            look(forcer, counts)
            joining, joining_next = joining_next, joining
            plies = next_step(forcer, queue, joining, goal, plies + 1)
    end_code(forcer.middle)


@pytest.mark.parametrize("name", ["KNvK", "KBvK", pytest.param("KBvKN", marks=pytest.mark.slow)])
def test_each_cell_is_in_one_set_of_a_middle_after_every_step(name: str) -> None:
    counts = np.zeros(3, np.int64)
    material = table_named(name)

    def search(
        block: Block, forcer: Forcer, other: Forcer, block_values: BlockValues, code: int
    ) -> None:
        search_and_look(block, forcer, other, block_values, code, counts)

    children = {child: values(str(child)) for child in material.children()}
    method = DISTANCES._replace(search=search)
    solved = solve(material, children, threads=1, method=method)
    assert (solved.entry == values(name).entry).all()
    assert counts[FIRST_STEPS] > 0
    assert counts[LATER_STEPS] > 0
    assert counts[WRONG] == 0
