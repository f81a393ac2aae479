"""Kernels of digests: what the positions of a leaf are worth, numbered and written down; see docs/digests.md.

Numbers count in the order of first appearance, so they do not depend on how a file numbers its states and patterns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.apps.records.counting import Men, PlaceRun, begin_row, find_row, out_of_check
from tbgen.apps.records.digest_mobility import Bound, forget_row, least_code
from tbgen.board.board import KIND, KING, TURN, WHITE
from tbgen.board.mobility import code_on
from tbgen.compiled.arrays import Bytes, Int, Ints, Shorts, SignedBytes, SignedInts32, WideInts, Word
from tbgen.compiled.jit import borrowing, by_address, inlined, inner, small
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit

POSITIONS, KEYS, USED = 0, 1, 2
"""What `Found.counts` counts: positions, different keys, and slots that are not empty."""
EMPTY = -1
NEVER = 255
"""In place of a code: no higher one of that holder can have accrued."""
NO_ROOM = -1

_CHECK_AND_MOVE = 2
"""The code of a check that leaves one move."""
OWN_SHIFT = 40
"""A state has so many bits in a key, for tables of six men may have more than 2^32."""
_STATE_MASK = (1 << OWN_SHIFT) - 1
_SPREAD, _TOP = np.uint64(0x9E3779B97F4A7C15), np.uint64(40)


@by_address
class Values(NamedTuple):
    """What states mean, and the rows of patterns, see table.py."""

    entry: SignedBytes
    dtg: Shorts
    pattern: WideInts
    start: WideInts
    holder: Bytes
    code: Bytes
    outcome: SignedBytes
    row_dtg: Shorts
    possible: npt.NDArray[np.uint8]
    """[holder, code] -> the least code from this one on that can have accrued, or NEVER."""


@by_address
class Found(NamedTuple):
    """The positions of a leaf by keys: a key is a state, and above it the own code where that cuts off rows of it."""

    numbers: Shorts
    """[position] -> number of its key"""
    keys: Ints
    """[number] -> key"""
    slots: Ints
    """A hash table: [slot] -> key or EMPTY, and beside it the key's number (-1: no position has it) ..."""
    number_at: SignedInts32
    highest_at: Bytes
    """... and the highest code of a row of the state, 0 where there is none."""
    used: SignedInts32
    counts: Ints


@by_address
class Contents(NamedTuple):
    """The different values of a leaf as bytes."""

    room: Bytes
    offset: Ints
    """[number] -> where its bytes begin, and behind the last where they end."""
    slots: SignedInts32
    """A hash table: [slot] -> number or EMPTY"""
    number_of: Shorts
    """[number of a key] -> number of its value"""


@inner
def forget(found: Found) -> None:
    """Make ready for another leaf."""
    for n in range(found.counts[USED]):
        found.slots[found.used[n]] = EMPTY
    found.counts[:] = 0


@inlined
def slot_of(slots: Ints, key: Int) -> int:
    """Where a key has its slot, or an empty one."""
    mask = slots.size - 1
    slot = int(np.uint64(key) * _SPREAD >> _TOP) & mask
    while slots[slot] != EMPTY and slots[slot] != key:
        slot = (slot + 1) & mask
    return slot


@inner
def enter(found: Found, slot: Int, key: Int, highest: Int) -> None:
    """Take an empty slot for a key."""
    found.slots[slot], found.number_at[slot], found.highest_at[slot] = key, -1, highest
    found.used[found.counts[USED]] = slot
    found.counts[USED] += 1


@inner
def number_key(found: Found, slot: Int) -> int:
    """Give a key that occurs for the first time its number."""
    number = int(found.counts[KEYS])
    found.keys[number], found.number_at[slot] = found.slots[slot], number
    found.counts[KEYS] += 1
    return number


@inner
def highest_code(values: Values, state: Int) -> int:
    """The highest code of a row that is not above the code of the entry value; 0 if there is none."""
    pattern, limit, highest = values.pattern[state], abs(int(values.entry[state])) - 1, 0
    for row in range(values.start[pattern], values.start[pattern + 1]):
        code = int(values.possible[values.holder[row], values.code[row]])
        if code <= limit:
            highest = max(highest, code)
    return highest


@by_address
class Buffers(NamedTuple):
    """Scratch buffers: a board, and the squares of two rows."""

    board: npt.NDArray[np.uint64]
    rows: npt.NDArray[np.int64]


class Row(NamedTuple):
    """A row with a side to move: its men, and the white kings with whom that side is in no check."""

    men: Men
    squares: npt.NDArray[np.int64]
    occupied: Word
    side: int
    out_of_check: Word
    bound: Bound
    board: npt.NDArray[np.uint64]


@inner
def own_code(row: Row, king: Word) -> int:
    """The own code with the white king on a square."""
    men, board = row.men, row.board
    board[:] = NOTHING
    board[TURN] = np.uint64(row.side)
    board[WHITE], board[KIND + KING] = king, king
    for slot in range(men.role.size):
        if slot != men.pawns.size:
            bit = square_bit(row.squares[slot])
            board[men.color[slot]] |= bit
            board[KIND + men.role[slot]] |= bit
    return int(code_on(board))


@inner
def slot_below(found: Found, row: Row, state: Int, slot: Int, square: Int, king: Word) -> int:
    """The slot of a position's key, where a low own code may cut off rows of its state."""
    is_safe = row.out_of_check & king != NOTHING
    least = least_code(row.men, row.squares, row.occupied, row.side, row.bound, square, is_safe)
    if least > found.highest_at[slot]:
        return int(slot)
    own = own_code(row, king)
    if own > found.highest_at[slot]:
        return int(slot)
    key = state | own << OWN_SHIFT
    below = slot_of(found.slots, key)
    if found.slots[below] == EMPTY:
        enter(found, below, key, 0)
    return below


@inner
def number_row(values: Values, found: Found, row: Row, states: WideInts, kings: Word) -> None:
    """Number the positions of a row, by white kings."""
    last, number, position = -1, 0, found.counts[POSITIONS]
    forget_row(row.bound)
    while kings:
        square = lowest_square(kings)
        king = kings & (~kings + ONE)
        kings &= kings - ONE
        state = int(states[row.men.digit[square]])
        if state != last:
            slot = slot_of(found.slots, state)
            if found.slots[slot] == EMPTY:
                enter(found, slot, state, highest_code(values, state))
            highest = found.highest_at[slot]
            # Another position of the state has another own code, so it may have another key.
            last = state if highest == 0 else -1
            # Without a check the own code is odd, and 1 only where the game is over and no row is left.
            if highest > _CHECK_AND_MOVE or (highest and row.out_of_check & king == NOTHING):
                slot = slot_below(found, row, state, slot, square, king)
            number = found.number_at[slot]
            if number < 0:
                number = number_key(found, slot)
        found.numbers[position] = number
        position += 1
    found.counts[POSITIONS] = position


# The positions of a leaf come in the order of its places, the white king's squares in ascending order.
@borrowing
def number_places(
    men: Men, run: PlaceRun, values: Values, white: Found, black: Found, bound: Bound, buffers: Buffers
) -> None:
    """Number the positions of a run of rows, those with White to move and those with Black to move."""
    forget(white)
    forget(black)
    squares, other, board = buffers.rows[0], buffers.rows[1], buffers.board
    begin_row(men, squares)
    for place in range(run.first, run.first + run.white.size, men.kings):
        occupied, kings, _ = find_row(men, place // men.kings, squares, other)
        if kings == NOTHING:
            continue
        with_white, with_black = out_of_check(men, squares, occupied)
        here, end = place - run.first, place - run.first + men.kings
        row = Row(men, squares, occupied, 0, with_black, bound, board)
        number_row(values, white, row, run.white[here:end], kings & with_white)
        row = Row(men, squares, occupied, 1, with_white, bound, board)
        number_row(values, black, row, run.black[here:end], kings & with_black)


@small
def is_worse(outcome: Int, holder: Int, code: Int) -> bool:
    """Whether an outcome, a signed byte, is worse for a holder than the code that it holds; 0 is no outcome."""
    theirs = outcome if holder else -outcome
    return bool(theirs > 0 or -theirs - 1 > code)


@small
def put_short(room: Bytes, place: Int, number: Int) -> None:
    """Write two bytes, the lower one first."""
    room[place] = number & 255
    room[place + 1] = number >> 8


@inner
def put_rows(values: Values, key: Int, side: Int, distances: bool, room: Bytes, place: Int) -> tuple[int, int]:
    """Write the changes of a value from one accrued code to the next; returns their end, and how many they are."""
    state, own = key & _STATE_MASK, key >> OWN_SHIFT
    pattern, most = values.pattern[state], abs(int(values.entry[state])) - 1
    count, last, current, plies = 0, -1, 0, 0
    end = int(values.start[pattern + 1])
    for row in range(values.start[pattern], end):
        holder = int(values.holder[row])
        if holder != last:
            last, current, plies = holder, 0, 0
        code = int(values.possible[holder, values.code[row]])
        # The own score itself is the entry value's; whoever has just moved holds that one.
        limit = most if own == 0 else min(most, own - (holder != side))
        is_passed = row + 1 < end and values.holder[row + 1] == holder and values.code[row + 1] <= code
        if code > limit or is_passed:
            continue
        outcome, far = int(values.outcome[row]), int(values.row_dtg[row])
        if not is_worse(outcome, holder, code):
            outcome, far = 0, 0
        if not is_worse(current, holder, code):
            current, plies = 0, 0
        if outcome != current or (distances and far != plies):
            room[place], room[place + 1], room[place + 2] = holder, code, outcome & 255
            place += 3
            if distances:
                put_short(room, place, far)
                place += 2
            count += 1
            current, plies = outcome, far
    return int(place), count


@inner
def put_value(values: Values, key: Int, side: Int, distances: bool, room: Bytes, place: Int) -> int:
    """Write what a key is worth; returns the end, or NO_ROOM."""
    state = key & _STATE_MASK
    pattern = values.pattern[state]
    if place + 5 + 5 * (int(values.start[pattern + 1]) - int(values.start[pattern])) > room.size:
        return NO_ROOM
    room[place] = int(values.entry[state]) & 255
    place += 1
    if distances:
        put_short(room, place, int(values.dtg[state]))
        place += 2
    end, count = put_rows(values, key, side, distances, room, place + 2)
    put_short(room, place, count)
    return end


@inner
def number_content(contents: Contents, count: Int, mask: Int) -> int:
    """The number of the bytes that have been written last: that of the same ones before, or else `count`."""
    begin, end = contents.offset[count], contents.offset[count + 1]
    code = np.uint64(14695981039346656037)
    for place in range(begin, end):
        code = (code ^ np.uint64(contents.room[place])) * np.uint64(1099511628211)
    slot = int(code >> np.uint64(20)) & mask
    while contents.slots[slot] != EMPTY:
        number = contents.slots[slot]
        first = contents.offset[number]
        if contents.offset[number + 1] - first == end - begin:
            same = True
            for n in range(end - begin):
                same &= contents.room[first + n] == contents.room[begin + n]
            if same:
                return int(number)
        slot = (slot + 1) & mask
    contents.slots[slot] = count
    return int(count)


@borrowing
def write_values(values: Values, found: Found, side: Int, distances: bool, contents: Contents, numbers: Shorts) -> int:
    """Write the different values of a leaf, and each position's number; returns how many they are, or NO_ROOM."""
    size = 4
    while size < 2 * found.counts[KEYS]:
        size *= 2
    contents.slots[:size] = EMPTY
    count = 0
    contents.offset[0] = 0
    for n in range(found.counts[KEYS]):
        end = put_value(values, found.keys[n], side, distances, contents.room, contents.offset[count])
        if end == NO_ROOM:
            return NO_ROOM
        contents.offset[count + 1] = end
        number = number_content(contents, count, size - 1)
        contents.number_of[n] = number
        count = max(count, number + 1)
    for position in range(found.counts[POSITIONS]):
        numbers[position] = contents.number_of[found.numbers[position]]
    return count
