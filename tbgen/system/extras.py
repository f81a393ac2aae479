"""Extras: what some parts need beside the program, and one clear line where it is missing."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from tbgen.errors import UsageError


def need_modules(what: str, extra: str, modules: Sequence[str]) -> None:
    """UsageError if something of an extra is not installed; `what` is the thing that needs it, in the plural."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"{what} need {' and '.join(missing)}; install with: pip install 'tbgen[{extra}]'")
