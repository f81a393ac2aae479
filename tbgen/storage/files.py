"""The names of files and folders.

The facts about a table's files; atomic replacement of files; the lock of a build.
"""

from __future__ import annotations

import contextlib
import enum
import errno
import io
import os
import platform
import shutil
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from tbgen.errors import MissingFolderError, MissingTableError, UsageError
from tbgen.material import (
    FEWEST_PAIRS_MEN,
    MOST_BUILT_MEN,
    MOST_PAIRS_MEN,
    TableMaterial,
    all_materials,
    build_key,
    materials,
    pairs_materials,
)
from tbgen.men import Man, men_of_name, name_of_men
from tbgen.score import Mobility
from tbgen.system.process import lock, sync_folder, try_lock

PARTIAL = ".partial"
LOCK = ".build.lock"
MOST_READ_BYTES = 1 << 26

BUNDLED = Path(__file__).parent.parent / "tables"
"""The tables of two and three men that come with tbgen. Nothing writes there."""

Folders = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""One folder or several: a path, a sequence of paths, or a text with `os.pathsep` between them.

A text that is the name of a folder means that folder, whatever characters it has.
"""


class Layer(enum.Enum):
    """A file of a table; a table is there if its outcomes are."""

    OUTCOMES = "outcomes"
    """The value of every position with every accrued score."""
    DISTANCES = "distances"
    """The plies until that score is reached; useless without the outcomes."""


@dataclass(frozen=True)
class FileRecord:
    """The facts about a table's files; times and memory are None if it was built elsewhere.

    Two records are equal if they describe the same bytes, whatever the build cost.
    """

    bytes: int
    """Of outcomes and distances."""
    sha256: str
    """Of the file of outcomes."""
    wall_seconds: float | None = field(default=None, compare=False)
    cpu_seconds: float | None = field(default=None, compare=False)
    peak_bytes: int | None = field(default=None, compare=False)
    threads: int | None = field(default=None, compare=False)
    phase_seconds: Mapping[str, float] = field(default_factory=dict, compare=False)
    sha256_of_distances: str | None = None
    """None where there are none."""
    game: str = str(Mobility.RESET)


def folders_in(folders: Folders) -> tuple[Path, ...]:
    """The named folders, in order.

    >>> [folder.name for folder in folders_in(os.pathsep.join(("three", "four")))]
    ['three', 'four']
    """
    paths: object = folders
    if isinstance(folders, str) and not os.path.isdir(folders):
        paths = [path for path in folders.split(os.pathsep) if path]
    elif isinstance(folders, str | os.PathLike):
        paths = [folders]
    wrong = UsageError(f"folders must be a path, or several in a sequence, not {folders!r}")
    if not isinstance(paths, Sequence) or not paths:
        raise wrong
    if not all(isinstance(path, str | os.PathLike) for path in paths):
        raise wrong
    return tuple(map(Path, paths))


def check_folders(folders: Iterable[Path]) -> None:
    """MissingFolderError for a folder that does not exist."""
    for folder in folders:
        if not folder.is_dir():
            raise MissingFolderError(str(folder))


def folder_for(folder: Path, mobility: Mobility) -> Path:
    """The folder of a mobility's tables in a folder.

    That of whole-game tables may also be named itself.

    >>> [folder_for(Path("data"), mobility).as_posix() for mobility in Mobility]
    ['data', 'data/whole-game']
    """
    if mobility_of(folder) is mobility:
        return folder
    if mobility is Mobility.RESET:
        game = mobility_of(folder)
        raise UsageError(f"{folder} is a folder of {game} tables; say so with --game, or mobility=")
    return folder / str(Mobility.WHOLE_GAME)


def folder_of_men(folder: Path, men: Sequence[Man]) -> Path:
    """Where a folder of tables keeps those with men of your own.

    >>> folder_of_men(Path("data"), [Man.parse("M=WF")]).as_posix()
    'data/M=WF'
    >>> folder_of_men(Path("data"), []).as_posix()
    'data'
    """
    if not men or men == men_of_name(folder.name):
        return folder
    return folder / name_of_men(men)


def men_of_folder(folder: Path) -> tuple[Man, ...]:
    """The men of your own in the tables of a folder, by its name; none in most folders."""
    if mobility_of(folder) is Mobility.WHOLE_GAME:
        folder = folder.parent
    return men_of_name(folder.name)


def mobility_of(folder: Path) -> Mobility:
    """The mobility of the tables in a folder, by its name.

    tbgen must never mistake a file for one of the other mobility.
    """
    if folder.name == str(Mobility.WHOLE_GAME):
        return Mobility.WHOLE_GAME
    return Mobility.RESET


def path_of(folder: Path, material: TableMaterial, layer: Layer = Layer.OUTCOMES) -> Path:
    """The path of a layer of a table in a folder.

    A table exists if its outcomes do. The names of files contain the mobility of the folder, too.
    """
    return folder / f"{material}{suffix_of(layer, mobility_of(folder))}"


def suffix_of(layer: Layer, mobility: Mobility) -> str:
    """The suffix of a file's name after the material.

    >>> suffix_of(Layer.DISTANCES, Mobility.RESET), suffix_of(Layer.DISTANCES, Mobility.WHOLE_GAME)
    ('.dtg.h5', '.whole-game.dtg.h5')
    """
    suffix = ".h5" if layer is Layer.OUTCOMES else ".dtg.h5"
    return suffix if mobility.forgets else f".{mobility}{suffix}"


def _searched(folders: Sequence[Path]) -> Sequence[Path]:
    """The folders, then the one that comes with tbgen if any of them has tables of its kind."""
    for folder in folders:
        if mobility_of(folder).forgets and not men_of_folder(folder):
            return (*folders, BUNDLED)
    return folders


def has_file(folders: Sequence[Path], material: TableMaterial) -> bool:
    """Whether any of the folders, or tbgen itself, has a table."""
    return any(path_of(folder, material).is_file() for folder in _searched(folders))


def folder_with(folders: Sequence[Path], material: TableMaterial) -> Path:
    """The first folder that has a table; `BUNDLED` comes last."""
    for folder in _searched(folders):
        if path_of(folder, material).is_file():
            return folder
    raise MissingTableError(str(material), ", ".join(map(str, folders)))


def path_in(folders: Sequence[Path], material: TableMaterial) -> Path:
    """The file of a table in the first folder that has it."""
    return path_of(folder_with(folders, material), material)


@cache
def every_material(own: tuple[Man, ...] = ()) -> tuple[TableMaterial, ...]:
    """Every material that a folder may have a table of, in build order."""
    every = all_materials(own)
    if not own:
        every += materials(MOST_BUILT_MEN)
        for men in range(FEWEST_PAIRS_MEN, MOST_PAIRS_MEN + 1):
            every += pairs_materials(men)
    return tuple(sorted(every, key=build_key))


def tables_in(folder: Path) -> list[TableMaterial]:
    """The materials that have a file in a folder, in build order; none where there is no folder."""
    names = set[str]()
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        names.update(entry.name for entry in entries if entry.is_file())
    suffix = suffix_of(Layer.OUTCOMES, mobility_of(folder))
    possible = every_material(men_of_folder(folder))
    return [material for material in possible if f"{material}{suffix}" in names]


def tables_of(folders: Sequence[Path]) -> list[tuple[TableMaterial, Path]]:
    """The materials that have a file, in build order, each with the first folder that has it.

    `BUNDLED` comes last.
    """
    folder_of = dict[TableMaterial, Path]()
    for folder in _searched(folders):
        for material in tables_in(folder):
            folder_of.setdefault(material, folder)
    return [(material, folder_of[material]) for material in sorted(folder_of, key=build_key)]


class NoRegularFileError(OSError):
    """A folder, a device or a pipe: reading one could block."""


class _OpenFile(io.FileIO):
    """A file that closes when nobody refers to it.

    Closing it earlier could give its number to another file under a reader.
    """

    def __del__(self) -> None:
        self.close()


def open_regular(path: Path, mode: Literal["rb", "ab"] = "rb") -> io.FileIO:
    """Open an existing regular file; NoRegularFileError for anything else."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise NoRegularFileError(errno.EINVAL, "it is no regular file", str(path))
    return _OpenFile(path, mode)


def read_bounded(path: Path) -> bytes:
    """A file that a user names.

    OSError if it is longer than any that tbgen writes, such as an endless device.
    """
    with path.open("rb") as file:
        content = file.read(MOST_READ_BYTES + 1)
    if len(content) > MOST_READ_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return content


def write_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file beside `path`, flush it to the disk, then rename it.

    A failure leaves no trace.
    """
    partial = partial_of(path)
    partial.unlink(missing_ok=True)  # and made anew, because a link to another file may be there
    try:
        with partial.open("xb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException as error:
        if isinstance(error, OSError):
            error.filename = error.filename or str(path)  # errors of a full disk name no file
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def partial_of(path: Path) -> Path:
    """A name of this thread's own.

    A worker that was given up may still be writing the same table.
    """
    return path.with_name(
        f"{path.name}.{platform.node()}-{os.getpid()}-{threading.get_native_id()}{PARTIAL}"
    )


def remove_partials(folder: Path) -> None:
    """Remove the remains of an interrupted build; only for the holder of the lock."""
    for partial in folder.glob("*" + PARTIAL):
        remove(partial)


def remove(path: Path) -> None:
    """Remove a file, a link, or a folder with its content.

    Files of a folder that cannot be removed stay.
    """
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def build_lock(folder: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Make the folder if it is missing, and be its only builder.

    Calls `on_wait` once if another builder is at work. The system releases the lock however the
    process ends. Readers take no lock. UsageError for the tables that come with tbgen.
    """
    if folder.resolve() == BUNDLED.resolve():
        raise UsageError(f"nothing writes to the tables that come with tbgen, {BUNDLED}")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / LOCK
    path.touch()
    with open_regular(path, "ab") as file:
        try:
            if not try_lock(file.fileno()):
                on_wait()
                lock(file.fileno())
        except OSError as error:  # a network file system may not support locks
            error.filename = str(path)
            raise
        yield
