"""Tables made on the workers of a dask scheduler."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from distributed import LocalCluster

from tbgen.cli.watch import QuietWatcher
from tbgen.errors import BuildError, UsageError
from tbgen.library import cluster as cluster_module
from tbgen.library import steps as steps_module
from tbgen.library.build import Settings, build, plan_for
from tbgen.library.cluster import Cluster
from tbgen.library.work import UNHEARD
from tbgen.material import Material, build_order, materials
from tests.copies import bytes_of_table, copy_tables

from .workloads import HELPED, HELPER_LOST, MAKER_LOST, dies_once, is_helped, loses_workers, writes_elsewhere

THREE_MEN = [*materials(2), *materials(3)]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Two workers, each a process with one thread, that are started again when they die."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="1GiB", silence_logs=50
    ) as there:
        yield there.scheduler_address


def test_a_lost_worker_s_table_is_done_again_and_all_are_as_ever(
    address: str, tmp_path: Path, table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "Cluster", functools.partial(Cluster, work=dies_once))
    watcher = QuietWatcher()
    build(tmp_path, THREE_MEN, watcher, Settings(cluster=address))
    assert (tmp_path / "killed").exists(), "a worker was killed on the way"
    assert len(watcher.made) == len(THREE_MEN)
    for material in THREE_MEN:
        assert bytes_of_table(tmp_path, str(material)) == bytes_of_table(table_folder, str(material))


def test_the_plan_is_that_of_the_workers(address: str, tmp_path: Path) -> None:
    machine = plan_for(tmp_path, THREE_MEN, Settings(cluster=address)).machine
    assert (machine.jobs, machine.threads, machine.most_memory) == (2, 2, int(0.9 * (1 << 30)))
    smaller = plan_for(tmp_path, THREE_MEN, Settings(cluster=address, memory=1 << 29)).machine
    assert smaller.most_memory == 1 << 29


def test_nobody_at_the_address_is_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_CONNECT_SECONDS", 0.5)
    with pytest.raises(UsageError, match=r"no dask scheduler answers at tcp://127\.0\.0\.1:9"):
        build(tmp_path, THREE_MEN, QuietWatcher(), Settings(cluster="tcp://127.0.0.1:9"))


def test_a_folder_that_the_workers_do_not_share_is_noticed(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "Cluster", functools.partial(Cluster, work=writes_elsewhere))
    with pytest.raises(BuildError, match=r"cannot build KvK: .* do all workers share that folder\?"):
        build(tmp_path, THREE_MEN, QuietWatcher(), Settings(cluster=address))


@pytest.fixture
def lent_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers are lent for the smallest table with pawns."""
    monkeypatch.setattr(steps_module, "WORTH_LENDING", 0.0)


def without(name: str, source: Path, folder: Path) -> Path:
    """The tables that one needs."""
    folder.mkdir()
    for material in build_order([Material.parse(name)])[:-1]:
        copy_tables(source, folder, str(material))
    return folder


@pytest.mark.usefixtures("lent_early")
def test_an_idle_worker_solves_blocks_of_another_s_table(
    address: str, tmp_path: Path, table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = without("KPvK", table_folder, tmp_path / "tables")
    monkeypatch.setattr(cluster_module, "Cluster", functools.partial(Cluster, work=is_helped))
    build(folder, [Material.parse("KPvK")], QuietWatcher(), Settings(cluster=address))
    assert (folder / HELPED).exists()
    assert bytes_of_table(folder, "KPvK") == bytes_of_table(table_folder, "KPvK")


@pytest.mark.slow
@pytest.mark.usefixtures("lent_early")
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_table_is_the_same_whoever_is_lost(
    tmp_path: Path, four_men_folder: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """One worker that helps is killed, and after that the one that makes the table."""
    folder = without("KPvKP", four_men_folder, tmp_path / "tables")
    monkeypatch.setattr(cluster_module, "Cluster", functools.partial(Cluster, work=loses_workers))
    with LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=":0", memory_limit="2GiB", silence_logs=50
    ) as there:
        build(folder, [Material.parse("KPvKP")], QuietWatcher(), Settings(cluster=there.scheduler_address))
    assert bytes_of_table(folder, "KPvKP") == bytes_of_table(four_men_folder, "KPvKP")
    assert {mark for mark in (HELPED, HELPER_LOST, MAKER_LOST) if (folder / mark).exists()} == (
        {HELPED, HELPER_LOST, MAKER_LOST} if workers > 1 else set()
    )
    assert not list(folder.glob("*.blocks*"))


def test_where_nobody_can_come_to_help_a_table_is_made_and_the_worker_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    here, there = "tcp://127.0.0.1:1", "tcp://127.0.0.1:2"
    client = SimpleNamespace(scheduler_info=lambda n_workers: {"workers": {here: {}, there: {}}})
    worker = SimpleNamespace(get_worker=lambda: SimpleNamespace(address=here), get_client=lambda: client)
    monkeypatch.setitem(sys.modules, "distributed", worker)
    monkeypatch.setattr(cluster_module, "Lending", Mock(side_effect=OSError("no such address")))
    cluster_module._LOG.addHandler(caplog.handler)
    try:
        made = Mock()
        cluster_module._make_table(made, [here, there], tmp_path, "KPvKP", 1, None)
    finally:
        cluster_module._LOG.removeHandler(caplog.handler)
    made.assert_called_once_with(tmp_path, "KPvKP", 1, UNHEARD, None)
    assert "KPvKP is made without help: cannot listen on 127.0.0.1: no such address" in caplog.messages
