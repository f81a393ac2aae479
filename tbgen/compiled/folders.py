"""Where compiled kernels are kept, and what names the folder: a digest of all that they are made from.

Kernels lie in the user's folder. Their files are pickles, so a folder is believed only where nobody else can write,
nor rename anything on the way to it.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import logging
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent

_logger = logging.getLogger("tbgen")

SOLVER = ("index", "retro")
"""The packages that tables come from."""

SHARED = ("compiled/arrays.py", "compiled/jit.py", "material.py", "score.py", "table.py")
"""What packages with kernels import beside each other."""

LENDERS = {
    "apps/hold": ("board", "probe"),
    "apps/play": ("board", "probe"),
    "apps/records": ("board", "verify"),
    "position": ("retro",),
    "probe": ("board",),
}
"""[package] -> whose kernels its own call, beside those of `index`."""

COMPILER = ("compiled/groups.py", "compiled/jit.py", "compiled/linking.py")
"""How kernels are compiled and kept; no part of what a table says of its maker."""

LEVEL = 1
"""How hard the compiler tries, unless NUMBA_OPT says: short inner loops only get slower and fatter above it."""

_UNUSED_SECONDS = 30 * 24 * 3600.0
"""Kernels of other sources are removed when nobody has used them for so long."""

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_FOLDER_NAME = re.compile(r"[0-9a-f]{16}")


def package_of(module: str) -> str:
    """The package that a module's kernels are kept with.

    >>> package_of("tbgen.retro.levels.classes"), package_of("tbgen.apps.play.search_kernels")
    ('retro', 'apps/play')
    """
    names = module.split(".")
    return "/".join(names[1:3]) if names[1] == "apps" else names[1]


def source_digest(packages: Sequence[str] = SOLVER) -> str:
    """A digest of the sources of some packages and of what they all share; tables carry the solver's."""
    digest = hashlib.sha256()
    folders = (path for package in sorted(packages) for path in sorted((PACKAGE / package).rglob("*.py")))
    for path in (*(PACKAGE / name for name in SHARED), *folders):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def kernel_digest(package: str) -> str:
    """What names the folder of a package's compiled kernels: its sources, the compiler, its level, the processor.

    numba is not imported for its version: that takes a third of a second, in which others might compile.
    """
    from importlib.metadata import version

    level = os.environ.get("NUMBA_OPT") or str(LEVEL)
    python = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
    compiler = hashlib.sha256(b"".join((PACKAGE / name).read_bytes() for name in COMPILER)).hexdigest()
    system = f"{sys.platform} {platform.machine()} {_this_processor()}"
    sources = source_digest(("index", package, *LENDERS.get(package, ())))
    facts = f"{sources} {compiler} {version('numba')} {level} {python} {system}"
    return hashlib.sha256(facts.encode()).hexdigest()[:16]


def _this_processor() -> str:
    """What machine code is made for: this processor, unless numba is told of another."""
    from llvmlite import binding

    if name := os.environ.get("NUMBA_CPU_NAME"):
        return f"{name} {os.environ.get('NUMBA_CPU_FEATURES', '')}".strip()
    return f"{binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}"


def cache_home() -> Path:
    """Where compiled kernels of any version of tbgen are kept; variables that are empty are not set."""
    if override := os.environ.get("TBGEN_CACHE"):
        return Path(override).absolute()
    home = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(home) if os.path.isabs(home) else Path.home() / ".cache") / "tbgen" / "kernels"


@cache
def cache_folder(package: str = "retro") -> Path:
    """Where the kernels of a package, compiled from these very sources, are kept: in a place that can be written.

    The folder is made here if need be, and then those that have not been used for a month are removed.
    """
    digest = kernel_digest(package)
    with contextlib.suppress(OSError):
        folder = cache_home().resolve() / digest
        is_new = not folder.is_dir()
        _make(folder)
        if os.access(folder, os.W_OK) and is_ours_alone(folder):
            os.utime(folder)  # says that it is in use
            if is_new:
                remove_unused(folder.parent, time.time() - _UNUSED_SECONDS)  # noqa: TID251 - ages of files
            return folder
    _logger.warning(
        "compiled kernels are not kept: %s must be yours, and nobody else may write to it or above it", cache_home()
    )
    private = Path(tempfile.mkdtemp(prefix="tbgen-kernels-")).resolve()
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    os.environ["TBGEN_CACHE"] = str(private)  # processes that this one starts find it, and kernels of other packages
    _make(private / digest)
    return private / digest


def _make(folder: Path) -> None:
    """Make a folder and all above it, for this user alone, whatever the umask is."""
    for path in (*reversed(folder.parents), folder):
        if not path.is_dir():
            path.mkdir(mode=0o700, exist_ok=True)


def is_ours_alone(folder: Path) -> bool:
    """Whether a path without links is a folder of this user where nobody else can write or put another in its place.

    As ssh demands of its keys: each folder above belongs to the user or to root, and others cannot write there,
    unless the sticky bit keeps them from renaming what is not theirs.
    """
    facts = [path.lstat() for path in (folder, *folder.parents)]
    if facts[0].st_uid != os.getuid() or facts[0].st_mode & _OTHERS_WRITE:
        return False
    return all(
        stat.S_ISDIR(each.st_mode)
        and each.st_uid in (os.getuid(), 0)
        and (not each.st_mode & _OTHERS_WRITE or each.st_mode & stat.S_ISVTX)
        for each in facts
    )


def remove_unused(home: Path, before: float) -> None:
    """Remove folders of kernels that were last used before a moment; what was not made here stays.

    A folder is renamed first, so that another process sees it whole or not at all.
    """
    for folder in home.iterdir():
        with contextlib.suppress(OSError):
            if _FOLDER_NAME.fullmatch(folder.name) and folder.is_dir() and folder.stat().st_mtime < before:
                doomed = folder.rename(folder.with_name(f"{folder.name}.removed-{os.getpid()}"))
                shutil.rmtree(doomed, ignore_errors=True)
