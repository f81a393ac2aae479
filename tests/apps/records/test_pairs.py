"""The record of a table of pairs without distances, beside counts of its cells one by one."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import chess
import polars as pl
import pytest

from tbgen.apps.pages.records import Site
from tbgen.apps.records.census import record_of
from tbgen.apps.records.find import frames
from tbgen.apps.records.positions import TablePositions
from tbgen.apps.records.record import Record, read_record, write_record
from tbgen.index.layout import fen_of_cell
from tbgen.material import table_named
from tbgen.probe import Tablebase
from tbgen.score import Color
from tests.apps.records.test_records import VALIDATOR
from tests.apps.records.test_sharpness import kept_on
from tests.project import RECORDS, ROOT

PAIRS = table_named("KPvKP.pairs")
PAGE = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def record(pair_outcomes_folder: Path) -> Record:
    return record_of(pair_outcomes_folder, PAIRS)


@pytest.fixture(scope="module")
def frame(pair_outcomes_folder: Path) -> pl.DataFrame:
    """Every position with its values, found by the verifier's rules."""
    return pl.concat(frames(pair_outcomes_folder, PAIRS))


def test_outcomes_and_zugzwangs_are_those_of_every_position(
    frame: pl.DataFrame, record: Record
) -> None:
    assert len(frame) == record.positions.classes == 395_284
    assert "plies" not in frame.columns
    for side in Color:
        part = frame.filter(frame["white"] == (side is Color.WHITE))
        counts = Counter(part["outcome"].to_list())
        found = record.sides[side].counts
        assert {str(outcome): count for outcome, count in found.items()} == counts
        assert part["zugzwang"].sum() == record.zugzwangs.all.classes
        assert part["mate_zugzwang"].sum() == record.zugzwangs.mates.classes
        assert record.sharpness is not None
        drawn = record.sharpness[side].drawn
        assert record.drawn.positions == frame["drawn"].sum()
        assert record.drawn.only == (frame["drawn"] & frame["only"]).sum()
        assert drawn.positions == part["drawn"].sum()
        assert drawn.only == (part["drawn"] & part["only"]).sum()


def test_moves_are_counted_as_python_chess_does(pair_outcomes_folder: Path) -> None:
    with (
        Tablebase(pair_outcomes_folder) as tables,
        TablePositions(pair_outcomes_folder, PAIRS, in_memory=False) as positions,
    ):
        cells = positions.drawn(200, seed=3)
        kept = positions.keeping(cells)
        found = zip(kept.moves.tolist(), kept.result.tolist(), kept.outcome.tolist(), strict=True)
        for cell, counts in zip(cells.tolist(), found, strict=True):
            board = chess.Board(fen_of_cell(positions.layout, cell))
            assert counts == kept_on(tables, board), board.fen()


def test_a_record_without_distances_has_the_form_of_the_schema(
    record: Record, tmp_path: Path
) -> None:
    VALIDATOR.validate(json.loads(record.to_text()))
    write_record(tmp_path, record)
    assert read_record(tmp_path / "KPvKP.pairs.json") == record
    assert list(record.lines()) == []
    assert record.zugzwangs.played is None
    assert record.zugzwangs.all.classes > record.zugzwangs.mates.classes > 0


def rows_below(heading: str) -> dict[str, list[str]]:
    """[men] -> the other cells of the rows of a table on the page."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:3] == "| K"]
    return {men: cells for men, *cells in rows}


def record_of_pairs(men: str) -> Record:
    return read_record(RECORDS / "pairs" / f"{men}.pairs.json")


def test_the_page_says_who_wins_as_the_records_do() -> None:
    rows = rows_below("The thirty tables")
    assert len(rows) == 5
    for men, (placements, size, *shares, poorest) in rows.items():
        record = record_of_pairs(men)
        assert f"{record.positions.placements / 1e9:.2f}" == placements
        assert f"{record.bytes / 1e6:.0f}" == size
        ends = Counter[tuple[Color, int]]()
        for outcome, count in record.sides[Color.WHITE].outcomes.items():
            ends[outcome.holder, min(outcome.code, 2)] += count.placements
        white = [ends[Color.WHITE, code] for code in (0, 1, 2)]
        black = [ends[Color.BLACK, code] for code in (2, 1, 0)]
        assert [f"{100 * end / ends.total():.1f}" for end in (*white, *black)] == shares, men
        outcomes = [outcome for side in Color for outcome in record.sides[side].counts]
        least = max(outcomes, key=lambda outcome: outcome.code)
        assert f"`{str(least).removeprefix('-')}`" == poorest, men


def test_pages_list_tables_of_pairs(record: Record, records: dict[str, Record]) -> None:
    files = dict(Site([*records.values(), record]).files())
    assert 'href="material/KPvKP.pairs.html"' in str(files["index.html"])
    assert "Tables of pairs have the positions in which" in str(files["index.html"])
    assert "of six men with two pawns face to face" not in str(files["index.html"])
    larger = replace(record, material=table_named("KRPvKRP.pairs"))
    with_six = dict(Site([*records.values(), larger]).files())
    assert "of six men with two pawns face to face" in str(with_six["index.html"])
    page = str(files["material/KPvKP.pairs.html"])
    assert f"In {record.zugzwangs.all.classes:,} positions" in page
    assert "Pawn against pawn, pawns face to face" in page
    assert "The table has outcomes alone, no distances" in page
    assert "How far away" not in page
    assert 'href="material/KPvKP.pairs.html#sharpness"' in str(files["records.html"])
    assert 'href="material/KPvKP.pairs.html#zugzwang"' in str(files["records.html"])
    without = dict(Site(list(records.values())).files())
    assert "pairs" not in str(without["index.html"])
