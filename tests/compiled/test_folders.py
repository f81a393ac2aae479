"""Where compiled kernels are kept, and what names the folder."""

from __future__ import annotations

import os
import re
import stat
import tempfile
import time
from pathlib import Path

import pytest

from tbgen.compiled import folders

DECORATED = re.compile(r"^from tbgen\.compiled\.jit import", re.MULTILINE)
IMPORTED = re.compile(r"^from (tbgen[.a-z_]+) import", re.MULTILINE)


def test_what_a_table_says_of_its_maker_does_not_depend_on_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    source, kernels = folders.source_digest(), folders.kernel_digest("retro")
    monkeypatch.setattr("importlib.metadata.version", lambda _: "99.0")
    assert folders.source_digest() == source
    assert folders.kernel_digest("retro") != kernels


def test_a_module_counts_wherever_it_lies_in_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*folders.SHARED, "retro/words/marks.py", "index/a.py", "pgn/a.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(folders, "PACKAGE", tmp_path)
    before = folders.source_digest()
    (tmp_path / "pgn" / "a.py").write_text("of another package")
    assert folders.source_digest() == before
    (tmp_path / "retro" / "words" / "marks.py").write_text("changed")
    changed = folders.source_digest()
    assert changed != before
    (tmp_path / "retro" / "words" / "marks.py").rename(tmp_path / "retro" / "marks.py")
    assert folders.source_digest() not in (before, changed), "a name is part of what is digested"


def test_kernels_call_nothing_that_does_not_name_their_folder() -> None:
    sources = {path: path.read_text() for path in folders.PACKAGE.rglob("*.py")}
    names = {".".join(("tbgen", *path.relative_to(folders.PACKAGE).with_suffix("").parts)): path for path in sources}
    kernels = {name: sources[path] for name, path in names.items() if DECORATED.search(sources[path])}
    for module, text in kernels.items():
        package = folders.package_of(module)
        called = {folders.package_of(name) for name in IMPORTED.findall(text) if name in kernels}
        assert called <= {package, "index", *folders.LENDERS.get(package, ())}, module


def test_kernels_of_another_level_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_OPT", raising=False)
    ours = folders.kernel_digest("retro")
    monkeypatch.setenv("NUMBA_OPT", "3")
    assert folders.kernel_digest("retro") != ours


def test_kernels_that_nobody_uses_are_removed_and_nothing_else(tmp_path: Path) -> None:
    old, recent, foreign = tmp_path / ("0" * 16), tmp_path / ("1" * 16), tmp_path / "photographs"
    for folder in (old, recent, foreign):
        (folder / "retro").mkdir(parents=True)
        (folder / "retro" / "a.nbc").write_bytes(b"code")
    (tmp_path / ("2" * 16)).write_text("a file of this name")
    for path in (old, foreign, tmp_path / ("2" * 16)):
        os.utime(path, (1e9, 1e9))
    folders.remove_unused(tmp_path, time.time() - 3600)
    assert {path.name for path in tmp_path.iterdir()} == {recent.name, foreign.name, "2" * 16}
    assert (recent / "retro" / "a.nbc").read_bytes() == b"code"


def test_a_new_version_makes_its_folder_and_clears_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / ("0" * 16)
    old.mkdir()
    os.utime(old, (1e9, 1e9))
    monkeypatch.setenv("TBGEN_CACHE", str(tmp_path))
    folder = folders.cache_folder.__wrapped__("retro")
    assert [path.name for path in tmp_path.iterdir()] == [folder.name] == [folders.kernel_digest("retro")]
    os.utime(folder, (1e9, 1e9))
    folders.cache_folder.__wrapped__("retro")
    assert time.time() - folder.stat().st_mtime < 3600, "a folder that is used says so"


@pytest.fixture
def unwritable_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where compiled kernels cannot be kept at home; the folder where all users can write."""
    (tmp_path / "home").write_text("a file, where a folder is needed")
    common = tmp_path / "common"
    common.mkdir()
    monkeypatch.setenv("TBGEN_CACHE", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(common))
    return common


def test_without_a_home_kernels_are_kept_where_nobody_else_can_write(unwritable_home: Path) -> None:
    folder = folders.cache_folder.__wrapped__("retro")
    assert folder == unwritable_home / f"tbgen-kernels-{os.getuid()}" / folders.kernel_digest("retro")
    assert folder == folders.cache_folder.__wrapped__("retro"), "and found again"
    for path in (folder, folder.parent):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700


@pytest.mark.parametrize("planted", ["a link", "open to all", "open to the group", "a file", "another's"])
@pytest.mark.parametrize("where", ["the user's folder", "the folder of these sources"])
def test_a_folder_that_another_may_have_planted_is_not_believed(
    planted: str, where: str, unwritable_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = unwritable_home / f"tbgen-kernels-{os.getuid()}"
    if where == "the folder of these sources":
        path.mkdir(mode=0o700)
        path = path / folders.kernel_digest("retro")
    elsewhere = unwritable_home / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    if planted == "a link":
        path.symlink_to(elsewhere)
    elif planted == "a file":
        path.write_text("code")
    else:
        path.mkdir()
        path.chmod({"open to all": 0o777, "open to the group": 0o770}.get(planted, 0o700))
    if planted == "another's":
        monkeypatch.setattr(folders, "is_ours_alone", lambda folder: folder != path)
    folder = folders.cache_folder.__wrapped__("retro")
    assert folder.parent.parent == unwritable_home
    assert folder not in (path, elsewhere)
    assert folder == folders.cache_folder.__wrapped__("retro"), "found again, by other processes as well"
    assert not list(folder.iterdir())
    assert folders.is_ours_alone(folder)


def test_a_folder_of_another_user_is_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert folders.is_ours_alone(tmp_path)
    monkeypatch.setattr(os, "getuid", lambda: tmp_path.stat().st_uid + 1)
    assert not folders.is_ours_alone(tmp_path)
