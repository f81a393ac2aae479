"""Builds of outcomes alone: distances are there as long as parents need them, and no longer."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

from tbgen.library.build import Settings, Watcher, build
from tbgen.library.catalog import MARK, read_manifest
from tbgen.material import Material
from tbgen.storage.files import Layer, path_of, tables_in
from tests.cli.calls import tbgen
from tests.copies import bytes_of_table, copy_tables

KINGS, KNIGHT = Material.parse("KvK"), Material.parse("KNvK")


def with_distances(folder: Path) -> set[str]:
    return {str(each) for each in tables_in(folder) if path_of(folder, each, Layer.DISTANCES).exists()}


def assert_outcomes_alone(folder: Path, expected: Path) -> None:
    """The outcomes of all tables, known to the manifest, and nothing else."""
    assert with_distances(folder) == set()
    assert not list(folder.glob(f"*{MARK}"))
    for material in tables_in(folder):
        content = path_of(folder, material).read_bytes()
        assert content == bytes_of_table(expected, str(material))[0]
        noted = read_manifest(folder)[str(material)]
        assert (noted.bytes, noted.sha256_of_distances) == (len(content), None)


def test_only_outcomes_stay(tmp_path: Path, table_folder: Path) -> None:
    assert tbgen("build", "KPvK", "--outcomes", "-q", folder=tmp_path).returncode == 0
    assert [*map(str, tables_in(tmp_path))] == ["KvK", "KNvK", "KBvK", "KRvK", "KQvK", "KPvK"]
    assert_outcomes_alone(tmp_path, table_folder)
    done = tbgen("build", "KPvK", "--outcomes", folder=tmp_path)
    assert "0 built, 6 already there" in done.stdout


def test_distances_that_a_parent_needs_are_made_again_for_it(tmp_path: Path, table_folder: Path) -> None:
    build(tmp_path, [KINGS], Watcher(), Settings(outcomes_only=True))
    build(tmp_path, [KNIGHT], watcher := mock.Mock(Watcher), Settings(outcomes_only=True))
    assert [call.args[0].material for call in watcher.built.call_args_list] == [KINGS, KNIGHT]
    assert_outcomes_alone(tmp_path, table_folder)


def test_distances_that_were_there_stay(tmp_path: Path, table_folder: Path) -> None:
    copy_tables(table_folder, tmp_path, "KvK")
    build(tmp_path, [KNIGHT], Watcher(), Settings(outcomes_only=True))
    assert with_distances(tmp_path) == {"KvK"}
    build(tmp_path, [KNIGHT], Watcher())
    assert with_distances(tmp_path) == {"KvK", "KNvK"}
