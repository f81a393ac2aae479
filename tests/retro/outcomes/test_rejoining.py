"""What a middle takes from the journal of the code before, against sets of cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from tbgen.compiled.arrays import Int
from tbgen.compiled.jit import borrowing
from tbgen.retro.cells.worker import HISTORIES, Room
from tbgen.retro.outcomes.grower import NOTED, Grower, Journal, new_grower, new_journal
from tbgen.retro.outcomes.middles import CHECKS_PER_WALK, check_pending, rejoin
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.worklist import add_bits
from tbgen.score import Color, Score
from tests.retro.words.plain import Cell, PlainBlock, cells_in, holds, word_of

GOAL = 9


@borrowing
def take_up(block: Block, grower: Grower, before: Journal, values: BlockValues, goal: Int) -> Int:
    return rejoin(block, grower, before, values, goal)


@borrowing
def check(block: Block, grower: Grower, before: Journal, goal: Int, lost: Int) -> None:
    check_pending(block, grower, before, goal, lost)


@borrowing
def let_wait(grower: Grower, word: Int, bits: np.uint64) -> None:
    add_bits(grower.middle.pending, word, bits)


class Sets(NamedTuple):
    """A block, one side's part with made-up sets, and the journal of the code before."""

    plain: PlainBlock
    grower: Grower
    before: Journal
    members: list[set[Cell]]
    """[side] the cells that the journal has of the goal."""


def some_cells(draw: np.random.Generator, words: np.ndarray, share: float) -> np.ndarray:
    """A part of a set."""
    part = np.zeros_like(words)
    for n in range(len(words)):
        part[n] = words[n] & word_of(np.flatnonzero(draw.random(64) < share).tolist())
    return part


def made_up(side: int, name: str = "KNvK") -> Sets:
    """Sets of a middle in which a side is the forcer."""
    draw = np.random.default_rng(side)
    plain = PlainBlock(name)
    words = len(plain.block.occupied)
    grower = new_grower(side, plain.geometry, Room(words), HISTORIES)
    members = grower.middle.members
    before = new_journal(4 * words)
    sets = list[set[Cell]]()
    at = 3  # entries of goals before this one
    before.first[GOAL] = at
    for mover in range(2):
        legal = plain.block.legal[mover]
        members.free[mover] = some_cells(draw, legal, 0.7)
        members.live[mover] = ~np.uint64(0)
        grower.forced.free[mover] = members.free[mover]
        joined = some_cells(draw, legal, 0.1)
        sets.append(cells_in(joined))
        for word in np.flatnonzero(joined).tolist():
            before.word[at] = mover * words + word
            before.bits[at] = joined[word]
            at += 1
    before.first[GOAL + 1] = at
    members.left[:] = plain.block.legal[side]
    grower.ripe[:] = some_cells(draw, plain.block.legal[side], 0.3)
    return Sets(plain, grower, before, sets)


@pytest.mark.parametrize("side", [0, 1])
def test_free_members_of_the_code_before_join_again(side: int) -> None:
    plain, grower, before, joined = made_up(side)
    words = len(plain.block.occupied)
    middle = grower.middle
    middle.pending.bits[:] = middle.members.free[1 - side]
    entry = np.zeros(2 * words * 64, np.int8)
    values = BlockValues(entry, np.zeros(0, np.uint16))
    free = [cells_in(middle.members.free[mover]) for mover in range(2)]
    left = cells_in(middle.members.left)
    lost = take_up(plain.block, grower, before, values, GOAL)
    joining = [joined[mover] & free[mover] for mover in range(2)]
    for mover in range(2):
        assert cells_in(middle.members.free[mover]) == free[mover] - joining[mover]
        here = middle.joined.bits[mover * words : (mover + 1) * words]
        assert cells_in(here) == joining[mover]
    assert cells_in(middle.members.left) == left - joining[side]
    assert lost == len({word for word, _ in joining[side]})
    assert cells_in(middle.pending.bits) == free[1 - side] - joining[1 - side]
    broken = {cell for cell in joining[side] if holds(grower.ripe, cell)}
    assert cells_in(grower.forced.free[side]) == free[side] - broken
    own = entry.reshape(2, -1)[side]
    signed = Score(GOAL, Color(side)).signed
    assert set(np.flatnonzero(own).tolist()) == {64 * word + king for word, king in broken}
    assert set(own[own != 0].tolist()) == {signed}
    exits = grower.exits.size[NOTED]
    assert set(grower.exits.word[:exits].tolist()) == {word for word, _ in broken}
    assert (grower.exits.goal[:exits] == GOAL).all()


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("lost", [0, 1, 1000])
def test_pending_cells_are_checked_that_lose_a_way_out(side: int, lost: int) -> None:
    """All of them if many words are lost, else those with a move to a member of the goal."""
    plain, grower, before, joined = made_up(side)
    draw = np.random.default_rng(7)
    pending = some_cells(draw, grower.middle.members.free[1 - side], 0.3)
    for word in np.flatnonzero(pending).tolist():
        let_wait(grower, word, pending[word])
    waiting = cells_in(pending)
    assert 1 < grower.middle.pending.size[0] < CHECKS_PER_WALK * 1000
    check(plain.block, grower, before, GOAL, lost)
    checked = cells_in(grower.checked.bits)
    if lost == 1000:
        assert checked == waiting
        assert not grower.middle.pending.bits.any()
        return
    assert cells_in(grower.middle.pending.bits) == waiting
    if lost == 0:
        assert not checked
        return
    cells = {
        cell for cell in waiting if not joined[side].isdisjoint(plain.cells_after(1 - side, cell))
    }
    assert checked == cells
