from __future__ import annotations

from pathlib import Path

import pytest

from tbgen.apps.records.record import Record, records_in

PUBLISHED = Path(__file__).parent.parent.parent / "records"


@pytest.fixture(scope="session")
def published() -> list[Record]:
    """The records that the repository keeps."""
    return records_in(PUBLISHED)


@pytest.fixture(scope="session")
def some(published: list[Record]) -> list[Record]:
    """A few of them that have something of everything."""
    return [record for record in published if str(record.material) in ("KvK", "KBvK", "KPvK", "KRvKN", "KPvKP")]
