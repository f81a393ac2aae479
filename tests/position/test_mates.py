"""Classes of mates, against whole solves, and against moves."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tbgen.errors import UnprovedError
from tbgen.material import Material
from tbgen.position import CLASSES, solving
from tbgen.position.bracket import Bracket, Solution
from tbgen.position.closure import levels_of
from tbgen.position.solving import PositionSolver
from tbgen.storage.arrays import ArrayFile, write_arrays
from tests.position.test_solving import PIECES, Folder, folder_of

__all__ = ["folder_of"]

FENS = (
    ("8/1P6/8/4k3/8/8/4p3/2K5 w - - 0 1", "-G9.5"),
    ("8/6P1/8/1k6/8/8/p7/4K3 w - - 0 1", "-G7.5"),
    ("7k/P7/8/8/8/1K6/7p/8 b - - 0 1", "G5.0"),
)

PROMOTING = "8/4P3/8/3k4/8/8/5p2/K7 w - - 0 1"


def outside(near: Solution, far: Solution) -> list[str]:
    """Which brackets of an answer are not within those of another."""
    others = {each.san: each.bracket for each in far.moves} | {"": far.bracket}
    brackets = [(each.san, each.bracket) for each in near.moves] + [("", near.bracket)]
    return [
        f"{near.fen} {san}: {bracket} is not within {others[san]}"
        for san, bracket in brackets
        if not others[san].lower <= bracket.lower <= bracket.upper <= others[san].upper
    ]


@pytest.mark.slow
def test_classes_make_bounds_closer_and_never_wrong(folder_of: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, answers = folder_of(*PIECES, "KPvK"), list[list[Solution]]()
    for most, prepares in ((1, False), (9, False), (1, True)):
        monkeypatch.setattr(solving, "levels_of", lambda free, most=most: levels_of(free)[:most])
        with PositionSolver(folder) as solver:
            if prepares:
                solver.prepare(solver.preparation(Material.parse("KPvKP")))
                assert solver.preparation(Material.parse("KPvKP")).plan().nodes == 0
            answers.append([solver.solve(*each) for each in FENS])
    closer = 0
    for wide, exact, close in zip(*answers, strict=True):
        assert outside(close, wide) == []
        assert close.bracket.lower <= exact.bracket.lower <= exact.bracket.upper <= close.bracket.upper
        closer += close.bracket != wide.bracket
    assert closer > 0


@pytest.fixture(scope="module")
def prepared(table_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tables, and the classes of all that KPvKP promotes to."""
    shutil.copytree(table_folder, folder := tmp_path_factory.mktemp("classes") / "tables")
    with PositionSolver(folder) as solver:
        solver.prepare(solver.preparation(Material.parse("KPvKP")))
    return folder


def test_blocks_rest_on_the_bytes_of_classes_and_wrong_ones_are_told(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solving, "levels_of", lambda free: levels_of(free)[:1])
    shutil.copytree(prepared, folder := tmp_path / "tables")
    files = map(ArrayFile, (folder / CLASSES).iterdir())
    columns = {file.path: {name: file.items(name) for name in file.facts["columns"]} for file in files}
    found = list[Bracket]()
    for is_changed in (False, True, False):
        for path, arrays in columns.items():
            black_mates = {name: np.full_like(each, -1) for name, each in arrays.items()}
            write_arrays(path, {}, black_mates if is_changed else arrays, 1 << 16)
        with PositionSolver(folder) as solver:
            found.append(solver.solve(PROMOTING).bracket)
    assert found[1] != found[0] == found[2]
    for path, arrays in columns.items():
        wrong = {name: np.full_like(each, 1 if name.endswith("LOWER") else -1) for name, each in arrays.items()}
        write_arrays(path, {}, wrong, 1 << 16)
    with PositionSolver(folder) as solver, pytest.raises(UnprovedError, match="classes of mates"):
        solver.solve(PROMOTING)
