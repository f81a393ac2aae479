from __future__ import annotations

from pathlib import Path

import pytest

from tbgen.apps.records.census import record_of
from tbgen.apps.records.record import Record, records_in, write_record
from tbgen.material import build_order, materials
from tests.conftest import shared


@pytest.fixture(scope="session")
def records(table_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Record]:
    """The records of all tables of two and three men."""

    def make(folder: Path) -> None:
        for material in build_order(materials(3)):
            write_record(folder, record_of(table_folder, material))

    return {
        str(record.material): record
        for record in records_in(shared(tmp_path_factory, "records", make))
    }
