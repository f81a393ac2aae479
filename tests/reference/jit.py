"""Numba's decorator with a cache that notices every change of the reference.

Numba looks only at the file of a kernel. So the name of the cache's folder has a digest of all
files here. Of processes that test side by side, one compiles at a time, and the others find in the
cache what it has compiled.
"""

import fcntl
import os
from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba

_HERE = Path(__file__).parent
_SOURCES = b"".join(path.read_bytes() for path in sorted(_HERE.glob("*.py")))
_CACHE = _HERE / "__pycache__" / f"kernels.{sha256(_SOURCES).hexdigest()[:16]}"


def njit(function: Callable[..., Any]) -> Any:
    """A compiled function. Numba chooses its cache while it decorates."""
    usual_folder = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_CACHE)
    compiled = numba.njit(cache=True, no_cfunc_wrapper=True)(function)
    numba.config.CACHE_DIR = usual_folder
    compiled.compile = partial(_compile_alone, compiled.compile)
    return compiled


_DEPTH = [0]
"""How many kernels this process is compiling, each for the one before it."""


def _compile_alone(compile_now: Callable[[Any], Any], signature: Any) -> Any:
    """Compile while no other process does.

    The lock is held until the outermost kernel is done.
    """
    fcntl.flock(_lock(), fcntl.LOCK_EX)
    _DEPTH[0] += 1
    try:
        return compile_now(signature)
    finally:
        _DEPTH[0] -= 1
        if not _DEPTH[0]:
            fcntl.flock(_lock(), fcntl.LOCK_UN)


@cache
def _lock() -> int:
    _CACHE.mkdir(parents=True, exist_ok=True)
    return os.open(_CACHE / "lock", os.O_CREAT | os.O_WRONLY)
