"""States of the search at the end of the clock: positions with accrued scores as numbers, and what tables say of them.

A *state* is one number: the squares of the men, shifted, and the signed accrued score. Material and side to move are
those of all states that are looked at together.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tbgen.apps.play.plies_kernels import COUNT_BITS, SQUARE_BITS, Successors
from tbgen.compiled.arrays import Bools, Ints
from tbgen.material import Material, Role
from tbgen.probe import BulkProbe, Fault, Tablebase
from tbgen.score import Color

_ROLES: Final = tuple(sorted(Role, reverse=True))
_ACCRUED_BITS: Final = 12
_NO_ACCRUED: Final = 1 << _ACCRUED_BITS - 1
"""What is added to a signed accrued score, so that it is positive."""


def states_of(squares: Ints, held: Ints) -> Ints:
    """The states of positions with signed accrued scores."""
    return squares << _ACCRUED_BITS | held + _NO_ACCRUED


def squares_in(states: Ints) -> Ints:
    """The squares of states."""
    return states >> _ACCRUED_BITS


def held_in(states: Ints) -> Ints:
    """The signed accrued scores of states."""
    return (states & (2 * _NO_ACCRUED - 1)) - _NO_ACCRUED


def answers_for(
    tables: Tablebase,
    counts: int,
    squares: Ints,
    to_move: Color,
    accrued: Ints | None = None,
    passants: Ints | None = None,
) -> BulkProbe:
    """What tables say of positions with the same men."""
    material = material_of_counts(counts)
    at = squares[:, None] >> SQUARE_BITS * np.arange(material.men - 1, -1, -1) & 63
    turns = np.full(len(squares), to_move is Color.WHITE)
    return tables.probe_many(material, turns, at, accrued=accrued, en_passant=passants)


def entries(tables: Tablebase, found: Successors, exits: Bools, to_move: Color) -> Ints:
    """The signed entry values of some successors."""
    counts, squares, passants = found.counts[exits], found.squares[exits], found.passants[exits]
    signed = np.zeros(len(counts), np.int64)
    for men in np.unique(counts).tolist():
        rows = np.flatnonzero(counts == men)
        answer = answers_for(tables, men, squares[rows], to_move, None, passants[rows])
        assert not (answer.fault != Fault.NONE).any(), "legal moves lead to positions that tables know"
        signed[rows] = answer.outcome
    return signed


def material_of_counts(counts: int) -> Material:
    """The material that counts say."""
    kinds = [(color, role) for color in Color for role in _ROLES]
    numbers = [counts >> COUNT_BITS * place & 15 for place in range(len(kinds) - 1, -1, -1)]
    men = [kind for kind, number in zip(kinds, numbers, strict=True) for _ in range(number)]
    white, black = ([role for side, role in men if side is color] for color in Color)
    return Material.of(white, black)


def counts_of_material(material: Material) -> int:
    """The counts of a material: the way back from `material_of_counts`."""
    counts = 0
    for color in Color:
        for role in _ROLES:
            counts = counts << COUNT_BITS | material.side(color).count(role)
    return counts
