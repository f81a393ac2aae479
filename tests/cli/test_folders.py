"""Where the tables are: one folder, several, or none."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.cli.calls import complaint, printed
from tests.copies import copy_tables

BISHOP = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
RECORDS = str(Path(__file__).parent.parent.parent / "records")
GAMES = str(Path(__file__).parent.parent / "golden" / "tcec_s18.pgn")


@pytest.fixture
def two_folders(table_folder: Path, tmp_path: Path) -> tuple[Path, Path]:
    """KvK in the first, KBvK and KNvK in the second."""
    folders = tmp_path / "first", tmp_path / "second"
    for folder, names in zip(folders, (["KvK"], ["KBvK", "KNvK"]), strict=True):
        folder.mkdir()
        for name in names:
            copy_tables(table_folder, folder, name)
    return folders


@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("list", "KvK"),
        ("probe", BISHOP),
        ("probe", "-"),
        ("probe", "--line", BISHOP),
        ("verify",),
        ("study", "record", "--all"),
        ("adjudicate", GAMES),
        ("standings", GAMES),
        ("site",),
        ("study", "potential"),
    ],
)
def test_a_missing_folder_is_the_same_error_everywhere(arguments: tuple[str, ...], tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    wanted = 3, f"tbgen: there is no folder {missing}; name one with --data, or make it with: tbgen build --men 3"
    assert complaint(*arguments, "--data", str(missing)) == wanted
    assert complaint(*arguments, folder=missing) == wanted


def test_a_build_makes_its_folder(table_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "deep"
    folder.parent.mkdir()
    shutil.copytree(table_folder, folder, ignore=shutil.ignore_patterns("[!K]*"))
    assert "0 built" in printed("build", "KvK", "--data", str(folder))
    both = os.pathsep.join([str(folder), str(tmp_path)])
    code, line = complaint("build", "KvK", "--data", both)
    assert (code, "more than one folder" in line) == (2, True)


@pytest.mark.parametrize("way", ["joined", "repeated", "environment"])
def test_tables_may_lie_in_several_folders(two_folders: tuple[Path, Path], way: str) -> None:
    names = list(map(str, two_folders))
    joined = os.pathsep.join(names)
    options = {
        "joined": ["--data", joined],
        "repeated": ["--data", names[0], "--data", names[1]],
        "environment": [],
    }[way]
    folder = joined if way == "environment" else None
    listed = json.loads(printed("list", "--json", *options, folder=folder))
    assert [row["material"] for row in listed] == ["KvK", "KNvK", "KBvK"]
    assert "KBvK: 3 men" in printed("list", "KvK", "KBvK", *options, folder=folder)
    assert json.loads(printed("probe", BISHOP, "--json", *options, folder=folder))["outcome"] == "G1.5"
    assert printed("probe", "--line", BISHOP, *options, folder=folder)


HELD = '[FEN "8/8/8/4KBk1/8/8/8/8 b - - 0 1"]\n[SetUp "1"]\n\n1... Kh4 1/2-1/2\n'


def test_records_are_made_and_shown_of_several_folders(two_folders: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = map(str, two_folders)
    both = ("--data", first, "--data", second)
    code, line = complaint("study", "record", "KBvK", *both)
    assert (code, line) == (2, "tbgen: the tables lie in several folders; say with -o where the records go")
    written = printed("study", "record", "KBvK", *both, "-o", str(tmp_path / "records"))  # its lines go on in KvK
    assert written.startswith("KBvK: 52,234 positions")
    assert complaint("study", "record", "KBvK", "--data", second)[0] == 3
    printed("study", "record", "KvK", "--data", first)
    (two_folders[1] / "records").mkdir()
    shutil.copy(tmp_path / "records" / "KBvK.json", two_folders[1] / "records")
    endings = json.loads(printed("study", "potential", "--json", *both))["endings"]
    assert [ending["material"] for ending in endings.values()] == ["KBvK"]
    pages = tmp_path / "site"
    assert "begin with" in printed("site", *both, "-o", str(pages))
    assert {"KvK.html", "KBvK.html"} <= {path.name for path in pages.rglob("*.html")}
