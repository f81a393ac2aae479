"""Whole-game mobility by the verifier's own reading of the rule; that sound tables pass is in test_check.py."""

from __future__ import annotations

import dataclasses

import pytest

from tbgen.material import Material
from tbgen.score import Mobility
from tbgen.table import Table
from tbgen.verify import verify_table


@pytest.fixture
def tables(whole_game_tables: dict[Material, Table]) -> dict[Material, Table]:
    return whole_game_tables


@pytest.mark.parametrize("name", ["KBvK", "KPvK"])
def test_a_table_of_one_game_does_not_pass_as_one_of_the_other(tables: dict[Material, Table], name: str) -> None:
    table = tables[Material.parse(name)]
    taken = dataclasses.replace(table, game=Mobility.RESET)
    assert verify_table(taken, tables.__getitem__, threads=2).violation is not None
