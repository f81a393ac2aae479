"""Folders without tables that some positions lead to."""

from __future__ import annotations

from pathlib import Path

from tests.copies import copy_tables

BEFORE_PROMOTION = "8/8/1P6/8/8/8/5k2/K7 w - - 0 1"
"""Whatever is played, promotion comes later, and then a table is asked for that is not in the
folder."""


EN_PASSANT = "8/8/8/8/4Pp2/8/8/K6k b - e3 0 1"
"""The capture leads to KPvK."""


def without_promotions(there: Path, folder: Path) -> Path:
    """KPvK with what captures lead to, and no more."""
    return alone(there, folder, "KPvK", "KvK")


def alone(there: Path, folder: Path, *names: str) -> Path:
    """Some of the tables of a folder, in a new one."""
    folder.mkdir()
    copy_tables(there, folder, *names)
    return folder
