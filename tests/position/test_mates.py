"""Classes of mates, against whole solves, and against moves."""

from __future__ import annotations

import itertools
import json
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tbgen.apps.site.server import application
from tbgen.apps.site.service import Settings
from tbgen.apps.site.templates import write_explorer
from tbgen.errors import DamagedTableError
from tbgen.library.catalog import Catalog
from tbgen.library.checking import Checker
from tbgen.library.classes import CLASSES, ClassesFile, shape_of, write_classes
from tbgen.material import Material
from tbgen.position.bracket import Bracket, Solution
from tbgen.position.mates import open_classes
from tbgen.position.solving import PositionSolver
from tests.apps.site.conftest import running
from tests.cli.calls import complaint, printed, tbgen
from tests.library.mirrors import mirror_of
from tests.library.test_fetch import files_in
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
def test_classes_make_bounds_closer_and_never_wrong(folder_of: Folder) -> None:
    folder, answers = folder_of(*PIECES, "KPvK"), list[list[Solution]]()
    for budget, prepares in ((1, False), (100, False), (1, True)):
        with PositionSolver(folder, budget=budget) as solver:
            if prepares:
                solver.prepare(Material.parse("KPvKP"))
                assert solver.preparation(Material.parse("KPvKP")).nodes == 0
            answers.append([solver.solve(*each) for each in FENS])
    assert any(close.bracket != wide.bracket for wide, _, close in zip(*answers, strict=True))
    for wide, exact, close in zip(*answers, strict=True):
        for near, far in ((close, wide), (exact, close), (exact, wide)):
            assert outside(near, far) == []


@pytest.fixture(scope="module")
def prepared(table_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tables, and the classes of all that KPvKP promotes to."""
    shutil.copytree(table_folder, folder := tmp_path_factory.mktemp("classes") / "tables")
    with PositionSolver(folder) as solver:
        solver.prepare(Material.parse("KPvKP"))
    return folder


def test_no_class_contradicts_the_moves_and_a_wrong_bit_of_each_kind_does(prepared: Path) -> None:
    draw, found = random.Random(28), set[tuple[int, int, str]]()
    with open_classes([prepared]) as classes:
        for material in map(Material.parse, ("KQvKP", "KBvKP")):
            checker = Checker(classes.known, material, classes.found()[0][material, prepared / CLASSES, True])
            for board in (checker.random_board(draw) for _ in range(60)):
                byte, _ = checker.bits_of(board)
                assert not checker.violation(board, byte)
                faults = [checker.violation(board, byte ^ 1 << bit).partition(", and ")[2] for bit in range(4)]
                found |= {(bit, byte >> bit & 1, fault[:14]) for bit, fault in enumerate(faults) if fault}
    assert {each[:2] for each in found} == {*itertools.product(range(4), range(2))}
    assert {fault for *_, fault in found} == {"these exclude ", "its moves show", "its moves deny"}


def test_blocks_rest_on_the_bytes_of_classes_and_wrong_ones_are_told(prepared: Path, tmp_path: Path) -> None:
    shutil.copytree(prepared, folder := tmp_path / "tables")
    contents = {path: ClassesFile(path).column(CLASSES) for path in (folder / CLASSES).iterdir()}
    found = list[Bracket]()
    for byte in (None, 10, None, 3):  # as they are, Black mates, as they are, both do
        for path, content in contents.items():
            codes = content if byte is None else np.full_like(content, byte)
            write_classes(path, codes.reshape(shape_of(ClassesFile(path).material)))
        if byte != 3:
            with PositionSolver(folder, budget=2) as solver:
                found.append(solver.solve(PROMOTING).bracket)
    assert found[1] != found[0] == found[2]
    with PositionSolver(folder, budget=2) as solver, pytest.raises(DamagedTableError, match="both sides mate"):
        solver.solve(PROMOTING)


def test_classes_are_listed_and_checked(prepared: Path, tmp_path: Path) -> None:
    shutil.copytree(prepared, folder := tmp_path / "tables")
    data, asked = ("--data", str(folder)), ("verify", "--classes", "KQvKP", "--sample", "20")
    (row,) = json.loads(printed("list", "--classes", "KQvKP", "--json", *data))
    assert [*[*row.values()][:2], row["suits"], row["folder"]] == ["KQvKP", 24, True, str(folder / CLASSES)]
    assert "KQvKP    24 of 24           20  consistent" in printed(*asked, *data)
    for path in sorted((folder / CLASSES).glob("KQvKP-*")):
        content = ClassesFile(path).column(CLASSES)
        write_classes(path, content.reshape(shape_of(Material.parse("KQvKP"))) ^ 1)
    assert complaint(*asked, *data)[0] == 7
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    path.with_name("x.classes").touch()
    assert tbgen(*asked, *data).returncode == 4
    (folder / "KPvK.h5").unlink()
    listed = tbgen("list", "--classes", *data)
    assert (listed.stdout.count(" no "), len(listed.stderr.splitlines())) == (4, 2)
    assert "tbgen solve --prepare" in tbgen(*asked, *data).stderr


def test_classes_are_fetched_as_they_are_where_they_suit(prepared: Path, table_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(table_folder, folder := tmp_path / "tables")
    write_explorer(tmp_path / "site", Catalog([prepared]))
    with running(application(Settings([prepared]))) as address:
        asked = ("fetch", "--classes", "--from", address, "--data")
        assert printed(*asked, str(folder), "KQvKP").startswith("24 fetched, 0 already there; ")
        assert printed(*asked, str(folder), "--all").startswith("72 fetched, 24 already there; ")
        assert "no classes that suit the tables here, of KQvKP" in complaint(*asked, str(tmp_path / "x"), "KQvKP")[1]
    there, site = files_in(folder / CLASSES), files_in(tmp_path / "site" / "tables")
    assert there == files_in(prepared / CLASSES) == {name: site[name] for name in there}


@pytest.mark.parametrize(
    ("changes", "said"), [({"file": "../x.classes"}, "classes"), ({"bytes": 1 << 40}, "bytes"), ({}, "is none")]
)
def test_wrong_classes_of_a_server_get_no_name(
    prepared: Path, tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    shutil.copytree(prepared, folder := tmp_path / "tables", ignore=shutil.ignore_patterns(CLASSES))
    with mirror_of(prepared) as mirror:
        mirror.catalog["classes"][0].update(changes)
        mirror.files = {path.name: path.read_bytes()[:-1] + b"x" for path in (prepared / CLASSES).iterdir()}
        assert said in complaint("fetch", "--classes", "--all", "--from", mirror.url, "--data", str(folder))[1]
    assert not [*(folder / CLASSES).glob("*")]
