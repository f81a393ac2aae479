"""Suites, and folders of tables that all processes share.

docs/testing.md describes them.
"""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import pytest
from hypothesis import HealthCheck, find, settings
from hypothesis.strategies import booleans

from tbgen.material import Material, materials

if TYPE_CHECKING:
    from tbgen.probe import Tablebase

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell ignores it in the background, and programs that tests start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "ordinary",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "slow", settings.get_profile("ordinary"), derandomize=False, max_examples=2000
)
settings.load_profile("ordinary")

FAST = (
    "apps/match/openings.",
    "apps/match/options.",
    "apps/match/results.",
    "apps/match/schedule.",
    "apps/match/statistics.",
    "arguments.",
    "errors.",
    "material.",
    "men.",
    "rules/",
    "score.",
)
"""Where tests need no compiled kernels, nor tables."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fast", action="store_true", help="run what needs neither kernels nor tables"
    )
    parser.addoption(
        "--slow", action="store_true", help="run the slow suite too, with fresh examples"
    )
    parser.addoption(
        "--attack", type=float, default=1, metavar="FACTOR", help="attack so many times as often"
    )
    parser.addoption("--attack-seed", type=int, default=1, metavar="N", help="draw other attacks")
    parser.addoption(
        "--tables",
        type=Path,
        metavar="DIR",
        help="run what asks all tables of DIR, too: a set of five men",
    )
    parser.addoption(
        "--syzygy", type=Path, metavar="DIR", help="run what asks the Syzygy tables of DIR, too"
    )
    parser.addoption(
        "--cluster", action="store_true", help="run what needs dask, too: the extra [cluster]"
    )
    parser.addoption(
        "--rewrite",
        action="store_true",
        help="write anew the transcripts of what commands print, and walks",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--slow"):
        settings.load_profile("slow")


def pytest_collection_finish() -> None:
    # Hypothesis looks once for what refers to its generator, where frozen objects do not count.
    find(booleans(), bool)
    gc.freeze()  # modules and tests stay to the end: the collector need not look at them
    gc.set_threshold(50_000, 20, 20)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import nothing but the fast suite if that is what somebody asks for."""
    if not config.getoption("--fast") or collection_path.suffix != ".py":
        return None
    path = collection_path.relative_to(config.rootpath).as_posix()
    name = path.removeprefix("tests/").replace("test_", "")
    return not name.startswith(FAST)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Only the program has examples in docstrings, so no module here is searched for them."""
    collectors = yield
    return [collector for collector in collectors if type(collector) is pytest.Module]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    option_of_mark = {
        "slow": "--slow",
        "cluster": "--cluster",
        "given_tables": "--tables",
        "given_syzygy": "--syzygy",
    }
    chosen = list[pytest.Item]()
    left_out = list[pytest.Item]()
    for item in items:
        # Keywords would not do: they have the names of folders, too.
        marks = [mark for mark in option_of_mark if item.get_closest_marker(mark)]
        if all(config.getoption(option_of_mark[mark]) for mark in marks):
            chosen.append(item)
        else:
            left_out.append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = chosen


@pytest.fixture(scope="session")
def given_folder(request: pytest.FixtureRequest) -> Path:
    """The folder of tables that the command line names; not to be written to."""
    folder: Path = request.config.getoption("--tables")
    return folder


def shared(made: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that one process makes for all that test side by side; not to be written to."""
    base = made.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder = base / name
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            unfinished = folder.with_name(f"{name}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            make(unfinished)
            unfinished.rename(folder)
        fcntl.flock(lock, fcntl.LOCK_UN)  # processes that were started meanwhile hold the file, too
    return folder


def built(folder: Path, wanted: Iterable[Material], threads: int = 1) -> None:
    """Build tables as the command does."""
    from tbgen.cli.build import BuildWatcher
    from tbgen.library.build import build
    from tbgen.library.plan import Settings

    build(folder, list(wanted), BuildWatcher(), Settings(threads=threads))


@pytest.fixture(scope="session")
def table_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with all tables of two and three men."""
    folder = shared(tmp_path_factory, "three_men", lambda folder: built(folder, materials(3)))
    paths = sorted(folder.iterdir())
    yield folder
    are_untouched = sorted(folder.iterdir()) == paths
    assert are_untouched, "a test has written to this folder; see `own_folder`"


@pytest.fixture
def own_folder(table_folder: Path, tmp_path: Path) -> Path:
    """A copy of these tables, for a test that writes beside them."""
    return Path(shutil.copytree(table_folder, tmp_path / "tables"))


@pytest.fixture(scope="session")
def pairs_folder(table_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with these tables, and that of two pawns that face each other."""

    def make(folder: Path) -> None:
        from tbgen.library.workers import make_table

        shutil.copytree(table_folder, folder, dirs_exist_ok=True)
        make_table(folder, "KPvKP.pairs", 2)

    return shared(tmp_path_factory, "pairs", make)


@pytest.fixture(scope="session")
def pair_outcomes_folder(pairs_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same folder, where the distances of two pawns that face each other are missing."""

    def make(folder: Path) -> None:
        for path in pairs_folder.glob("*.h5"):
            if path.name != "KPvKP.pairs.dtg.h5":
                (folder / path.name).symlink_to(path)

    return shared(tmp_path_factory, "pair_outcomes", make)


@pytest.fixture(scope="session")
def tables(table_folder: Path) -> Iterator[Tablebase]:
    """All tables of two and three men."""
    from tbgen.probe import open_tablebase

    with open_tablebase(table_folder) as opened:
        yield opened


@pytest.fixture
def unbundled(tmp_path: Path) -> Iterator[None]:
    """No tables come with tbgen, so that a folder may lack small ones."""
    with mock.patch("tbgen.storage.files.BUNDLED", tmp_path / "unbundled"):
        yield


@pytest.fixture(scope="session")
def whole_game_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose folder of whole-game tables has all of two and three men."""
    from tbgen.score import Mobility
    from tbgen.storage.files import folder_for

    def make(folder: Path) -> None:
        built(folder_for(folder, Mobility.WHOLE_GAME), materials(3))

    return shared(tmp_path_factory, "whole_game", make)


@pytest.fixture(scope="session")
def whole_tables(whole_game_folder: Path) -> Iterator[Tablebase]:
    """All tables of whole-game mobility of two and three men."""
    from tbgen.probe import open_tablebase

    with open_tablebase(whole_game_folder, mobility="whole-game") as opened:
        yield opened


@pytest.fixture(scope="session")
def four_men_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all tables of two to four men, for the slow suite."""
    wanted = [*materials(3), *materials(4)]
    return shared(tmp_path_factory, "four_men", lambda folder: built(folder, wanted, threads=2))


@pytest.fixture
def own_four_men(tmp_path: Path, four_men_folder: Path) -> Path:
    """A folder of all tables of four men, beside which a test may write."""
    for path in four_men_folder.glob("*.h5"):
        (tmp_path / path.name).hardlink_to(path)
    return tmp_path


@pytest.fixture(scope="session")
def five_men_folder(four_men_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with KRBvKN and all tables of two to four men, for the slow suite."""

    def make(folder: Path) -> None:
        for path in four_men_folder.glob("*.h5"):
            (folder / path.name).hardlink_to(path)
        built(folder, [Material.parse("KRBvKN")], threads=2)

    return shared(tmp_path_factory, "five_men", make)
