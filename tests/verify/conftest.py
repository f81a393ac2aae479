"""Tables in memory for the tests of the verifier."""

from __future__ import annotations

import pytest

from tbgen.material import Material, materials
from tbgen.score import Mobility
from tbgen.table import Table
from tests.retro.tables import solved


def _solved(game: Mobility) -> dict[Material, Table]:
    return {material: solved(str(material), game) for material in (*materials(2), *materials(3))}


@pytest.fixture(scope="session")
def small_tables() -> dict[Material, Table]:
    """All tables of two and three men."""
    return _solved(Mobility.RESET)


@pytest.fixture(scope="session")
def whole_game_tables() -> dict[Material, Table]:
    """The same of whole-game mobility."""
    return _solved(Mobility.WHOLE_GAME)
