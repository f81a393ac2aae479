"""Tables copied from one folder to another, all their files."""

from __future__ import annotations

import shutil
from pathlib import Path

from tbgen.material import table_named
from tbgen.storage.files import Layer, path_of


def copy_tables(folder: Path, target: Path, *names: str) -> None:
    for name in names:
        for layer in Layer:
            shutil.copy(path_of(folder, table_named(name), layer), target)


def bytes_of_table(folder: Path, name: str) -> list[bytes]:
    """Outcomes and distances."""
    return [path_of(folder, table_named(name), layer).read_bytes() for layer in Layer]
