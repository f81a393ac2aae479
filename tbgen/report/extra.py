"""The extra `report`: what pages and plots need, and one clear line where it is missing."""

from __future__ import annotations

import importlib.util

from tbgen.errors import UsageError

MODULES = ("jinja2", "matplotlib")


def need_extra() -> None:
    """UsageError if something of the extra is not installed."""
    missing = [name for name in MODULES if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"reports need {' and '.join(missing)}; install with: pip install 'tbgen[report]'")
