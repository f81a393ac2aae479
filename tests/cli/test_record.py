"""`tbgen study record` as a user calls it."""

from __future__ import annotations

from pathlib import Path

from tbgen.apps.records.record import read_record
from tbgen.storage.files import PARTIAL
from tests.cli.calls import printed, tbgen


def test_a_build_keeps_the_counts_of_what_it_has_made(tmp_path: Path) -> None:
    printed("build", "KvK", "--quiet", "--data", str(tmp_path))
    record = read_record(tmp_path / "records" / "KvK.json")
    assert record.positions.placements == 2 * 3612
    assert record.longest() is not None
    for side in record.sides.values():
        for each in side.outcomes.values():
            assert each.longest is not None
            assert each.longest.line is None
    before = (tmp_path / "records" / "KvK.json").stat().st_mtime_ns
    printed("build", "KvK", "--quiet", "--data", str(tmp_path))
    assert (tmp_path / "records" / "KvK.json").stat().st_mtime_ns == before


def test_records_that_could_not_be_kept_are_kept_by_the_next_build(tmp_path: Path) -> None:
    build = ("build", "KNvK", "--quiet", "--data", str(tmp_path))
    records = tmp_path / "records"
    records.touch()
    told = tbgen(*build)
    assert (told.returncode, (tmp_path / "KNvK.h5").is_file()) == (0, True)
    assert "the tables are there, their records are not" in told.stderr
    records.unlink()
    records.mkdir()
    (records / f"KvK.json{PARTIAL}").touch()
    printed(*build)
    assert {path.name for path in records.iterdir()} == {"KvK.json", "KNvK.json"}
