"""Programs beside the reader in C: the example, and a search that asks tables by many threads."""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.readers.c_reader import CLIENT, RACES, SANITIZED, STRICT, build, needs_compiler
from tests.readers.pairs import vectors

pytestmark = needs_compiler

FENS = [row["fen"] for row in vectors(3, 3) if row["outcome"]][::7]
ONE_SET = 0
"""Megabytes of a cache so small that threads throw out each other's chunks."""
BEST_MOVE = "tables of up to 3 men\ne6e5 leads to G1.5 in 5 plies\n"
"""The output of the example."""


def search(
    program: Path, tables: Path, threads: int, megabytes: int, questions: int, fens: Sequence[str]
) -> int:
    """The number of questions of all threads, once every value is that of the tables."""
    numbers = [str(number) for number in (threads, megabytes, questions)]
    run = subprocess.run(
        [program, tables, *numbers, *fens], capture_output=True, text=True, timeout=300
    )
    assert (run.returncode, run.stderr) == (0, ""), run.stdout
    said = re.fullmatch(r"(\d+) questions, \d+ a second, 0 wrong values\n", run.stdout)
    assert said, run.stdout
    return int(said[1])


def test_a_search_asks_a_million_times_and_finds_the_values_of_the_tables(
    table_folder: Path, tmp_path: Path
) -> None:
    program = build(tmp_path / "search", STRICT, "search.c")
    assert search(program, table_folder, 2, 64, 500_000, FENS) >= 1_000_000


@pytest.mark.parametrize(
    "flags", [RACES, SANITIZED], ids=["thread sanitizer", "address and undefined behaviour"]
)
def test_threads_that_share_tables_are_clean(
    table_folder: Path, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    program = build(tmp_path / "search", flags, "search.c")
    assert search(program, table_folder, 4, 64, 5_000, FENS) >= 20_000
    assert search(program, table_folder, 4, ONE_SET, 100, FENS[::5]) >= 400


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("example") / "example", STRICT, "example.c")


def test_the_example_names_the_best_move(example: Path, table_folder: Path) -> None:
    run = subprocess.run([example, table_folder], capture_output=True, text=True)
    assert run.stdout == BEST_MOVE
    assert (run.returncode, run.stderr) == (0, "")


def test_the_example_says_what_is_wrong(example: Path, tmp_path: Path) -> None:
    for folder, message in (
        (tmp_path / "nowhere", f"{tmp_path / 'nowhere'}: No such file or directory\n"),
        (tmp_path, "status 1: there is no table of KBvK\n"),
    ):
        run = subprocess.run([example, folder], capture_output=True, text=True)
        assert (run.returncode, run.stderr) == (1, message)


@pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler on this system")
def test_the_header_is_one_of_cpp_too() -> None:
    words = ["c++", "-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
    subprocess.run([*words, "-x", "c++", str(CLIENT / "tbgen_reader.h")], check=True)


def written_after(words: str) -> str:
    """The first block of the README behind some words."""
    _, _, rest = (CLIENT / "README.md").read_text(encoding="utf-8").partition(words)
    block = re.search(r"(?:^    .*\n)+", rest, re.MULTILINE)
    assert block is not None
    return textwrap.dedent(block[0])


@pytest.mark.parametrize(
    ("words", "file", "commands", "program"),
    [
        ("The same with `make`", "Makefile", ["make"], "example"),
        (
            "With CMake",
            "CMakeLists.txt",
            ["cmake -S . -B build -DCMAKE_BUILD_TYPE=Release", "cmake --build build"],
            "build/example",
        ),
    ],
    ids=["make", "cmake"],
)
def test_the_rules_of_the_readme_build_the_example(
    table_folder: Path, tmp_path: Path, words: str, file: str, commands: list[str], program: str
) -> None:
    if shutil.which(commands[0].split()[0]) is None:
        pytest.skip(f"no {commands[0].split()[0]} on this system")
    for name in ("tbgen_reader.c", "tbgen_reader.h", "example.c"):
        shutil.copy(CLIENT / name, tmp_path)
    (tmp_path / file).write_text(written_after(words), encoding="utf-8")
    for command in commands:
        subprocess.run(command.split(), cwd=tmp_path, check=True, capture_output=True)
    run = subprocess.run([tmp_path / program, table_folder], capture_output=True, text=True)
    assert run.stdout == BEST_MOVE
