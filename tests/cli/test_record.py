"""`tbgen study record` as a user calls it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tbgen.apps.records.record import read_record
from tbgen.storage.files import PARTIAL
from tests.cli.calls import printed, tbgen


def test_a_build_keeps_the_counts_of_what_it_has_made(tmp_path: Path) -> None:
    printed("build", "KvK", "--quiet", "--data", str(tmp_path))
    record = read_record(tmp_path / "records" / "KvK.json")
    assert record.positions.placements == 2 * 3612
    assert record.longest() is not None
    assert {each.longest.line for side in record.sides.values() for each in side.outcomes.values()} == {None}
    before = (tmp_path / "records" / "KvK.json").stat().st_mtime_ns
    printed("build", "KvK", "--quiet", "--data", str(tmp_path))
    assert (tmp_path / "records" / "KvK.json").stat().st_mtime_ns == before


def test_a_record_that_a_build_did_not_live_to_keep_is_kept_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: Any, **__: Any) -> None:
        raise OSError("no more")

    build, records = ("build", "KNvK", "--quiet", "--data", str(tmp_path)), tmp_path / "records"
    with monkeypatch.context() as patched:
        patched.setattr("tbgen.apps.records.making.record_of", die)
        assert "their records are not: no more" in tbgen(*build).stderr
    records.mkdir(exist_ok=True)
    (records / f"KvK.json{PARTIAL}").touch()
    printed(*build)
    assert {path.name for path in records.iterdir()} == {"KvK.json", "KNvK.json"}


def test_tables_are_made_even_if_their_records_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "records").touch()
    told = tbgen("build", "KvK", "--quiet", "--data", str(tmp_path))
    assert (told.returncode, (tmp_path / "KvK.h5").is_file()) == (0, True)
    assert "the tables are there, their records are not" in told.stderr
