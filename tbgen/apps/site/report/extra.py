"""Extras: modules that only some commands need, and one clear line where they are missing."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from tbgen.errors import UsageError

MODULES = ("jinja2",)


def need_extra() -> None:
    """UsageError if something of the extra is not installed."""
    need_modules("reports", "report", MODULES)


def need_modules(what: str, extra: str, modules: Sequence[str]) -> None:
    """UsageError if modules of an extra are not installed; `what` needs them, in the plural."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"{what} need {' and '.join(missing)}; install with: pip install 'tbgen[{extra}]'")
