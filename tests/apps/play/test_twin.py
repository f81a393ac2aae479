"""What is said of the fifty-move rule, beside whole tables that follow it (tests/reference/fifty.py)."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Iterator

import chess
import numpy as np
import pytest

from tbgen.apps.play.within import ClockedValue, Within, value_within
from tbgen.errors import AccruedError
from tbgen.probe import Tablebase
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import Color, Score
from tests.positions import board_of
from tests.reference import Block, ReferenceTable, solve
from tests.reference.code import RANKS
from tests.reference.fifty import CUTOFF, PLIES, Clocked, clocked, solve_clocked
from tests.reference.solver import LOWEST_CODE

Pair = tuple[chess.Board, Score, Score]
"""A position, a score that has accrued, and what that is worth."""

SMALL = ["KvK", *(pytest.param(name, marks=pytest.mark.slow) for name in ("KNvK", "KBvK"))]
"""Two kings, and what the slow suite has beside them."""
LAST = {"KvK": 0, "KRvK": 25, "KBvK": 43, "KNvK": 51}
"""The most plies left with which a value below the cutoff, and in reach, is not that under the rule."""


def outcome_of(rank: int) -> Score:
    """The outcome of a rank."""
    return Score.from_signed(rank if rank < RANKS // 2 else rank - int(RANKS))


def random_pairs(
    table: ReferenceTable,
    block: Block,
    values: Clocked,
    code: int,
    chance: random.Random,
    number: int = 6,
) -> Iterator[Pair]:
    """Positions that are not over, in which a code can have accrued for either side."""
    index = np.stack(table.index_of(block), axis=1)
    nodes = np.flatnonzero(block.nodes.own >= code)
    for node in chance.sample(nodes.tolist(), min(len(nodes), number)):
        side, *squares = index[node].tolist()
        board = board_of(
            zip(table.material.colors, table.material.roles, strict=True), squares, side
        )
        board.halfmove_clock = PLIES - values.left
        for holder in Color:
            rank = int(values.ranks[int(holder), code - values.codes.start, node])
            yield board, Score(code, holder), outcome_of(rank)


@pytest.mark.parametrize("name", SMALL)
def test_with_the_clock_at_0_only_scores_of_the_cutoff_or_more_change_in_clean_tables(
    name: str,
) -> None:
    unlimited, under_rule = solve(name, reduced=True).entry, solve_clocked(name, "reset").entry
    changed = unlimited != under_rule
    assert min(abs(unlimited[changed]).min(), abs(under_rule[changed]).min()) - 1 >= CUTOFF


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("setting", [FiftyMoveSetting.FIDE, FiftyMoveSetting.RESET])
def test_an_answer_is_as_sure_as_it_says(
    name: str, setting: FiftyMoveSetting, tables: Tablebase
) -> None:
    """Positions with several accrued scores and plies left, drawn at random."""
    chance, seen = random.Random(f"sure {name} {setting.value}"), Counter[Within]()
    block = solve_clocked(name, "reset").block(())
    for code in (3, 7, 12, 15):
        values = clocked(block, setting.value, code)
        while values.left < PLIES - 1 and (values.go_on() or values.left < 16):
            for board, accrued, worth in random_pairs(
                solve(name, reduced=True), block, values, code, chance, 1
            ):
                with contextlib.suppress(AccruedError):
                    found = value_within(tables, board, accrued, FiftyMoves(setting))
                    seen[found.within] += 1
                    assert found.within is not Within.CERTAIN or found.outcome == worth, (
                        board.fen(),
                        accrued,
                    )
                    if found.within is Within.BETWEEN:
                        assert is_between(found, worth), (board.fen(), accrued)
                        if found.outcome is not None:
                            assert found.outcome == worth or values.left <= LAST[name], (
                                board.fen(),
                                accrued,
                            )
    assert seen[Within.BETWEEN if setting is FiftyMoveSetting.RESET else Within.UNKNOWN] > 20


def is_between(found: ClockedValue, worth: Score) -> bool:
    """Whether an outcome lies between the accrued score and the table's value."""
    least, most = sorted((found.accrued, found.table))
    return least <= worth <= most


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KRvK", "KNvK"])
def test_a_value_in_reach_is_that_under_the_rule_if_more_plies_are_left(name: str) -> None:
    """All pairs with 1 to 99 plies left, and values below the cutoff."""
    block, last = solve(name, reduced=True).block(()), 0
    for code in range(LOWEST_CODE, CUTOFF):
        there = block.nodes.own >= code
        values, changes = clocked(block, "reset", code), there.any()
        unlimited = [
            [each[: len(there)] for each in block.values(int(holder), code)] for holder in Color
        ]
        for left in range(1, PLIES):
            changes = changes and values.go_on()
            for (value, plies), ranks in zip(unlimited, values.ranks[:, 0], strict=True):
                near = there & (abs(value) <= CUTOFF) & (plies <= left)
                last = max(last, left if (near & (value % RANKS != ranks)).any() else 0)
    assert last == LAST[name]
