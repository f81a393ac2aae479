"""Kernels that list the moves of many positions, and find what they lead to.

The score that has accrued is the position's own. A move within the table leads to one of its cells,
a capture or promotion to a cell of a child table.
"""

from __future__ import annotations

from typing import Final

from tbgen.compiled.arrays import Bytes, Int, Ints
from tbgen.compiled.jit import borrowing
from tbgen.verify.cells import NO_SLOT, Links, Men, set_up
from tbgen.verify.moves import (
    QUIETS,
    RESETS,
    Buffers,
    is_position,
    list_moves,
    own_code_of,
    quiet_cell,
)
from tbgen.verify.resets import child_cell, list_en_passant
from tbgen.verify.values import Rows, code_of, held_value

# moves[row, n] is a fact of move n:
POSITION: Final = 0
"""The number of its position."""
SLOT: Final = 1
"""The man that moves."""
TO: Final = 2
"""His target."""
LINK: Final = 3
"""The table that it leads to: `WITHIN`, `TAKABLE`, or a link to a child."""
CELL: Final = 4
"""The cell after it, in its table."""
ROWS_OF_MOVES: Final = 5

WITHIN: Final = 0
TAKABLE: Final = -1
"""Within the table, too: a double step that may be taken en passant."""


@borrowing
def find_positions(men: Men, cells: Ints, are_positions: Bytes, scratch: Buffers) -> None:
    """Find which cells are the primary ones of legal positions."""
    for n in range(cells.size):
        are_positions[n] = is_position(men, cells[n], scratch)


@borrowing
def find_own_codes(men: Men, cells: Ints, codes: Ints, scratch: Buffers) -> None:
    """Find the own codes of some cells, or NO_POSITION."""
    for n in range(cells.size):
        codes[n] = own_code_of(men, cells[n], scratch)


@borrowing
def list_all_moves(
    men: Men, links: Links, cells: Ints, moves: Ints, scratch: Buffers, other: Buffers
) -> None:
    """List all moves of some positions, with the cells of those within the table."""
    count: Int = 0
    for n in range(cells.size):
        side = set_up(men, cells[n], scratch.squares)
        for move in range(list_moves(men, scratch, side, QUIETS | RESETS)):
            slot = scratch.slot[move]
            promotion = scratch.promotion[move]
            promoted = slot if promotion else NO_SLOT
            link = links.at[scratch.captured[move] + 1, promoted + 1, promotion]
            if link == WITHIN:
                moves[CELL, count] = quiet_cell(men, scratch, side, move)
                if slot < men.pawns and list_en_passant(men, scratch, other, move):
                    link = TAKABLE
            moves[POSITION, count] = n
            moves[SLOT, count] = slot
            moves[TO, count] = scratch.to[move]
            moves[LINK, count] = link
            count += 1


@borrowing
def find_child_cells(
    men: Men, links: Links, child: Men, cells: Ints, moves: Ints, scratch: Buffers
) -> None:
    """Find the cells of moves that all lead to one child."""
    for n in range(moves.shape[1]):
        side = set_up(men, cells[moves[POSITION, n]], scratch.squares)
        scratch.slot[0] = moves[SLOT, n]
        scratch.to[0] = moves[TO, n]
        moves[CELL, n] = child_cell(links, moves[LINK, n], child, scratch, side, 0)


@borrowing
def let_accrue(
    men: Men,
    rows: Rows,
    cells: Ints,
    symbols: Ints,
    holders: Ints,
    codes: Ints,
    outcomes: Ints,
    scratch: Buffers,
) -> None:
    """Replace the entry values of cells that an accrued code, held by `holders`, changes."""
    for n in range(cells.size):
        # A lower code of the new position replaces the accrued one.
        if code_of(outcomes[n]) < codes[n] or own_code_of(men, cells[n], scratch) < codes[n]:
            continue
        outcomes[n] = held_value(rows, symbols[n], holders[n], codes[n])[0]
