"""The kernel that counts rows of white kings, beside boards, orbits and sets, place by place."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import chess
import numpy as np
import pytest

from tbgen.apps.records.counting import Meanings, PlaceRun, count_places, men_of, no_counts, rows_of, total_of
from tbgen.index.layout import Layout, layout_of
from tbgen.index.squares import TRIANGLE
from tbgen.material import Material
from tbgen.storage.order import order_of
from tests import positions
from tests.apps.records.slow import image

KINDS = 7
ROWS = 48


def squares_of(layout: Layout, block: int, place: int) -> list[int]:
    place, king = divmod(place, layout.shape[2])
    rest = [place >> 6 * n & 63 for n in range(layout.others + 1)]
    return [*layout.blocks[block], king if layout.pawns else TRIANGLE[king], *rest]


def board_of(layout: Layout, squares: list[int], turn: chess.Color) -> chess.Board | None:
    """The board, or None if it shows no legal position; it need not come from a game."""
    board = positions.board_of(layout.slots, squares, not turn)
    is_legal = len(set(squares)) == len(squares) and not board.was_into_check()
    return board if is_legal else None


def orbit_of(layout: Layout, squares: list[int]) -> tuple[int, int]:
    """How many labelled placements there are of some men, all symmetries and orders of equal men; how many classes."""
    slots = range(len(squares))
    orders = [
        order
        for order in itertools.permutations(slots)
        if all(layout.slots[a] == layout.slots[b] and (a == b or a >= layout.pawns) for a, b in enumerate(order))
    ]
    symmetries = range(2 if layout.pawns else 8)
    placed = {tuple(squares[n] for n in order) for order in orders}
    classes = {frozenset(tuple(image(np.array(each), s).tolist()) for s in symmetries) for each in placed}
    orders_of_pawns = layout.orders // len(orders)
    return sum(map(len, classes)) * orders_of_pawns, len(classes) * orders_of_pawns


@pytest.mark.parametrize("name", ["KBBvK", "KNNNvK", "KRvKB", "KQvKQ", "KRvKP", "KPPvK", "KNPvKN", "KBPvKR"])
def test_rows_are_counted_as_boards_and_orbits_say(name: str) -> None:
    draw, material = random.Random(7), Material.parse(name)
    layout, order = layout_of(material), order_of(material)
    half, digits = layout.block_words * 64, np.random.default_rng(7)
    meanings = Meanings(
        np.arange(KINDS, dtype=np.int16) // 2,
        np.arange(1, KINDS + 1).astype(np.int8),
        np.arange(KINDS).astype(np.uint16)[::-1].copy(),
    )
    expected: Counter[tuple[int, int, int]] = Counter()
    pairs: Counter[tuple[int, int, int, int]] = Counter()
    longest = (-1, -1, 0, 0)
    parts = []
    for block in draw.sample(range(len(layout.blocks)), min(3, len(layout.blocks))):
        first = draw.randrange(half // layout.shape[2] - ROWS) * layout.shape[2]
        ids = [digits.integers(0, KINDS, ROWS * layout.shape[2]).astype(np.uint32) for _ in range(2)]
        parts.append(no_counts(KINDS, layout))
        count_places(men_of(layout, block), block, PlaceRun(first, *ids), meanings, parts[-1], rows_of(layout))
        for n in range(len(ids[0])):
            squares = squares_of(layout, block, first + n)
            if board_of(layout, squares, True) is None and board_of(layout, squares, False) is None:
                continue
            if order.place_of(layout.cell_of(0, squares)) != 2 * block * half + first + n:
                continue
            weights = orbit_of(layout, squares)
            sides = [side for side in range(2) if board_of(layout, squares, side == 0) is not None]
            for side, kind in itertools.product(sides, range(2)):
                expected[side, int(ids[side][n]), kind] += weights[kind]
            white, black = int(ids[0][n]), int(ids[1][n])
            if len(sides) == 2 and white // 2 < black // 2:
                near, far = sorted((KINDS - 1 - white, KINDS - 1 - black))
                for kind in range(2):
                    pairs[white + 129, black + 129, int(near > 0), kind] += weights[kind]
                if near > 0:
                    longest = max(longest, (far, near, -block, -(first + n)))
    found = total_of(parts)
    assert {tuple(at): found.kinds[tuple(at)] for at in np.argwhere(found.kinds).tolist()} == expected
    assert {tuple(at): found.pairs[tuple(at)] for at in np.argwhere(found.pairs).tolist()} == pairs
    assert expected
    if longest[0] > 0:
        assert found.longest.tolist() == [longest[0], longest[1], -longest[2], -longest[3]]
