"""The fast solver and the reference, which share no code, agree on every pair."""

from __future__ import annotations

import pytest

from tbgen.material import Material, build_order
from tbgen.retro.solver import Solving, quiet
from tests import reference
from tests.retro.comparison import differences, en_passant_differences
from tests.retro.tables import solved, values


def assert_agreement(name: str) -> None:
    pairs, found = differences(Material.parse(name), solved(name), reference.solve(name))
    assert found == []
    assert pairs > 0


@pytest.mark.parametrize("name", [str(material) for material in build_order([Material.parse("KPvK")])])
def test_every_pair_of_two_and_three_men_agrees_with_the_reference(name: str) -> None:
    assert_agreement(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KBvKN", "KNNvK", "KPvKP", "KRvKP"])
def test_every_pair_of_four_men_agrees_with_the_reference(name: str) -> None:
    assert_agreement(name)


@pytest.mark.slow
def test_every_position_with_a_legal_en_passant_capture_agrees_with_the_reference() -> None:
    material = Material.parse("KPvKP")
    solving = Solving(material, {child: values(str(child)) for child in material.children()}, 2, quiet)
    solving.run()
    compared, found = en_passant_differences(solving, reference.solve("KPvKP"))
    assert found == []
    assert compared > 10_000
