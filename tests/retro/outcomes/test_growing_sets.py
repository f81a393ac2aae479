"""The sets of a middle of outcomes alone: their equations hold after every goal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from tbgen.compiled.arrays import Int, Ints, Word, Words
from tbgen.compiled.jit import borrowing, inner
from tbgen.index.kernels import GOALS, WORST_GOAL
from tbgen.index.words import NOTHING
from tbgen.material import table_named
from tbgen.retro import OUTCOMES
from tbgen.retro.cells.freezing import TOP_CODE
from tbgen.retro.outcomes.codes import find_class
from tbgen.retro.outcomes.grower import Grower, journal_at
from tbgen.retro.outcomes.growth import Search, grow
from tbgen.retro.outcomes.middles import begin_goal, begin_middle, end_middle, write_journal
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.quiet import find_escapes
from tests.retro.tables import solve, values

(
    GOALS_SEEN,
    WORDS_PENDING,
    FREE_IS_THE_REST,
    JOINED_TWICE,
    FREE_LIES_IN_LEFT,
    NEVER_LIES_IN_LEFT,
    LEFT_WAS_THERE_BEFORE,
    FREE_HAS_A_WAY_OUT,
    PENDING_IS_FREE,
    PENDING_CANNOT_REACH_NEVER,
    NOBODY_IS_PENDING_AT_THE_END,
    NEVER_IS_LEFT_AT_THE_END,
) = range(12)
"""What is counted: goals and words with pending cells, then the words that break each equation."""

FIRST_EQUATION = FREE_IS_THE_REST


class Seen(NamedTuple):
    """What the equations compare the sets with."""

    free: Words
    """[side, word] free cells when the middle began."""
    joined: Words
    """[side, word] the members of all goals so far."""
    before: Words
    """[word] the forcer's cells in the middle at the code before, and those that are exits."""
    counts: Ints


@inner
def note_before(block: Block, grower: Grower, seen: Seen, code: Int) -> None:
    """Write down what there is before the first goal."""
    words = len(block.occupied)
    for word in range(words):
        seen.before[word] = NOTHING
        for side in range(2):
            seen.free[side, word] = grower.middle.members.free[side, word]
            seen.joined[side, word] = NOTHING
    for goal in range(GOALS):
        at = int(grower.exits.head[goal])
        while at >= 0:
            seen.before[grower.exits.word[at]] |= grower.exits.bits[at]
            at = int(grower.exits.next[at])
    if code > 2:
        journal = journal_at(grower.middle, code - 1)
        for at in range(journal.first[code - 1], journal.first[WORST_GOAL - code + 1]):
            word = int(journal.word[at]) - grower.side * words
            if 0 <= word < words:
                seen.before[word] |= journal.bits[at]


@inner
def count_wrong(seen: Seen, equation: Int, wrong: Word) -> None:
    if wrong:
        seen.counts[equation] += 1


@inner
def look(block: Block, grower: Grower, seen: Seen) -> None:
    """Count the words that break an equation, after the growth of a goal."""
    side = grower.side
    defender = 1 - grower.side
    middle = grower.middle
    members = grower.middle.members
    men = grower.men
    words = len(block.occupied)
    seen.counts[GOALS_SEEN] += 1
    for word in range(words):
        for mover in range(2):
            joined = middle.joined.bits[mover * words + word]
            count_wrong(seen, JOINED_TWICE, joined & seen.joined[mover, word])
            seen.joined[mover, word] |= joined
            rest = seen.free[mover, word] & ~seen.joined[mover, word]
            count_wrong(seen, FREE_IS_THE_REST, members.free[mover, word] ^ rest)
        left = members.left[word]
        never = middle.never[word]
        count_wrong(seen, FREE_LIES_IN_LEFT, members.free[side, word] & ~left)
        count_wrong(seen, NEVER_LIES_IN_LEFT, never & ~left)
        count_wrong(seen, LEFT_WAS_THERE_BEFORE, left & ~never & ~seen.before[word])
        free = members.free[defender, word]
        shut_in = free & ~members.blocked[word]
        if shut_in:
            shut_in &= ~find_escapes(block, men, defender, word, shut_in, members.left)
        count_wrong(seen, FREE_HAS_A_WAY_OUT, shut_in)
        pending = middle.pending.bits[word]
        if pending:
            seen.counts[WORDS_PENDING] += 1
            count_wrong(seen, PENDING_IS_FREE, pending & ~free)
            away = find_escapes(block, men, defender, word, pending, middle.never)
            count_wrong(seen, PENDING_CANNOT_REACH_NEVER, away)


@borrowing
def search_and_look(
    block: Block, grower: Grower, other: Grower, values: BlockValues, code: int, seen: Seen
) -> None:
    """`search_outcomes`, with a look after every goal of the middle."""
    if code > TOP_CODE:
        return
    find_class(block, grower, other, values, code)
    if code == 0:
        return
    middle_code = code + 1
    begin_middle(grower, middle_code)
    note_before(block, grower, seen, middle_code)
    for goal in range(middle_code, WORST_GOAL - middle_code):
        begin_goal(block, grower, other, values, middle_code, goal)
        grow(block, grower, grower.middle.members, values, Search(goal, middle_code, False))
        look(block, grower, seen)
        write_journal(grower, journal_at(grower.middle, middle_code), goal)
    end_middle(grower)
    for word in range(len(block.occupied)):
        count_wrong(seen, NOBODY_IS_PENDING_AT_THE_END, grower.middle.pending.bits[word])
        left = grower.middle.members.left[word]
        count_wrong(seen, NEVER_IS_LEFT_AT_THE_END, grower.middle.never[word] ^ left)


@pytest.mark.parametrize("name", ["KNvK", "KBvK", pytest.param("KBvKN", marks=pytest.mark.slow)])
def test_the_equations_of_a_growing_middle_hold_after_every_goal(name: str) -> None:
    material = table_named(name)
    counts = np.zeros(12, np.int64)

    def search(
        block: Block, grower: Grower, other: Grower, block_values: BlockValues, code: int
    ) -> None:
        words = len(block.occupied)
        free = np.zeros((2, words), np.uint64)
        seen = Seen(free, np.zeros_like(free), np.zeros(words, np.uint64), counts)
        search_and_look(block, grower, other, block_values, code, seen)

    children = {child: values(str(child)) for child in material.children()}
    method = OUTCOMES._replace(search=search)
    solved = solve(material, children, threads=1, method=method)
    assert (solved.entry == values(name).entry).all()
    assert counts[GOALS_SEEN] > 1000
    assert counts[WORDS_PENDING] > 0
    assert counts[FIRST_EQUATION:].tolist() == [0] * 10
