"""`tbgen study record` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tbgen.apps.records.folder import INDEX, read_record
from tbgen.storage.files import PARTIAL
from tests.cli.calls import complaint, printed, tbgen


def test_records_are_written_where_they_are_wanted(table_folder: Path, tmp_path: Path) -> None:
    shown = printed("study", "record", "kvkb", "--data", str(table_folder), "-o", str(tmp_path / "out"))
    assert shown == "KBvK: 52,234 positions up to symmetry, longest G1.5 in 46 plies\n"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["KBvK.json", INDEX]
    assert read_record(tmp_path / "out" / "KBvK.json").positions.placements == 193_284 + 223_944


def test_records_of_others_are_taken_over(table_folder: Path, tmp_path: Path) -> None:
    there, here = str(tmp_path / "there"), str(tmp_path / "here")
    printed("study", "record", "KvK", "--data", str(table_folder), "-o", there)
    assert printed("study", "record", "--merge", there, "-o", here) == "1 taken over: KvK\n"
    assert printed("study", "record", "--merge", there, "-o", here) == "0 taken over\n"


def test_where_nothing_is_recorded_no_index_is_written(tmp_path: Path) -> None:
    """As after an interruption before the first record."""
    (tmp_path / "tables").mkdir()
    code, line = complaint(
        "study", "record", "KBvKN", "--data", str(tmp_path / "tables"), "-o", str(tmp_path / "records")
    )
    assert code != 0
    assert "KBvKN" in line
    assert not (tmp_path / "records" / INDEX).exists()


def test_a_build_keeps_the_counts_of_what_it_has_made(tmp_path: Path) -> None:
    printed("build", "KvK", "--quiet", "--data", str(tmp_path))
    record = read_record(tmp_path / "records" / "KvK.json")
    assert record.positions.placements == 2 * 3612
    assert record.longest() is not None
    assert {each.longest.line for side in record.sides.values() for each in side.outcomes.values()} == {None}
    before = (tmp_path / "records" / "KvK.json").stat().st_mtime_ns
    printed("build", "KvK", "--quiet", "--data", str(tmp_path))
    assert (tmp_path / "records" / "KvK.json").stat().st_mtime_ns == before


@pytest.mark.parametrize("last_words", ["making.record_of", "making.write_index"])
def test_a_record_that_a_build_did_not_live_to_keep_is_kept_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last_words: str
) -> None:
    def die(*_: Any, **__: Any) -> None:
        raise OSError("no more")

    build, records = ("build", "KNvK", "--quiet", "--data", str(tmp_path)), tmp_path / "records"
    with monkeypatch.context() as patched:
        patched.setattr(f"tbgen.apps.records.{last_words}", die)
        assert "their records are not: no more" in tbgen(*build).stderr
    records.mkdir(exist_ok=True)
    (records / f"KvK.json{PARTIAL}").touch()
    assert not (records / INDEX).exists()
    printed(*build)
    assert {path.name for path in records.iterdir()} == {INDEX, "KvK.json", "KNvK.json"}
    assert json.loads((records / INDEX).read_text())["records"].keys() == {"KvK", "KNvK"}


def test_tables_are_made_even_if_their_records_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "records").touch()
    told = tbgen("build", "KvK", "--quiet", "--data", str(tmp_path))
    assert (told.returncode, (tmp_path / "KvK.h5").is_file()) == (0, True)
    assert "the tables are there, their records are not" in told.stderr


def test_tables_that_were_copied_are_not_counted(table_folder: Path, tmp_path: Path) -> None:
    for path in table_folder.glob("KvK*.h5"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    printed("build", "KvK", "--quiet", "--data", str(tmp_path))
    assert not (tmp_path / "records").exists()
