from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given

from tbgen.errors import MaterialError, TooManyMenError
from tbgen.material import (
    MOST_TABLE_MOVES,
    Material,
    all_materials,
    build_order,
    materials,
    table_material,
    with_man,
)
from tbgen.men import Role, men_of_name, name_of_men, own_men
from tbgen.retro.words.block import NO_CODE
from tbgen.score import Color, code_of
from tbgen.verify.moves import NO_POSITION
from tests import strategies
from tests.project import golden_rows


@pytest.mark.parametrize(
    ("text", "written", "canonical"),
    [
        ("KBvK", "KBvK", "KBvK"),
        ("KvKB", "KvKB", "KBvK"),
        ("kvkb", "KvKB", "KBvK"),
        ("bkvk", "KBvK", "KBvK"),
        ("KPvKR", "KPvKR", "KRvKP"),
        ("KNvKB", "KNvKB", "KBvKN"),
        ("KQvKPP", "KQvKPP", "KPPvKQ"),
        ("KVK", "KvK", "KvK"),
        ("knkb", "KNvKB", "KBvKN"),
        ("KQK", "KQvK", "KQvK"),
        ("knbvkrpq", "KBNvKQRP", "KQRPvKBN"),
    ],
)
def test_names_are_read_in_any_order_and_case(text: str, written: str, canonical: str) -> None:
    assert str(Material.parse(text)) == written
    assert str(Material.parse(text).canonical()) == canonical


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "v between"),
        ("KBB", "v between"),
        ("KvKvK", "v between"),
        ("KXvK", "'X'"),
        ("vK", "one king"),
        ("KKvK", "one king"),
        ("KvB", "one king"),
        ("K vK", "' '"),
        ("KPPPPPPPPPvK", "8 of them pawns"),
        ("KQQQQQQQQQQQQQQQQvK", "16 men"),
        ("ſvK", "v between"),
    ],
)
def test_what_is_no_material_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(MaterialError, match=reason) as caught:
        Material.parse(text)
    assert caught.value.text == text


@given(strategies.materials)
def test_a_printed_material_is_read_back(material: Material) -> None:
    assert Material.parse(str(material)) == material
    assert Material.parse(str(material).lower()) == material
    assert Material.parse(str(material)[::-1]) == material.flipped()


def test_every_ending_of_three_to_five_men_has_its_customary_name() -> None:
    customary = {row["material"] for row in golden_rows("ordinary_tables.csv")}
    assert {str(material) for men in (3, 4, 5) for material in materials(men)} == customary
    assert all(Material.parse(name).is_canonical for name in customary | {"KvK"})


def test_the_number_of_materials_of_each_size_is_known() -> None:
    assert [len(materials(men)) for men in range(2, 7)] == [1, 5, 30, 110, 365]
    assert len(build_order(materials(5))) == 146
    assert all_materials() == build_order(materials(5))


@pytest.mark.parametrize(
    ("parent", "children"),
    [
        ("KvK", []),
        ("KBvK", ["KvK"]),
        ("KPvK", ["KvK", "KNvK", "KBvK", "KRvK", "KQvK"]),
        ("KBvKN", ["KNvK", "KBvK"]),
        ("KPvKB", ["KBvK", "KPvK", "KBvKB", "KBvKN", "KQvKB", "KRvKB", "KNvK", "KRvK", "KQvK"]),
        ("KPvKP", ["KPvK", "KNvKP", "KBvKP", "KRvKP", "KQvKP"]),
    ],
)
def test_children_are_what_one_capture_or_promotion_leaves(
    parent: str, children: list[str]
) -> None:
    assert sorted(map(str, Material.parse(parent).children())) == sorted(children)


@given(strategies.materials)
def test_children_are_canonical_smaller_and_the_same_for_both_colours(material: Material) -> None:
    children = material.children()
    assert children == material.flipped().children()
    assert len(set(children)) == len(children)
    assert all(child.is_canonical for child in children)
    assert all((child.men, child.pawns) < (material.men, material.pawns) for child in children)


def test_a_build_order_has_children_first_and_nothing_missing() -> None:
    order = build_order([Material.parse("kpvkrp"), Material.parse("KvK")])
    for place, material in enumerate(order):
        for child in material.children():
            assert child in order[:place]
    assert len(set(order)) == len(order)
    assert Material.parse("KRPvKP") in order


@pytest.mark.parametrize(
    "nonsense",
    [
        lambda material: with_man(material, Color.WHITE, Role.ROOK),
        lambda material: with_man(material, Color.WHITE, Role.KING),
        lambda material: with_man(material, Color.BLACK, Role.PAWN, Role.QUEEN),
        lambda material: with_man(material, Color.WHITE, Role.PAWN, Role.KING),
        lambda _: Material([Role.PAWN], [Role.KING]),
    ],
)
def test_a_capture_or_promotion_that_cannot_be_is_refused(
    nonsense: Callable[[Material], object],
) -> None:
    assert str(with_man(Material.parse("KPvKR"), Color.BLACK, Role.ROOK)) == "KPvK"
    with pytest.raises((ValueError, MaterialError)):
        nonsense(Material.parse("KPvKR"))


def test_tables_are_made_for_five_men_at_most() -> None:
    assert str(table_material("kpvkrp")) == "KRPvKP"
    with pytest.raises(TooManyMenError, match="6 men") as caught:
        table_material("KRPvKRP")
    assert caught.value.material == "KRPvKRP"
    assert caught.value.men == 6
    assert caught.value.most == 5


def test_a_side_with_more_moves_than_tables_count_is_refused() -> None:
    men = own_men(["A=QNN"])
    assert str(table_material("KAAAvK", own=men)) == "KAAAvK"
    assert str(table_material("KQQQQvK", 6)) == "KQQQQvK"
    reason = "White may have 164 moves, and tables count up to 126"
    with pytest.raises(MaterialError, match=reason):
        table_material("KvKAAAA", 6, men)


def test_the_largest_code_of_a_table_is_none_that_stands_for_no_code() -> None:
    largest = code_of(MOST_TABLE_MOVES, in_check=False)
    assert largest < min(NO_CODE, NO_POSITION)


def test_materials_with_men_of_ones_own_stand_behind_those_of_chess_and_have_no_pawns() -> None:
    men = men_of_name("D=WD,M=WF")
    assert [name_of_men(men), men_of_name("tables"), men_of_name("a=b")] == ["D=WD,M=WF", (), ()]
    assert [str(Material.parse(text, men).canonical()) for text in ("kmvkdq", "KMvKD", "KvKM")] == [
        "KQDvKM",
        "KDvKM",
        "KMvK",
    ]
    assert [len(materials(count, men)) for count in (2, 3, 4)] == [1, 6, 42]
    assert Material.parse("KDvKM", men) != Material.parse("KDvKM", own_men(["D=WD", "M=W"]))
    assert [str(child) for child in Material.parse("KDMvKN", men).children()] == [
        "KDMvK",
        "KNvKM",
        "KNvKD",
    ]
    with pytest.raises(MaterialError, match="no man is called 'M'; use K Q R B N P"):
        Material.parse("KMvK")
    with pytest.raises(MaterialError, match="pawns cannot stand beside"):
        Material.parse("KMvKP", men)
    with pytest.raises(TooManyMenError, match="KMMMvKD has 6 men; whole tables have at most 5"):
        table_material("KMMMvKD", own=men)
    assert str(table_material("KMMvKD", own=men)) == "KMMvKD"
