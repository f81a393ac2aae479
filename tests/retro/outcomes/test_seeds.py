"""Resets sorted by goal, against a dictionary of lists."""

from __future__ import annotations

import numpy as np
import pytest

from tbgen.compiled.jit import borrowing
from tbgen.retro.cells.worker import HISTORIES, STATUS, Room
from tbgen.retro.outcomes.grower import Grower, new_grower
from tbgen.retro.outcomes.seeds import sort_resets
from tbgen.retro.status import QUEUE_FULL
from tbgen.retro.words.block import Block
from tbgen.score import Color, Score
from tests.retro.words.plain import PlainBlock, squares_in, word_of


@borrowing
def sort(block: Block, grower: Grower, mates: bool) -> None:
    sort_resets(block, grower, mates)


def goal_of(outcome: Score, side: int) -> int:
    """An outcome as a side numbers it."""
    return outcome.code if outcome.holder == Color(side) else 255 - outcome.code


def with_resets(seed: int) -> tuple[Block, dict[tuple[int, int, int], Score]]:
    """A block of bare kings with made-up resets: [side, word, square] -> outcome."""
    draw = np.random.default_rng(seed)
    block = PlainBlock("KvK").block
    outcomes = dict[tuple[int, int, int], Score]()
    number = 0
    for side in range(2):
        for word in range(len(block.occupied)):
            squares = np.flatnonzero(draw.random(64) < (0.1, 0.9)[word % 2]).tolist()
            block.resets[side, word] = word_of(squares)
            block.first_reset[side, word] = number
            for square in squares:
                code = int(draw.choice([0, 0, 1, 2, 5, 60, 126]))
                outcome = Score(code, Color(int(draw.integers(0, 2))))
                block.best.outcome[number] = outcome.signed
                outcomes[side, word, square] = outcome
                number += 1
            undecided = np.flatnonzero(draw.random(64) < 0.8).tolist()
            block.undecided[side, word] = word_of(undecided)
    return block, outcomes


@pytest.mark.parametrize("mates", [True, False])
@pytest.mark.parametrize("side", [0, 1])
def test_resets_of_undecided_cells_are_sorted_by_goal(side: int, mates: bool) -> None:
    block, outcomes = with_resets(11)
    expected: dict[int, dict[int, set[int]]] = {goal: {} for goal in range(256)}
    for (mover, word, square), outcome in outcomes.items():
        is_undecided = square in squares_in(block.undecided[mover, word])
        if mover == side and is_undecided and (outcome.code == 0) == mates:
            words = expected[goal_of(outcome, side)]
            words.setdefault(word, set()).add(square)
    grower = new_grower(side, block.geometry, Room(len(block.occupied)), HISTORIES)
    for _ in range(2):  # sorting again forgets what was there before
        sort(block, grower, mates)
        journal = grower.resets
        for goal, words in expected.items():
            entries = range(journal.first[goal], journal.first[goal + 1])
            assert [int(journal.word[at]) for at in entries] == sorted(words)
            for at in entries:
                assert squares_in(journal.bits[at]) == words[int(journal.word[at])]
        assert not grower.bits_of_goal.any()
        assert grower.state[STATUS] == 0


def test_more_resets_than_there_is_room_for_are_refused() -> None:
    block, _ = with_resets(12)
    grower = new_grower(0, block.geometry, Room(len(block.occupied)), HISTORIES)
    words = np.full(1000, -1, np.int32)
    grower = grower._replace(listed=grower.listed._replace(word=words[:3]))
    sort(block, grower, False)
    assert (words[3:] == -1).all(), "nothing is written behind the room"
    assert grower.state[STATUS] == QUEUE_FULL
    assert not grower.resets.first.any()
