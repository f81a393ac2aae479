"""Tables with wide columns, which small ones have when they are told so, are to every reader the tables that they are.

The C reader is asked in `tests/readers`, the explorer in `tests/explorer`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import random
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest

from tbgen.apps.records.census import census_of
from tbgen.apps.records.making import record_of
from tbgen.compiled.arrays import kind_of_numbers
from tbgen.errors import AccruedError, DamagedTableError
from tbgen.material import Material, build_order, materials
from tbgen.probe import Tablebase, open_tablebase
from tbgen.storage.files import path_of
from tbgen.storage.layers import Layer
from tbgen.storage.reader import TableFile
from tbgen.storage.schema import COLUMNS, STREAMS, WIDE
from tbgen.verify import verify_file
from tbgen.verify.digesting import digests_of
from tbgen.verify.digests import read_digests
from tests.copies import bytes_of_table, copy_tables
from tests.readers.pairs import Pair, random_pair
from tests.storage.forging import Items, rewritten
from tests.storage.wide import wide_numbers, write_wide

NAMES = [str(material) for material in build_order(materials(3))]
PAWN = Material.parse("KPvK")


@pytest.fixture(params=[False, True], ids=["narrow in memory", "wide in memory"])
def in_memory(request: pytest.FixtureRequest) -> Iterator[None]:
    """What is read gets the types that suffice for it, or wide ones, as that of a table of six men."""
    with wide_numbers() if request.param else contextlib.nullcontext():
        yield


def opened(folder: Path, name: str) -> TableFile:
    return TableFile(path_of(folder, Material.parse(name)))


@pytest.mark.parametrize("name", NAMES)
def test_wide_columns_say_the_same_and_all_else_is_the_same(wide_folder: Path, table_folder: Path, name: str) -> None:
    wide, narrow = (bytes_of_table(folder, name) for folder in (wide_folder, table_folder))
    assert wide[0] == narrow[0]
    assert wide[1] != narrow[1]
    with opened(wide_folder, name) as file, opened(table_folder, name) as expected:
        for column, kind in COLUMNS[Layer.DISTANCES].items():
            assert file.kind_of(column) == WIDE.get(column, kind)
            assert expected.kind_of(column) == kind
            found = file.column(column)
            assert (found.astype(kind) == expected.column(column)).all()
        for stream in STREAMS[Layer.DISTANCES]:
            assert file.kind_of(stream) == expected.kind_of(stream)
            there = [[each.column_part(stream, n) for n in range(each.order.chunks)] for each in (file, expected)]
            assert all((one == other).all() for one, other in zip(*there, strict=True))
        file.check()


def test_each_column_is_wide_for_itself(tmp_path: Path, table_folder: Path) -> None:
    """Limits in between; whatever is wide then, the table is the same."""
    with opened(table_folder, "KPvK") as file:
        expected, sizes = digests_of(file, 1), {file.distances.dataset(name).items for name in ("rows", *WIDE)}
    seen = set[tuple[bool, ...]]()
    for most in sorted({size + more for size in sizes for more in (0, 1)}):
        folder = tmp_path / str(most)
        folder.mkdir()
        write_wide(folder, table_folder, [PAWN], most)
        with opened(folder, "KPvK") as file:
            seen.add(tuple(file.kind_of(name) == kind for name, kind in WIDE.items()))
            assert digests_of(file, 1) == expected
    assert len(seen) >= 4
    assert {sum(each) for each in seen} == {0, 1, 2, 3}


def test_any_hdf5_program_reads_wide_columns(wide_folder: Path) -> None:
    with h5py.File(path_of(wide_folder, PAWN, Layer.DISTANCES)) as file:
        assert {name: file[name].dtype for name in WIDE} == dict(WIDE)


@pytest.mark.usefixtures("in_memory")
@pytest.mark.parametrize("name", NAMES)
def test_a_table_is_read_as_it_is(wide_folder: Path, table_folder: Path, name: str) -> None:
    with opened(wide_folder, name) as file, opened(table_folder, name) as expected:
        found, table = file.table(), expected.table()
        cells = np.random.default_rng(1).integers(0, file.order.layout.cells, 1000)
        for one, other in zip(file.look_up(cells), expected.look_up(cells), strict=True):
            assert (one == other).all()
        assert file.examples == expected.examples
        assert census_of(file, 1) == census_of(expected, 1)
    assert found.patterns.start.dtype == kind_of_numbers(len(found.patterns.code) + 1)
    for field in ("entry", "dtg", "pattern"):
        assert (getattr(found, field) == getattr(table, field)).all()
    for each in dataclasses.fields(table.patterns):
        assert (getattr(found.patterns, each.name) == getattr(table.patterns, each.name)).all()
    assert found.tallies == table.tallies


def answer(tables: Tablebase, pair: Pair) -> object:
    """What a probe says; nothing where the accrued score is impossible."""
    try:
        return tables.probe(pair.board, pair.accrued)
    except AccruedError:
        return None


@pytest.mark.parametrize("compiled", [False, True])
def test_probes_give_the_same(wide_folder: Path, table_folder: Path, compiled: bool) -> None:
    draw = random.Random(279)
    pairs = [random_pair(draw, name) for name in NAMES for _ in range(100)]
    boards, accrued = [pair.board for pair in pairs], [pair.accrued for pair in pairs]
    with open_tablebase(wide_folder, compiled=compiled) as wide, open_tablebase(table_folder) as narrow:
        found = [answer(wide, pair) for pair in pairs]
        assert found == [answer(narrow, pair) for pair in pairs]
        assert found.count(None) < len(pairs) // 2
        for board in boards[::10]:
            assert wide.probe_moves(board) == narrow.probe_moves(board)
        assert [*wide.probe_many(boards, accrued=accrued)] == [*narrow.probe_many(boards, accrued=accrued)]


@pytest.mark.usefixtures("in_memory")
@pytest.mark.parametrize("name", NAMES)
def test_they_are_verified(wide_folder: Path, name: str) -> None:
    assert verify_file(wide_folder, Material.parse(name), threads=1).violation is None


@pytest.mark.usefixtures("in_memory")
@pytest.mark.parametrize("name", NAMES)
def test_digests_and_records_are_the_same(wide_folder: Path, table_folder: Path, name: str) -> None:
    material = Material.parse(name)
    with opened(wide_folder, name) as file:
        assert digests_of(file, 1) == read_digests()[material]
    wide, narrow = (record_of(folder, material, threads=1) for folder in (wide_folder, table_folder))
    assert dataclasses.replace(wide, bytes=narrow.bytes) == narrow


@pytest.mark.parametrize("name", WIDE)
def test_a_number_that_no_table_has_is_refused(wide_folder: Path, tmp_path: Path, name: str) -> None:
    for value in (1 << 48, 1 << 63, (1 << 64) - 1):
        copy_tables(wide_folder, tmp_path, "KPvK")

        def change(items: Items, value: int = value) -> None:
            (items["first"] if items.dtype.names else items)[len(items) // 2] = value

        rewritten(path_of(tmp_path, PAWN), Layer.DISTANCES, name, change)
        with opened(tmp_path, "KPvK") as file, pytest.raises(DamagedTableError, match="holds what no table holds"):
            file.chunk(0)


@pytest.mark.parametrize("name", WIDE)
def test_a_number_that_leads_nowhere_is_refused(wide_folder: Path, tmp_path: Path, name: str) -> None:
    copy_tables(wide_folder, tmp_path, "KPvK")

    def change(items: Items) -> None:
        (items["first"] if items.dtype.names else items)[-1] = (1 << 32) + 1

    rewritten(path_of(tmp_path, PAWN), Layer.DISTANCES, name, change)
    with opened(tmp_path, "KPvK") as file, pytest.raises(DamagedTableError):
        file.table()
