"""Numba's decorator with a cache that notices every change of the reference.

Numba looks at the file of a kernel alone; so the folder of the cache is named by a digest of all files here.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba

_HERE = Path(__file__).parent
_SOURCES = b"".join(path.read_bytes() for path in sorted(_HERE.glob("*.py")))
_CACHE = str(_HERE / "__pycache__" / f"kernels.{sha256(_SOURCES).hexdigest()[:16]}")


def njit(function: Callable[..., Any]) -> Any:
    """A compiled function; the cache is chosen while it is decorated."""
    usual, numba.config.CACHE_DIR = numba.config.CACHE_DIR, _CACHE
    compiled = numba.njit(cache=True, no_cfunc_wrapper=True)(function)
    numba.config.CACHE_DIR = usual
    return compiled
