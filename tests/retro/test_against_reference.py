"""The fast solver and the reference, which share no code, agree on every pair."""

from __future__ import annotations

import pytest

from tbgen.material import Material, build_order
from tbgen.men import Man
from tbgen.table import Table
from tests import reference
from tests.own_men import MEN, material
from tests.retro.comparison import differences
from tests.retro.tables import solve_from_values, solved


def assert_agreement(table: Table, *, reduced: bool | None = None) -> None:
    pairs, found = differences(table, reference.solve(str(table.material), reduced=reduced))
    assert found == []
    assert pairs > 0


@pytest.mark.parametrize(
    "name", [str(material) for material in build_order([Material.parse("KPvK")])]
)
def test_every_pair_of_two_and_three_men_agrees_with_the_reference(name: str) -> None:
    assert_agreement(solved(name))


@pytest.mark.parametrize("letter", "GM")
def test_every_pair_of_a_man_of_ones_own_agrees_with_the_reference(letter: str) -> None:
    assert_agreement(solved(material(f"K{letter}vK")))


@pytest.mark.slow
@pytest.mark.parametrize("man", MEN, ids=lambda man: man.name)
def test_every_pair_of_fifteen_men_of_ones_own_agrees_with_the_reference(man: Man) -> None:
    assert_agreement(solved(material(f"K{man.letter}vK")))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KDMvK", "KFFvK", "KRvKM"])
def test_every_pair_of_four_men_with_ones_own_agrees_with_the_reference(name: str) -> None:
    assert_agreement(solved(material(name)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KNvK", "KQvK", "KPvK"])
def test_every_pair_agrees_with_a_reference_that_knows_no_symmetry(name: str) -> None:
    assert_agreement(solved(name), reduced=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KBvKN", "KNNvK", "KPvKP", "KRvKP", "KNvKP"])
def test_every_pair_of_four_men_agrees_with_the_reference(name: str) -> None:
    assert_agreement(solve_from_values(name))
