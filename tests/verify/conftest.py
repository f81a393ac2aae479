"""Tables in memory for the tests of the verifier."""

from __future__ import annotations

import pytest

from tbgen.material import Material, materials
from tbgen.retro import solve
from tbgen.score import Mobility
from tbgen.table import Table


def _solved(game: Mobility) -> dict[Material, Table]:
    tables: dict[Material, Table] = {}
    for material in (*materials(2), *materials(3)):
        tables[material] = solve(material, tables, game=game)
    return tables


@pytest.fixture(scope="session")
def small_tables() -> dict[Material, Table]:
    """All tables of two and three men."""
    return _solved(Mobility.RESET)


@pytest.fixture(scope="session")
def whole_game_tables() -> dict[Material, Table]:
    """The same of whole-game mobility."""
    return _solved(Mobility.WHOLE_GAME)
