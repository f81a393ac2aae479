"""The solver: a material's table from its children's.

Values do not depend on how the work is shared, nor on how often it was interrupted.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from tbgen.compiled.arrays import NewArray
from tbgen.index.layout import layout_of
from tbgen.material import Material, TableMaterial
from tbgen.retro.drive.many_blocks import ManyBlocks
from tbgen.retro.drive.methods import DISTANCES, Method
from tbgen.retro.drive.one_block import solve_one_block
from tbgen.retro.drive.runs import Solved, TableStore
from tbgen.retro.drive.task import Task
from tbgen.score import Mobility
from tbgen.system.watching import WatchTable, tell_nobody
from tbgen.table import Child


def solve_into(
    store: TableStore,
    material: TableMaterial,
    children: Mapping[Material, Child],
    threads: int = 2,
    progress: WatchTable = tell_nobody,
    mobility: Mobility = Mobility.RESET,
    new: NewArray = np.zeros,
    method: Method[Any] = DISTANCES,
) -> Solved:
    """Solve a canonical material whose children are solved; what its cells hold goes to the store.

    What is in the store already is believed. `new` makes the large arrays of a table of one block,
    and the rows of all patterns. The children are tables of the same mobility.
    """
    with ThreadPoolExecutor(threads) as pool:
        task = Task(
            layout_of(material), children, store, threads, pool, progress, new, mobility, method
        )
        if len(task.layout.blocks) > 1:
            ManyBlocks(task).solve()
        else:
            solve_one_block(task)
    with task.phase("patterns"):
        solved = Solved(material, store, mobility, new)
    solved.phase_seconds = task.phase_seconds
    return solved
