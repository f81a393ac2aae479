"""Tables in memory for the tests of the verifier."""

from __future__ import annotations

import pytest

from tbgen.material import Material, materials
from tbgen.retro import solve
from tbgen.table import Table


@pytest.fixture(scope="session")
def small_tables() -> dict[Material, Table]:
    """All tables of two and three men."""
    tables: dict[Material, Table] = {}
    for material in (*materials(2), *materials(3)):
        tables[material] = solve(material, tables)
    return tables
