from __future__ import annotations

from pathlib import Path

import pytest

from tbgen.apps.records.record import Record, read_record, records_in

PUBLISHED = Path(__file__).parent.parent.parent / "records"


@pytest.fixture(scope="session")
def published() -> list[Record]:
    """The records that the repository keeps."""
    return records_in(PUBLISHED)


@pytest.fixture(scope="session")
def some() -> list[Record]:
    """A few of them that have something of everything."""
    return [read_record(PUBLISHED / f"{name}.json") for name in ("KvK", "KBvK", "KPvK", "KRvKN", "KPvKP")]
