"""A replayed level against the plain search: the same members with the same labels, level by level."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tbgen.material import Material
from tbgen.retro import alone, forcer
from tbgen.retro.forcer import LABEL, REPLAYS
from tbgen.retro.journal import LEVEL
from tbgen.retro.levels import advance
from tests.retro.tables import solve_from_values, values
from tests.retro.test_solver import SMALL, assert_same

NEVER, ALWAYS = 1 << 60, 0
Stage = tuple[int, int, list[Any]]
"""Level, forcer, and what it has found: labels, and who has not joined."""


class Recorder:
    """Stands in for `advance`, and notes what the middle is after each stage."""

    def __init__(self) -> None:
        self.stages: list[Stage] = []
        self.replayed = self.dropped = 0

    def __call__(self, geometry: Any, block: Any, side: Any, found: Any, k: int) -> None:
        was = side.journal.state[LEVEL]
        advance(geometry, block, side, found, k)
        self.replayed += int(side.state[REPLAYS] and was and side.journal.state[LEVEL] > was)
        self.dropped += int(side.state[REPLAYS] and was and not side.journal.state[LEVEL])
        if k > 1:
            places = int(np.bitwise_count(block.numbered[:, :, 0]).sum())
            state = [side.found[:places, LABEL].copy(), side.middle.free.copy(), side.middle.left.copy()]
            self.stages.append((k, side.side, state))


def stages(monkeypatch: pytest.MonkeyPatch, name: str, least_words: int) -> Recorder:
    recorder = Recorder()
    with monkeypatch.context() as patch:
        patch.setattr(alone, "advance", recorder)
        patch.setattr(forcer, "LEAST_REPLAYED_WORDS", least_words)
        solve_from_values(name, threads=1)
    return recorder


def assert_levels_agree(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for child in children(name):
        values(child)
    plain, replayed = stages(monkeypatch, name, NEVER), stages(monkeypatch, name, ALWAYS)
    assert plain.replayed == 0
    assert 0 < changes(plain.stages) <= replayed.replayed
    for (k, side, here), (*stage, there) in zip(plain.stages, replayed.stages, strict=True):
        assert [k, side] == stage
        for left, right in zip(here, there, strict=True):
            np.testing.assert_array_equal(left, right, err_msg=f"{name} {k} {side}")


def changes(stages: list[Stage]) -> int:
    """At how many levels a middle is another than at the one before."""
    found = 0
    for side in range(2):
        states = [state for _, forcer_side, state in stages if forcer_side == side]
        for before, after in pairwise(states):
            found += any(not np.array_equal(left, right) for left, right in zip(before, after, strict=True))
    return found


def children(name: str) -> list[str]:
    return [str(child) for child in Material.parse(name).children()]


@pytest.mark.parametrize("name", ["KNvK", "KBvK"])
def test_every_level_of_three_men_has_the_members_and_labels_of_the_plain_search(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_levels_agree(monkeypatch, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KNvKN", "KRvKB", "KNNvK"])
def test_every_level_of_four_men_has_the_members_and_labels_of_the_plain_search(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_levels_agree(monkeypatch, name)


@pytest.mark.parametrize("name", SMALL)
def test_a_table_is_the_same_with_and_without_replays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forcer, "LEAST_REPLAYED_WORDS", NEVER)
    plain = solve_from_values(name)
    monkeypatch.setattr(forcer, "LEAST_REPLAYED_WORDS", ALWAYS)
    assert_same(plain, solve_from_values(name))


def test_a_table_is_the_same_when_the_journal_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, recorder = solve_from_values("KNvK"), Recorder()
    monkeypatch.setattr(alone, "advance", recorder)
    monkeypatch.setattr(forcer, "LEAST_REPLAYED_WORDS", ALWAYS)
    monkeypatch.setattr(forcer, "JOURNAL_ENTRIES", 0)
    assert_same(expected, solve_from_values("KNvK", threads=1))
    assert recorder.dropped > 0
