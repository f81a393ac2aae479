"""The slow solver of whole-game mobility knows only the definition; it obeys the law that docs/whole-game.md proves."""

from __future__ import annotations

import numpy as np
import pytest

from .reference import outcome
from .reference.whole_game import WholeGame


def assert_law(name: str) -> int:
    """With any score accrued a position is worth its entry value if that has a lower code, else that score."""
    twin, pairs = WholeGame(name), 0
    levels = [(holder, code, value.copy(), plies.copy()) for holder, code, value, plies in twin.pairs()]
    for holder, code, value, plies in levels:
        lower = np.abs(twin.entry.astype(np.int64)) - 1 < code
        own = (twin.own == code) & (twin.side != holder)
        by_entry, inside = lower | own, twin.own >= code
        assert (value == np.where(by_entry, twin.entry, outcome(holder, code)))[inside].all(), (name, holder, code)
        assert (plies == np.where(by_entry, twin.dtg, 0))[inside].all(), (name, holder, code)
        pairs += int(inside.sum())
    return pairs


def test_the_law_holds_of_the_kings_alone() -> None:
    assert assert_law("KvK") == 177_408


def test_the_kings_alone_are_worth_what_they_are_under_r_mobility() -> None:
    """Between them there is no reset; the counts are published with the rules."""
    twin = WholeGame("KvK")
    twin.solve()
    found = dict(zip(*np.unique(twin.entry[twin.side == 0], return_counts=True), strict=True))
    whites = {4: 44, 6: 124, 8: 404, 10: 32, 12: 988}
    assert found == {**whites, -18: 396, -12: 1216, -10: 32, -8: 332, -6: 28, -4: 16}
    assert twin.dtg.max() == 14


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KBvK", "KNvK", "KRvK", "KQvK", "KPvK"])
def test_the_law_holds_of_three_men(name: str) -> None:
    assert assert_law(name) > 1_000_000
