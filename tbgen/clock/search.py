"""The exact value when few plies are left: all lines to the end, with tables where the clock starts anew.

The game splits into layers, one a ply. A *state* of a layer is a position with an accrued score; equal ones are looked
at once. A move ends the search where it mates or stalemates, where it makes the clock start anew (a reset, or under
`reset` a score below the cutoff: what follows is an entry value), and where it uses up the last ply: then the accrued
score is final. Values go back layer by layer. Entry values come from tables, which ignore the rule.

Under `reset`, with an accrued score of the cutoff or lower, every improvement starts the clock anew. Then the lines of
the search end where those of the unlimited game do, only earlier, and where the table says that nobody can better the
accrued score, it stands here, too: such states, most of them, are not searched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import chess
import numpy as np

from tbgen.arrays import Bools, Ints
from tbgen.bitboard.convert import words_of
from tbgen.clock.search_kernels import (
    COUNT_BITS,
    SQUARE_BITS,
    Successors,
    expand_states,
    list_successors,
    men_on,
    no_successors,
)
from tbgen.index.outcomes import codes_of, signed_of, worth_to_white
from tbgen.material import Material, Role
from tbgen.probe import BulkProbe, Fault, Tablebase
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import MOST_CODE, STALEMATE_CODE, Accrued, Color, Outcome

MOST_STATES: Final = 200_000
"""More than that, in all layers together, are not looked at: a few seconds and some hundred megabytes."""

_ROLES: Final = tuple(sorted(Role, reverse=True))
_ACCRUED_BITS: Final = 12
_FAR: Final = 1 << 16
"""More plies than any DTG."""
_WORST: Final = MOST_CODE + 2
"""The worth of a move that is not looked at; that of an outcome is less."""
_NO_ACCRUED: Final = 1 << _ACCRUED_BITS - 1
"""A state is one number: its squares, shifted, and this plus its signed accrued score."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What the search has found, and how many states it looked at."""

    outcome: Outcome
    states: int


class _Layer(NamedTuple):
    """A layer whose successors are known."""

    start: Ints
    """[state] -> the first of its moves."""
    worth: Ints
    """[move] -> what it is worth to White, where that is known."""
    onward: Ints
    """[move] -> the state that it leads to in the next layer, -1 where it ends the search."""


def search(
    tables: Tablebase,
    board: chess.Board,
    accrued: Accrued,
    plies: int,
    fifty_moves: FiftyMoves,
    *,
    most_states: int = MOST_STATES,
) -> Searched | None:
    """The value of a position that is not over, if the rule strikes after so many plies, one or more.

    None if there is too much to look at; MissingTableError if a table is missing that a line leads to.
    """
    asked = _Asked(tables, board, accrued, plies, fifty_moves, most_states)
    whole = _searched(asked, None)
    if whole is not None or not asked.is_cut_short:
        return whole
    # A side that has only the table's move in every position can do no better than with all its moves: two bounds.
    lower, upper = (_searched(asked, side) for side in Color)
    if lower is None or upper is None or lower.outcome != upper.outcome:
        return None
    return Searched(lower.outcome, lower.states + upper.states)


class _Asked(NamedTuple):
    """What is to be searched."""

    tables: Tablebase
    board: chess.Board
    accrued: Accrued
    plies: int
    fifty_moves: FiftyMoves
    most_states: int

    @property
    def is_cut_short(self) -> bool:
        """Whether the lines are those of the unlimited game, cut short."""
        return self.fifty_moves.setting is FiftyMoveSetting.RESET and self.accrued.code <= self.fifty_moves.cutoff_code


def _searched(asked: _Asked, bound: Color | None) -> Searched | None:
    """The value, or where one side is bound to the table's moves, a bound of it; None if there is too much."""
    tables, words, layers, seen = asked.tables, words_of(asked.board), list[_Layer](), 1
    counts = int(men_on(words)[0])
    found = no_successors(asked.board.legal_moves.count())
    list_successors(words, 0, found)
    start, held = np.array([0, len(found.codes)]), np.array([asked.accrued.signed])
    mover = Color.WHITE if asked.board.turn else Color.BLACK
    for left in range(asked.plies - 1, -1, -1):
        held_by_move = np.repeat(held, np.diff(start))
        layer, states, codes = _settled(tables, found, held_by_move, mover, left, start, asked.fifty_moves)
        if asked.is_cut_short and len(states):
            answer = answers_for(tables, counts, states >> _ACCRUED_BITS, mover.other, _held_in(states))
            if mover is bound:
                _keep_table_moves(layer, answer, mover, asked.accrued)
            states, codes = _kept(layer, states, codes, answer.outcome != _held_in(states))
        layers.append(layer)
        seen += len(states)
        if not len(states):
            break
        if seen > asked.most_states:
            return None
        mover = mover.other
        held, squares = _held_in(states), states >> _ACCRUED_BITS
        start = np.concatenate([[0], np.cumsum(codes >> 1)])
        found = no_successors(int(start[-1]))
        expand_states(counts, int(mover), squares, start, found)
    return Searched(_outcome_of(_folded(layers, mover)), seen)


def _held_in(states: Ints) -> Ints:
    """The signed accrued scores of states."""
    return (states & (2 * _NO_ACCRUED - 1)) - _NO_ACCRUED


def _settled(
    tables: Tablebase, found: Successors, held: Ints, mover: Color, left: int, start: Ints, fifty_moves: FiftyMoves
) -> tuple[_Layer, Ints, Ints]:
    """A layer with what its moves are worth, and the states of the next layer with their codes."""
    own = signed_of(np.full(len(held), mover is Color.WHITE), found.codes)
    lower = found.codes < codes_of(held)
    over = found.codes <= STALEMATE_CODE
    restarts = np.zeros(len(held), np.bool_)
    if fifty_moves.setting is FiftyMoveSetting.RESET:
        restarts = lower & (found.codes < fifty_moves.cutoff_code)
    exits = (found.resets | restarts) & ~over
    # A score that the last ply makes counts only where such a score can also start the clock anew.
    counts = left > 0 or fifty_moves.setting is FiftyMoveSetting.RESET
    after = np.where(lower, own, held) if counts else held
    signed = np.where(over, own, after)
    signed[exits] = _entries(tables, found, exits, mover.other)
    pending = ~over & ~exits if left else np.zeros(len(held), np.bool_)
    keys = found.squares[pending] << _ACCRUED_BITS | after[pending] + _NO_ACCRUED
    states, first, which = np.unique(keys, return_index=True, return_inverse=True)
    onward = np.full(len(held), -1)
    onward[pending] = which
    return _Layer(start, worth_to_white(signed), onward), states, found.codes[pending][first]


def _kept(layer: _Layer, states: Ints, codes: Ints, is_open: Bools) -> tuple[Ints, Ints]:
    """The states that are open and that a move leads to; moves to the others are worth the score that has accrued."""
    is_reached = np.zeros(len(states), np.bool_)
    is_reached[layer.onward[layer.onward >= 0]] = True
    keep = is_open & is_reached
    number = np.where(keep, np.cumsum(keep) - 1, -1)
    onward = layer.onward >= 0
    layer.onward[onward] = number[layer.onward[onward]]
    return states[keep], codes[keep]


def _keep_table_moves(layer: _Layer, answer: BulkProbe, mover: Color, accrued: Accrued) -> None:
    """Leave the mover one move in each state: the best by the tables, quickly where that is progress, else slowly."""
    sign = 1 if mover is Color.WHITE else -1
    onward = layer.onward >= 0
    worth, plies = layer.worth.copy(), np.zeros(len(layer.worth), np.int64)
    worth[onward] = worth_to_white(answer.outcome.astype(np.int64))[layer.onward[onward]]
    plies[onward] = answer.dtg.astype(np.int64)[layer.onward[onward]]
    is_progress = sign * worth > accrued.worth_to(mover)
    merit = sign * worth * _FAR + np.where(is_progress, -plies, plies)
    best = np.repeat(np.maximum.reduceat(merit, layer.start[:-1]), np.diff(layer.start))
    state = np.repeat(np.arange(len(layer.start) - 1), np.diff(layer.start))
    is_best = np.flatnonzero(merit == best)
    left_out = np.ones(len(merit), np.bool_)
    left_out[is_best[np.unique(state[is_best], return_index=True)[1]]] = False
    layer.onward[left_out] = -1
    layer.worth[left_out] = -sign * _WORST


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


def _entries(tables: Tablebase, found: Successors, exits: Bools, to_move: Color) -> Ints:
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


def _folded(layers: list[_Layer], last_mover: Color) -> int:
    """What the first position is worth to White; `last_mover` is to move in the last layer."""
    mover, below = last_mover, np.zeros(0, np.int64)
    for layer in reversed(layers):
        onward = layer.onward >= 0
        layer.worth[onward] = below[layer.onward[onward]]
        best = np.maximum if mover is Color.WHITE else np.minimum
        below = best.reduceat(layer.worth, layer.start[:-1])
        mover = mover.other
    return int(below[0])


def _outcome_of(worth: int) -> Outcome:
    """The outcome of that worth: the way back is the way there."""
    return Accrued.from_signed(int(worth_to_white(np.array([worth]))[0])).outcome
