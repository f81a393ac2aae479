"""Values against outside facts and against the reference."""

from __future__ import annotations

import csv
import random
from collections import Counter
from pathlib import Path

import chess
import pytest

from tbgen.material import Material
from tbgen.probe import Tablebase
from tbgen.rules.fen import parse_fen
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tests.positions import random_board

from ..reference import solve

GOLDEN = Path(__file__).parent.parent / "golden"


def golden(name: str) -> list[dict[str, str]]:
    with (GOLDEN / name).open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("case", golden("entry_values.csv"), ids=lambda case: case["fen"])
def test_published_values_are_found_for_either_colour(tables: Tablebase, case: dict[str, str]) -> None:
    board, _ = parse_fen(case["fen"])
    accrued = Score(case["accrued"]) if case["accrued"] else None
    found = tables.probe(board, accrued)
    assert str(found.outcome) == case["value"]
    reversed_ = tables.probe(board.mirror(), None if accrued is None else accrued.flipped())
    assert (reversed_.outcome, reversed_.dtg) == (found.outcome.flipped(), found.dtg)


def reference_value(board: chess.Board, material: Material, accrued: Score) -> tuple[int, int]:
    table = solve(str(material))
    squares = []
    for color in Color:
        for role in dict.fromkeys(material.side(color)):
            squares += list(board.pieces(int(role), color is Color.WHITE))
    return table.value((int(not board.turn), *squares), int(accrued.holder), accrued.code)


@pytest.mark.parametrize("name", ["KvK", "KNvK", "KBvK", "KRvK", "KQvK", "KPvK"])
def test_values_with_any_accrued_score_are_those_of_the_reference(tables: Tablebase, name: str) -> None:
    material, draw = Material.parse(name), random.Random(name)
    tried: Counter[bool] = Counter()
    for _ in range(400):
        board = random_board(draw, material)
        own = own_score(board)
        if own.is_mate or own.is_stalemate:
            continue
        accrued = Score(draw.randint(2, min(own.code, 17)), draw.choice(list(Color)))
        if accrued.check and len(material.side(accrued.holder)) == 1:
            continue
        found = tables.probe(board, accrued)
        expected = reference_value(board, material, accrued.after(own, reset=False))
        assert (found.outcome.to_byte(), found.dtg) == expected, (board.fen(), str(accrued))
        tried[found.is_reached] += 1
    assert sum(tried.values()) > 100
