"""Large tables with less memory than they take: within it, and the same to the byte, wherever their arrays lie.

Within it has to be what the system cannot take back. Pages of files can be; they are let go by a thread, which on a
busy machine comes late (record 270).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest
from distributed import LocalCluster

from tbgen.cli.watch import QuietWatcher
from tbgen.library import cluster as cluster_module
from tbgen.library.build import Settings, build
from tbgen.library.cluster import Cluster
from tbgen.material import Material
from tbgen.retro import least_memory, memory_needed
from tbgen.retro.drive.memory import PAGE_BYTES
from tests.copies import bytes_of_table

from .made_up import write_descent
from .peaks import peak_in_a_process
from .workloads import dies_in_the_middle

TABLES = ("KRBvKN", "KNNvKN", "KBNvKB", "KPPvKP")
"""Mostly decided, equal men, mostly drawn, many blocks. What the last one's promotions lead to is made up."""

SIZES = 4

Whole = Callable[[str], Path]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, four_men_folder: Path) -> Whole:
    """Makes a table with all the memory that it takes, once; the folder that has it, and its children."""

    @functools.cache
    def made(name: str) -> Path:
        folder = tmp_path_factory.mktemp(name)
        write_descent(folder, Material.parse(name), four_men_folder)
        needed = memory_needed(Material.parse(name), 2)
        assert peak_in_a_process(folder, name, 2, "", needed).bytes <= needed
        return folder

    return made


def memory_sizes(material: Material, threads: int) -> list[int]:
    """From the least with which a table is made to nearly all that it takes, in equal steps."""
    least, needed = least_memory(material, threads), memory_needed(material, threads)
    return [least + (needed - least) * step // SIZES for step in range(SIZES)]


@pytest.mark.slow
@pytest.mark.parametrize("size", range(SIZES))
@pytest.mark.parametrize("name", TABLES)
def test_a_large_table_keeps_within_the_memory_that_it_is_granted_and_is_the_same(
    tmp_path: Path, four_men_folder: Path, whole: Whole, name: str, size: int
) -> None:
    threads = 1 + size % 2
    granted = memory_sizes(Material.parse(name), threads)[size]
    write_descent(tmp_path, Material.parse(name), four_men_folder)
    assert peak_in_a_process(tmp_path, name, threads, "", granted).own <= granted - PAGE_BYTES
    assert bytes_of_table(tmp_path, name) == bytes_of_table(whole(name), name)
    assert not list(tmp_path.glob("tmp*")), "files of arrays have no names"


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_workers_with_little_memory_that_are_killed_make_the_same_large_tables(
    tmp_path: Path, four_men_folder: Path, whole: Whole, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """Each table is lost with its worker once, in the middle. Those without pawns are made side by side."""
    monkeypatch.setattr(cluster_module, "Cluster", functools.partial(Cluster, work=dies_in_the_middle))
    little = max(least_memory(Material.parse(name), 1) for name in TABLES)
    with LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0, silence_logs=50
    ) as there:
        for number, names in enumerate((TABLES[:-1], TABLES[-1:])):
            folder = tmp_path / str(number)
            for name in names:
                write_descent(folder, Material.parse(name), four_men_folder)
            settings = Settings(cluster=there.scheduler_address, memory=little)
            build(folder, [Material.parse(name) for name in names], QuietWatcher(), settings)
            for name in names:
                assert (folder / f"{name}.killed").exists(), "a worker was killed on the way"
                assert bytes_of_table(folder, name) == bytes_of_table(whole(name), name)
