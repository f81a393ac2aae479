"""Arrays in files: what goes there first, and that a table is the same wherever they lie."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tbgen.index.layout import layout_of
from tbgen.mapped import MappedArrays
from tbgen.material import Material
from tbgen.retro import Grant, MemoryStore, solve_into
from tbgen.retro.drive.memory import levels_need, mates_need
from tbgen.retro.drive.placement import Placement, names_in_files
from tbgen.retro.words.geometry import geometry_of
from tests.retro.tables import solved, values
from tests.retro.test_solver import assert_same

NEEDED = {"rest": 5, "resets": 1, "values": 2, "histories": 4, "labels": 8}


@pytest.mark.parametrize(
    ("most", "in_files"),
    [
        (20, ()),
        (19, ("resets",)),
        (17, ("resets", "values")),
        (13, ("resets", "values", "histories")),
        (5, ("resets", "values", "histories", "labels")),
        (0, ("resets", "values", "histories", "labels")),
    ],
)
def test_what_is_touched_least_leaves_memory_first_until_the_rest_fits(most: int, in_files: tuple[str, ...]) -> None:
    assert names_in_files(NEEDED, most) == set(in_files)


def test_what_lies_in_files_stays_there() -> None:
    assert names_in_files(NEEDED, 20, {"labels"}) == {"labels"}
    assert names_in_files(NEEDED, 11, {"labels"}) == {"labels", "resets"}


def test_an_array_moves_to_a_file_as_it_is(tmp_path: Path) -> None:
    placement = Placement(Grant(6, MappedArrays(tmp_path, 1 << 40)))
    array = np.arange(12, dtype=np.uint16).reshape(3, 4)
    assert placement.placed("resets", array) is array
    placement.plan(NEEDED)
    moved = placement.placed("resets", array)
    assert moved is not array
    np.testing.assert_array_equal(moved, array)
    assert placement.placed("resets", moved) is moved


@pytest.mark.parametrize("name", ["KvK", "KNvK", "KQvK"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_table_is_the_same_wherever_its_arrays_lie(tmp_path: Path, name: str, threads: int) -> None:
    material = Material.parse(name)
    geometry = geometry_of(layout_of(material))
    children = {child: values(str(child)) for child in material.children()}
    mates, levels = mates_need(geometry), levels_need(geometry, 64 * geometry.words, 0)
    for most in (0, mates["rest"], levels["rest"] + levels["labels"]):
        with MappedArrays(tmp_path, 0) as files:
            found = solve_into(MemoryStore(), material, children, threads, grant=Grant(most, files)).table()
        assert_same(found, solved(name))
