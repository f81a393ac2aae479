"""The graph of one block: its positions, their moves, and the exits that resets lead to.

A block is a placement of the pawns; a material without pawns is one block. Its nodes are:

* the legal positions;
* after them, the positions with a legal en passant capture, which no quiet move leads to;
* after them, the exits: one for each pair of value and distance that some reset leads to.

Within a block a position has a local cell, a number with the digits: side to move, then in base 64
the squares of all men but the pawns.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .jit import njit
from .moves import (
    CAPTURED,
    MAN,
    MOST_MOVES,
    NO_MAN,
    NO_SQUARE,
    PAWN,
    PROMOTION,
    TO,
    WHITE,
    forward,
    is_en_passant,
    is_legal_position,
    is_reset,
    jumped_square,
    legal_moves,
    man_on,
    own_code,
)

NO_NODE = -1


class Men(NamedTuple):
    """The men of a material, and the squares of its pawns in one block.

    The squares of other men mean nothing.
    """

    roles: NDArray[np.int64]
    colors: NDArray[np.int64]
    placement: NDArray[np.int64]


class Nodes(NamedTuple):
    """The positions of a block."""

    cell: NDArray[np.int64]
    en_passant: NDArray[np.int64]
    """The square that may be captured on, or NO_SQUARE."""
    side: NDArray[np.int8]
    own: NDArray[np.uint8]
    moves: NDArray[np.uint8]
    """The number of legal moves."""


class Resets(NamedTuple):
    """The resets of a block, and the position that each leads to."""

    edge: NDArray[np.int64]
    """Its number among the moves of the block."""
    captured: NDArray[np.int8]
    promoted: NDArray[np.int8]
    promotion: NDArray[np.int8]
    en_passant: NDArray[np.int8]
    """The square jumped over, or NO_SQUARE."""
    side: NDArray[np.int8]
    """The side to move after it."""
    squares: NDArray[np.int8]
    """[reset, man] -> the man's square after it."""


@njit
def unpack(cell, men, squares):
    """Fill `squares` with those of the local cell and return the side to move."""
    for man in range(len(squares) - 1, -1, -1):
        if men.roles[man] == PAWN:
            squares[man] = men.placement[man]
        else:
            squares[man] = cell % 64
            cell //= 64
    return cell


@njit
def pack(side, men, squares):
    """The local cell of a position."""
    cell = side
    for man in range(len(squares)):
        if men.roles[man] != PAWN:
            cell = cell * 64 + squares[man]
    return cell


@njit
def image(square, symmetry):
    """The square's image under one of the 8 symmetries of the board."""
    if symmetry & 1:
        square ^= 7
    if symmetry & 2:
        square ^= 56
    if symmetry & 4:
        square = square % 8 * 8 + square // 8
    return square


@njit
def number_positions(men, cells, symmetries):
    """The node of each local cell, and the number of nodes. Images of one another have one node."""
    node_of = np.full(cells, NO_NODE, dtype=np.int32)
    squares = men.placement.copy()
    images = men.placement.copy()
    nodes = 0
    for cell in range(cells):
        side = unpack(cell, men, squares)
        if node_of[cell] != NO_NODE or not is_legal_position(men.roles, men.colors, squares, side):
            continue
        for symmetry in range(symmetries):
            for man in range(len(squares)):
                images[man] = image(squares[man], symmetry)
            node_of[pack(side, men, images)] = nodes
        nodes += 1
    return node_of, nodes


@njit
def first_cells(node_of, nodes):
    """The lowest local cell of each node."""
    cells = np.full(nodes, -1, dtype=np.int64)
    for cell in range(len(node_of)):
        node = node_of[cell]
        if node != NO_NODE and cells[node] < 0:
            cells[node] = cell
    return cells


@njit
def may_have_jumped(men, squares, pawn, side):
    """Whether the pawn's last move can have been a double step, judged by the squares alone."""
    if men.roles[pawn] != PAWN or men.colors[pawn] == side:
        return False
    rank_after_jump = 3 if men.colors[pawn] == WHITE else 4
    if squares[pawn] // 8 != rank_after_jump:
        return False
    back = 8 * forward(men.colors[pawn])
    return (
        man_on(squares, squares[pawn] - back) == NO_MAN
        and man_on(squares, squares[pawn] - 2 * back) == NO_MAN
    )


@njit
def en_passant_positions(men, cells):
    """The positions with a legal en passant capture: rows of local cell and square."""
    squares = men.placement.copy()
    moves = np.empty((MOST_MOVES, 4), dtype=np.int64)
    found = [(np.int64(0), np.int64(0)) for _ in range(0)]  # tells numba the type of an empty list
    for cell in cells:
        side = unpack(cell, men, squares)
        for pawn in range(len(squares)):
            if not may_have_jumped(men, squares, pawn, side):
                continue
            jumped = squares[pawn] - 8 * forward(men.colors[pawn])
            number = legal_moves(men.roles, men.colors, squares, side, jumped, moves)
            for move in moves[:number]:
                if is_en_passant(squares, move):
                    found.append((cell, jumped))
                    break
    rows = np.empty((len(found), 2), dtype=np.int64)
    for row in range(len(found)):
        rows[row, 0] = found[row][0]
        rows[row, 1] = found[row][1]
    return rows


@njit
def score_positions(men, cells, en_passant):
    """The side to move, own code and number of moves of each position; the number of all resets."""
    squares = men.placement.copy()
    moves = np.empty((MOST_MOVES, 4), dtype=np.int64)
    sides = np.empty(len(cells), dtype=np.int8)
    own = np.empty(len(cells), dtype=np.uint8)
    numbers = np.empty(len(cells), dtype=np.uint8)
    resets = 0
    for node in range(len(cells)):
        side = unpack(cells[node], men, squares)
        number = legal_moves(men.roles, men.colors, squares, side, en_passant[node], moves)
        sides[node] = side
        own[node] = own_code(men.roles, men.colors, squares, side, number)
        numbers[node] = number
        for move in moves[:number]:
            resets += is_reset(men.roles, move)
    return sides, own, numbers, resets


@njit
def no_resets(number, men):
    """Room for so many resets."""
    return Resets(
        np.empty(number, dtype=np.int64),
        np.empty(number, dtype=np.int8),
        np.empty(number, dtype=np.int8),
        np.empty(number, dtype=np.int8),
        np.empty(number, dtype=np.int8),
        np.empty(number, dtype=np.int8),
        np.empty((number, len(men.roles)), dtype=np.int8),
    )


@njit
def write_reset(men, squares, side, move, edge, row, resets):
    """Write down where a reset leads. A captured man keeps its old square, which means nothing."""
    resets.edge[row] = edge
    resets.captured[row] = move[CAPTURED]
    resets.promoted[row] = move[MAN]
    resets.promotion[row] = move[PROMOTION]
    resets.en_passant[row] = jumped_square(men.roles, squares, move)
    resets.side[row] = 1 - side
    for man in range(len(squares)):
        resets.squares[row, man] = move[TO] if man == move[MAN] else squares[man]


@njit
def trace_moves(men, nodes, node_of, reset_number):
    """The node that each move leads to, and the resets.

    The targets of resets are left open: they are known when all exits are.
    """
    squares = men.placement.copy()
    moves = np.empty((MOST_MOVES, 4), dtype=np.int64)
    targets = np.empty(np.sum(nodes.moves.astype(np.int64)), dtype=np.int32)
    resets = no_resets(reset_number, men)
    edge = 0
    row = 0
    for node in range(len(nodes.cell)):
        side = unpack(nodes.cell[node], men, squares)
        number = legal_moves(men.roles, men.colors, squares, side, nodes.en_passant[node], moves)
        for move in moves[:number]:
            targets[edge] = NO_NODE
            if is_reset(men.roles, move):
                write_reset(men, squares, side, move, edge, row, resets)
                row += 1
            else:
                origin = squares[move[MAN]]
                squares[move[MAN]] = move[TO]
                targets[edge] = node_of[pack(1 - side, men, squares)]
                squares[move[MAN]] = origin
            edge += 1
    return targets, resets


@njit
def turn_round(moves, targets, target_number, order):
    """The nodes with a move to each target, those that come first in `order` first.

    Returns where the sources of each target start, and all sources.
    """
    first_edge = np.zeros(len(moves) + 1, dtype=np.int64)
    for node in range(len(moves)):
        first_edge[node + 1] = first_edge[node] + moves[node]
    starts = np.zeros(target_number + 1, dtype=np.int64)
    for target in targets:
        starts[target + 1] += 1
    for target in range(target_number):
        starts[target + 1] += starts[target]
    sources = np.empty(len(targets), dtype=np.int32)
    free = starts.copy()
    for node in order:
        for edge in range(first_edge[node], first_edge[node + 1]):
            sources[free[targets[edge]]] = node
            free[targets[edge]] += 1
    return starts, sources


def positions_of(men: Men, symmetries: int) -> tuple[NDArray[np.int32], Nodes, int]:
    """The node of each local cell, the positions among the nodes, and the number of resets."""
    officers = int(np.count_nonzero(men.roles != PAWN))
    node_of, plain = number_positions(men, 2 * 64**officers, symmetries)
    cells = first_cells(node_of, plain)
    en_passant = np.full(plain, NO_SQUARE, dtype=np.int64)
    if PAWN in men.roles:
        jumps = en_passant_positions(men, cells)
        cells = np.concatenate((cells, jumps[:, 0]))
        en_passant = np.concatenate((en_passant, jumps[:, 1]))
    side, own, moves, resets = score_positions(men, cells, en_passant)
    return node_of, Nodes(cells, en_passant, side, own, moves), resets
