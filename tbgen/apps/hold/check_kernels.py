"""The walk of the checker, compiled: every line that a strategy allows, with the real accrued score.

As `check`, from which it differs in nothing but speed; the board is that of `mailbox`. Keys are five words: four have
the men, four bits a square, the last the side to move, an en passant square and a number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.apps.hold.mailbox import EN_PASSANT, TURN, in_check, legal_moves, play
from tbgen.compiled.arrays import Int, Ints, SignedBytes, Word, Words
from tbgen.compiled.jit import borrowing, by_address, inner

KEY_WORDS = 5
RIGHT, NO_MOVE, ILLEGAL, TOO_BAD, FULL = 0, 1, 2, 3, 4
"""What has become of a walk."""
SEEN, LEFT, MOVES, PROBED, AT, COUNTS = 0, 1, 2, 3, 4, 5
"""Places of the counters."""
NONE = -1

_ANY_CODE = 2000
_MIX = np.uint64(0xBF58476D1CE4E5B9)


@by_address
class Table(NamedTuple):
    """Numbered keys, found by open addressing."""

    places: Ints
    keys: Words


@by_address
class Walk(NamedTuple):
    """What is known on the way."""

    known: Table
    """The strategy's positions with thresholds."""
    moves: Ints
    """[known]"""
    leaves: Table
    """Positions left to the tables, with the number 0."""
    is_probed: Ints
    """[leaf]"""
    seen: Table
    """Positions with what has accrued in them."""
    positions: SignedBytes
    """[seen, square]"""
    accrued: Ints
    """[seen] a code, twice, and one more if Black holds it."""
    counts: Ints


@by_address
class Goal(NamedTuple):
    """What the strategy promises."""

    side: int
    code: int
    holder: int


@inner
def write_key(position: SignedBytes, number: Int, key: Words) -> None:
    """Write the key of a position with a number."""
    for word in range(4):
        men = np.uint64(0)
        for square in range(16):
            men |= np.uint64(position[16 * word + square]) << np.uint64(4 * square)
        key[word] = men
    key[4] = np.uint64(number * 256 + (position[EN_PASSANT] + 1) * 2 + position[TURN])


@inner
def place_of(table: Table, key: Words) -> Int:
    """Where a table has a key, or has room for it."""
    mixed: Word = np.uint64(0)
    for word in range(KEY_WORDS):
        mixed = (mixed ^ key[word]) * _MIX
        mixed ^= mixed >> np.uint64(31)
    place: Int = np.int64(mixed >> np.uint64(1)) % len(table.places)
    while table.places[place] >= 0:
        differs = False
        for word in range(KEY_WORDS):
            differs |= table.keys[table.places[place], word] != key[word]
        if not differs:
            break
        place = (place + 1) % len(table.places)
    return place


# positions[n], numbers[n]: what the n-th key is made of
@borrowing
def fill(table: Table, positions: SignedBytes, numbers: Ints) -> Int:
    """Number the keys of positions; of two that are equal the last counts."""
    for number in range(len(numbers)):
        write_key(positions[number], numbers[number], table.keys[number])
        table.places[place_of(table, table.keys[number])] = number
    return len(numbers)


@inner
def is_too_bad(goal: Goal, accrued: Int) -> bool:
    """Whether an accrued score is worse for the holder than its goal."""
    code, holder = accrued // 2, accrued % 2
    score = _ANY_CODE - code if holder == goal.side else code - _ANY_CODE
    least = _ANY_CODE - goal.code if goal.holder == goal.side else goal.code - _ANY_CODE
    return bool(score < least)


@inner
def note(walk: Walk, position: SignedBytes, accrued: Int, key: Words) -> bool:
    """Note a position with what has accrued in it, unless it has been seen; False if there is no room."""
    write_key(position, accrued, key)
    place = place_of(walk.seen, key)
    if walk.seen.places[place] >= 0:
        return True
    number = walk.counts[SEEN]
    if number >= len(walk.accrued):
        return False
    walk.counts[SEEN] += 1
    walk.seen.places[place] = number
    for word in range(len(key)):
        walk.seen.keys[number, word] = key[word]
    for square in range(len(position)):
        walk.positions[number, square] = position[square]
    walk.accrued[number] = accrued
    return True


@inner
def code_of(position: SignedBytes, buffer: SignedBytes, moves: Ints) -> Int:
    """Twice the legal moves, and one if there is no check."""
    return 2 * legal_moves(position, buffer, moves) + (not in_check(position, position[TURN]))


@inner
def only_move(walk: Walk, goal: Goal, number: Int, moves: Ints, count: Int, key: Words) -> Int:
    """Leave the strategy's move alone among the legal ones; what is wrong with it, if anything."""
    write_key(walk.positions[number], min(walk.accrued[number] // 2, goal.code), key)
    known = walk.known.places[place_of(walk.known, key)]
    if known < 0:
        return NO_MOVE
    for each in range(count):
        if moves[each] == walk.moves[known]:
            moves[0] = moves[each]
            return RIGHT
    return ILLEGAL


@borrowing
def check_all(walk: Walk, goal: Goal, key: Words, buffers: SignedBytes, moves: Ints, others: Ints) -> Int:
    """Walk until nothing is left to look at; where it stops, `counts[AT]` says at which position."""
    while walk.counts[LEFT] < walk.counts[SEEN]:
        number = walk.counts[LEFT]
        walk.counts[LEFT] += 1
        walk.counts[AT] = number
        position = walk.positions[number]
        count = legal_moves(position, buffers[0], moves)
        if count and position[TURN] == goal.side:
            wrong = only_move(walk, goal, number, moves, count, key)
            if wrong != RIGHT:
                return wrong
            count = 1
        for each in range(count):
            walk.counts[MOVES] += 1
            wrong = check_move(walk, goal, number, moves[each], key, buffers, others)
            if wrong != RIGHT:
                return wrong
    return RIGHT


@inner
def check_move(walk: Walk, goal: Goal, number: Int, move: Int, key: Words, buffers: SignedBytes, moves: Ints) -> Int:
    """Look at what a move leads to."""
    after, buffer = buffers[1], buffers[2]
    resets = play(walk.positions[number], move, after, buffer)
    if resets:
        write_key(after, 0, key)
        leaf = walk.leaves.places[place_of(walk.leaves, key)]
        if leaf >= 0:
            walk.counts[PROBED] += 1 - walk.is_probed[leaf]
            walk.is_probed[leaf] = 1
            return RIGHT
    accrued = walk.accrued[number]
    code = code_of(after, buffer, moves)
    if resets or code < accrued // 2:
        accrued = 2 * code + walk.positions[number][TURN]
    if is_too_bad(goal, accrued):
        return TOO_BAD
    return RIGHT if note(walk, after, accrued, key) else FULL
