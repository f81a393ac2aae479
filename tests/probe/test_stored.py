"""Stored tables whose columns lie in many chunks, as those of large tables do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tbgen.material import Material
from tbgen.probe.stored import StoredPosition, StoredTable
from tbgen.score import Color, Score
from tbgen.storage import writer
from tbgen.storage.files import path_of
from tbgen.storage.layerfile import LayerFile
from tbgen.storage.reader import TableFile
from tbgen.table import Table
from tests.patterns import value_of_pattern

PART = 37
"""Items of a chunk; no column has a multiple of it."""


@pytest.fixture(params=["KvK", "KBvK", "KPvK"])
def whole(request: pytest.FixtureRequest, table_folder: Path) -> Iterator[TableFile]:
    with TableFile(path_of(table_folder, Material.parse(request.param))) as file:
        yield file


@pytest.fixture
def table(whole: TableFile) -> Table:
    return whole.table()


@pytest.fixture
def parted(table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TableFile]:
    monkeypatch.setattr(writer, "COLUMN_ITEMS", PART)
    writer.write_table(tmp_path, table, generator="1", source="a")
    with TableFile(path_of(tmp_path, table.material)) as file:
        yield file


def test_columns_in_parts_mean_the_same(parted: TableFile, table: Table) -> None:
    found = parted.table()
    for name in ("entry", "dtg", "pattern"):
        assert (getattr(found, name) == getattr(table, name)).all()
    for field in dataclasses.fields(table.patterns):
        expected, column = getattr(table.patterns, field.name), getattr(parted.patterns, field.name)
        assert column.dtype == expected.dtype
        assert (column == expected).all()
    assert parted.tallies == table.tallies
    parted.check()


def test_what_holds_are_worth_does_not_depend_on_parts(parted: TableFile, table: Table) -> None:
    """Score codes up to that of the entry value: with greater ones nobody asks."""
    stored_table, draw = StoredTable(parted, LayerFile.part), np.random.default_rng(2)
    cells = draw.choice(np.flatnonzero(np.abs(table.entry.astype(int)) > 3), 300)
    scores = [
        Score(int(draw.integers(2, abs(int(table.entry[n])))), Color(int(draw.integers(2))))
        for n in cells
    ]
    expected = [
        value_of_pattern(table.patterns, int(table.pattern[n]), score)
        for n, score in zip(cells, scores, strict=True)
    ]
    places = parted.order.place_of(cells)
    found = [
        StoredPosition(stored_table, place, flipped=False).held(score)
        for place, score in zip(places.tolist(), scores, strict=True)
    ]
    assert found == expected
    signed = np.array([score.signed for score in scores], np.int64)
    outcome, dtg = stored_table.all_held(places, signed)
    found_at_once = list(zip(outcome.tolist(), dtg.tolist(), strict=True))
    assert found_at_once == [(best.signed, plies) for best, plies in expected]
