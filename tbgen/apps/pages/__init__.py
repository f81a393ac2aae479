"""Pages of records, and the server: an error names the modules that only they need."""

from __future__ import annotations

import importlib.util
from typing import Final

from tbgen.errors import UsageError
from tbgen.system.extras import how_to_install

EXTRAS: Final = {
    "report": ("pages", ["jinja2"]),
    "serve": (
        "servers",
        ["jinja2", "prometheus_client", "starlette", "uvicorn"],
    ),
}
"""Extras of an installation: what needs each, in the plural, and its modules."""


def need_extra(extra: str) -> None:
    """UsageError if modules of an extra are not installed."""
    what, modules = EXTRAS[extra]
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"{what} need {', '.join(missing)}; install with: {how_to_install(extra)}")
