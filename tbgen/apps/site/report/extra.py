"""The extra `report`: what pages need, and one clear line where it is missing."""

from __future__ import annotations

from tbgen.system.extras import need_modules

MODULES = ("jinja2",)


def need_extra() -> None:
    """UsageError if something of the extra is not installed."""
    need_modules("reports", "report", MODULES)
