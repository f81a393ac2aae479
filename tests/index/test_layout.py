"""Each position has one primary cell, whatever its symmetry and the order of its equal men."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import pytest

from tbgen.index.bulk import cells_of
from tbgen.index.layout import Layout, layout_of, partial_layout
from tbgen.index.placements import HOW_BITS, MIRROR
from tbgen.index.squares import SYMMETRY
from tbgen.material import Material, materials
from tbgen.men import AnyMan
from tbgen.score import Color

MATERIALS = [str(material) for men in (2, 3, 4, 5) for material in materials(men)]
PAWN_MATERIALS = ["KPvK", "KQvKP", "KPPvK", "KPvKP", "KPPPvK", "KPPvKP"]
"""One for each combination of pawns that tables of up to five men have."""

Position = frozenset[tuple[tuple[Color, AnyMan], int]]


def symmetries(layout: Layout) -> range:
    return range(2 if layout.pawns else 8)


def draw(layout: Layout, wanted: int) -> list[list[int]]:
    """Seeded random placements, all men apart, pawns where they can stand."""
    random = np.random.default_rng(len(layout.slots) * 100 + layout.pawns)
    placements: list[list[int]] = []
    while len(placements) < wanted:
        squares = random.integers(8, 56, layout.pawns).tolist()
        squares += random.integers(0, 64, len(layout.slots) - layout.pawns).tolist()
        if len(set(squares)) == len(squares):
            placements.append(squares)
    return placements


def on_diagonal(layout: Layout) -> list[list[int]]:
    """Placements that are equal, or nearly, to an image of their own."""
    random = np.random.default_rng(3)

    def shuffled(line: np.ndarray, men: int) -> np.ndarray:
        """Ten placements of so many men on the squares of a line."""
        return random.permuted(np.tile(line, (10, 1)), axis=1)[:, :men]

    if layout.pawns:
        zigzag = [12 + 8 * n + n % 2 * 7 for n in range(layout.pawns)]
        pairs = [11 + 8 * (n // 2) + n % 2 for n in range(layout.pawns)]
        pieces = shuffled(np.arange(56, 64), len(layout.slots) - layout.pawns).tolist()
        placements = itertools.product((zigzag, pairs), pieces)
        return [[*pawns, *squares] for pawns, squares in placements]
    on_it = shuffled(np.arange(8) * 9, len(layout.slots))
    on_the_other = shuffled(np.arange(1, 9) * 7, len(layout.slots))
    but_the_last = on_it.copy()
    but_the_last[:, -1] = 1
    return [*on_it.tolist(), *on_the_other.tolist(), *but_the_last.tolist()]


def position(layout: Layout, squares: list[int] | tuple[int, ...]) -> Position:
    """Which kind of man stands where, equal men not told apart."""
    return frozenset(zip(layout.slots, squares, strict=True))


def image(layout: Layout, symmetry: int, squares: list[int]) -> list[int]:
    return SYMMETRY[symmetry, squares].tolist()


def equal_orders(layout: Layout, squares: list[int]) -> list[list[int]]:
    """The same position with its equal men in every order."""
    slots_of_kind = defaultdict[object, list[int]](list)
    for slot, kind in enumerate(layout.slots):
        slots_of_kind[kind].append(slot)
    groups = list(slots_of_kind.values())
    rows = []
    for orders in itertools.product(*map(itertools.permutations, groups)):
        row = list(squares)
        for slots, order in zip(groups, orders, strict=True):
            for slot, other_slot in zip(slots, order, strict=True):
                row[slot] = squares[other_slot]
        rows.append(row)
    return rows


def test_a_position_has_one_cell_under_all_symmetries_and_orders_and_its_squares_are_an_image() -> (
    None
):
    for name in MATERIALS:
        layout = layout_of(Material.parse(name))
        for number, squares in enumerate(draw(layout, 40) + on_diagonal(layout)):
            side = number % 2
            cell = layout.cell_of(side, squares)
            assert 0 <= cell < layout.cells
            images = [image(layout, symmetry, squares) for symmetry in symmetries(layout)]
            same = list(images)
            if number % 4 == 0:
                for row in images:
                    same += equal_orders(layout, row)
            assert {layout.cell_of(side, row) for row in same} == {cell}, squares
            its_side, its_squares = layout.squares_of(cell)
            assert its_side == side
            assert position(layout, its_squares) in {position(layout, row) for row in images}
            assert layout.cell_of(side, its_squares) == cell


@pytest.mark.parametrize(
    "name", [*PAWN_MATERIALS[:-1], pytest.param("KPPvKP", marks=pytest.mark.slow)]
)
def test_every_placement_of_pawns_has_a_block_up_to_the_mirror(name: str) -> None:
    layout = layout_of(Material.parse(name))
    kinds = layout.slots[: layout.pawns]

    def constellation(squares: tuple[int, ...]) -> frozenset[tuple[tuple[Color, AnyMan], int]]:
        return frozenset(zip(kinds, squares, strict=True))

    known = {}
    for number, squares in enumerate(layout.blocks):
        mirrored = constellation(tuple(square ^ 7 for square in squares))
        assert constellation(squares) not in known
        known[constellation(squares)] = known[mirrored] = number
        assert layout.is_own_mirror(squares) == (mirrored == constellation(squares))
        assert squares[0] % 8 < 4
    placements = itertools.permutations(range(8, 56), layout.pawns)
    assert set(known) == {constellation(squares) for squares in placements}


def test_sixteen_pawns_have_one_block_in_every_order_and_mirrored() -> None:
    material = Material.parse("KPPPPPPPPvKPPPPPPPP")
    random = np.random.default_rng(7)
    placements = []
    for _ in range(50):
        pawns = random.choice(np.arange(8, 56), 16, replace=False)
        placements.append(pawns.tolist())
    layout = partial_layout(material, placements)
    assert len(layout.blocks) == 50
    assert layout.waves[0] == 0
    assert layout.waves[-1] == 50
    for white_first in placements:
        blocks = set()
        for turn in (0, MIRROR):
            for _ in range(5):
                white = random.permutation(white_first[:8]) ^ turn
                black = random.permutation(white_first[8:]) ^ turn
                blocks.add(layout.address_of([*white.tolist(), *black.tolist()]) >> HOW_BITS)
        (block,) = blocks
        assert set(layout.blocks[block][:8]) in (
            set(white_first[:8]),
            {square ^ MIRROR for square in white_first[:8]},
        )
    exchanged = [*placements[0][8:], *placements[0][:8]]
    assert layout.address_of(exchanged) == -1


@pytest.mark.parametrize("name", PAWN_MATERIALS)
def test_a_layout_of_all_placements_made_one_by_one_is_the_whole_one(name: str) -> None:
    whole = layout_of(Material.parse(name))
    part = partial_layout(Material.parse(name), whole.blocks)
    assert part.blocks == whole.blocks
    assert part.waves == whole.waves
    placements = np.array(draw(whole, 200), np.int64)[:, : whole.pawns]
    np.testing.assert_array_equal(part.addresses_of(placements), whole.addresses_of(placements))


def test_pawn_moves_lead_to_earlier_waves() -> None:
    for name in PAWN_MATERIALS:
        layout = layout_of(Material.parse(name))
        wave_of = np.repeat(np.arange(len(layout.waves) - 1), np.diff(layout.waves)).tolist()
        assert layout.waves[0] == 0
        assert layout.waves[-1] == len(layout.blocks)
        assert len(wave_of) == len(layout.blocks)
        moves = 0
        for number, squares in enumerate(layout.blocks):
            for n, (color, _) in enumerate(layout.slots[: layout.pawns]):
                up = 8 if color is Color.WHITE else -8
                home = 1 if color is Color.WHITE else 6
                for steps in (1, 2) if squares[n] // 8 == home else (1,):
                    way = {squares[n] + up * step for step in range(1, steps + 1)}
                    to = squares[n] + up * steps
                    if way & set(squares) or not 8 <= to < 56:
                        continue
                    after = (*squares[:n], to, *squares[n + 1 :])
                    there, _ = divmod(
                        layout.cell_of(0, [*after, *[0] * (layout.others + 2)]),
                        128 * layout.block_words,
                    )
                    assert wave_of[there] < wave_of[number]
                    assert there < number
                    moves += 1
        assert moves > 0


def test_what_has_no_cell_is_refused() -> None:
    with pytest.raises(ValueError, match="KvKB is not canonical; its table is that of KBvK"):
        layout_of(Material.parse("KvKB"))
    layout = layout_of(Material.parse("KPvK"))
    with pytest.raises(ValueError, match="no pawns stand on"):
        layout.cell_of(0, [60, 0, 32])
    with pytest.raises(ValueError, match=r"no pawns stand on \[60\]"):
        cells_of(layout, [0], [[60, 0, 32]])
