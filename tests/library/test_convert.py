"""Tables of format 2, made by an earlier version, as those of today; tests/golden/format2 has two."""

from __future__ import annotations

import contextlib
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tbgen.errors import DamagedTableError, OutdatedTableError
from tbgen.library import convert as convert_module
from tbgen.library.convert import BESIDE, convert, former_tables
from tbgen.library.manifest import read_manifest
from tbgen.material import Material
from tbgen.storage.files import path_of
from tbgen.storage.former import FormerFile
from tbgen.storage.reader import TableFile
from tests.cli.calls import printed, tbgen
from tests.files import digest_of_file

FORMER = Path(__file__).parents[1] / "golden" / "format2"
KINGS, BISHOP = Material.parse("KvK"), Material.parse("KBvK")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FORMER, tmp_path / "tables"))


def test_a_table_of_format_2_is_outdated_and_says_what_to_do(folder: Path) -> None:
    with pytest.raises(OutdatedTableError, match=r"has format 2, .*tbgen convert"):
        TableFile(path_of(folder, KINGS))


def test_what_is_converted_is_what_is_built(folder: Path, table_folder: Path) -> None:
    assert printed("convert", folder=folder) == "2 tables converted\n"
    for material in (KINGS, BISHOP):
        with TableFile(path_of(folder, material)) as found, TableFile(path_of(table_folder, material)) as built:
            found.check()
            assert found.tallies == built.tallies
            for name in ("symbol", "dtg", "detail"):
                for number in range(len(built._layer(name).dataset(name).chunks)):
                    assert (found.column_part(name, number) == built.column_part(name, number)).all()
            for name in ("symbols", "outcome_rows", "states", "rows"):
                assert (found.column(name) == built.column(name)).all()
        entry = read_manifest(folder)[str(material)]
        assert entry.sha256 == digest_of_file(path_of(folder, material))
    assert printed("convert", "--data", str(folder)) == "0 tables converted\n"
    assert not (folder / BESIDE).exists()


def test_an_interrupted_conversion_is_taken_up_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    before = path_of(folder, KINGS).read_bytes()
    for step in ("_compare", "write_numbered", "_record"):
        with monkeypatch.context() as patched:
            patched.setattr(convert_module, step, die)
            with pytest.raises(KeyboardInterrupt):
                convert(folder, [KINGS])
        assert not (folder / BESIDE).exists()
        if step != "_record":
            assert path_of(folder, KINGS).read_bytes() == before
    convert(folder, [KINGS, BISHOP])
    assert former_tables(folder, [KINGS, BISHOP]) == []


def test_a_damaged_table_is_not_converted(folder: Path) -> None:
    whole = path_of(folder, BISHOP).read_bytes()
    for place in (600, len(whole) // 2, len(whole) - 1):
        damaged = bytearray(whole)
        damaged[place] ^= 4
        path_of(folder, BISHOP).write_bytes(damaged)
        with pytest.raises(DamagedTableError):
            convert(folder, [BISHOP])
        assert path_of(folder, BISHOP).read_bytes() == damaged


def test_a_state_that_is_not_there_is_found_though_all_checksums_are_right(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    column_of = FormerFile._column

    def beyond(file: FormerFile, name: str) -> npt.NDArray[Any]:
        column = column_of(file, name)
        return column + np.uint16(len(column_of(file, "state_entry"))) if name == "state" else column

    monkeypatch.setattr(FormerFile, "_column", beyond)
    with pytest.raises(DamagedTableError, match="a state that the table does not have"):
        convert(folder, [BISHOP])


def test_a_build_points_to_conversion_where_tables_have_format_2(folder: Path) -> None:
    done = tbgen("build", "KBvK", "--plan", "--data", str(folder))
    assert (done.returncode, done.stdout.splitlines()[-2].startswith("2 to build")) == (0, True)
    assert done.stderr == (
        f"tbgen: 2 tables have format 2; to keep what they took, run first: tbgen convert --data {folder}\n"
    )
    convert(folder, [KINGS, BISHOP])
    assert "0 to build" in printed("build", "KBvK", "--plan", "--data", str(folder))


def test_a_seal_that_is_damaged_is_told(folder: Path) -> None:
    whole, draw = path_of(folder, KINGS).read_bytes(), random.Random(3)
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[draw.randrange(300)] ^= 1 << draw.randrange(8)
        path_of(folder, KINGS).write_bytes(damaged)
        with contextlib.suppress(DamagedTableError):
            convert(folder, [KINGS])
        assert path_of(folder, KINGS).read_bytes() == damaged
