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
from tbgen.apps.site.service import ServerSettings
from tbgen.apps.site.templates import write_explorer
from tbgen.errors import DamagedTableError
from tbgen.library.catalog import Catalog
from tbgen.library.checking import Checker
from tbgen.material import Material
from tbgen.position import solving
from tbgen.position.bounds import open_classes
from tbgen.position.bracket import Bracket, Solution
from tbgen.position.closure import levels_of
from tbgen.position.solving import PositionSolver
from tbgen.storage.classes import CLASSES, ClassesFile, shape_of, write_classes
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
def test_classes_make_bounds_closer_and_never_wrong(folder_of: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, answers = folder_of(*PIECES, "KPvK"), list[list[Solution]]()
    for most, prepares in ((1, False), (9, False), (1, True)):
        monkeypatch.setattr(solving, "levels_of", lambda free, most=most: levels_of(free)[:most])
        with PositionSolver(folder) as solver:
            if prepares:
                solver.prepare(Material.parse("KPvKP"))
                assert solver.classes.plan(Material.parse("KPvKP")).nodes == 0
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
        solver.prepare(Material.parse("KPvKP"))
    return folder


def test_no_class_contradicts_the_moves_and_a_wrong_bit_of_each_kind_does(prepared: Path) -> None:
    draw, wrong, reasons = random.Random(28), set[tuple[int, int]](), set[str]()
    with open_classes([prepared]) as classes:
        files, _ = classes.found()
        for material in map(Material.parse, ("KQvKP", "KBvKP")):
            checker = Checker(classes.known, material, files[material, prepared / CLASSES, True])
            for board in (checker.random_board(draw) for _ in range(60)):
                byte, _ = checker.bits_of(board)
                assert not checker.violation(board, byte)
                for bit in range(4):
                    _, _, reason = checker.violation(board, byte ^ 1 << bit).partition(", and ")
                    if reason:
                        wrong.add((bit, byte >> bit & 1))
                        reasons.add(reason.partition(" that ")[0])
    assert wrong == {*itertools.product(range(4), range(2))}
    assert reasons == {"these exclude each other", "its moves show", "its moves deny"}


def test_blocks_rest_on_the_bytes_of_classes_and_wrong_ones_are_told(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solving, "levels_of", lambda free: levels_of(free)[:1])
    shutil.copytree(prepared, folder := tmp_path / "tables")
    contents = {path: ClassesFile(path).column(CLASSES) for path in (folder / CLASSES).iterdir()}
    found = list[Bracket]()
    for byte in (None, 10, None, 3):  # as they are, Black mates, as they are, both do
        for path, content in contents.items():
            codes = content if byte is None else np.full_like(content, byte)
            write_classes(path, codes.reshape(shape_of(ClassesFile(path).material)))
        if byte != 3:
            with PositionSolver(folder) as solver:
                found.append(solver.solve(PROMOTING).bracket)
    assert found[1] != found[0] == found[2]
    with PositionSolver(folder) as solver, pytest.raises(DamagedTableError, match="both sides mate"):
        solver.solve(PROMOTING)


CHECKED = ("verify", "--classes", "KQvKP", "--sample", "20", "--data")


def test_classes_are_listed_and_checked(prepared: Path) -> None:
    (row,) = json.loads(printed("list", "--classes", "KQvKP", "--json", "--data", str(prepared)))
    facts = [row[name] for name in ("material", "placements", "suits", "folder")]
    assert facts == ["KQvKP", 24, True, str(prepared / CLASSES)]
    assert "KQvKP    24 of 24           20  consistent" in printed(*CHECKED, str(prepared))


def test_classes_that_are_wrong_damaged_or_rest_on_a_missing_table_are_told(prepared: Path, tmp_path: Path) -> None:
    shutil.copytree(prepared, folder := tmp_path / "tables")
    paths = sorted((folder / CLASSES).glob("KQvKP-*"))
    for path in paths:
        classes = ClassesFile(path).column(CLASSES).reshape(shape_of(Material.parse("KQvKP")))
        write_classes(path, classes ^ 1)
    assert complaint(*CHECKED, str(folder))[0] == 7
    paths[0].write_bytes(paths[0].read_bytes()[:-1] + b"x")
    paths[0].with_name("x.classes").touch()
    assert tbgen(*CHECKED, str(folder)).returncode == 4
    (folder / "KPvK.h5").unlink()
    listed = tbgen("list", "--classes", "--data", str(folder))
    assert listed.stdout.count(" no ") == 4, "materials whose classes do not suit the tables any more"
    assert len(listed.stderr.splitlines()) == 2, "files that cannot be used"
    assert "tbgen solve --prepare" in tbgen(*CHECKED, str(folder)).stderr


def test_classes_are_fetched_as_they_are_where_they_suit(prepared: Path, own_folder: Path, tmp_path: Path) -> None:
    write_explorer(tmp_path / "site", Catalog([prepared]))
    with running(application(ServerSettings([prepared]))) as address:
        asked = ("fetch", "--classes", "--from", address, "--data")
        assert printed(*asked, str(own_folder), "KQvKP").startswith("24 fetched, 0 already there; ")
        assert printed(*asked, str(own_folder), "--all").startswith("72 fetched, 24 already there; ")
        assert "no classes that suit the tables here, of KQvKP" in complaint(*asked, str(tmp_path / "x"), "KQvKP")[1]
    there, site = files_in(own_folder / CLASSES), files_in(tmp_path / "site" / "tables")
    assert there == files_in(prepared / CLASSES) == {name: site[name] for name in there}


@pytest.mark.parametrize(
    ("changes", "said"), [({"file": "../x.classes"}, "classes"), ({"bytes": 1 << 40}, "bytes"), ({}, "is none")]
)
def test_wrong_classes_of_a_server_get_no_name(
    prepared: Path, tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    """Of a catalog that is right, the files are damaged."""
    shutil.copytree(prepared, folder := tmp_path / "tables", ignore=shutil.ignore_patterns(CLASSES))
    with mirror_of(prepared) as mirror:
        mirror.catalog["classes"][0].update(changes)
        mirror.files = {path.name: path.read_bytes()[:-1] + b"x" for path in (prepared / CLASSES).iterdir()}
        assert said in complaint("fetch", "--classes", "--all", "--from", mirror.url, "--data", str(folder))[1]
    assert not [*(folder / CLASSES).glob("*")]
