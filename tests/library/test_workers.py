"""Tables made side by side in processes, some of which die."""

from __future__ import annotations

import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from unittest import mock

import pytest

from tbgen.errors import BuildError, NotEnoughDiskError
from tbgen.library import build as build_module
from tbgen.library.build import Watcher, build
from tbgen.library.catalog import read_manifest
from tbgen.library.plan import Settings
from tbgen.library.workers import processes
from tbgen.material import Material, materials
from tbgen.storage.files import PARTIAL, tables_in
from tests.files import check_tables
from tests.processes import children_of, have_ended

from .kills import assert_the_same_tables
from .workloads import dies

THREE_MEN = [*materials(2), *materials(3)]


def test_a_table_whose_process_is_killed_is_made_again_and_all_are_as_ever(
    tmp_path: Path, table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        build_module, "processes", partial(processes, work=partial(dies, once=True))
    )
    watcher = mock.Mock(Watcher)
    build(tmp_path, THREE_MEN[:3], watcher, Settings(threads=2, jobs=2))
    again = "KNvK: the process that made it was lost (signal SIGKILL); building it once more"
    watcher.says.assert_called_once_with(again)
    assert watcher.built.call_count == 3
    forecasts = [call.args[0] for call in watcher.forecast.call_args_list]
    assert forecasts[0] > forecasts[-1] == 0
    assert_the_same_tables(tmp_path, table_folder, THREE_MEN[:3])
    for name, entry in read_manifest(tmp_path).items():
        assert entry.peak_bytes is not None, name
        assert entry.cpu_seconds is not None, name


def test_the_rest_goes_on_without_a_table_that_kills_every_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        build_module, "processes", partial(processes, work=partial(dies, once=False))
    )
    watcher = mock.Mock(Watcher)
    with pytest.raises(BuildError, match=r"cannot build KNvK: .* lost 2 times \(signal SIGKILL\)"):
        build(tmp_path, THREE_MEN, watcher, Settings(threads=2, jobs=2))
    assert [call.args[0].rpartition(";")[2] for call in watcher.says.call_args_list] == [
        " building it once more",
        " going on with the tables that do not need it",
    ]
    assert {*map(str, tables_in(tmp_path))} == {"KvK", "KBvK", "KRvK", "KQvK"}, "KPvK needs KNvK"


@pytest.mark.parametrize(
    ("before", "told", "made"),
    [(10_000, "it and the 1 others .* 10.0 kB are free", []), (1 << 30, "it needs about", ["KvK"])],
)
def test_too_little_disk_is_noticed_before_anything_is_begun_and_before_each_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: int, told: str, made: list[str]
) -> None:
    """Others may fill a disk meanwhile."""
    monkeypatch.setattr(
        build_module, "free_disk", lambda folder: 20_000 if list(folder.glob("*.h5")) else before
    )
    with pytest.raises(NotEnoughDiskError, match=f"cannot build KNvK: {told}"):
        build(tmp_path, [Material.parse("KNvK")], Watcher())
    assert [*map(str, tables_in(tmp_path))] == made


def test_a_table_without_room_on_the_disk_leaves_its_place_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = list[Path]()

    def free_disk(folder: Path) -> int:
        if refused or not list(folder.glob("*.h5")):
            return 1 << 30
        refused.append(folder)
        return 100

    monkeypatch.setattr(build_module, "free_disk", free_disk)
    with pytest.raises(NotEnoughDiskError):
        build(
            tmp_path, [Material.parse("KNvK"), Material.parse("KRvK")], Watcher(), Settings(jobs=1)
        )
    assert len(tables_in(tmp_path)) == 2, "that of kings, and one of the two"


@pytest.mark.parametrize(
    "number",
    [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow), signal.SIGINT],
)
def test_no_process_outlives_a_build(tmp_path: Path, number: signal.Signals) -> None:
    command = [
        sys.executable,
        "-m",
        "tbgen",
        "build",
        "--men",
        "4",
        "--jobs",
        "2",
        "--threads",
        "2",
    ]
    process = subprocess.Popen(
        [*command, "--data", str(tmp_path)], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith(("KBvK", "KNvK")):
            break
    children = children_of(process.pid)
    assert children
    process.send_signal(number)
    rest = process.communicate()[1]
    assert have_ended(children)
    if number != signal.SIGKILL:
        assert process.returncode == 128 + number
        assert rest.splitlines()[-1].startswith("tbgen: interrupted; finished tables are kept")
        assert "Traceback" not in rest
        assert "was lost" not in rest
        assert not list(tmp_path.glob(f"*{PARTIAL}"))
    check_tables(tmp_path)
    assert len(tables_in(tmp_path)) < 10, "it went on"
