"""Values against outside facts and against the reference."""

from __future__ import annotations

import random

import pytest

from tbgen.material import Material
from tbgen.probe import Tablebase
from tbgen.rules.notation import parse_fen
from tbgen.score import Color, Score
from tests.positions import random_board, squares_of
from tests.project import golden_rows

from ..reference import solve


@pytest.mark.parametrize("case", golden_rows("entry_values.csv"), ids=lambda case: case["fen"])
def test_published_values_are_found_for_either_colour(
    tables: Tablebase, case: dict[str, str]
) -> None:
    board, _ = parse_fen(case["fen"])
    accrued = Score(case["accrued"]) if case["accrued"] else None
    flipped = accrued.flipped() if accrued else None
    found = tables.probe(board, accrued)
    of_mirror = tables.probe(board.mirror(), flipped)
    assert str(found.outcome) == case["value"]
    assert of_mirror.outcome == found.outcome.flipped()
    assert of_mirror.dtg == found.dtg


@pytest.mark.parametrize("name", ["KvK", "KNvK", "KBvK", "KRvK", "KQvK", "KPvK"])
def test_values_with_any_accrued_score_are_those_of_the_reference(
    tables: Tablebase, name: str
) -> None:
    material = Material.parse(name)
    draw = random.Random(name)
    known = solve(name)
    slots = [(color, role) for color in Color for role in material.side(color)]
    asked_pairs = 0
    for _ in range(30):
        board = random_board(draw, material)
        position = (int(not board.turn), *squares_of(board, slots))
        for asked in tables.probe_every_accrued(board):
            expected = known.value(position, int(asked.accrued.holder), asked.accrued.code)
            assert (asked.outcome.signed, asked.dtg) == expected, (board.fen(), str(asked.accrued))
            asked_pairs += 1
    assert asked_pairs > 150
