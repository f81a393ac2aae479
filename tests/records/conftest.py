from __future__ import annotations

from pathlib import Path

import pytest

from tbgen.material import build_order, materials
from tbgen.records.making import record_of
from tbgen.records.record import Record


@pytest.fixture(scope="session")
def records(table_folder: Path) -> dict[str, Record]:
    """The records of all tables of two and three men."""
    return {str(each): record_of(table_folder, each) for each in build_order(materials(3))}
