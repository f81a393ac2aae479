"""What comes with the program: kernels and small tables, made when it is packed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import chess
import pytest

from tbgen.compiled import folders
from tbgen.errors import DamagedTableError, MissingTableError
from tbgen.probe import open_tablebase
from tbgen.score import parse_score
from tests.cli.calls import complaint, printed, tbgen
from tests.compiled.test_jit import run_deep
from tests.copies import copy_tables

ROOT = Path(__file__).parents[2]
BISHOP = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"
COUNTING = """
import sys
from numba.core import event

class Listener(event.Listener):
    def on_start(self, event): print("compiled", event.data["dispatcher"].py_func.__name__)
    def on_end(self, event): pass

event.register("numba:compile", Listener())
from tbgen.cli import main
main()
"""


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for what came with the program; the tables of other sources are there."""
    folder = tmp_path / "shipped"
    (folder / "tables" / ("0" * 16)).mkdir(parents=True)
    monkeypatch.setattr(folders, "SHIPPED", folder)
    return folder


@pytest.fixture
def shipped_tables(shipped: Path, table_folder: Path) -> Path:
    folder = shipped / "tables" / folders.source_digest()
    folder.mkdir()
    for path in table_folder.glob("*.h5"):
        shutil.copy(path, folder)
    return folder


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is one without tables, and no other one is named."""
    (tmp_path / "nowhere").mkdir()
    monkeypatch.chdir(tmp_path / "nowhere")
    monkeypatch.delenv("TBGEN_DATA", raising=False)


@pytest.mark.usefixtures("shipped_tables", "nowhere")
def test_a_probe_answers_before_anything_is_built() -> None:
    assert "G1.5: White holds Black to 1 legal move" in printed("probe", BISHOP)


@pytest.mark.usefixtures("shipped_tables", "nowhere")
def test_games_are_decided_and_positions_answered_from_python_before_anything_is_built() -> None:
    assert '[RMobilityTablebase "KBvK 29"]' in tbgen("adjudicate", str(ROOT / "docs" / "examples" / "drawn.pgn")).stdout
    with open_tablebase() as tables:
        assert "KBvK" in tables
        assert str(tables.probe(chess.Board(" ".join(BISHOP.split()[:6])), parse_score("G4.0"))) == "G1.5 in 5 plies"
        with pytest.raises(MissingTableError, match="no table KQvKB in data; build it"):
            tables.probe(chess.Board("8/8/8/4KBkq/8/8/8/8 w - - 0 1"))


def test_a_folder_that_is_named_answers_python_before_those_that_came_with_the_program(
    shipped_tables: Path, tmp_path: Path
) -> None:
    (tmp_path / "KBvK.h5").write_bytes(b"somebody's own")
    with open_tablebase(tmp_path) as tables, pytest.raises(DamagedTableError):
        tables.probe(chess.Board("8/8/8/4KBk1/8/8/8/8 b - - 0 1"))


def test_a_folder_that_is_named_comes_first_and_must_be_there(
    shipped_tables: Path, table_folder: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    copy_tables(table_folder, own, "KBvK")
    rows = printed("list", "--data", str(own)).splitlines()
    assert {row.split()[0]: row.split(maxsplit=5)[5] for row in rows[1:3]} == {
        "KvK": "came with tbgen",
        "KNvK": "came with tbgen",
    }
    listed = {row["material"]: row["folder"] for row in json.loads(printed("list", "--json", "--data", str(own)))}
    assert listed.pop("KBvK") == str(own)
    assert set(listed.values()) == {str(shipped_tables)}
    assert complaint("probe", BISHOP, "--data", str(tmp_path / "missing"))[0] == 3


def test_tables_of_other_sources_are_none(shipped: Path, tmp_path: Path) -> None:
    assert folders.shipped_tables() is None
    assert complaint("probe", BISHOP, "--data", str(tmp_path))[0] == 3


def test_kernels_that_came_with_the_program_are_not_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, user, shipped = tmp_path / "made", tmp_path / "user", tmp_path / "shipped"
    made.mkdir()
    user.mkdir()
    environment = {"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": ""}
    answers = run_deep(made, environment=environment)
    assert answers[4:], "compiled for the baseline"
    (shipped / "kernels").mkdir(parents=True)
    for folder in made.iterdir():
        if folder.is_dir() and not folder.name.startswith("__"):
            shutil.move(folder, shipped / "kernels" / folder.name)
    assert run_deep(user, shipped=shipped) == answers[:4]
    assert not list(user.rglob("*.nbc"))
    next((shipped / "kernels").rglob("high-*.nbi")).unlink()
    assert run_deep(user, shipped=shipped)[4:] == ["high", "fold", "add"], "what lacks is compiled upon the rest"


def test_a_processor_that_lacks_what_they_need_is_given_none(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CPU_NAME", raising=False)
    monkeypatch.setattr(folders.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(folders.sys, "platform", "linux")
    folder = shipped / "kernels" / folders.kernel_digest("retro", "x86-64-v2")
    assert folders.shipped_folder.__wrapped__("retro") is None
    folder.mkdir(parents=True)
    features = dict.fromkeys(("cx16", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"), True)
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", lambda: features)
    assert folders.shipped_folder.__wrapped__("retro") == folder
    features["sse4.2"] = False
    assert folders.shipped_folder.__wrapped__("retro") is None


@pytest.mark.slow
def test_an_installed_wheel_compiles_nothing(tmp_path: Path) -> None:
    subprocess.run([ROOT / "scripts" / "wheel", tmp_path / "dist"], check=True, timeout=900)
    (wheel,) = (tmp_path / "dist").glob("tbgen-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "installed")
    (tmp_path / "count.py").write_text(COUNTING)
    for name in ("empty", "home"):
        (tmp_path / name).mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "TBGEN_"))}
    environment = {**kept, "PYTHONPATH": str(tmp_path / "installed"), "TBGEN_CACHE": str(tmp_path / "home")}

    def output(*arguments: str) -> str:
        command = [sys.executable, tmp_path / "count.py", *arguments]
        done = subprocess.run(
            command, env=environment, cwd=tmp_path / "empty", check=True, capture_output=True, text=True
        )
        assert "compiled" not in done.stdout, done.stdout
        assert "compiling" not in done.stderr, done.stderr
        return done.stdout

    assert "came with tbgen" in output("list")
    assert "G1.5: White holds Black to 1 legal move" in output("probe", BISHOP)
    assert "6 built" in output("build", "KBvK", "KPvK", "KvK", "--threads", "2")
    assert "KPvK" in output("verify", "KPvK")
    assert "KPvK" in output("record", "KPvK")
    output("score", "--pgn", str(ROOT / "tests" / "golden" / "tcec_s18.pgn"))
    assert not list((tmp_path / "home").rglob("*.nbc"))
