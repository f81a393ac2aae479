"""Pages of records, and the server: one clear line where a module is missing that only they need."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from tbgen.errors import UsageError


def need_modules(what: str, extra: str, modules: Sequence[str]) -> None:
    """UsageError if modules of an extra are not installed; `what` needs them, in the plural."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"{what} need {', '.join(missing)}; install with: pip install 'tbgen[{extra}]'")
