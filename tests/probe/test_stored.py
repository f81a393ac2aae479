"""Stored tables whose columns lie in many chunks, as those of large tables do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tbgen.material import table_named
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
    with TableFile(path_of(table_folder, table_named(request.param))) as file:
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
        expected = getattr(table.patterns, field.name)
        column = getattr(parted.patterns, field.name)
        assert column.dtype == expected.dtype
        assert (column == expected).all()
    assert parted.tallies == table.tallies
    parted.check()


def test_the_worth_of_a_hold_does_not_depend_on_parts(parted: TableFile, table: Table) -> None:
    """Score codes up to that of the entry value: nobody asks with greater ones."""
    stored_table = StoredTable(parted, LayerFile.part)
    draw = np.random.default_rng(2)
    cells = draw.choice(np.flatnonzero(np.abs(table.entry.astype(int)) > 3), 300)
    places = parted.order.place_of(cells)
    scores = list[Score]()
    expected = list[tuple[int, int]]()
    for cell, place in zip(cells, places.tolist(), strict=True):
        code = draw.integers(2, abs(int(table.entry[cell])))
        score = Score(int(code), Color(int(draw.integers(2))))
        value = value_of_pattern(table.patterns, int(table.pattern[cell]), score)
        assert StoredPosition(stored_table, place, flipped=False).held(score) == value
        outcome, plies = value
        expected.append((outcome.signed, plies))
        scores.append(score)
    signed = np.array([score.signed for score in scores], np.int64)
    outcomes, distances = stored_table.all_held(places, signed)
    assert list(zip(outcomes.tolist(), distances.tolist(), strict=True)) == expected
