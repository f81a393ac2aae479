"""Arrays in files: what goes there first, and that a table is the same wherever they lie."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tbgen.index.layout import layout_of
from tbgen.library.mapped import MappedArrays
from tbgen.material import Material
from tbgen.retro import Grant, MemoryStore, solve_into
from tbgen.retro.drive.memory import levels_need, mates_need, steps_need
from tbgen.retro.drive.placement import COLDEST_FIRST, Placement, arrays_of, name_of, names_in_files
from tbgen.retro.levels.bucket_queue import new_bucket_queue
from tbgen.retro.words.block import new_block
from tbgen.retro.words.geometry import geometry_of
from tbgen.retro.words.worklist import new_worklist
from tests.retro.tables import solved, values
from tests.retro.test_solver import assert_same

NEEDED = {"rest": 5, "resets": 1, "values": 2, "histories": 4, "labels": 8}


@pytest.mark.parametrize(
    ("most", "in_files"),
    [
        (20, ()),
        (19, ("resets",)),
        (18, ("resets", "histories")),
        (15, ("resets", "histories")),
        (13, ("resets", "histories", "values")),
        (5, ("resets", "histories", "values", "labels")),
        (0, ("resets", "histories", "values", "labels")),
    ],
)
def test_what_is_touched_least_leaves_memory_first_until_the_rest_fits(most: int, in_files: tuple[str, ...]) -> None:
    assert names_in_files(NEEDED, most) == set(in_files)


def test_what_lies_in_files_stays_there() -> None:
    assert names_in_files(NEEDED, 20, {"labels"}) == {"labels"}
    assert names_in_files(NEEDED, 11, {"labels"}) == {"labels", "resets"}


def test_arrays_move_to_files_as_they_are(tmp_path: Path) -> None:
    placement = Placement(Grant(0, MappedArrays(tmp_path, 1 << 40), 0))
    worklist = new_worklist(64)
    worklist.bits[5] = 6
    assert placement.placed(worklist).bits is worklist.bits
    placement.plan({"worklists": 1})
    moved = placement.placed(worklist)
    assert moved.bits is not worklist.bits
    assert moved.marked is worklist.marked, "what does not grow with the block stays"
    np.testing.assert_array_equal(moved.bits, worklist.bits)
    assert placement.placed(moved).bits is moved.bits
    assert not placement.new(worklist).bits.any()


def test_an_array_keeps_its_shape_in_a_file(tmp_path: Path) -> None:
    placement = Placement(Grant(0, MappedArrays(tmp_path, 1 << 40), 0))
    placement.plan({"sets": 1, "codes": 1})
    block = new_block(geometry_of(layout_of(Material.parse("KvK"))))
    for group in (placement.placed(block), placement.new(block)):
        for (path, array), (same_path, same) in zip(arrays_of((), block), arrays_of((), group), strict=True):
            assert (path, array.shape, array.dtype) == (same_path, same.shape, same.dtype)
            assert (array is same) == (name_of(path) not in ("sets", "codes"))


def test_lists_lie_in_files_as_far_as_they_fill(tmp_path: Path) -> None:
    placement = Placement(Grant(0, MappedArrays(tmp_path, 1 << 40), 0))
    assert not placement.has_in_files("seeds")
    placement.plan({"seeds": 1})
    assert placement.has_in_files("seeds")
    queue = new_bucket_queue(9)
    there = placement.new_list("seeds", queue)
    assert [there.head is queue.head, there.bits is queue.bits, len(there.bits)] == [True, False, 9]


@pytest.mark.parametrize("name", ["KQvK", "KRvKB", "KPvKP"])
def test_every_array_that_grows_with_the_block_can_lie_in_a_file(name: str) -> None:
    geometry = geometry_of(layout_of(Material.parse(name)))
    for sizes in steps_need(geometry, 2).values():
        assert sizes.keys() <= {"rest", *COLDEST_FIRST}
    few, many = (mates_need(geometry._replace(words=words), 2)["rest"] for words in (1 << 14, 1 << 24))
    assert 8 * (many - few) < 17 * ((1 << 24) - (1 << 14)), "sixteen bitmaps of words, and of groups of them"


@pytest.mark.parametrize("name", ["KvK", "KNvK", "KQvK"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_table_is_the_same_wherever_its_arrays_lie(tmp_path: Path, name: str, threads: int) -> None:
    material = Material.parse(name)
    geometry = geometry_of(layout_of(material))
    children = {child: values(str(child)) for child in material.children()}
    mates, levels = mates_need(geometry, threads), levels_need(geometry, threads, 64 * geometry.words, 0)
    for most in (0, mates["rest"] + mates["sets"], levels["rest"] + levels["sets"] + levels["labels"]):
        with MappedArrays(tmp_path, 0) as files:
            found = solve_into(MemoryStore(), material, children, threads, grant=Grant(most, files, 0)).table()
        assert_same(found, solved(name))
