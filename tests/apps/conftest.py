from __future__ import annotations

import pytest

from tbgen.apps.records.record import Record, read_record, records_in
from tests.project import RECORDS


@pytest.fixture(scope="session")
def published() -> list[Record]:
    """The records that the repository keeps."""
    return records_in(RECORDS)


@pytest.fixture(scope="session")
def some() -> list[Record]:
    """A few of them that have something of everything."""
    return [
        read_record(RECORDS / f"{name}.json") for name in ("KvK", "KBvK", "KPvK", "KRvKN", "KPvKP")
    ]
