from __future__ import annotations

from pathlib import Path

import pytest

from tbgen.apps.records.making import record_of
from tbgen.apps.records.record import Record
from tbgen.material import build_order, materials


@pytest.fixture(scope="session")
def records(table_folder: Path) -> dict[str, Record]:
    """The records of all tables of two and three men."""
    return {str(each): record_of(table_folder, each) for each in build_order(materials(3))}
