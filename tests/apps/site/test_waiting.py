"""The longest mutual zugzwang of a table, played with either side to move."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbgen.apps.records.record import Record
from tbgen.apps.site.lines import can_be_played, played, zugzwang_cards
from tbgen.apps.site.pages import Site, write_site
from tbgen.material import Material
from tbgen.probe import open_tablebase
from tbgen.score import Color


@pytest.fixture(scope="module")
def pawns(published: list[Record]) -> Record:
    return next(record for record in published if str(record.material) == "KPvK")


def test_best_play_reaches_what_either_side_to_move_is_worth(pawns: Record, table_folder: Path) -> None:
    assert pawns.zugzwangs.longest is not None
    with open_tablebase(table_folder) as tables:
        cards = zugzwang_cards(pawns, tables)
    values = pawns.zugzwangs.longest.white, pawns.zugzwangs.longest.black
    assert [card.side for card in cards] == list(Color)
    assert [(card.outcome, card.longest.dtg) for card in cards] == list(values)
    for card in cards:
        assert card.longest.moves is not None
        assert len(card.longest.moves) == card.longest.dtg
        assert played(card.longest.fen, card.longest.moves).accrued[-1] == card.outcome


def test_without_tables_there_are_boards_and_values(pawns: Record, published: list[Record], table_folder: Path) -> None:
    assert [card.longest.moves for card in zugzwang_cards(pawns, None)] == [None, None]
    without = next(record for record in published if record.zugzwangs.longest is None)
    assert zugzwang_cards(without, None) == []
    five = next(record for record in published if record.zugzwangs.longest and record.material.men == 5)
    with open_tablebase(table_folder) as tables:
        assert not can_be_played(five.material, set(tables))
        assert [card.longest.moves for card in zugzwang_cards(five, tables)] == [None, None]


def test_a_line_needs_all_tables_that_it_may_lead_to() -> None:
    pawns, others = Material.parse("KPvK"), [Material.parse(f"K{role}vK") for role in ("", "N", "B", "R", "Q")]
    assert can_be_played(pawns, [pawns, *others])
    assert not can_be_played(pawns, [pawns, *others[:-1]])


def test_a_page_is_made_again_when_tables_can_play_its_zugzwang(
    pawns: Record, table_folder: Path, tmp_path: Path
) -> None:
    write_site([pawns], tmp_path)
    page = tmp_path / "material" / "KPvK.html"
    assert page.read_text().count('id="zugzwang-') == 2
    assert "data-steps" not in page.read_text().partition('id="lines"')[0].partition('id="zugzwang-')[2]
    with open_tablebase(table_folder) as tables:
        assert write_site([pawns], tmp_path, tables=tables).written == 3
        assert write_site([pawns], tmp_path, tables=tables).written == 0
        assert dict(Site([pawns], tables=tables).files())["material/KPvK.html"] == page.read_text()
    zugzwang = page.read_text().partition('id="lines"')[0]
    assert zugzwang.count('data-steps="') == 2
