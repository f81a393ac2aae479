"""Replay: a level of the middle as the last one, but for what has changed since.

The journal says what joined where at the last level. Walking it layer by layer, a position joins again without a
look at its neighbours unless it is *touched*: something that it could move to does not join where it did. What joins
where it did not before is *changed*, and marks its predecessors as in the plain search. A position that was asked and
did not join *waits*, and hears of whatever joins among those that it could move to, which are *watched*.

Within a layer: the other side's marked positions are asked; then its part of the journal is walked, then the forcer's;
what joins counts for the questions of later layers only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen._jit import inlined, inner
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit
from tbgen.retro.block import WORST_RANK
from tbgen.retro.forcer import NEW_FROM, STATUS, SWEEPS, TOO_FAR, clear_doubts, label_cells, leave_free, reset_label
from tbgen.retro.journal import (
    END,
    FULL,
    WRITE,
    begin_level,
    end_level,
    entry_after,
    layer_key,
    next_word,
    skip_before,
    take_bits,
    write_entry,
)
from tbgen.retro.marks import Marks, Sparse, add_word, contains, gather, put, take
from tbgen.retro.seeds import EXIT, MEMBER, PLIES, UNBLOCK, add_seed, seed_place
from tbgen.retro.spread import escapes, mark, reach

NO_WORD = np.int64(1) << 40


class Layer(NamedTuple):
    """What is at hand: rank and plies, the accrued code, the forcer's marked positions of this and the next layer."""

    label: np.int64
    level: np.int64
    joining: Marks
    joining_next: Marks


@inner
def plant_again(forcer, layer):
    """What begins in a layer: exits frozen since, and resets of positions that wait."""
    side, members, seeds, joining = forcer.side, forcer.middle, forcer.seeds, layer.joining
    rank, plies = layer.label >> 16, layer.label & 0xFFFF
    node = seeds.head[rank, plies]
    while node >= forcer.state[NEW_FROM]:
        where = np.int64(seeds.where[node])
        if where >> 1 & 3 == EXIT:
            if where & 1 == side:
                put(joining, where >> 3, seeds.bits[node] & members.left[where >> 3])
            else:
                put(forcer.yielding, where >> 3, seeds.bits[node])
        node = seeds.next[node]
    agenda = forcer.doubts.agenda
    node = agenda.head[rank, plies]
    while node >= 0:
        where = np.int64(agenda.where[node])
        word, mover = where >> 3, where & 1
        bits = agenda.bits[node] & members.free[mover, word]
        node = agenda.next[node]
        if mover == side:
            put(joining, word, bits)
        else:
            put(forcer.checked, word, bits)


@inlined
def with_reset_before(block, forcer, side, word, bits, label, most):
    """Those of some positions of a word whose best reset has a label above `label`, but not above `most`."""
    found, lanes = NOTHING, bits & block.resets[side, word]
    while lanes:
        square = lowest_square(lanes)
        lanes &= lanes - ONE
        if label < reset_label(block, forcer, side, word * 64 + square) <= most:
            found |= square_bit(square)
    return found


@inner
def joins_now(geometry, block, forcer, side, word, bits, label):
    """Those of some free positions of a word that join in the layer of a label, asked by the rule itself."""
    men, occupied = forcer.men, block.occupied[word]
    if side == forcer.side:
        found = with_reset_before(block, forcer, side, word, bits, label - 1, label)
        if found != bits:
            found |= escapes(geometry, men, occupied, side, word, bits & ~found, forcer.arrived)
        return found
    bits &= ~with_reset_before(block, forcer, side, word, bits, label, np.int64(END))
    if bits:
        bits &= ~escapes(geometry, men, occupied, side, word, bits, forcer.middle.left)
    return bits


@inner
def wait(geometry, block, forcer, layer, side, word, bits):
    """Positions that were asked and did not join wait, their own resets too, and what they could move to is watched."""
    doubts = forcer.doubts
    bits &= ~doubts.waiting[side, word]
    if bits == NOTHING:
        return
    doubts.waiting[side, word] |= bits
    add_word(doubts.stirred[side], word)
    watched = Sparse(doubts.watched[1 - side], doubts.stirred[1 - side])
    reach(geometry, forcer.men, block.occupied[word], side, word, bits, block.legal[1 - side], watched)
    end = np.int64(WORST_RANK - layer.level) << 16
    lanes = with_reset_before(block, forcer, side, word, bits, layer.label, end - 1)
    kind = MEMBER if side == forcer.side else UNBLOCK
    while lanes:
        square = lowest_square(lanes)
        lanes &= lanes - ONE
        later = reset_label(block, forcer, side, word * 64 + square)
        add_seed(doubts.agenda, np.int64(0), later, seed_place(kind, side, word), square_bit(square))


@inner
def ask_marked(geometry, block, forcer, layer):
    """Of the other side's marked positions those that have no way out yield, and the others wait."""
    other, checked = 1 - forcer.side, forcer.checked
    for n in range(gather(checked)):
        word = np.int64(checked.words[n])
        bits = take(checked, word) & forcer.middle.free[other, word]
        if bits:
            yielding = joins_now(geometry, block, forcer, other, word, bits, layer.label)
            put(forcer.yielding, word, yielding)
            wait(geometry, block, forcer, layer, other, word, bits & ~yielding)


@inner
def still_joining(geometry, block, forcer, layer, side, word, old, new):
    """Those of a journal's positions that join where they did; the others touch their predecessors."""
    doubts, free = forcer.doubts, forcer.middle.free
    closed, gained = doubts.closed[side, word], doubts.gained[side, word]
    shut = old & ~block.open[side, word]
    old &= free[side, word]
    moved = shut & closed & ~new
    doubtful, lost = old & doubts.touched[side, word] & ~new, NOTHING
    if doubtful:
        lost = doubtful & ~joins_now(geometry, block, forcer, side, word, doubtful, layer.label)
        wait(geometry, block, forcer, layer, side, word, lost)
    away = lost | moved & ~gained
    if away:
        touched = Sparse(doubts.touched[1 - side], doubts.stirred[1 - side])
        reach(geometry, forcer.men, block.occupied[word], 1 - side, word, away, free[1 - side], touched)
    return old & ~lost | shut & ~moved


@inner
def settle(geometry, block, forcer, layer, side, word, old, new):
    """What joins in a word in which not all need be as it was; what is changed marks its predecessors."""
    doubts, members, mover = forcer.doubts, forcer.middle, 1 - side
    target = forcer.checked if side == forcer.side else layer.joining_next
    joins, changed, occupied = new, new & ~old, block.occupied[word]
    if old:
        joins |= still_joining(geometry, block, forcer, layer, side, word, old, new)
    if changed:
        add_word(doubts.stirred[side], word)
        label_cells(block, forcer, side, word, changed & members.free[side, word], layer.label, layer.level)
        free = Sparse(members.free[mover], members.live[mover])
        mark(geometry, forcer.men, occupied, mover, word, changed, free, target)
    seen = joins & ~changed & doubts.watched[side, word]
    if seen:
        waiting = Sparse(doubts.waiting[mover], doubts.stirred[mover])
        mark(geometry, forcer.men, occupied, mover, word, seen, waiting, target)
    return joins


@inner
def replay_side(geometry, block, forcer, layer, side):
    """One side's part of a layer: its part of the journal, and what is fresh."""
    members, journal, doubts = forcer.middle, forcer.journal, forcer.doubts
    own = side == forcer.side
    fresh = layer.joining if own else forcer.yielding
    key, size, n = layer_key(layer.label, own), gather(fresh), 0
    here = next_word(journal, key)
    while here >= 0 or n < size:
        there = np.int64(fresh.words[n]) if n < size else NO_WORD
        word = min(here, there) if here >= 0 else there
        old, new = NOTHING, NOTHING
        if there == word:
            new = take(fresh, word) & (members.free[side, word] | doubts.closed[side, word])
            n += 1
        if here == word:
            old = take_bits(journal)
            here = next_word(journal, key)
        joins = old
        if new or contains(doubts.stirred[side], word):
            joins = settle(geometry, block, forcer, layer, side, word, old, new)
        if joins:
            leave_free(members, side, word, joins)
            if own:
                members.left[np.uint64(word)] &= ~joins
            write_entry(journal, key, word, joins)


@inner
def arrive(forcer, place, end):
    """The other side's positions that have been written into the journal from one place to another are members."""
    journal = forcer.journal
    while place != end:
        word = journal.word[np.uint64(place)]
        if word >= 0:
            forcer.arrived[np.uint64(word)] |= journal.bits[np.uint64(place)]
        place = entry_after(journal, place)


@inner
def replay_layer(geometry, block, forcer, layer):
    """All that joins in one layer."""
    plant_again(forcer, layer)
    ask_marked(geometry, block, forcer, layer)
    first = forcer.journal.state[WRITE]
    replay_side(geometry, block, forcer, layer, 1 - forcer.side)
    end = forcer.journal.state[WRITE]
    replay_side(geometry, block, forcer, layer, forcer.side)
    arrive(forcer, first, end)
    forcer.state[SWEEPS] += 1


@inlined
def first_seeded(forcer, rank, plies, end):
    """The first distance, from `plies` on and before `end`, at which something begins."""
    seeds, agenda = forcer.seeds, forcer.doubts.agenda
    farthest = max(seeds.farthest[rank], agenda.farthest[rank])
    while plies < end:
        if plies > farthest:
            return end
        if seeds.head[rank, plies] >= forcer.state[NEW_FROM] or agenda.head[rank, plies] >= 0:
            return plies
        plies += 1
    return end


@inner
def replay_outcome(geometry, block, forcer, rank, level):
    """The layers of one outcome."""
    journal = forcer.journal
    joining, joining_next = forcer.joining, forcer.joining_next
    plies = np.int64(0)
    while not journal.state[FULL]:
        coming = skip_before(journal, layer_key(rank << 16 | plies, False))
        if joining.size[0] + forcer.checked.size[0] == 0:
            end = (coming >> 1 & 0xFFFF) if coming >> 17 == rank else np.int64(PLIES)
            plies = first_seeded(forcer, rank, plies, end)
            if plies == PLIES:
                return
        if plies == PLIES:
            forcer.state[STATUS] = TOO_FAR
            return
        replay_layer(geometry, block, forcer, Layer(rank << 16 | plies, level, joining, joining_next))
        joining, joining_next = joining_next, joining
        plies += 1


@inner
def mark_gained(geometry, block, forcer):
    """Positions that the forcer has come to force since are members from the start."""
    side, members, doubts = forcer.side, forcer.middle, forcer.doubts
    free = Sparse(members.free[1 - side], members.live[1 - side])
    for group in range(doubts.stirred.shape[1]):
        words = doubts.stirred[side, group]
        while words:
            word = group * 64 + lowest_square(words)
            words &= words - ONE
            bits = doubts.gained[side, word]
            if bits:
                mark(geometry, forcer.men, block.occupied[word], 1 - side, word, bits, free, forcer.checked)


@inner
def clear_marks(marks):
    """Mark nothing."""
    for n in range(gather(marks)):
        take(marks, marks.words[n])


@inner
def replay_middle(geometry, block, forcer, level):
    """The middle at an accrued code; false, and to be searched anew, if the journal has no room for it."""
    journal = forcer.journal
    forcer.arrived[:] = NOTHING
    begin_level(journal)
    mark_gained(geometry, block, forcer)
    for rank in range(level, WORST_RANK - level):
        replay_outcome(geometry, block, forcer, np.int64(rank), np.int64(level))
    clear_doubts(forcer.doubts)
    if journal.state[FULL]:
        clear_marks(forcer.joining)
        clear_marks(forcer.joining_next)
        clear_marks(forcer.checked)
        clear_marks(forcer.yielding)
        end_level(journal, level)
        return False
    skip_before(journal, END)
    end_level(journal, level)
    return True
