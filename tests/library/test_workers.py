"""Tables made side by side in processes, some of which die."""

from __future__ import annotations

import functools
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tbgen.errors import BuildError, NotEnoughDiskError
from tbgen.library import build as build_module
from tbgen.library.build import Settings, build
from tbgen.library.manifest import read_manifest
from tbgen.library.workers import Made, Processes
from tbgen.material import Material, materials
from tbgen.storage.files import PARTIAL, path_of, tables_in
from tests.copies import bytes_of_table
from tests.files import check_file
from tests.processes import children_of, is_running

from .recorder import Recorder
from .workloads import always_dies, dies_once

THREE_MEN = [*materials(2), *materials(3)]
KNIGHT = Material.parse("KNvK")


@pytest.fixture
def processes_that(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Made]], None]:
    """Let processes do something else than make tables."""

    def set_work(work: Callable[..., Made]) -> None:
        monkeypatch.setattr(build_module, "Processes", functools.partial(Processes, work=work))

    return set_work


def assert_the_same(folder: Path, expected: Path, wanted: list[Material]) -> None:
    for material in wanted:
        assert bytes_of_table(folder, str(material)) == bytes_of_table(expected, str(material))
    assert not list(folder.glob(f"*{PARTIAL}"))


def test_a_table_whose_process_is_killed_is_made_again_and_all_are_as_ever(
    tmp_path: Path, table_folder: Path, processes_that: Callable[[Callable[..., Made]], None]
) -> None:
    processes_that(dies_once)
    watcher = Recorder()
    build(tmp_path, THREE_MEN, watcher, Settings(threads=2, jobs=2))
    assert watcher.lost == ["KNvK killed by SIGKILL"]
    assert len(watcher.made) == len(THREE_MEN)
    assert watcher.forecasts[0] > watcher.forecasts[-1] == 0
    assert_the_same(tmp_path, table_folder, THREE_MEN)
    for name, entry in read_manifest(tmp_path).items():
        assert entry.peak_bytes is not None, name
        assert entry.cpu_seconds is not None, name


def test_the_rest_goes_on_without_a_table_that_kills_every_process(
    tmp_path: Path, processes_that: Callable[[Callable[..., Made]], None]
) -> None:
    processes_that(always_dies)
    watcher = Recorder()
    with pytest.raises(BuildError, match=r"cannot build KNvK: .* lost 2 times \(killed by SIGKILL\)"):
        build(tmp_path, THREE_MEN, watcher, Settings(threads=2, jobs=2))
    assert len(watcher.failures) == 1
    assert {*map(str, tables_in(tmp_path))} == {"KvK", "KBvK", "KRvK", "KQvK"}, "KPvK needs KNvK"


def test_too_little_disk_is_said_before_anything_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_module, "free_disk", lambda folder: 10_000)
    watcher = Recorder()
    with pytest.raises(NotEnoughDiskError, match=r"cannot build KNvK: it and the 1 others .* 10.0 kB are free"):
        build(tmp_path, [KNIGHT], watcher)
    assert not watcher.made
    assert not list(tmp_path.glob("*.h5"))


def test_a_disk_that_others_fill_meanwhile_is_noticed_before_the_next_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_module, "free_disk", lambda folder: 20_000 if list(folder.glob("*.h5")) else 1 << 30)
    with pytest.raises(NotEnoughDiskError, match="cannot build KNvK: it needs about"):
        build(tmp_path, [KNIGHT], Recorder())
    assert [*map(str, tables_in(tmp_path))] == ["KvK"]


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_a_build(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "tbgen", "build", "--men", "4", "--jobs", "2", "--threads", "2"]
    process = subprocess.Popen([*command, "--data", str(tmp_path)], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith(("KBvK", "KNvK")):
            break
    children = children_of(process.pid)
    assert children
    process.send_signal(number)
    rest = process.communicate()[1]
    assert wait_until(lambda: not any(map(is_running, children)), 10.0)
    if number != signal.SIGKILL:
        assert process.returncode == 128 + number
        assert rest.splitlines()[-1].startswith("tbgen: interrupted; finished tables are kept")
        assert "Traceback" not in rest
        assert "was lost" not in rest
        assert not list(tmp_path.glob(f"*{PARTIAL}"))
    for material in tables_in(tmp_path):
        check_file(path_of(tmp_path, material))
