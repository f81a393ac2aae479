"""The subcommands that use tables, as a user calls them."""

from __future__ import annotations

import io
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

from tbgen.cli.build import bytes_in
from tbgen.material import Material, build_order, materials
from tbgen.text import in_gib
from tests.cli.calls import tbgen
from tests.copies import copy_tables

GOLDEN = Path(__file__).parent.parent / "golden"
BISHOP = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
WAITING = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"


@pytest.fixture
def run(table_folder: Path) -> Any:
    def call(*arguments: str, folder: Path = table_folder) -> subprocess.CompletedProcess[str]:
        return tbgen(*arguments, folder=folder)

    return call


def test_a_line_is_a_pgn_game(run: Any) -> None:
    text = run("probe", "--line", WAITING).stdout
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    assert (first := game.next()) is not None
    assert game.board().san(first.move) == "Ke5"
    assert "{G1.5, accrued G1.5, reached}" in " ".join(text.split())
    assert game.headers["RMobilityAccrued"] == "G4.0"
    assert 'Points "1-0"' in run("probe", "--line", WAITING, "--scoring", "komi").stdout


def test_the_figures_of_a_table_are_the_published_ones(run: Any) -> None:
    facts = json.loads(run("list", "kvkb", "--json").stdout)
    assert {"material", "men", "version", "bytes", "seconds", "sides"} <= set(facts)
    assert (facts["material"], facts["men"]) == ("KBvK", 3)
    white = facts["sides"]["white"]
    assert white["positions"] == 193_284
    assert {name: each["count"] for name, each in white["outcomes"].items()} == {"G0.5": 7_360, "G1.5": 185_924}
    for outcome, each in facts["sides"]["black"]["outcomes"].items():
        found = json.loads(run("probe", each["fen"], "--json").stdout)
        assert (found["outcome"], found["dtg"]) == (outcome, each["max_dtg"])
        if outcome == "G1.0":
            break


def test_tables_are_listed(run: Any, tmp_path: Path) -> None:
    lines = run("list").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == ["KvK", *map(str, materials(3))]
    facts = json.loads(run("list", "--json").stdout)
    assert [each["material"] for each in facts] == ["KvK", *map(str, materials(3))]
    assert "build some with" in run("list", folder=tmp_path).stdout


def test_a_damaged_table_is_listed_as_such(run: Any, table_folder: Path, tmp_path: Path) -> None:
    copy_tables(table_folder, tmp_path, "KvK", "KBvK")
    (tmp_path / "KBvK.h5").write_bytes(b"nonsense")
    done = run("list", folder=tmp_path)
    assert done.returncode == 4
    assert [line.split()[0] for line in done.stdout.splitlines()[1:-1]] == ["KvK"]
    assert "damaged table" in done.stderr


def test_a_plan_says_of_every_table_whether_it_can_be_made(run: Any, tmp_path: Path) -> None:
    plan = ("build", "--all", "--plan", "--memory", "2G", "--threads", "2")
    facts = json.loads(run(*plan, "--json", folder=tmp_path).stdout)
    made = {each["material"] for each in facts["tables"]}
    too_large = {each["material"] for each in facts["too_large"]}
    assert sorted([*made, *too_large, *facts["cut_off"]]) == sorted(map(str, build_order(materials(5))))
    assert facts["cut_off"]
    for name in facts["cut_off"]:
        assert not made.issuperset(map(str, Material.parse(name).children())), "one that it needs is not made"
    done = run(*plan, folder=tmp_path)
    assert f"\n{len(made)} of 146 to build, 0 already there; " in done.stdout
    assert f"\nskipped: {len(facts['cut_off'])} tables need one of these: " in done.stdout
    assert f"; {146 - len(made)} tables cannot be made, --plan names them" in done.stderr


def test_a_probe_imports_no_compiler_and_no_hdf5(table_folder: Path) -> None:
    code = (
        "import sys\nfrom tbgen.cli import main\n"
        f"sys.argv = ['tbgen', 'probe', {BISHOP!r}, '--data', {str(table_folder)!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    print('\\n' + ' '.join(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "tbgen.probe" in loaded
    assert not loaded & {"numba", "h5py", "rich", "tbgen.retro"}


@pytest.mark.parametrize("text", ["3.7 GiB", "3.8 GiB", "8.0 GiB", "700 MiB"])
def test_a_size_that_was_written_is_shown_as_it_was(text: str) -> None:
    assert in_gib(bytes_in(text), math.floor) == text


@pytest.mark.parametrize(
    "command",
    [
        ("list", "KQvKR"),
        ("verify", "KQvKR"),
        ("study", "record", "KQvKR"),
        ("probe", "8/8/4k3/8/8/8/q7/4K2R w - - 0 1"),
    ],
)
def test_a_missing_table_has_one_exit_code_in_all_commands(run: Any, command: tuple[str, ...]) -> None:
    done = run(*command)
    assert (done.returncode, done.stdout) == (3, "")
    assert "build it with: tbgen build KQvKR" in done.stderr
