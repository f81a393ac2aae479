"""`tbgen record` as a user calls it."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from tbgen import cli
from tbgen.records.folder import read_record
from tbgen.records.places import INDEX


def called(*arguments: str) -> Result:
    return CliRunner().invoke(cli.tbgen, ["record", *arguments])


def test_records_are_written_where_they_are_wanted(table_folder: Path, tmp_path: Path) -> None:
    done = called("kvkb", "--data", str(table_folder), "-o", str(tmp_path / "out"))
    assert done.stdout == "KBvK: 52,234 positions up to symmetry, longest G1.5 in 46 plies\n"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["KBvK.json", INDEX]
    assert read_record(tmp_path / "out" / "KBvK.json").positions.placements == 193_284 + 223_944


def test_records_of_others_are_taken_over(table_folder: Path, tmp_path: Path) -> None:
    there, here = str(tmp_path / "there"), str(tmp_path / "here")
    called("KvK", "--data", str(table_folder), "-o", there)
    assert called("--merge", there, "-o", here).output == "1 taken over: KvK\n"
    assert called("--merge", there, "-o", here).output == "0 taken over\n"


def test_nothing_asked_for_is_said(tmp_path: Path) -> None:
    done = called("--data", str(tmp_path))
    assert "name materials" in str(done.exception)


def test_a_build_keeps_the_counts_of_what_it_has_made(tmp_path: Path) -> None:
    CliRunner().invoke(cli.tbgen, ["build", "KvK", "--quiet", "--data", str(tmp_path)], catch_exceptions=False)
    record = read_record(tmp_path / "records" / "KvK.json")
    assert record.positions.placements == 2 * 3612
    assert record.longest() is not None
    assert {each.longest.moves for side in record.sides.values() for each in side.values()} == {None}
    before = (tmp_path / "records" / "KvK.json").stat().st_mtime_ns
    CliRunner().invoke(cli.tbgen, ["build", "KvK", "--quiet", "--data", str(tmp_path)], catch_exceptions=False)
    assert (tmp_path / "records" / "KvK.json").stat().st_mtime_ns == before
