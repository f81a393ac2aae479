"""Commands that write: on a disk that is full, and among the files of another user."""

from __future__ import annotations

import errno
import itertools
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from tests.attacks.attack import Attempt, assert_civil
from tests.cli.calls import tbgen
from tests.cli.killing import CASES, Peace, disturb, undisturbed, words_of
from tests.project import ROOT

NOBODY = 65534
REMOTE = ("build", "copy", "fetch", "record", "report")
CALLS = (
    "fcntl.flock",
    "io.open",
    "os.fchmod",
    "os.fsync",
    "os.ftruncate",
    "os.mkdir",
    "os.open",
    "os.pwrite",
    "os.replace",
    "os.rmdir",
    "os.scandir",
    "os.stat",
    "os.unlink",
)
FAULTS = (errno.ESTALE, errno.EIO, errno.ENOLCK, errno.ENOTSUP, errno.EDQUOT, errno.EACCES)


def begin_disks(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    """On a full disk a command says so in a line and leaves old files or whole ones.

    With room it comes to its end.
    """
    peace = {name: undisturbed(folder / "whole", case, tables) for name, case in CASES.items()}

    def attempt(draw: random.Random) -> None:
        name = draw.choice(list(CASES))
        place = folder / "disk" / "place"
        given = sum(map(len, CASES[name].given().values()))
        wanted = sum(map(len, peace[name].files.values()))
        more_room = ["mount", "-o", "remount,size=1g", str(place.parent)]
        with small_disk(place.parent, given + draw.randrange(wanted + 20_000)):
            disturb(
                place,
                CASES[name],
                tables,
                peace[name],
                lambda: assert_civil(_run(words_of(place, CASES[name]), place)),
                lambda: subprocess.run(more_room, check=True),
            )

    return attempt


def begin_remote(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    """Where a network file system fails, a command says so in a line and leaves old files or whole
    ones.
    """
    peace = dict[str, Peace]()

    def attempt(draw: random.Random) -> None:
        name = draw.choice(REMOTE)
        case = CASES[name]
        place = folder / "remote"
        if name not in peace:
            peace[name] = undisturbed(folder / "whole", case, tables)
        call = draw.choice(CALLS)
        fault = draw.choice(FAULTS)
        first = draw.choice((0, 1, 2, draw.randrange(40)))
        is_for_ever = draw.random() < 0.3

        def run() -> None:
            failing = _failing(
                call,
                fault,
                place,
                lambda number: number == first or (number > first and is_for_ever),
            )
            with chdir(place), failing:
                done = tbgen(*words_of(place, case))
            assert_civil(done)

        disturb(place, case, tables, peace[name], run)

    return attempt


@contextmanager
def _failing(call: str, fault: int, place: Path, when: Callable[[int], bool]) -> Iterator[None]:
    """Let calls of the system fail that are for files below a folder, by their number."""
    module, _, name = call.partition(".")
    there = getattr(sys.modules[module], name)
    number = itertools.count()

    def wrapped(*given: Any, **named: Any) -> Any:
        path = given[0] if given else "."
        path = (
            os.readlink(f"/proc/self/fd/{path}") if isinstance(path, int) else os.path.abspath(path)
        )
        if Path(path).is_relative_to(place) and when(next(number)):
            raise OSError(fault, os.strerror(fault))
        return there(*given, **named)

    with mock.patch(call, wrapped):
        yield


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """A file system with so much room; only root may mount one."""
    folder.mkdir(exist_ok=True)
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size // 4096 * 4096 + 4096}", "tmpfs", str(folder)],
        check=True,
    )
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def begin_users(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    """A user without rights changes nothing of ours, whatever he runs.

    What he plants is not followed or run.
    """
    os.chmod(folder, 0o755)
    home = folder / "home"
    shutil.copytree(_kernels(), home, dirs_exist_ok=True)
    for path in (home, *home.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    scenes = (_others_file, _planted_partial, _planted_kernels, _others_tables)

    def attempt(draw: random.Random) -> None:
        place = folder / "place"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        os.chmod(place, 0o777)
        draw.choice(scenes)(place, tables, home, draw)

    return attempt


def _others_file(place: Path, tables: Path, home: Path, draw: random.Random) -> None:
    """Files of root in a folder where all may write, the state of a match among them."""
    games = (ROOT / "tests" / "golden" / "tcec_s18.pgn").read_bytes()[
        : draw.choice([0, 3000, 30_000])
    ]
    ours = {place / "games.pgn": games, place / "games.pgn.match": b"{}"}
    for path, content in ours.items():
        path.write_bytes(content)
        path.chmod(draw.choice([0o644, 0o600, 0o666]))
    words = draw.choice(
        [["adjudicate", "games.pgn", "--in-place"], ["match", "-pgnout", "games.pgn"]]
    )
    assert_civil(_run(words, place, user=NOBODY, cache=home))
    assert {path: path.read_bytes() for path in ours} == ours
    assert {path.stat().st_uid for path in ours} == {0}


def _planted_partial(place: Path, tables: Path, home: Path, draw: random.Random) -> None:
    """Links of another user in the place of files that root writes."""
    precious = place.parent / "precious"
    precious.write_bytes(b"precious")
    os.chown(place, NOBODY, NOBODY)
    for name in (
        "KvK.blocks",
        "KvK.h5",
        ".build.lock",
        "manifest.json",
        "games.pgn.match",
        "out.pgn",
    ):
        if draw.random() < 0.5:
            (place / name).symlink_to(precious)
            os.lchown(place / name, NOBODY, NOBODY)
    assert_civil(_run(["build", "KvK", "--data", str(place)], place))
    assert precious.read_bytes() == b"precious"


def _planted_kernels(place: Path, tables: Path, home: Path, draw: random.Random) -> None:
    """A folder of kernels that another user has made, with files of his."""
    shutil.copytree(home, place / "kernels")
    sign = place / "run"
    bomb = b"cos\nsystem\n(S'touch " + str(sign).encode() + b"'\ntR."
    for path in sorted((place / "kernels").rglob("*.nbi")):
        path.write_bytes(bomb)
    for path in ((place / "kernels"), *(place / "kernels").rglob("*")):
        os.chown(path, NOBODY, NOBODY)
        if path.is_dir() and draw.random() < 0.5:
            path.chmod(0o777)
    words = ["score", "--pgn", str(ROOT / "docs" / "examples" / "drawn.pgn"), "--summary"]
    assert_civil(_run(words, place, cache=place / "kernels"))
    assert not sign.exists(), "code of another user has been run"


def _others_tables(place: Path, tables: Path, home: Path, draw: random.Random) -> None:
    """Tables of root that all may read: they answer, and a build into their folder is refused."""
    shutil.copytree(tables, place / "tables")
    before = {path: path.read_bytes() for path in (place / "tables").rglob("*") if path.is_file()}
    probe = _run(
        ["probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", "--data", "tables"],
        place,
        user=NOBODY,
        cache=home,
    )
    assert (probe.returncode, probe.stderr) == (0, "")
    words = draw.choice([["build", "KBvK"], ["study", "record", "KBvK"], ["study", "record"]])
    assert_civil(_run([*words, "--data", "tables"], place, user=NOBODY, cache=home))
    assert {
        path: path.read_bytes() for path in (place / "tables").rglob("*") if path.is_file()
    } == before


def _run(
    words: list[str], place: Path, *, user: int | None = None, cache: Path | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if cache is not None:
        environment["TBGEN_CACHE"] = str(cache)
    command = [sys.executable, "-m", "tbgen", *words]
    if user is not None:
        command = [
            "setpriv",
            f"--reuid={user}",
            f"--regid={user}",
            "--clear-groups",
            *_MAY_READ,
            *command,
        ]
    return subprocess.run(
        command, cwd=place, env=environment, capture_output=True, text=True, check=False
    )


_MAY_READ = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
"""Another user may read all, or a Python in the home of root could not be run.

He writes no more than anybody.
"""


def _kernels() -> Path:
    """Where our own compiled kernels are."""
    from tbgen.compiled.folders import cache_home

    return cache_home()
