"""Folders in which best play leads to a table that is not there."""

from __future__ import annotations

import shutil
from pathlib import Path

from tbgen.material import Material
from tbgen.storage.files import path_of
from tbgen.storage.layers import Layer

BEFORE_PROMOTION = "8/8/1P6/8/8/8/5k2/K7 w - - 0 1"
"""Whatever is played, promotion comes later, and then a table is asked for that is not in the folder."""


def without_promotions(there: Path, folder: Path) -> Path:
    """KPvK with what captures lead to, and no more."""
    folder.mkdir()
    for name in ("KPvK", "KvK"):
        for layer in Layer:
            shutil.copy(path_of(there, Material.parse(name), layer), folder)
    return folder
