"""Whole-game mobility as the solver makes it; the verifier and single plies (tests/probe) prove its values."""

from __future__ import annotations

import numpy as np

from tbgen.material import materials
from tbgen.score import Mobility
from tests.retro.tables import solved


def test_one_value_a_position_is_stored_and_mates_are_those_of_ordinary_chess() -> None:
    for material in materials(3):
        table, other = solved(str(material), Mobility.WHOLE_GAME), solved(str(material))
        assert len(table.patterns) == 1
        assert not table.pattern.any()
        mates = np.abs(other.entry) == 1
        assert (mates == (np.abs(table.entry) == 1)).all()
        assert (table.entry[mates] == other.entry[mates]).all()
        assert (table.dtg[mates] == other.dtg[mates]).all()
