"""The examples of docs/tables.md: where positions lie."""

from __future__ import annotations

import re

import chess
import pytest

from tbgen.index.layout import layout_of
from tbgen.men import AnyMan, Role
from tbgen.rules.position import material_of
from tbgen.score import Color
from tbgen.storage.order import order_of
from tests.project import ROOT

PAGE = ROOT / "docs" / "tables.md"
EXAMPLES = re.findall(
    r"^\| `([^`]+)` \| (K\w+) \| (\d+) \| (\d+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
)


@pytest.mark.parametrize(("fen", "table", "block", "place"), EXAMPLES)
def test_a_position_lies_where_the_page_says(fen: str, table: str, block: str, place: str) -> None:
    board = chess.Board(fen)
    if not material_of(board).is_canonical:
        board = board.mirror()
    layout = layout_of(material_of(board))
    squares: dict[tuple[Color, AnyMan], list[int]] = {
        (color, role): sorted(
            board.pieces(role.value, color is Color.WHITE),
            key=lambda each: (each % 8, each // 8),
        )
        for color, role in layout.slots
        if isinstance(role, Role)
    }
    cell = layout.cell_of(int(not board.turn), [squares[slot].pop(0) for slot in layout.slots])
    assert str(layout.material) == table
    assert cell // (2 * layout.block_words * 64) == int(block)
    assert order_of(layout.material).place_of(cell) == int(place)


def test_there_are_examples_with_and_without_pawns() -> None:
    assert {table.count("P") for _, table, _, _ in EXAMPLES} == {0, 1, 2, 3}
