from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tbgen.probe import Tablebase, open_tablebase


@pytest.fixture(scope="session")
def tables(table_folder: Path) -> Iterator[Tablebase]:
    """All tables of two and three men."""
    with open_tablebase(table_folder) as opened:
        yield opened
