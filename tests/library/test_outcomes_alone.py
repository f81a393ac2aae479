"""Builds of outcomes alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from tbgen.errors import BuildError
from tbgen.library.build import Watcher, build
from tbgen.library.catalog import examine, read_manifest
from tbgen.library.plan import Settings
from tbgen.material import table_named
from tbgen.storage.files import Layer, path_of, tables_in
from tbgen.storage.writer import write_table
from tests.cli.calls import tbgen
from tests.copies import bytes_of_table, copy_tables
from tests.retro.tables import solved

KINGS = table_named("KvK")
KNIGHT = table_named("KNvK")


def with_distances(folder: Path) -> set[str]:
    return {
        str(each) for each in tables_in(folder) if path_of(folder, each, Layer.DISTANCES).exists()
    }


def assert_outcomes_alone(folder: Path, expected: Path) -> None:
    """The outcomes of all tables, known to the manifest, and nothing else."""
    assert with_distances(folder) == set()
    for material in tables_in(folder):
        content = path_of(folder, material).read_bytes()
        assert content == bytes_of_table(expected, str(material))[0]
        noted = read_manifest(folder)[str(material)]
        assert (noted.bytes, noted.sha256_of_distances) == (len(content), None)


def test_only_outcomes_stay(tmp_path: Path, table_folder: Path) -> None:
    assert tbgen("build", "KPvK", "--outcomes", "-q", folder=tmp_path).returncode == 0
    assert [*map(str, tables_in(tmp_path))] == ["KvK", "KNvK", "KBvK", "KRvK", "KQvK", "KPvK"]
    assert_outcomes_alone(tmp_path, table_folder)
    assert (
        "0 built, 6 already there" in tbgen("build", "KPvK", "--outcomes", folder=tmp_path).stdout
    )


def test_outcomes_need_no_distances_of_children(tmp_path: Path, table_folder: Path) -> None:
    build(tmp_path, [KINGS], Watcher(), Settings(outcomes_only=True))
    watcher = mock.Mock(Watcher)
    build(tmp_path, [KNIGHT], watcher, Settings(outcomes_only=True))
    assert [call.args[0].material for call in watcher.built.call_args_list] == [KNIGHT]
    assert_outcomes_alone(tmp_path, table_folder)


def test_distances_that_were_there_stay(tmp_path: Path, table_folder: Path) -> None:
    copy_tables(table_folder, tmp_path, "KvK")
    build(tmp_path, [KNIGHT], Watcher(), Settings(outcomes_only=True))
    assert with_distances(tmp_path) == {"KvK"}
    build(tmp_path, [KNIGHT], Watcher())
    assert with_distances(tmp_path) == {"KvK", "KNvK"}


def test_distances_that_come_later_check_the_outcomes(tmp_path: Path, table_folder: Path) -> None:
    build(tmp_path, [KNIGHT], Watcher(), Settings(outcomes_only=True))
    build(tmp_path, [KNIGHT], Watcher())
    assert with_distances(tmp_path) == {"KvK", "KNvK"}
    assert bytes_of_table(tmp_path, "KNvK") == bytes_of_table(table_folder, "KNvK")


def test_the_manifest_knows_distances_that_come_later(tmp_path: Path) -> None:
    build(tmp_path, [KNIGHT], Watcher(), Settings(outcomes_only=True))
    build(tmp_path, [KNIGHT], Watcher())
    for name in ("KvK", "KNvK"):
        found = examine(tmp_path, table_named(name))
        noted = read_manifest(tmp_path)[name]
        assert noted == found.file
        assert noted.sha256_of_distances is not None
        assert None not in (noted.cpu_seconds, noted.wall_seconds, noted.peak_bytes, noted.threads)


def test_solvers_that_contradict_each_other_are_reported(tmp_path: Path) -> None:
    table = solved("KvK")
    wrong = replace(table, entry=np.where(table.entry == 4, 3, table.entry).astype(np.int8))
    write_table(tmp_path, wrong, generator="test", source="test", outcomes_only=True)
    with pytest.raises(BuildError, match="the solvers contradict each other"):
        write_table(tmp_path, table, generator="test", source="test")
    assert with_distances(tmp_path) == set()
    write_table(tmp_path, table, generator="test", source="another")
    assert with_distances(tmp_path) == {"KvK"}
