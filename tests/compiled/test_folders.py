"""Where compiled kernels are kept, and what names the folder."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tbgen.compiled import folders

DECORATED = re.compile(r"^from tbgen\.compiled\.jit import", re.MULTILINE)
IMPORTED = re.compile(r"^from (tbgen[.a-z_]+) import", re.MULTILINE)


def test_what_a_table_says_of_its_maker_does_not_depend_on_the_compiler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = folders.source_digest()
    kernels = folders.kernel_digest("retro")
    monkeypatch.setattr("importlib.metadata.version", lambda _: "99.0")
    assert folders.source_digest() == source
    assert folders.kernel_digest("retro") != kernels


def test_a_module_counts_wherever_it_lies_in_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    names = {
        ".".join(("tbgen", *path.relative_to(folders.PACKAGE).with_suffix("").parts)): path
        for path in sources
    }
    kernels = {
        name: sources[path] for name, path in names.items() if DECORATED.search(sources[path])
    }
    for module, text in kernels.items():
        package = folders.package_of(module)
        called = {folders.package_of(name) for name in IMPORTED.findall(text) if name in kernels}
        assert called <= {package, "index", *folders.LENDERS.get(package, ())}, module


def test_constants_of_kernels_come_from_modules_that_are_digested() -> None:
    """A kernel in the cache would keep the old value of a constant."""
    for path in folders.PACKAGE.rglob("*.py"):
        text = path.read_text()
        if DECORATED.search(text):
            names = {f"{name}.py" for name in re.findall(r"^from tbgen\.(\w+) import", text, re.M)}
            modules = {name for name in names if (folders.PACKAGE / name).is_file()}
            assert modules - {"errors.py"} <= set(folders.SHARED), path


def test_kernels_that_nobody_uses_are_removed_and_nothing_else(tmp_path: Path) -> None:
    old = tmp_path / ("0" * 16)
    recent = tmp_path / ("1" * 16)
    foreign = tmp_path / "photographs"
    for folder in (old, recent, foreign):
        (folder / "retro").mkdir(parents=True)
        (folder / "retro" / "a.nbc").write_bytes(b"code")
    (tmp_path / ("2" * 16)).write_text("a file of this name")
    for path in (old, foreign, tmp_path / ("2" * 16)):
        os.utime(path, (1e9, 1e9))
    folders.remove_unused(tmp_path, time.time() - 3600)
    assert {path.name for path in tmp_path.iterdir()} == {recent.name, foreign.name, "2" * 16}
    assert (recent / "retro" / "a.nbc").read_bytes() == b"code"


def test_a_new_version_makes_its_folder_and_clears_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / ("0" * 16)
    old.mkdir()
    os.utime(old, (1e9, 1e9))
    monkeypatch.setenv("TBGEN_CACHE", str(tmp_path))
    folder = folders.cache_folder.__wrapped__("retro")
    assert (
        [path.name for path in tmp_path.iterdir()]
        == [folder.name]
        == [folders.kernel_digest("retro")]
    )
    os.utime(folder, (1e9, 1e9))
    folders.cache_folder.__wrapped__("retro")
    assert time.time() - folder.stat().st_mtime < 3600, "a folder that is used says so"


def kernels_of_retro() -> Path:
    return folders.cache_folder.__wrapped__("retro")


def test_folders_are_made_for_their_user_alone_whatever_the_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TBGEN_CACHE", str(tmp_path / "deep" / "home"))
    mask = os.umask(0)
    try:
        folder = kernels_of_retro()
    finally:
        os.umask(mask)
    assert folder == tmp_path / "deep" / "home" / folders.kernel_digest("retro")
    assert {stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.parents[:2])} == {0o700}


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which kernels would be kept, and another one for temporary files."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("TBGEN_CACHE", str(tmp_path / "shared" / "home"))
    (tmp_path / "shared" / "home" / folders.kernel_digest("retro")).mkdir(parents=True, mode=0o700)
    return tmp_path / "shared"


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o1777])
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_folder_that_others_can_replace_is_not_believed(
    shared: Path, mode: int, depth: int
) -> None:
    """As ssh has it: the sticky bit above keeps others from renaming what is not theirs."""
    folder = shared / "home" / folders.kernel_digest("retro")
    (folder, *folder.parents)[depth].chmod(mode)
    is_firm = mode == 0o1777 and depth > 0
    assert (kernels_of_retro() == folder) == is_firm


def test_a_folder_of_another_user_is_not_believed(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: shared.stat().st_uid + 1)
    assert not folders.is_ours_alone(shared / "home")


def test_without_a_home_kernels_lie_in_a_private_folder_until_the_process_ends(
    shared: Path,
) -> None:
    shared.chmod(0o777)
    code = (
        "import os\nfrom tbgen.compiled.folders import cache_folder\n"
        "print(cache_folder('retro'), cache_folder('probe'), os.environ['TBGEN_CACHE'])"
    )
    environment = {**os.environ, "TMPDIR": str(shared.parent / "temporary")}
    command = [sys.executable, "-c", code]
    done = [
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    runs = [each.stdout.split() for each in done]
    assert len({home for _, _, home in runs}) == 2, "no name that others can foresee"
    for (retro, probe, home), each in zip(runs, done, strict=True):
        assert each.stderr.startswith(
            f"compiled kernels are not kept: {shared / 'home'} must be yours"
        )
        assert len(each.stderr.splitlines()) == 1
        assert Path(retro).parent == Path(probe).parent == Path(home)
    assert not list((shared.parent / "temporary").iterdir())
