"""Tables made on the workers of a dask scheduler, which the extra [cluster] installs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from unittest import mock

import pytest

from tbgen.errors import BuildError, UsageError
from tbgen.library import build as build_module
from tbgen.library import workers as workers_module
from tbgen.library.build import Watcher, build, plan_for
from tbgen.library.plan import Settings
from tbgen.library.workers import Cluster
from tbgen.material import Material, build_order

from .kills import assert_the_same_tables
from .workloads import dies, writes_elsewhere

pytestmark = pytest.mark.cluster

WANTED = build_order(map(Material.parse, ("KNvK", "KBvK")))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Two workers, each a process with one thread, that are started again when they die."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=":0",
        memory_limit="1GiB",
        silence_logs=50,
    ) as there:
        yield there.scheduler_address


def test_a_lost_worker_s_table_is_done_again_and_all_are_as_ever(
    address: str, tmp_path: Path, table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_module, "Cluster", partial(Cluster, work=partial(dies, once=True)))
    watcher = mock.Mock(Watcher)
    build(tmp_path, WANTED, watcher, Settings(cluster=address))
    assert (tmp_path / "killed").exists(), "a worker was killed on the way"
    assert watcher.built.call_count == len(WANTED)
    assert_the_same_tables(tmp_path, table_folder, WANTED)


def test_the_plan_is_that_of_the_workers(address: str, tmp_path: Path) -> None:
    from distributed import Client

    with Client(address) as client:
        client.wait_for_workers(2, timeout=60)  # one that was killed may be starting again
    found = plan_for(tmp_path, WANTED, Settings(cluster=address)).settings
    assert (found.jobs, found.threads, found.memory) == (2, 2, int(0.9 * (1 << 30)))
    assert (
        plan_for(tmp_path, WANTED, Settings(cluster=address, memory=1 << 29)).settings.memory
        == 1 << 29
    )


def test_nobody_at_the_address_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers_module, "_CONNECT_SECONDS", 0.5)
    with pytest.raises(UsageError, match=r"no dask scheduler answers at tcp://127\.0\.0\.1:9"):
        build(tmp_path, WANTED, Watcher(), Settings(cluster="tcp://127.0.0.1:9"))


def test_a_folder_that_the_workers_do_not_share_is_noticed(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_module, "Cluster", partial(Cluster, work=writes_elsewhere))
    with pytest.raises(
        BuildError, match=r"cannot build KvK: .* do all workers share that folder\?"
    ):
        build(tmp_path, WANTED, Watcher(), Settings(cluster=address))
