"""Whole-game mobility, one ply at a time: random pairs of a position and an accrued score, checked by their moves.

A pair is worth the best of its moves for the side to move. With score b accrued, a move to a position of entry value e
is worth e if that has a lower code, otherwise b, whether it is a reset or not. The distance is one more than that of
the move that is played: the nearest for the side that gains, the farthest for the other; none where b stays.
Outcomes are signed: +(code + 1) White's, -(code + 1) Black's.
"""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .jit import njit
from .material import descent, material_of
from .moves import (
    CAPTURED,
    MAN,
    MOST_MOVES,
    NO_MAN,
    NO_PROMOTION,
    NO_SQUARE,
    PROMOTION,
    TO,
    WHITE,
    is_legal_position,
    jumped_square,
    legal_moves,
    own_code,
)

Ints = NDArray[np.int64]

LOWEST_ACCRUED = 2  # mates and stalemates end the game
HALF = 1000  # more than any code


class Pairs(NamedTuple):
    """Positions and what has accrued in them."""

    side: Ints
    squares: Ints  # a row for each, in the order of the material's name
    own: Ints
    accrued: Ints


class Moves(NamedTuple):
    """Their moves."""

    source: Ints  # among the pairs
    captured: Ints
    promoted: Ints  # the man, or none
    promotion: Ints
    jumped: Ints  # the square that a pawn has jumped over, or none
    squares: Ints  # a row for each, captured men included


class Ask(Protocol):
    """What tables say: a material, sides to move, squares, accrued scores (0: none), squares jumped over (-1: none)."""

    def __call__(self, name: str, side: Ints, squares: Ints, accrued: Ints, jumped: Ints) -> tuple[Ints, Ints]: ...


@njit
def keep_legal(roles, colors, side, squares, own):
    """Move the legal positions to the front, with their own scores, and return how many they are."""
    moves = np.empty((MOST_MOVES, 4), dtype=np.int64)
    kept = 0
    for row in range(len(side)):
        if is_legal_position(roles, colors, squares[row], side[row]):
            squares[kept], side[kept] = squares[row], side[row]
            count = legal_moves(roles, colors, squares[kept], side[kept], NO_SQUARE, moves)
            score = own_code(roles, colors, squares[kept], side[kept], count) + 1
            own[kept] = -score if side[kept] == WHITE else score
            kept += 1
    return kept


@njit
def list_moves(roles, colors, side, squares, found, after):
    """Fill `found` with source, captured man, promoted man, promotion and square jumped over; return how many."""
    moves = np.empty((MOST_MOVES, 4), dtype=np.int64)
    count = 0
    for row in range(len(side)):
        for number in range(legal_moves(roles, colors, squares[row], side[row], NO_SQUARE, moves)):
            move = moves[number]
            promoted = NO_MAN if move[PROMOTION] == NO_PROMOTION else move[MAN]
            found[count, 0], found[count, 1], found[count, 2] = row, move[CAPTURED], promoted
            found[count, 3], found[count, 4] = move[PROMOTION], jumped_square(roles, squares[row], move)
            after[count] = squares[row]
            after[count, move[MAN]] = move[TO]
            count += 1
    return count


def draw_pairs(name: str, count: int, draw: np.random.Generator) -> Pairs:
    """Legal positions, and a score that can have accrued in each: no better than its own, or that itself."""
    material = material_of(name)
    parts, found = [], 0
    while found < count:
        side, squares = draw.integers(0, 2, 2 * count), draw.integers(0, 64, (2 * count, material.men))
        own = np.zeros(len(side), np.int64)
        kept = keep_legal(material.roles, material.colors, side, squares, own)
        parts.append((side[:kept], squares[:kept], own[:kept]))
        found += kept
    side, squares, own = (np.concatenate(columns)[:count] for columns in zip(*parts, strict=True))
    code = draw.integers(LOWEST_ACCRUED, np.maximum(abs(own), LOWEST_ACCRUED + 1))
    drawn = (code + 1) * draw.choice((-1, 1), count)
    return Pairs(side, squares, own, np.where(abs(own) - 1 < LOWEST_ACCRUED, own, drawn))


def moves_of(name: str, pairs: Pairs) -> Moves:
    """All moves of all pairs."""
    material, most = material_of(name), MOST_MOVES // 2
    found = np.empty((len(pairs.side) * most, 5), np.int64)
    after = np.empty((len(found), material.men), np.int64)
    count = list_moves(material.roles, material.colors, pairs.side, pairs.squares, found, after)
    source, captured, promoted, promotion, jumped = found[:count].T
    return Moves(source, captured, promoted, promotion, jumped, after[:count])


def worth(signed: Ints) -> Ints:
    """The greater, the better for White."""
    return np.sign(signed) * HALF - signed


def expected(name: str, pairs: Pairs, ask: Ask) -> tuple[Ints, Ints]:
    """What the moves say of each pair."""
    moves = moves_of(name, pairs)
    value, plies = np.zeros(len(moves.source), np.int64), np.zeros(len(moves.source), np.int64)
    kinds, which = np.unique([moves.captured, moves.promoted, moves.promotion], axis=1, return_inverse=True)
    for number, kind in enumerate(kinds.T.tolist()):
        chosen, way = np.flatnonzero(which.ravel() == number), descent(material_of(name), *kind)
        side, *squares = way.cells(1 - pairs.side[moves.source[chosen]], list(moves.squares[chosen].T))
        jumped = moves.jumped[chosen] ^ np.where(way.colors_swapped & (moves.jumped[chosen] != NO_SQUARE), 56, 0)
        there, plies[chosen] = ask(way.material.name, side, np.stack(squares, axis=1), 0 * side, jumped)
        value[chosen] = -there if way.colors_swapped else there
    accrued, white = pairs.accrued[moves.source], pairs.side[moves.source] == WHITE
    lower = abs(value) < abs(accrued)
    value, plies = np.where(lower, value, accrued), np.where(lower, plies, -1)
    toward = np.where(white, worth(value), -worth(value))
    best = np.full(len(pairs.side), -2 * HALF)
    np.maximum.at(best, moves.source, toward)
    rank = np.where(pairs.side == WHITE, best, -best)
    outcome = np.where(best == -2 * HALF, pairs.accrued, np.sign(rank) * HALF - rank)
    gains = worth(outcome) * (1 - 2 * pairs.side) > worth(pairs.accrued) * (1 - 2 * pairs.side)
    played = toward == best[moves.source]
    nearest, farthest = np.full(len(best), HALF * HALF), np.full(len(best), -1)
    np.minimum.at(nearest, moves.source[played], plies[played])
    np.maximum.at(farthest, moves.source[played], plies[played])
    dtg = 1 + np.where(gains, nearest, farthest)
    return outcome, np.where(outcome == pairs.accrued, 0, dtg)


def wrong_pairs(name: str, count: int, seed: int, ask: Ask) -> list[str]:
    """Those of so many random pairs of which tables and moves disagree, in words."""
    pairs = draw_pairs(name, count, np.random.default_rng((seed, *name.encode())))
    none = np.full(count, NO_SQUARE)
    outcome, dtg = ask(name, pairs.side, pairs.squares, pairs.accrued, none)
    value, plies = expected(name, pairs, ask)
    return [
        f"{name}: side {pairs.side[row]}, squares {pairs.squares[row].tolist()}, accrued {pairs.accrued[row]}: "
        f"tables say {outcome[row]} in {dtg[row]}, moves {value[row]} in {plies[row]}"
        for row in np.flatnonzero((outcome != value) | (dtg != plies))
    ]
