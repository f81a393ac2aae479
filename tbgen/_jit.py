"""The one owner of numba: the decorators, and a cache folder that our own sources name.

numba keeps a stale machine-code file when a constant in an imported module changes, so the folder is
keyed by a digest of the sources that kernels are made from.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

os.environ.setdefault("NUMBA_OPT", "1")  # measured: inner loops of a few turns only get slower and fatter above it

import numba
from numba.core import config

P = ParamSpec("P")
R = TypeVar("R")


SOLVER = ("index", "retro")
"""The packages that tables come from."""

SHARED = ("_jit.py", "material.py", "score.py", "table.py")
"""What those packages import beside each other."""


def source_digest(packages: Sequence[str] = SOLVER) -> str:
    """A digest of the sources of some packages and of what they all share, short enough for a folder name."""
    digest = hashlib.sha256(numba.__version__.encode())
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        if path.parent.name in packages or (path.parent == root and path.name in SHARED):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def cache_home() -> Path:
    """Where compiled kernels of any version of tbgen are kept."""
    if override := os.environ.get("TBGEN_CACHE"):
        return Path(override)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "tbgen" / "kernels"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tbgen" / "kernels"


@cache
def cache_folder() -> Path:
    """Where the compiled kernels of these very sources are kept; made here, in a place that can be written."""
    digest = source_digest((*SOLVER, "verify"))
    user = os.getuid() if hasattr(os, "getuid") else 0
    for home in (cache_home(), Path(tempfile.gettempdir()) / f"tbgen-kernels-{user}"):
        with contextlib.suppress(OSError):
            folder = home / digest
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if os.access(folder, os.W_OK) and folder.stat().st_uid == user:
                return folder
    return Path(tempfile.mkdtemp(prefix="tbgen-kernels-"))


def is_compiled(name: str) -> bool:
    """Whether the machine code of a kernel is on disk."""
    return any(cache_folder().rglob(f"*.{name}-*.nbc"))


config.CACHE_DIR = str(cache_folder())


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """What Python calls: compiled on first use, kept on disk, run without the interpreter lock."""
    return cast("Callable[P, R]", numba.njit(cache=True, nogil=True)(function))


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """What only kernels call. It has no way in from Python, which for groups of arrays costs a second to compile."""
    return cast("Callable[P, R]", numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """An inner kernel written into its callers, for loops that would spend their time passing arrays."""
    jit = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)
    return cast("Callable[P, R]", jit(function))


def small(function: Callable[P, R]) -> Callable[P, R]:
    """A few instructions on plain numbers, called from anywhere."""
    return cast("Callable[P, R]", numba.njit(nogil=True, forceinline=True)(function))
