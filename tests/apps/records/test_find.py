"""What conditions find, beside records and python-chess."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np
import polars as pl
import pytest

from tbgen.apps.records.find import (
    PositionCondition,
    drawn_of,
    epd_lines,
    first_of,
    frame_of,
    frames,
)
from tbgen.apps.records.positions import TablePositions
from tbgen.apps.records.record import Record
from tbgen.errors import MaterialError, UsageError
from tbgen.index.layout import fen_of_cell
from tbgen.material import Material, build_order, materials, table_named
from tbgen.probe import Tablebase
from tbgen.rules.position import own_score
from tbgen.score import Color
from tests.project import golden_rows

SMALL = [str(material) for material in build_order(materials(3))]
OFTEN = ("KvK", "KPvK")
"""Those whose counts the ordinary suite compares."""


def count_of(positions: TablePositions, where: str) -> int:
    return sum(len(cells) for cells in PositionCondition(positions, where).cells())


def test_exchanged_colours_are_refused() -> None:
    with pytest.raises(MaterialError, match="its table is KBvKN, with the colours exchanged"):
        next(frames("nowhere", Material.parse("KNvKB")))


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in OFTEN else pytest.mark.slow) for name in SMALL],
)
def test_counts_are_those_of_the_record(
    table_folder: Path, records: dict[str, Record], name: str
) -> None:
    record = records[name]
    assert record.sharpness is not None
    with TablePositions(table_folder, table_named(name)) as positions:
        assert count_of(positions, "zugzwang AND white") == record.zugzwangs.all.classes
        assert count_of(positions, "mate_zugzwang AND NOT white") == record.zugzwangs.mates.classes
        for side in Color:
            turn = "white" if side is Color.WHITE else "NOT white"
            of_side = record.sides[side]
            assert count_of(positions, turn) == of_side.positions.classes
            for outcome, counts in of_side.outcomes.items():
                where = f"{turn} AND outcome = '{outcome}'"
                assert count_of(positions, where) == counts.classes
                assert counts.longest is not None
                most = counts.longest.dtg
                assert count_of(positions, f"{where} AND plies = {most}") == counts.distances[most]
            sharpness = record.sharpness[side]
            assert count_of(positions, f"{turn} AND drawn AND only") == sharpness.drawn.only
            most = len(sharpness.all.keep_result) - 1
            where = f"{turn} AND keep_result = {most}"
            assert count_of(positions, where) == sharpness.all.keep_result[most]


def test_columns_are_what_python_chess_and_probes_say(
    table_folder: Path, tables: Tablebase
) -> None:
    with TablePositions(table_folder, table_named("KPvK")) as positions:
        cells = drawn_of(PositionCondition(positions, "true").cells(), 500, seed=1)
        fens = [fen_of_cell(positions.layout, cell) for cell in cells.tolist()]
        rows = frame_of(positions, cells).to_dicts()
    for fen, row in zip(fens, rows, strict=True):
        board = chess.Board(fen)
        value = tables.probe(board)
        assert row["white"] is board.turn
        assert row["check"] is board.is_check()
        assert row["moves"] == board.legal_moves.count()
        assert row["own"] == str(own_score(board))
        assert (row["outcome"], row["plies"]) == (str(value.outcome), value.dtg)
        assert row["drawn"] is (value.outcome.code > 0)
        assert row["only"] is (row["keep"] == 1)
        for name, piece in (("wk", "K"), ("bk", "k"), ("wp", "P")):
            square = chess.parse_square(row[name])
            assert board.piece_at(square) == chess.Piece.from_symbol(piece)
        board.turn = not board.turn
        other = str(tables.probe(board).outcome) if board.is_valid() else None
        assert row["other"] == other


def test_scores_stand_in_their_order(table_folder: Path, records: dict[str, Record]) -> None:
    outcomes = records["KPvK"].sides[Color.WHITE].counts
    with TablePositions(table_folder, table_named("KPvK")) as positions:
        for bound in outcomes:
            expected = sum(count for outcome, count in outcomes.items() if outcome >= bound)
            assert count_of(positions, f"white AND outcome >= '{bound}'") == expected


@pytest.fixture(scope="module")
def some(table_folder: Path) -> Iterator[tuple[TablePositions, np.ndarray, pl.DataFrame]]:
    """Some cells of a table, and all columns of them."""
    with TablePositions(table_folder, table_named("KPvK")) as positions:
        cells = first_of(PositionCondition(positions, "true").cells(), None)[::20]
        yield positions, cells, frame_of(positions, cells)


@pytest.mark.parametrize(
    "where",
    [
        "white AND outcome = 'G0.5' AND only",
        "NOT (check OR keep > 2) AND wp BETWEEN 'a3' AND 'd6'",
        "only OR drawn AND NOT (white AND keep_result IN (1, 2))",
        "keep_result = 1 AND keep <> keep_result",
        "keep IS NOT NULL AND white",
        "COALESCE(keep, 0) = 3 AND NOT white",
        "CASE WHEN only THEN white ELSE drawn END",
        "false AND only",
        "keep <=> 1",
        "NOT (only <=> drawn)",
        "keep <=> keep_result OR white",
        "keep != 2 AND keep >= -1 AND keep*2 <= moves/1.5",
        "keep // 2 = 1",
        "(keep XOR moves) = 2",
        "(keep & 1) = 1",
        "(keep | 1) = 3",
        "keep <= +2 AND -keep < -1",
        "only IS TRUE",
        "only IS DISTINCT FROM drawn",
        "keep::boolean AND only",
    ],
)
def test_columns_that_cost_much_change_no_answer(
    some: tuple[TablePositions, np.ndarray, pl.DataFrame], where: str
) -> None:
    """They are found last, where the others leave the answer open."""
    positions, cells, frame = some
    expected = frame.select(pl.sql_expr(where).alias("truth"))["truth"].fill_null(value=False)
    found = PositionCondition(positions, where)._chosen(cells)
    assert found.tolist() == cells[expected.to_numpy()].tolist()


@pytest.mark.parametrize(
    ("where", "same"),
    [
        ("outcome >= 'G3'", "outcome >= 'G3.0'"),
        ("other < '+0.5'", "other < 'G0.5'"),
        ("wk IN ('E4', 'b1')", "wk IN ('e4', 'b1')"),
    ],
)
def test_scores_and_squares_are_read_as_everywhere(
    table_folder: Path, where: str, same: str
) -> None:
    with TablePositions(table_folder, table_named("KPvK")) as positions:
        assert 0 < count_of(positions, where) == count_of(positions, same)


@pytest.mark.parametrize(
    ("where", "complaint"),
    [
        ("white AND", "is not a condition: unable to parse"),
        ("moves + 1", "it is a number, not true or false"),
        ("outcome = 'G0.7'", "'G0.7' in .* is neither a score such as 'G0.5' nor a square"),
        ("outcome = G0.5", "G0.5 in 'outcome = G0.5' needs single quotes: 'G0.5'"),
        ("outcome < -G3.0 OR drawn", "-G3.0 in .* needs single quotes: '-G3.0'"),
        ('outcome = "G0.5"', "G0.5 in .* needs single quotes: 'G0.5'"),
        ("wk IN ('a1', h8)", "h8 in .* needs single quotes: 'h8'"),
        ("outcome = wk", "is not a condition"),
        ("wq = 'a1'", "KPvK has no column wq; it has white, check, .*, wp, wk, bk"),
        ("moves > 'a1'", "is not a condition: cannot compare string with numeric type"),
    ],
)
def test_what_is_no_condition_is_refused(table_folder: Path, where: str, complaint: str) -> None:
    with (
        TablePositions(table_folder, table_named("KPvK")) as positions,
        pytest.raises(UsageError, match=complaint),
    ):
        PositionCondition(positions, where)


def test_the_same_seed_draws_the_same_positions(table_folder: Path) -> None:
    with TablePositions(table_folder, table_named("KPvK"), threads=1) as positions:
        every = first_of(PositionCondition(positions, "drawn").cells(), None)
        drawn = [
            drawn_of(PositionCondition(positions, "drawn").cells(), 50, seed) for seed in (1, 1, 2)
        ]
        few = drawn_of(iter([every[:10]]), 50, 1)
    assert drawn[0].tolist() == drawn[1].tolist() != drawn[2].tolist()
    assert len(drawn[0]) == 50
    assert set(drawn[0].tolist()) <= set(every.tolist())
    assert few.tolist() == every[:10].tolist()


def test_a_limit_takes_the_first(table_folder: Path) -> None:
    with TablePositions(table_folder, table_named("KPvK")) as positions:
        every = first_of(PositionCondition(positions, "drawn").cells(), None)
        assert (
            first_of(PositionCondition(positions, "drawn").cells(), 7).tolist()
            == every[:7].tolist()
        )
        assert first_of(PositionCondition(positions, "1 = 2").cells(), 7).tolist() == []
        assert len(first_of(PositionCondition(positions, "1 = 1").cells(), None)) == 165676


def test_lines_are_epd(table_folder: Path) -> None:
    with TablePositions(table_folder, table_named("KPvK")) as positions:
        cells = first_of(PositionCondition(positions, "mate_zugzwang AND white").cells(), None)
        lines = list(epd_lines(positions, cells))
    board = chess.Board()
    operations = board.set_epd(lines[0])
    assert operations == {
        "outcome": "G0.5",
        "plies": 1,
        "moves": 3,
        "keep_result": 3,
        "keep": 1,
        "zugzwang": "mate",
        "other": "G0.0",
    }
    assert board.board_fen() == "1k6/1P6/K7/8/8/8/8/8"
    assert len(lines) == len(set(lines))


def test_frames_have_every_position_once(table_folder: Path, records: dict[str, Record]) -> None:
    frame = pl.concat(frames(table_folder, table_named("KBvK")))
    assert len(frame) == records["KBvK"].positions.classes
    assert frame.schema["plies"] == pl.Int32
    only = pl.concat(frames(table_folder, table_named("KBvK"), "only"))
    assert only.equals(frame.filter(frame["only"]))
    assert np.all(only["keep"].to_numpy() == 1)


@pytest.mark.slow
def test_mutual_zugzwangs_of_four_men_are_found_as_published(four_men_folder: Path) -> None:
    for row in golden_rows("mutual_zugzwangs.csv"):
        material = table_named(row["material"])
        if material.men != 4:
            continue
        whoever_loses = int(row["whoever_moves_loses"])
        if material == material.flipped():
            whoever_loses *= 2
        with TablePositions(four_men_folder, material) as positions:
            found = [
                count_of(positions, f"white AND mate_zugzwang AND {kind}")
                for kind in (
                    "drawn",
                    "outcome = '-G0.0' AND other <> 'G0.0'",
                    "outcome = '-G0.0' AND other = 'G0.0'",
                )
            ]
        published = [int(row["white_draws_black_loses"]), int(row["white_loses_black_draws"])]
        assert found == [*published, whoever_loses], material
