"""Folders of compiled kernels, each named by a digest of all that its kernels depend on.

Kernels lie in the user's folder. Their files are pickles, so tbgen trusts a folder only if nobody
else can write to it, or rename anything on the path to it.
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
"""The packages that determine the content of tables."""

SHARED = (
    "betza.py",
    "compiled/arrays.py",
    "compiled/jit.py",
    "material.py",
    "men.py",
    "score.py",
    "table.py",
)
"""The modules that packages with kernels import beside each other."""

LENDERS = {
    "apps/hold": ("board", "probe"),
    "apps/play": ("board", "probe"),
    "apps/records": ("board", "verify"),
    "closures": ("retro",),
    "probe": ("board",),
}
"""[package] -> the packages whose kernels its kernels call, beside `index`."""

COMPILER = ("compiled/groups.py", "compiled/jit.py", "compiled/linking.py")
"""The modules that compile and keep kernels."""

LEVEL = 1
"""The optimisation level, unless NUMBA_OPT sets it: higher ones make short loops slower."""

_UNUSED_SECONDS = 30 * 24 * 3600.0
"""tbgen removes kernels of other sources after so long without use."""

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_FOLDER_NAME = re.compile(r"[0-9a-f]{16}")


def package_of(module: str) -> str:
    """The package in whose folder a module's kernels are kept.

    >>> package_of("tbgen.retro.outcomes.codes"), package_of("tbgen.apps.play.search_kernels")
    ('retro', 'apps/play')
    """
    names = module.split(".")
    return "/".join(names[1:3]) if names[1] == "apps" else names[1]


def source_digest(packages: Sequence[str] = SOLVER) -> str:
    """A digest of the sources of some packages and of the modules that all share.

    Tables contain the solver's.
    """
    paths = [PACKAGE / name for name in SHARED]
    for package in sorted(packages):
        paths += sorted((PACKAGE / package).rglob("*.py"))
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0")
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def kernel_digest(package: str) -> str:
    """The name of the folder of a package's kernels: its sources, compiler, level and processor.

    The version of numba comes from its metadata, because importing numba takes a third of a second,
    in which other threads might compile.
    """
    from importlib.metadata import version

    level = os.environ.get("NUMBA_OPT") or str(LEVEL)
    python = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
    compiler = hashlib.sha256()
    for name in COMPILER:
        compiler.update((PACKAGE / name).read_bytes())
    system = f"{sys.platform} {platform.machine()} {_this_processor()}"
    sources = source_digest(("index", package, *LENDERS.get(package, ())))
    facts = f"{sources} {compiler.hexdigest()} {version('numba')} {level} {python} {system}"
    return hashlib.sha256(facts.encode()).hexdigest()[:16]


def _this_processor() -> str:
    """The processor that machine code is made for: this one, unless a variable names another."""
    from llvmlite import binding

    if name := os.environ.get("NUMBA_CPU_NAME"):
        return f"{name} {os.environ.get('NUMBA_CPU_FEATURES', '')}".strip()
    return f"{binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}"


def cache_home() -> Path:
    """The folder of compiled kernels of all versions of tbgen. Empty variables count as unset."""
    if override := os.environ.get("TBGEN_CACHE"):
        return Path(override).absolute()
    home = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(home) if os.path.isabs(home) else Path.home() / ".cache"
    return cache / "tbgen" / "kernels"


@cache
def cache_folder(package: str = "retro") -> Path:
    """The writable folder of a package's kernels, compiled from these very sources.

    Makes the folder if it is missing, and then removes those that nobody has used for a month.
    """
    digest = kernel_digest(package)
    with contextlib.suppress(OSError):
        folder = cache_home().resolve() / digest
        is_new = not folder.is_dir()
        _make(folder)
        if os.access(folder, os.W_OK) and is_ours_alone(folder):
            os.utime(folder)  # marks it as in use
            if is_new:
                now = time.time()  # noqa: TID251 - ages of files
                remove_unused(folder.parent, now - _UNUSED_SECONDS)
            return folder
    _logger.warning(
        "compiled kernels are not kept: %s must be yours,"
        " and nobody else may write to it or above it",
        cache_home(),
    )
    private = Path(tempfile.mkdtemp(prefix="tbgen-kernels-")).resolve()
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    # For processes that this one starts, and for kernels of other packages.
    os.environ["TBGEN_CACHE"] = str(private)
    _make(private / digest)
    return private / digest


def _make(folder: Path) -> None:
    """Make a folder and all above it for this user alone, whatever the umask."""
    for path in (*reversed(folder.parents), folder):
        if not path.is_dir():
            path.mkdir(mode=0o700, exist_ok=True)


def is_ours_alone(folder: Path) -> bool:
    """Whether a resolved path is a folder of this user that nobody else can write to or replace.

    ssh demands the same of its keys: each folder above belongs to the user or to root. Others
    cannot write there, unless the sticky bit keeps them from renaming other people's files.
    """
    own = folder.lstat()
    if own.st_uid != os.getuid() or own.st_mode & _OTHERS_WRITE:
        return False
    return all(_is_trusted(path) for path in (folder, *folder.parents))


def _is_trusted(folder: Path) -> bool:
    """Whether nobody but this user and root can rename what is in a folder."""
    facts = folder.lstat()
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid not in (os.getuid(), 0):
        return False
    may_others_write = facts.st_mode & _OTHERS_WRITE != 0
    is_sticky = facts.st_mode & stat.S_ISVTX != 0
    return not may_others_write or is_sticky


def remove_unused(home: Path, before: float) -> None:
    """Remove folders of kernels that were last used before a moment.

    Anything that tbgen did not make stays. A folder is renamed first, so that another process sees
    it whole or not at all.
    """
    for folder in home.iterdir():
        with contextlib.suppress(OSError):
            if not _FOLDER_NAME.fullmatch(folder.name) or not folder.is_dir():
                continue
            if folder.stat().st_mtime < before:
                doomed = folder.rename(folder.with_name(f"{folder.name}.removed-{os.getpid()}"))
                shutil.rmtree(doomed, ignore_errors=True)
