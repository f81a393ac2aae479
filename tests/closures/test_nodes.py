"""Nodes: placements of the pawns of a position."""

from tbgen.closures.placements import node_of
from tbgen.material import Material


def test_a_node_makes_its_layout_once() -> None:
    """With four pawns it takes two milliseconds, and each move of a position asks for it."""
    material = Material.parse("KRPPvKRPP")
    pawns = [8, 9, 48, 49]
    assert node_of(material, pawns).layout is node_of(material, pawns).layout
    assert node_of(material, [8, 10, 48, 49]).layout is not node_of(material, pawns).layout
