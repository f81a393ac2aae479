"""Kernels that ask of each move of some positions whether it keeps what the position is worth.

The score that has accrued is the position's own. A kernel takes one table at a time: first the
moves within the table, then the captures and promotions into each child table.
"""

from __future__ import annotations

from typing import NamedTuple

from tbgen.compiled.arrays import Bytes, Int, Ints, Ints32, Shorts, SignedBytes
from tbgen.compiled.jit import borrowing, by_address, inner
from tbgen.verify.cells import NO_SLOT, Links, Men, set_up
from tbgen.verify.moves import (
    NOBODY,
    QUIETS,
    RESETS,
    Buffers,
    list_moves,
    own_code_of,
    quiet_cell,
)
from tbgen.verify.resets import ChildTable, child_cell, list_en_passant
from tbgen.verify.values import Rows, code_of, held_value


@by_address
class Known(NamedTuple):
    """A whole table in memory, by cells."""

    men: Men
    links: Links
    own: Bytes
    """[cell] -> the position's own code, or NO_POSITION."""
    symbol: Shorts | Ints32
    """[cell] -> its values with all accrued scores."""
    entry: SignedBytes
    """[symbol] -> entry value."""
    rows: Rows
    """[symbol] -> what accrued scores become."""


@by_address
class Keeping(NamedTuple):
    """Positions, and how many of their moves keep what they are worth, so far."""

    cell: Ints
    entry: Ints
    outcome: Ints
    """The moves that keep the entry value."""
    result: Ints
    """The moves that keep the win of a side by mate, or the draw."""


@borrowing
def find_own_codes(men: Men, scratch: Buffers, own: Bytes, start: Int, stop: Int) -> Int:
    """Find the own codes of some cells; returns their number."""
    for cell in range(start, stop):
        own[cell] = own_code_of(men, cell, scratch)
    return stop - start


@inner
def result_of(outcome: Int) -> Int:
    """The outcome of a mate, 0 for a draw."""
    return outcome if code_of(outcome) == 0 else 0


@inner
def weigh(keeping: Keeping, n: Int, outcome: Int) -> None:
    """Count a move with this outcome."""
    entry = keeping.entry[n]
    if outcome == entry:
        keeping.outcome[n] += 1
    if result_of(outcome) == result_of(entry):
        keeping.result[n] += 1


@inner
def after_quiet_move(known: Known, cell: Int, side: Int, code: Int) -> Int:
    """The outcome of a move of `side` to a cell, with a code that the other side holds."""
    symbol = known.symbol[cell]
    entry = int(known.entry[symbol])
    # The new position's own score, held by `side`, replaces only a higher code.
    if known.own[cell] < code or code_of(entry) < code:
        return entry
    return held_value(known.rows, symbol, 1 - side, code)[0]


# taken[0, n] -> the position, taken[1, n] -> the pawn's square before its step
@borrowing
def weigh_moves_within(
    known: Known, keeping: Keeping, scratch: Buffers, other: Buffers, taken: Ints
) -> int:
    """Weigh quiet moves and pawn moves, but list double steps that may be taken en passant.

    Returns the number of the latter.
    """
    men = known.men
    listed = 0
    for n in range(keeping.cell.size):
        side = set_up(men, keeping.cell[n], scratch.squares)
        code = int(known.own[keeping.cell[n]])
        for move in range(list_moves(men, scratch, side, QUIETS | RESETS)):
            if scratch.captured[move] != NOBODY or scratch.promotion[move]:
                continue
            man = scratch.slot[move]
            cell = quiet_cell(men, scratch, side, move)
            if man >= men.pawns:
                weigh(keeping, n, after_quiet_move(known, cell, side, code))
            elif list_en_passant(men, scratch, other, move):
                taken[0, listed] = n
                taken[1, listed] = scratch.squares[man]
                listed += 1
            else:
                weigh(keeping, n, int(known.entry[known.symbol[cell]]))
    return listed


@borrowing
def weigh_moves_into(
    known: Known, number: Int, child: ChildTable, keeping: Keeping, scratch: Buffers
) -> int:
    """Weigh the captures and promotions that lead to a child; returns their number.

    The child has a number in the order of `Material.children`.
    """
    men = known.men
    links = known.links
    moves = 0
    for n in range(keeping.cell.size):
        side = set_up(men, keeping.cell[n], scratch.squares)
        for move in range(list_moves(men, scratch, side, RESETS)):
            promoted = scratch.slot[move] if scratch.promotion[move] else NO_SLOT
            link = links.at[scratch.captured[move] + 1, promoted + 1, scratch.promotion[move]]
            if links.child[link] != number:
                continue
            entry = int(child.entry[child_cell(links, link, child.men, scratch, side, move)])
            weigh(keeping, n, -entry if links.reversed[link] else entry)
            moves += 1
    return moves
