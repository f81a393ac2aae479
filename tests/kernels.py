"""Helpers of kernels as tests call them: such functions have no entry from Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from tbgen._jit import small

P = ParamSpec("P")
R = TypeVar("R")


def with_entry(helper: Callable[P, R]) -> Callable[P, R]:
    """The same function, compiled so that Python can call it."""
    return small(cast("Callable[P, R]", cast("Any", helper).py_func))
