"""The sets of a middle: a partition of the cells, after every step."""

from __future__ import annotations

import numpy as np
import pytest

from tbgen.compiled.arrays import Ints
from tbgen.compiled.jit import borrowing
from tbgen.index.kernels import WORST_GOAL
from tbgen.material import Material
from tbgen.retro import DISTANCES
from tbgen.retro.cells.freezing import FIRST_MIDDLE
from tbgen.retro.cells.worker import MEMO_LABEL, NO_MEMO
from tbgen.retro.distances.forcer import Forcer, end_code, next_step
from tbgen.retro.distances.middles import begin_first_code, begin_next_code, find_step, update_step
from tbgen.retro.distances.one_code import push_frozen, spread_outcome
from tbgen.retro.distances.queues import PLIES
from tbgen.retro.patterns.packing import label_from
from tbgen.retro.words.block import Block, BlockValues
from tests.retro.tables import solve, values

FIRST_STEPS, LATER_STEPS, WRONG = range(3)


@borrowing
def look(forcer: Forcer, found: Ints) -> None:
    """Count the words in which the sets are no partition."""
    middle, forced = forcer.middle, forcer.forced
    for word in range(len(middle.out)):
        for side in range(2):
            one, two, three = (
                middle.unlabelled[side, word],
                middle.labelled[side, word],
                middle.fresh[side, word],
            )
            found[WRONG] += ((one & two) | (one & three) | (two & three)) != 0
            found[WRONG] += (forced.free[side, word] & ~(one | two | three)) != 0
            if side == forcer.side:
                found[WRONG] += middle.out[word] != forced.left[word] & ~(two | three)


@borrowing
def search_and_look(
    block: Block, forcer: Forcer, _: Forcer, values: BlockValues, code: int, found: Ints
) -> None:
    """`search_code`, with a look after every step of the middle."""
    push_frozen(block, forcer, values, code)
    spread_outcome(block, forcer, values, code)
    if code == 0:
        return
    forcer.state[MEMO_LABEL], code, is_first = NO_MEMO, code + 1, code + 1 == FIRST_MIDDLE
    if is_first:
        begin_first_code(forcer)
    else:
        begin_next_code(block, forcer, code)
    queue = forcer.seeds if is_first else forcer.middle.agenda
    joining, joining_next = forcer.joining, forcer.joining_next
    for goal in range(code, WORST_GOAL - code):
        plies = next_step(forcer, queue, joining, goal, np.int64(0))
        while plies < PLIES:
            if is_first:
                find_step(block, forcer, joining, joining_next, label_from(goal, plies))
            else:
                update_step(block, forcer, joining, joining_next, label_from(goal, plies), code)
            found[FIRST_STEPS if is_first else LATER_STEPS] += 1
            look(forcer, found)
            joining, joining_next = joining_next, joining
            plies = next_step(forcer, queue, joining, goal, plies + 1)
    end_code(forcer.middle)


@pytest.mark.parametrize("name", ["KNvK", "KBvK", pytest.param("KBvKN", marks=pytest.mark.slow)])
def test_each_cell_is_in_one_set_of_a_middle_after_every_step(name: str) -> None:
    found, material = np.zeros(3, np.int64), Material.parse(name)
    method = DISTANCES._replace(search=lambda *some: search_and_look(*some, found))
    solved = solve(
        material,
        {child: values(str(child)) for child in material.children()},
        threads=1,
        method=method,
    )
    assert (solved.entry == values(name).entry).all()
    assert found[FIRST_STEPS] > 0
    assert found[LATER_STEPS] > 0
    assert found[WRONG] == 0
