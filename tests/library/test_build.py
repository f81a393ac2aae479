"""Builds that go on where others ended, and leave nothing half done."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import tbgen
from tbgen.cli.build import BuildWatcher
from tbgen.cli.reporter import Reporter
from tbgen.errors import BuildError, MaterialError
from tbgen.library.build import Watcher, build
from tbgen.library.catalog import MANIFEST, Condition, examine, read_manifest
from tbgen.library.plan import Settings
from tbgen.material import TableMaterial, table_named
from tbgen.storage.files import LOCK, Layer, build_lock, path_of
from tbgen.storage.reader import TableFile
from tests.cli.calls import complaint
from tests.files import check_tables, digest_of_file

KINGS = table_named("KvK")
KNIGHT = table_named("KNvK")


def made(folder: Path, wanted: Iterable[TableMaterial], **settings: Any) -> list[str]:
    watcher = mock.Mock(Watcher)
    build(folder, wanted, watcher, Settings(**settings))
    return [str(call.args[0].material) for call in watcher.built.call_args_list]


@pytest.mark.parametrize("wanted", [KINGS, KNIGHT])
def test_a_manifest_that_is_lost_is_written_again_with_size_and_digest_of_each_file(
    tmp_path: Path, wanted: TableMaterial
) -> None:
    made(tmp_path, [KINGS])
    (tmp_path / MANIFEST).write_text("nonsense")
    made(tmp_path, [wanted])
    assert json.loads((tmp_path / MANIFEST).read_text())["format"] == 2
    entries = read_manifest(tmp_path)
    assert [*entries] == sorted({"KvK", str(wanted)})
    for name, entry in entries.items():
        paths = [path_of(tmp_path, table_named(name), layer) for layer in Layer]
        assert entry.bytes == sum(path.stat().st_size for path in paths)
        assert [entry.sha256, entry.sha256_of_distances] == [digest_of_file(path) for path in paths]
        assert entry.game == "r-mobility"
        assert (entry.wall_seconds is None) == (name == "KvK"), "who made it is not known any more"


def test_damaged_tables_are_made_again_with_a_word_about_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made(tmp_path, [KNIGHT])
    path = path_of(tmp_path, KNIGHT)
    sound = path.read_bytes()
    path.write_bytes(sound[:4000] + bytes([sound[4000] ^ 1]) + sound[4001:])
    assert examine(tmp_path, KNIGHT).condition is Condition.DAMAGED
    build(tmp_path, [KNIGHT], BuildWatcher(Reporter()))
    assert (
        "KNvK is damaged (its bytes are not what was written); building it again"
        in capsys.readouterr().err
    )
    assert path.read_bytes() == sound


def test_pipes_in_the_places_of_files_are_not_waited_for(tmp_path: Path) -> None:
    for name in ("KvK.h5", "KNvK.dtg.h5", MANIFEST):
        os.mkfifo(tmp_path / name)
    assert made(tmp_path, [KNIGHT]) == ["KvK", "KNvK"]
    check_tables(tmp_path)
    assert read_manifest(tmp_path).keys() == {"KvK", "KNvK"}


def test_a_lock_that_cannot_be_had_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / ".build.lock")
    assert (
        ".build.lock: it is no regular file"
        in complaint("build", "KvK", "--data", str(tmp_path))[1]
    )

    monkeypatch.setattr(
        "fcntl.flock", mock.Mock(side_effect=OSError(errno.ENOLCK, os.strerror(errno.ENOLCK)))
    )
    assert (
        ".build.lock: No locks available"
        in complaint("build", "KvK", "--data", str(tmp_path / "new"))[1]
    )


@pytest.mark.parametrize("file", ["KNvK.h5", "KNvK.dtg.h5"])
def test_a_full_disk_is_one_clear_error_and_leaves_nothing_half_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    made(tmp_path, [KINGS])

    def fsync(number: int) -> None:
        if Path(f"/proc/self/fd/{number}").readlink().name.startswith(file):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        with pytest.raises(BuildError, match=r"cannot build KNvK: .*No space left on device"):
            made(tmp_path, [KNIGHT])
    whole = {"KNvK.dtg.h5"} if file == "KNvK.h5" else set()
    assert {path.name for path in tmp_path.iterdir()} == {
        "KvK.h5",
        "KvK.dtg.h5",
        MANIFEST,
        LOCK,
    } | whole
    assert made(tmp_path, [KNIGHT]) == ["KNvK"]


def test_memory_that_runs_out_on_the_way_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbgen.retro.solve_into", mock.Mock(side_effect=MemoryError))
    with pytest.raises(BuildError, match="cannot build KvK: the system has no more memory"):
        made(tmp_path, [KNIGHT])
    assert not list(tmp_path.glob("*.h5"))


def test_two_builds_in_one_folder_take_turns(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tbgen", "build", "KNvK", "--data", str(tmp_path)]
    with build_lock(tmp_path, lambda: None):
        processes = [
            subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        for process in processes:
            assert process.stderr is not None
            assert "another build is at work" in process.stderr.readline()
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sorted(output.splitlines()[-1] for output in outputs) == [
        "0 built, 2 already there",
        "2 built, 0 already there",
    ]
    check_tables(tmp_path)


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, told = complaint("build", "KvK", "--data", str(tmp_path / "file" / "data"))
    assert (code, told.partition("KvK: ")[0]) == (5, "tbgen: cannot build ")


def test_python_builds_and_hears_how_far_each_table_is(tmp_path: Path) -> None:
    told: dict[str, list[float]] = {}
    made = tbgen.build_tables(
        ["kvkn", KINGS],
        tmp_path,
        progress=lambda material, done: told.setdefault(str(material), []).append(done),
    )
    assert made == [KINGS, KNIGHT]
    assert [(parts[0], parts[-1]) for parts in (told["KvK"], told["KNvK"])] == [(0.0, 1.0)] * 2
    assert tbgen.build_tables([], tmp_path) == tbgen.build_tables(["KNvK"], tmp_path) == []
    with pytest.raises(MaterialError):
        tbgen.build_tables(["KXvK"], tmp_path)


def test_a_table_needs_no_compiler_to_be_kept(table_folder: Path) -> None:
    code = (
        "import sys, pathlib\n"
        "from tbgen.library.build import build\n"
        "from tbgen.material import materials\n"
        "build(pathlib.Path(sys.argv[1]), materials(3))\n"
        "print('numba' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, table_folder], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_a_file_that_is_kept_is_read_once_and_one_that_is_made_not_at_all(tmp_path: Path) -> None:
    made(tmp_path, [KINGS])
    (tmp_path / MANIFEST).unlink()
    with mock.patch.object(TableFile, "check", autospec=True, side_effect=TableFile.check) as check:
        assert made(tmp_path, [KNIGHT]) == ["KNvK"]
    assert [str(call.args[0].material) for call in check.call_args_list] == ["KvK"]
    for name, entry in read_manifest(tmp_path).items():
        assert entry.sha256 == digest_of_file(tmp_path / f"{name}.h5")
