"""The fast solver and the reference, which share no code, agree on every pair."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tbgen.index.layout import layout_of
from tbgen.material import Material, build_order
from tbgen.retro.drive.many_blocks import ManyBlocks
from tbgen.retro.drive.runs import MemoryStore
from tbgen.retro.drive.task import Task, quiet
from tbgen.table import Table
from tests import reference
from tests.retro.comparison import differences, en_passant_differences
from tests.retro.tables import solve_from_values, solved, values


def assert_agreement(table: Table, *, reduced: bool | None = None) -> None:
    pairs, found = differences(table, reference.solve(str(table.material), reduced=reduced))
    assert found == []
    assert pairs > 0


@pytest.mark.parametrize("name", [str(material) for material in build_order([Material.parse("KPvK")])])
def test_every_pair_of_two_and_three_men_agrees_with_the_reference(name: str) -> None:
    assert_agreement(solved(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KNvK", "KQvK", "KPvK"])
def test_every_pair_agrees_with_a_reference_that_knows_no_symmetry(name: str) -> None:
    assert_agreement(solved(name), reduced=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KBvKN", "KNNvK", "KPvKP", "KRvKP", "KNvKP"])
def test_every_pair_of_four_men_agrees_with_the_reference(name: str) -> None:
    assert_agreement(solve_from_values(name))


@pytest.mark.slow
def test_every_position_with_a_legal_en_passant_capture_agrees_with_the_reference() -> None:
    material = Material.parse("KPvKP")
    layout, children = layout_of(material), {child: values(str(child)) for child in material.children()}
    with ThreadPoolExecutor(2) as pool:
        many = ManyBlocks(Task(layout, children, MemoryStore(), 2, pool, quiet))
        many.solve()
    compared, found = en_passant_differences(layout, many.children.en_passant, reference.solve("KPvKP"))
    assert found == []
    assert compared > 10_000
