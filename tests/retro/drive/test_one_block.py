"""The two loops over the levels against each other: all threads step by step, and one kernel for one thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tbgen.index.layout import layout_of
from tbgen.material import Material
from tbgen.retro.drive.many_blocks import ManyBlocks
from tbgen.retro.drive.runs import MemoryStore, Solved
from tbgen.retro.drive.task import Task, quiet
from tbgen.table import Table
from tests.retro.tables import solve_from_values, values
from tests.retro.test_solver import assert_same


def solved_as_a_run_of_blocks(name: str) -> Table:
    """A table without pawns, solved in the way of those with pawns."""
    material, store = Material.parse(name), MemoryStore()
    children = {child: values(str(child)) for child in material.children()}
    with ThreadPoolExecutor(1) as pool:
        ManyBlocks(Task(layout_of(material), children, store, 1, pool, quiet)).solve()
    return Solved(material, store).table()


@pytest.mark.parametrize("name", ["KvK", "KNvK", "KQvK"])
def test_a_single_block_is_solved_alike_by_one_kernel_and_by_its_steps(name: str) -> None:
    assert_same(solved_as_a_run_of_blocks(name), solve_from_values(name, threads=2))
