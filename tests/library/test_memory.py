"""The memory that is asked for before a build, against what the build takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tbgen.library.costs import least_memory, memory_needed
from tbgen.library.workers import make_table
from tbgen.material import Material, table_named
from tests.copies import bytes_of_table

from .made_up import write_descent
from .peaks import link_tables, peak_in_a_process


@pytest.mark.parametrize(("name", "threads"), [("KQvK", 2), ("KPvK", 1)])
def test_making_a_small_table_takes_no_more_than_was_asked_for(
    tmp_path: Path, table_folder: Path, name: str, threads: int
) -> None:
    link_tables(tmp_path, table_folder, Material.parse(name))
    needed = memory_needed(Material.parse(name), threads)
    assert needed / 5 < peak_in_a_process(tmp_path, name, threads, "memory").bytes <= needed


@pytest.mark.slow
@pytest.mark.parametrize("where", ["memory", "disk"])
@pytest.mark.parametrize(
    "name",
    [
        "KNvKN",
        "KQvKQ",
        "KRvKN",
        "KRvKB",
        "KQQvK",
        "KNNvK",
        "KNvKP",
        "KPvKP",
        "KQvKP",
        "KRPvK",
        "KPPvK",
    ],
)
def test_making_a_table_of_four_men_takes_no_more_than_was_asked_for(
    tmp_path: Path, four_men_folder: Path, name: str, where: str
) -> None:
    link_tables(tmp_path, four_men_folder, Material.parse(name))
    needed = memory_needed(Material.parse(name), 2)
    assert needed / 4 < peak_in_a_process(tmp_path, name, 2, where).bytes <= needed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KRvK", "KPvK"])
def test_compiling_on_the_way_is_in_what_was_asked_for(
    tmp_path: Path, table_folder: Path, name: str
) -> None:
    link_tables(tmp_path, table_folder, Material.parse(name))
    peak = peak_in_a_process(tmp_path, name, 2, "memory", kernels=tmp_path / "kernels").bytes
    assert peak <= memory_needed(Material.parse(name), 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KBNvKB", "KPPvKP"])
def test_with_its_large_arrays_in_files_a_table_of_five_men_keeps_within_the_least(
    tmp_path: Path, four_men_folder: Path, name: str
) -> None:
    """Pages of files do not count: the system takes them back.

    What the promotions of one lead to is made up.
    """
    material = table_named(name)
    write_descent(tmp_path, material, four_men_folder)
    least = least_memory(material, 1)
    assert peak_in_a_process(tmp_path, name, 1, "", least).own <= least


@pytest.mark.parametrize("name", ["KQvK", "KPvK"])
def test_a_table_is_the_same_to_the_byte_when_its_large_arrays_lie_in_files(
    tmp_path: Path, table_folder: Path, name: str
) -> None:
    link_tables(tmp_path, table_folder, Material.parse(name))
    make_table(tmp_path, name, 2, 1 << 20)
    assert bytes_of_table(tmp_path, name) == bytes_of_table(table_folder, name)
    assert not list(tmp_path.glob("tmp*"))


@pytest.mark.parametrize(
    "words", [["build", "--men", "3", "--threads", "2"], ["build", "KPvK", "--outcomes"]]
)
def test_small_tables_need_no_address_space_that_they_do_not_use(
    tmp_path: Path, words: list[str]
) -> None:
    """As where a system promises no more memory than it has."""
    limited = "import resource; resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))"
    command = [
        sys.executable,
        "-c",
        f"{limited}; from tbgen.cli import main; main()",
        *words,
        "--data",
        str(tmp_path / "tables"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
