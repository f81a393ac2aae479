from __future__ import annotations

import dataclasses
import itertools
import json
import os
import random
import shutil
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt
import pytest

from tbgen.errors import (
    DamagedTableError,
    MissingDistancesError,
    OutdatedTableError,
    TableError,
)
from tbgen.index.layout import layout_of
from tbgen.material import table_named
from tbgen.score import Color
from tbgen.storage import writer
from tbgen.storage.files import Layer, path_of
from tbgen.storage.layerfile import LayerFile
from tbgen.storage.order import order_of
from tbgen.storage.reader import TableFile
from tbgen.storage.schema import (
    COLUMNS,
    DETAIL,
    DTG,
    SEAL_BYTES,
    STREAMS,
    SYMBOL,
    Index,
    Seal,
    sealed,
)
from tbgen.storage.writer import write_table
from tests.files import check_file
from tests.retro.tables import solved
from tests.storage.forging import Items, resealed, rewritten, with_one_more

KNIGHT = table_named("KNvK")


@pytest.fixture(scope="module")
def knight_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the table of KNvK; not to be written to."""
    folder = tmp_path_factory.mktemp("knight")
    write_table(folder, solved("KNvK"), generator="1.2.3", source="abc")
    return folder


@pytest.fixture
def written(knight_folder: Path, tmp_path: Path) -> Path:
    """A copy of the table."""
    shutil.copytree(knight_folder, tmp_path, dirs_exist_ok=True)
    return path_of(tmp_path, KNIGHT)


@pytest.fixture(params=Layer, ids=lambda layer: layer.value)
def layer(request: pytest.FixtureRequest) -> Layer:
    return request.param


@pytest.fixture
def path(written: Path, layer: Layer) -> Path:
    """The file of a layer."""
    return path_of(written.parent, KNIGHT, layer)


def assert_refused(path: Path, error: type[TableError], words: str | None = None) -> None:
    with pytest.raises(error, match=words):
        check_file(path)


def test_a_table_comes_back_as_it_was(written: Path) -> None:
    knight = solved("KNvK")
    live = knight.entry != 0
    with TableFile(written) as file:
        table = file.table()
        values = file.values()
        assert file.outcomes.index.attributes["generator"] == "1.2.3"
        assert file.size == sum(path.stat().st_size for path in written.parent.iterdir())
        assert file.counts == {
            side: {outcome: tally.count for outcome, tally in file.tallies[side].items()}
            for side in Color
        }
    for name in ("entry", "dtg", "pattern"):
        assert (getattr(table, name)[live] == getattr(knight, name)[live]).all()
    assert (values.entry == table.entry).all()
    assert (values.dtg == table.dtg).all()
    assert table.tallies == knight.tallies
    for field in dataclasses.fields(table.patterns):
        assert (getattr(table.patterns, field.name) == getattr(knight.patterns, field.name)).all()


def test_the_same_table_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[weakref.ref[np.ndarray]]()
    seal = sealed

    def new(size: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
        array = np.zeros(size, kind)
        made.append(weakref.ref(array))
        return array

    def made_file(*parts: Any) -> tuple[bytes, bytes, bytes]:
        assert made[-1]() is None  # the largest array is let go before files are made
        return seal(*parts)

    monkeypatch.setattr(writer, "sealed", made_file)
    first, second = (
        write_table(tmp_path, solved("KNvK"), generator="1", source="a", threads=threads, new=new)
        for threads in (1, 2)
    )
    assert first == second
    assert len(made) == 2


def test_any_hdf5_program_finds_the_datasets(path: Path, layer: Layer) -> None:
    order = order_of(KNIGHT)
    facts = {"axes", "format", "game", "generator", "layer", "material", "men", "rules", "source"}
    ours = LayerFile(path, layer)
    with h5py.File(path) as file:
        assert set(file) == {*STREAMS[layer], *COLUMNS[layer]}
        assert set(file.attrs) - {"outcomes"} == facts
        assert json.loads(file.attrs["axes"]) == order.names
        for name in COLUMNS[layer]:
            assert file[name].dtype == ours.dataset(name).kind
        for name in STREAMS[layer]:
            stream = file[name]
            size = ours.dataset(name).chunk_items
            assert stream.shape == order.shape
            for number in range(len(ours.dataset(name).chunks)):
                corner = np.unravel_index(number * size, order.shape)
                _, packed = stream.id.read_direct_chunk(corner)
                shuffled = stream.id.get_create_plist().get_nfilters() == 2
                dataset = dataclasses.replace(
                    ours.dataset(name), kind=stream.dtype, shuffled=shuffled
                )
                assert (dataset.unpack(packed) == ours.part(name, number)).all()
    ours.close()


def test_a_flipped_bit_is_found_wherever_it_is(written: Path, path: Path) -> None:
    whole = path.read_bytes()
    draw = random.Random(11)
    places = [*range(SEAL_BYTES), *(draw.randrange(len(whole)) for _ in range(500)), len(whole) - 1]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << draw.randrange(8)
        path.write_bytes(damaged)
        assert_refused(written, TableError)


@pytest.mark.parametrize("length", [0, 100, SEAL_BYTES, 5000, -1, None])
def test_a_file_that_was_cut_or_grew_is_damaged(
    written: Path, path: Path, length: int | None
) -> None:
    path.write_bytes(
        path.read_bytes()[:length] if length is not None else path.read_bytes() + b"\0"
    )
    assert_refused(written, DamagedTableError)


def test_a_table_that_is_refused_leaves_no_file_open_for_whoever_keeps_the_error(
    written: Path,
) -> None:
    written.write_bytes(written.read_bytes()[:5000])
    before = os.listdir("/proc/self/fd")
    with pytest.raises(DamagedTableError) as kept:
        TableFile(written)
    assert (os.listdir("/proc/self/fd"), kept.tb is None) == (before, False)


def test_a_file_in_the_place_of_another_is_refused(written: Path, path: Path, layer: Layer) -> None:
    """Of a table of another material, and of the other layer."""
    for side in Layer:
        swapped = path_of(path.parent, table_named("KBvK"), side)
        shutil.copy(path_of(path.parent, KNIGHT, side), swapped)
    assert_refused(written.with_name("KBvK.h5"), DamagedTableError, "it is the table of KNvK")
    (other,) = set(Layer) - {layer}
    path.write_bytes(path_of(path.parent, KNIGHT, other).read_bytes())
    assert_refused(written, DamagedTableError, f"it is the table of KNvK, {other.value}")


def test_distances_of_other_outcomes_are_refused_when_they_are_asked_for(
    written: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    write_table(tmp_path / "other", solved("KNvK"), generator="1.2.4", source="abc")
    shutil.copy(path_of(tmp_path / "other", KNIGHT), written)
    with TableFile(written) as file:
        assert file.counts
        for ask in (file.check, file.values, lambda: file.tallies, lambda: file.ids(0, 9)):
            with pytest.raises(DamagedTableError, match="it belongs to other outcomes"):
                ask()


def test_without_distances_a_table_has_its_outcomes(written: Path) -> None:
    path_of(written.parent, KNIGHT, Layer.DISTANCES).unlink()
    with TableFile(written) as file:
        assert not file.has_distances
        assert file.check().sha256_of_distances is None
        assert {side: sum(counts.values()) for side, counts in file.counts.items()} == {
            side: sum(tally.count for tally in tallies.values())
            for side, tallies in solved("KNvK").tallies.items()
        }
        with pytest.raises(MissingDistancesError, match="tbgen build KNvK"):
            file.values()


@pytest.mark.parametrize("name", [SYMBOL, DTG, DETAIL])
def test_a_damaged_chunk_is_found_when_it_is_read(written: Path, name: str) -> None:
    layer = Layer.OUTCOMES if name == SYMBOL else Layer.DISTANCES
    path = path_of(written.parent, KNIGHT, layer)
    file = LayerFile(path, layer)
    offset = int(file.dataset(name).chunks[1]["offset"])
    file.close()
    damaged = bytearray(path.read_bytes())
    damaged[offset + 20] ^= 4
    path.write_bytes(damaged)
    with TableFile(written) as table:
        table.layer(name).part(name, 0)
        with pytest.raises(DamagedTableError, match=f"chunk 1 of {name} is not what was written"):
            table.layer(name).part(name, 1)


@pytest.mark.parametrize(
    ("old", "new", "error", "words"),
    [
        (b"\nformat 3\n", b"\nformat 2\n", OutdatedTableError, "format 2"),
        (b"r-mobility", b"whole-game", DamagedTableError, "KNvK, (outcomes|distances), whole-game"),
    ],
)
def test_another_format_or_game_is_refused(
    written: Path, path: Path, old: bytes, new: bytes, error: type[TableError], words: str
) -> None:
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    assert_refused(written, error, words)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("axes", '["a"]', "axes are not those"),
        ("material", "KBvK", "its seal is that of another file"),
        ("layer", "both", "its seal is that of another file"),
        ("game", "chess", "its seal is that of another file"),
        ("outcomes", "0", "its seal is that of another file"),
        ("generator", 3, "attributes.generator is 3, not a text"),
    ],
)
def test_a_wrong_attribute_is_found_even_under_a_right_seal(
    written: Path, path: Path, name: str, value: Any, reason: str
) -> None:
    resealed(path, lambda index: index.attributes.update({name: value}))
    assert_refused(written, DamagedTableError, reason)


@pytest.mark.parametrize("kind", ["<i4,(", "(2,<i4", "2<i4", "O", "|V8", 7, [["first", "<i4,("]]])
def test_a_kind_of_items_that_no_table_has_is_refused(path: Path, kind: object) -> None:
    """numpy would evaluate parts of it as Python, and raise SyntaxError."""
    whole = path.read_bytes()
    head, _, chunks = whole[Seal.from_bytes(whole[:SEAL_BYTES]).index :].partition(b"\n")
    facts = json.loads(head)
    description = next(iter(facts["datasets"].values()))
    description[0] = kind
    with pytest.raises(ValueError, match="no dataset has items of the kind"):
        Index.from_bytes(json.dumps(facts).encode() + b"\n" + chunks)


@pytest.mark.parametrize("index", [SEAL_BYTES - 1, 1 << 40])
def test_an_index_outside_the_file_is_refused(written: Path, path: Path, index: int) -> None:
    whole = path.read_bytes()
    path.write_bytes(
        dataclasses.replace(Seal.from_bytes(whole[:SEAL_BYTES]), index=index).to_bytes()
        + whole[SEAL_BYTES:]
    )
    assert_refused(written, DamagedTableError, "its index lies outside")


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"items": 2.5}, "is not described as datasets are"),
        ({"chunk_items": True}, "is not described as datasets are"),
        ({"shuffled": 1}, "is not described as datasets are"),
        ({"items": 1e3}, "is not described as datasets are"),
        ({"kind": np.dtype("<i8")}, "a dataset is of another type"),
    ],
    ids=str,
)
@pytest.mark.parametrize("place", [0, -1])
def test_a_dataset_of_another_kind_of_number_is_found(
    written: Path, path: Path, layer: Layer, facts: dict[str, Any], words: str, place: int
) -> None:
    name = [*STREAMS[layer], *COLUMNS[layer]][place]

    def change(index: Index) -> None:
        changed = dataclasses.replace(index.datasets[name], **facts)
        index.datasets[name] = changed  # type: ignore[index]

    resealed(path, change)
    assert_refused(written, DamagedTableError, words)


@pytest.mark.parametrize(
    ("name", "part", "words"),
    [
        *((name, slice(-1, None), None) for name in ("symbol_groups", "group_states", "states")),
        *((name, slice(None), "that the table does not have") for name in (DTG, DETAIL)),
        ("symbol_groups", None, "it has groups of other symbols"),
    ],
)
def test_a_number_that_leads_nowhere_is_refused(
    written: Path, name: str, part: slice | None, words: str | None
) -> None:
    """Also where a symbol that the outcomes do not have is given groups."""

    def change(items: Items) -> None:
        numbers = items["first"] if items.dtype.names else items
        numbers[part] = np.iinfo(numbers.dtype).max

    rewritten(written, Layer.DISTANCES, name, with_one_more if part is None else change)
    with TableFile(written) as file, pytest.raises(DamagedTableError, match=words):
        _ = file.table() if words is None else file.ids(0, file.order.chunk_cells)


@pytest.mark.parametrize("is_other", ["symbol", "distance"])
def test_a_state_of_another_symbol_or_distance_is_refused(written: Path, is_other: str) -> None:
    """The next state, where only one of the two differs."""
    with TableFile(written) as file:
        ids = file.ids(0, file.order.chunk_cells)
        symbols = np.diff(file.symbol_of_state)
        distances = np.diff(file.states.dtg)
    wanted = (
        (symbols != 0, distances == 0) if is_other == "symbol" else (symbols == 0, distances != 0)
    )
    place = int(np.isin(ids, np.flatnonzero(wanted[0] & wanted[1])).argmax())

    def change(items: Items) -> None:
        items[place] += 1

    rewritten(written, Layer.DISTANCES, DETAIL, change)
    with (
        TableFile(written) as file,
        pytest.raises(DamagedTableError, match="a state of another symbol or distance"),
    ):
        file.ids(0, file.order.chunk_cells)


def test_rows_of_a_symbol_say_something_new(written: Path) -> None:
    with TableFile(written) as file:
        rows = file.column("outcome_rows").tolist()
        pairs = [
            pair
            for _, at, count in file.column("symbols")
            for pair in itertools.pairwise(rows[at : at + count])
        ]
    assert {(one[0], one[2]) != (other[0], other[2]) for one, other in pairs} == {True}


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("cell", layout_of(KNIGHT).cells, "an example is no position"),
        ("fen", b"8/8 \xff", "an example is no position"),
        ("fen", b"8/8 \x07", "an example is no position"),
        ("outcome", 99, "no entry value is G49.0"),
    ],
)
@pytest.mark.parametrize("facts", ["tallies", "longest"])
def test_an_example_that_no_reader_can_use_is_refused(
    written: Path, field: str, value: object, reason: str, facts: str
) -> None:
    def change(items: Items) -> None:
        items[field][0] = value

    rewritten(written, Layer.DISTANCES, "longest", change)
    with TableFile(written) as file, pytest.raises(DamagedTableError, match=reason):
        getattr(file, facts)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_pipe_or_folder_in_the_place_of_a_file_is_not_waited_for(
    written: Path, path: Path, make: Callable[[Path], None]
) -> None:
    path.unlink()
    make(path)
    assert_refused(written, DamagedTableError, "it is no regular file")
