"""The types of parameters and results of kernels, for readers and mypy.

numba types every call by itself. `Int` leaves out 64-bit unsigned integers on purpose: those are
words (sets of squares), and a word where a number belongs is a mistake that mypy then finds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Int: TypeAlias = int | np.signedinteger[Any] | np.uint8 | np.uint16 | np.uint32
"""A number: an index, a square, a count, a code, plies."""

Word: TypeAlias = np.uint64
"""A set of squares, a bit each."""

Bools: TypeAlias = npt.NDArray[np.bool_]
Bytes: TypeAlias = npt.NDArray[np.uint8]
SignedBytes: TypeAlias = npt.NDArray[np.int8]
Shorts: TypeAlias = npt.NDArray[np.uint16]
Ints32: TypeAlias = npt.NDArray[np.uint32]
SignedInts32: TypeAlias = npt.NDArray[np.int32]
Ints: TypeAlias = npt.NDArray[np.int64]
WideInts: TypeAlias = npt.NDArray[np.uint32 | np.int64]
"""Numbers of 32 or 64 bits; numba compiles a kernel for each width that it is called with."""
Words: TypeAlias = npt.NDArray[np.uint64]
NewArray: TypeAlias = Callable[[int, npt.DTypeLike], npt.NDArray[Any]]
"""Makes a flat array of zeros: in memory, or in a file where memory is short."""
