"""Values near the fifty-move rule, beside whole tables that follow it.

tests/reference/fifty.py solves these.
"""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Iterator

import chess
import numpy as np
import pytest

from tbgen.apps.play.clock import ClockedValue, Within, value_within
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

SMALL = [
    "KvK",
    pytest.param("KNvK", marks=pytest.mark.slow),
    pytest.param("KBvK", marks=pytest.mark.slow),
]
LAST = {"KvK": 0, "KRvK": 25, "KBvK": 43, "KNvK": 51}
"""The most plies left with which a value below the cutoff is not that under the rule.

Its distance is at most the plies left.
"""


def outcome_of(rank: int) -> Score:
    """The outcome of a rank."""
    is_of_white = rank < RANKS // 2
    return Score.from_signed(rank if is_of_white else rank - int(RANKS))


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
    slots = list(zip(table.material.colors, table.material.roles, strict=True))
    for node in chance.sample(nodes.tolist(), min(len(nodes), number)):
        side, *squares = index[node].tolist()
        board = board_of(slots, squares, side)
        board.halfmove_clock = PLIES - values.left
        for holder in Color:
            rank = int(values.ranks[int(holder), code - values.codes.start, node])
            yield board, Score(code, holder), outcome_of(rank)


@pytest.mark.parametrize("name", SMALL)
def test_with_the_clock_at_0_only_scores_of_the_cutoff_or_more_change_in_clean_tables(
    name: str,
) -> None:
    unlimited = solve(name, reduced=True).entry
    under_rule = solve_clocked(name, "reset").entry
    changed = unlimited != under_rule
    assert changed.any()
    lowest_code = min(abs(unlimited[changed]).min(), abs(under_rule[changed]).min()) - 1
    assert lowest_code >= CUTOFF


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("setting", [FiftyMoveSetting.FIDE, FiftyMoveSetting.RESET])
def test_an_answer_is_as_sure_as_it_says(
    name: str, setting: FiftyMoveSetting, tables: Tablebase
) -> None:
    """Positions with several accrued scores and plies left, drawn at random."""
    chance = random.Random(f"sure {name} {setting.value}")
    seen = Counter[Within]()
    table = solve(name, reduced=True)
    block = solve_clocked(name, "reset").block(())
    for code in (3, 7, 12, 15):
        values = clocked(block, setting.value, code)
        while values.left < PLIES - 1 and (values.go_on() or values.left < 16):
            for board, accrued, worth in random_pairs(table, block, values, code, chance, 1):
                with contextlib.suppress(AccruedError):
                    found = value_within(tables, board, accrued, FiftyMoves(setting))
                    seen[found.within] += 1
                    is_far = values.left > LAST[name]
                    assert_is_sure(found, worth, f"{board.fen()} {accrued}", is_far=is_far)
    unsure = Within.BETWEEN if setting is FiftyMoveSetting.RESET else Within.UNKNOWN
    assert seen[unsure] > 20


def assert_is_sure(found: ClockedValue, worth: Score, question: str, *, is_far: bool) -> None:
    """Compare an answer with the value under the rule, as far as it claims to know it.

    A likely outcome is right if the rule is far.
    """
    if found.within is Within.CERTAIN:
        assert found.outcome == worth, question
    if found.within is Within.BETWEEN:
        assert is_between(found, worth), question
        if found.outcome is not None and is_far:
            assert found.outcome == worth, question


def is_between(found: ClockedValue, worth: Score) -> bool:
    """Whether an outcome lies between the accrued score and the table's value."""
    least, most = sorted((found.accrued, found.table))
    return least <= worth <= most


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KRvK", "KNvK"])
def test_a_value_in_reach_is_that_under_the_rule_if_more_plies_are_left(name: str) -> None:
    """All pairs with 1 to 99 plies left, and values below the cutoff."""
    block = solve(name, reduced=True).block(())
    last = 0
    for code in range(LOWEST_CODE, CUTOFF):
        can_accrue = block.nodes.own >= code
        values = clocked(block, "reset", code)
        changes = bool(can_accrue.any())
        for left in range(1, PLIES):
            changes = changes and bool(values.go_on())
            for holder in Color:
                value, plies = (
                    numbers[: len(can_accrue)] for numbers in block.values(int(holder), code)
                )
                ranks = values.ranks[int(holder), 0]
                in_reach = can_accrue & (abs(value) <= CUTOFF) & (plies <= left)
                if (in_reach & (value % RANKS != ranks)).any():
                    last = max(last, left)
    assert last == LAST[name]
