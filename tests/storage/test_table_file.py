from __future__ import annotations

import dataclasses
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from tbgen.errors import DamagedTableError, MissingTableError, OutdatedTableError, TableError
from tbgen.material import Material
from tbgen.retro import solve
from tbgen.score import Color
from tbgen.storage import schema
from tbgen.storage.codec import pack, unpack
from tbgen.storage.order import order_of
from tbgen.storage.reader import TableFile, check_file
from tbgen.storage.schema import COLUMNS, SEAL_BYTES, Index, Seal, digest_of
from tbgen.storage.writer import file_of, write_table
from tbgen.table import Table


@pytest.fixture(scope="module")
def knight() -> Table:
    return solve(Material.parse("KNvK"), {Material.parse("KvK"): solve(Material.parse("KvK"), {})})


@pytest.fixture
def written(tmp_path: Path, knight: Table) -> Path:
    return write_table(tmp_path, knight, generator="1.2.3", source="abc").path


def resealed(path: Path, change: Callable[[Index], object]) -> None:
    """Change the index of a file, and make its checksums right again."""
    with TableFile(path) as file:
        index = file._index
        middle = path.read_bytes()[SEAL_BYTES : file._seal.index]
    change(index)
    end = index.to_bytes()
    start = SEAL_BYTES + len(middle)
    name = path.name.removesuffix(".h5")
    seal = Seal(name, schema.FORMAT, start + len(end), start, digest_of(middle, end), digest_of(end))
    path.write_bytes(seal.to_bytes() + middle + end)


def test_a_table_comes_back_as_it_was(written: Path, knight: Table) -> None:
    live = knight.entry != 0
    with TableFile(written) as file:
        table, values = file.table(), file.values()
        assert file.attributes["generator"] == "1.2.3"
        assert file.size == written.stat().st_size
    for name in ("entry", "dtg", "pattern"):
        assert (getattr(table, name)[live] == getattr(knight, name)[live]).all()
    assert (values.entry == table.entry).all()
    assert (values.dtg == table.dtg).all()
    assert table.tallies == knight.tallies
    for field in dataclasses.fields(table.patterns):
        assert (getattr(table.patterns, field.name) == getattr(knight.patterns, field.name)).all()


def test_the_longest_distances_have_examples(written: Path) -> None:
    with TableFile(written) as file:
        assert file.examples.keys() == {(side, outcome) for side in Color for outcome in file.tallies[side]}
        assert all(" w - - 0 1" in fen for (side, _), fen in file.examples.items() if side is Color.WHITE)


def test_the_same_table_gives_the_same_bytes(knight: Table) -> None:
    first, second = (file_of(knight, generator="1", source="a", threads=threads) for threads in (1, 2))
    assert first == second


def test_any_hdf5_program_finds_the_datasets(written: Path) -> None:
    order = order_of(Material.parse("KNvK"))
    with h5py.File(written) as file, TableFile(written) as ours:
        assert set(file) == {"state", *COLUMNS}
        assert {"axes", "format", "generator", "material", "men", "rules", "source"} == set(file.attrs)
        assert json.loads(file.attrs["axes"]) == order.names
        state = file["state"]
        assert state.shape == order.shape
        for number in range(order.chunks):
            corner = np.unravel_index(number * order.chunk_cells, order.shape)
            _, packed = state.id.read_direct_chunk(corner)
            shuffled = state.id.get_create_plist().get_nfilters() == 2
            found = unpack(packed, order.chunk_cells, state.dtype, shuffled=shuffled)
            assert (found == ours.chunk(number)).all()


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32, "S5"])
def test_chunks_come_back_as_they_were(kind: str, shuffled: bool) -> None:
    chunk = np.arange(1000).astype(kind)
    packed = pack(chunk, shuffled=shuffled)
    assert (unpack(packed, 1000, kind, shuffled=shuffled) == chunk).all()
    for items in (999, 1001, 0):
        with pytest.raises(ValueError, match="instead of"):
            unpack(packed, items, kind, shuffled=shuffled)
    with pytest.raises(ValueError, match="instead of"):
        unpack(packed[:-9], 1000, kind, shuffled=shuffled)
    with pytest.raises(ValueError, match=r"descriptor|prefix|frame"):
        unpack(bytes(100), 1000, kind, shuffled=shuffled)


def test_a_flipped_bit_is_found_wherever_it_is(written: Path) -> None:
    whole, draw = written.read_bytes(), random.Random(11)
    places = [*range(SEAL_BYTES), *(draw.randrange(len(whole)) for _ in range(300)), len(whole) - 1]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << draw.randrange(8)
        written.write_bytes(damaged)
        with pytest.raises(TableError):
            check_file(written)


@pytest.mark.parametrize("length", [0, 100, SEAL_BYTES, 5000, -1])
def test_a_truncated_file_is_damaged(written: Path, length: int) -> None:
    written.write_bytes(written.read_bytes()[:length])
    with pytest.raises(DamagedTableError):
        check_file(written)


def test_a_file_that_grew_is_damaged(written: Path) -> None:
    written.write_bytes(written.read_bytes() + b"\0")
    with pytest.raises(DamagedTableError, match="bytes of"):
        check_file(written)


def test_the_table_of_another_material_is_refused(written: Path) -> None:
    swapped = written.with_name("KBvK.h5")
    shutil.copy(written, swapped)
    with pytest.raises(DamagedTableError, match="it is the table of KNvK"):
        check_file(swapped)


def test_a_damaged_chunk_is_found_when_it_is_read(written: Path) -> None:
    with TableFile(written) as file:
        offset = int(file._index.datasets["state"].chunks[1]["offset"])
    damaged = bytearray(written.read_bytes())
    damaged[offset + 20] ^= 4
    written.write_bytes(damaged)
    with TableFile(written) as file:
        file.chunk(0)
        with pytest.raises(DamagedTableError, match="chunk 1 of state is not what was written"):
            file.chunk(1)


def test_chunks_that_changed_places_are_found(written: Path) -> None:
    with TableFile(written) as file:
        (first, size, _), (second, other, _) = file._index.datasets["state"].chunks[:2].tolist()
    whole = bytearray(written.read_bytes())
    least = min(size, other)
    whole[first : first + least], whole[second : second + least] = (
        whole[second : second + least],
        whole[first : first + least],
    )
    written.write_bytes(whole)
    with TableFile(written) as file, pytest.raises(DamagedTableError):
        file.table()


def test_another_format_is_outdated(written: Path) -> None:
    whole = written.read_bytes()
    seal = dataclasses.replace(Seal.from_bytes(whole[:SEAL_BYTES]), format=99)
    written.write_bytes(seal.to_bytes() + whole[SEAL_BYTES:])
    with pytest.raises(OutdatedTableError, match="format 99"):
        check_file(written)


def test_other_rules_are_outdated(written: Path) -> None:
    resealed(written, lambda index: index.attributes.update(rules="r-mobility 0"))
    with pytest.raises(OutdatedTableError, match="rules r-mobility 0"):
        check_file(written)


@pytest.mark.parametrize(("name", "value"), [("axes", '["a"]'), ("material", "KBvK")])
def test_a_wrong_attribute_is_found_even_under_a_right_seal(written: Path, name: str, value: str) -> None:
    resealed(written, lambda index: index.attributes.update({name: value}))
    with pytest.raises(DamagedTableError):
        check_file(written)


def test_a_missing_dataset_is_found(written: Path) -> None:
    resealed(written, lambda index: index.datasets.pop("tally_fen"))
    with pytest.raises(DamagedTableError, match="a dataset is missing"):
        check_file(written)


def test_a_missing_table_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(MissingTableError, match="tbgen build KBvK"):
        TableFile(tmp_path / "KBvK.h5")


@pytest.mark.parametrize("name", ["KvKB.h5", "kbvk.h5", "notes.txt"])
def test_a_name_that_no_table_has_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(DamagedTableError, match="its name is not that of a table"):
        TableFile(tmp_path / name)


def test_an_open_table_answers_from_the_file_it_opened(written: Path) -> None:
    with TableFile(written) as file:
        before = file.chunk(0).copy()
        written.with_suffix(".new").write_bytes(b"something else")
        written.with_suffix(".new").replace(written)
        assert (file.chunk(0) == before).all()
