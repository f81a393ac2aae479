"""One round of the search at the end of the clock: layers of states, what is known of them, and the way back.

All outcomes are worth to White here: the greater, the better for White.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import chess
import numpy as np

from tbgen.apps.play.plies_kernels import Successors, expand_states, list_successors, men_on, no_successors
from tbgen.apps.play.states import answers_for, entries, held_in, squares_in, states_of
from tbgen.board.convert import words_of
from tbgen.compiled.arrays import Bools, Ints
from tbgen.index.outcomes import codes_of, signed_of, worth_to_white
from tbgen.probe import Probe, Tablebase
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import MATE_CODE, MOST_CODE, STALEMATE_CODE, Accrued, Color

WORST: Final = MOST_CODE + 2
"""More than any outcome is worth to White; less than any, with a minus."""
_PROMISING, _DOUBTFUL, _HOPELESS = 1, 10, 1 << 40
"""The effort of a state that was not looked at, if the table's value would do or not, and of one that cannot do."""


class Asked(NamedTuple):
    """What is to be searched."""

    tables: Tablebase
    board: chess.Board
    accrued: Accrued
    plies: int
    fifty_moves: FiftyMoves

    @property
    def is_cut_short(self) -> bool:
        """Whether the lines are those of the unlimited game, cut short."""
        return self.fifty_moves.setting is FiftyMoveSetting.RESET and self.accrued.code <= self.fifty_moves.cutoff_code

    def window(self, probe: Probe) -> Window:
        """What is known of the value from the beginning."""
        if not self.is_cut_short:
            return Window(-WORST, WORST)
        held, table = (each.worth_to(Color.WHITE) for each in (self.accrued, probe.outcome))
        return Window(min(held, table), max(held, table))

    def facts_of(self, counts: int, states: Ints, to_move: Color, left: int) -> Facts:
        """What tables say of states with so many plies left."""
        held = worth_to_white(held_in(states))
        answer = answers_for(self.tables, counts, squares_in(states), to_move, held_in(states))
        signed = answer.outcome.astype(np.int64)
        table, is_near = worth_to_white(signed), answer.dtg <= left
        low, high = np.full(len(states), -WORST), np.full(len(states), WORST)
        if self.is_cut_short:
            assert not answer.fault.any(), "what has accrued once can be asked of each position of the phase"
            low, high = np.minimum(held, table), np.maximum(held, table)
        is_mate = is_near & (codes_of(signed) == MATE_CODE)
        low[is_mate] = high[is_mate] = table[is_mate]
        efforts = np.zeros((2, len(states)), np.int64)
        return Facts(states, low, high, np.where(is_near, table, held), (efforts[0], efforts[1]))


class Window(NamedTuple):
    """Bounds of the first position's value: those that are known, or those that a round is to tell from each other."""

    low: int
    high: int

    @property
    def is_shut(self) -> bool:
        return self.low == self.high

    def question(self, guess: int) -> Window:
        """Whether the value is at least what it is guessed to be; if that is known, whether it is more."""
        nearest = min(max(guess, self.low), self.high)
        return Window(nearest - 1, nearest) if self.low < nearest else Window(nearest, nearest + 1)

    def narrowed(self, other: Window) -> Window:
        """What is known if both are."""
        return Window(max(self.low, other.low), min(self.high, other.high))

    def is_shut_on(self, low: Ints, high: Ints) -> Bools:
        """Whether bounds, seen through the window, are one."""
        shut: Bools = np.clip(low, self.low, self.high) == np.clip(high, self.low, self.high)
        return shut


@dataclass(slots=True, eq=False)
class Facts:
    """What is known of states with the same number of plies left, in ascending order; bounds are worth to White."""

    states: Ints
    low: Ints
    high: Ints
    promise: Ints
    """What the table promises if that can be reached in time, else the accrued score."""
    efforts: tuple[Ints, Ints]
    """[side that has one move][state] -> how much is left to be proved; 0 where it was not looked at."""

    def rows_of(self, states: Ints) -> Ints:
        """Where states are, or would be."""
        return np.searchsorted(self.states, states)

    def has(self, states: Ints) -> Bools:
        """Which states there are."""
        if not len(self.states):
            return np.zeros(len(states), np.bool_)
        rows = np.minimum(self.rows_of(states), len(self.states) - 1)
        found: Bools = self.states[rows] == states
        return found

    def merged(self, other: Facts) -> Facts:
        """These and others."""
        order = np.argsort(np.concatenate([self.states, other.states]))

        def both(mine: Ints, others: Ints) -> Ints:
            joined: Ints = np.concatenate([mine, others])[order]
            return joined

        efforts = both(self.efforts[0], other.efforts[0]), both(self.efforts[1], other.efforts[1])
        bounds = both(self.low, other.low), both(self.high, other.high)
        return Facts(both(self.states, other.states), *bounds, both(self.promise, other.promise), efforts)


def forget_efforts(facts: dict[int, Facts]) -> None:
    """Forget what was left to be proved: something else is to be proved now."""
    for known in facts.values():
        for effort in known.efforts:
            effort[:] = 0


class _Layer(NamedTuple):
    """A layer whose successors are known."""

    own: Ints
    """[state] -> its row in what is known; of the first position there is none."""
    start: Ints
    """[state] -> the first of its moves."""
    low: Ints
    """[move] -> what it is worth to White at least, and at most."""
    high: Ints
    next: Ints
    """[move] -> the row of the state that it leads to, -1 where it ends the search or need not be looked at."""


class Round:
    """One search, in which a side, or none, has a single move in each state."""

    def __init__(self, asked: Asked, window: Window, side: Color | None, facts: dict[int, Facts]) -> None:
        self.asked, self.window, self.side, self.facts = asked, window, side, facts
        self.layers = list[_Layer]()

    def played(self, most_states: int) -> tuple[Window, int]:
        """Bounds of the first position's value, and how many states were looked at."""
        asked, words, seen = self.asked, words_of(self.asked.board), 1
        counts = int(men_on(words)[0])
        found = no_successors(asked.board.legal_moves.count())
        list_successors(words, 0, found)
        own, start, held = np.zeros(0, np.int64), np.array([0, len(found.codes)]), np.array([asked.accrued.signed])
        mover = Color.WHITE if asked.board.turn else Color.BLACK
        for left in range(asked.plies - 1, -1, -1):
            worth, after, is_end = _settled(asked, found, np.repeat(held, np.diff(start)), mover, left)
            moves = np.flatnonzero(~is_end & ~self._has_enough(worth, is_end, start, mover))
            keys = states_of(found.squares[moves], after[moves])
            states, first, which = np.unique(keys, return_index=True, return_inverse=True)
            seen += self._learn(counts, states, mover.other, left)
            rows = self.facts[left].rows_of(states)
            layer = _Layer(own, start, worth.copy(), worth.copy(), np.full(len(worth), -1))
            layer.low[~is_end], layer.high[~is_end], layer.next[moves] = -WORST, WORST, rows[which]
            self.layers.append(layer)
            follow = self._followed(layer, left, mover)
            goes_on = np.zeros(len(states), np.bool_)
            goes_on[which[follow[moves]]] = True
            states, codes, own = states[goes_on], found.codes[moves][first][goes_on], rows[goes_on]
            seen += len(states)
            if not len(states) or seen > most_states:
                break
            mover, held = mover.other, held_in(states)
            start = np.concatenate([[0], np.cumsum(codes >> 1)])
            found = no_successors(int(start[-1]))
            expand_states(counts, int(mover), squares_in(states), start, found)
        return self._folded(mover), seen

    def _learn(self, counts: int, states: Ints, to_move: Color, left: int) -> int:
        """Ask the tables of states that are new; how many these are."""
        known = self.facts.get(left)
        fresh = states if known is None else states[~known.has(states)]
        learnt = self.asked.facts_of(counts, fresh, to_move, left)
        self.facts[left] = learnt if known is None else known.merged(learnt)
        return len(fresh)

    def _has_enough(self, worth: Ints, is_end: Bools, start: Ints, mover: Color) -> Bools:
        """Moves from states where a move that ends the search is worth all that the mover can hope for."""
        sign, enough = (1, self.window.high) if mover is Color.WHITE else (-1, -self.window.low)
        best = np.maximum.reduceat(np.where(is_end, sign * worth, -WORST), start[:-1])
        return np.repeat(best >= enough, np.diff(start))

    def _effort(self, side: Color, known: Facts, rows: Ints) -> Ints:
        """How much is left to be proved of states, if a side is to reach its bound of the window."""
        promise = self._is_enough(side, known.promise[rows])
        effort = known.efforts[side][rows]
        effort = np.where(effort == 0, np.where(promise, _PROMISING, _DOUBTFUL), effort)
        low, high = known.low[rows], known.high[rows]
        least, most = (low, high) if side is Color.WHITE else (high, low)
        effort = np.where(self._is_enough(side, most), effort, _HOPELESS)
        return np.where(self._is_enough(side, least), 0, effort)

    def _is_enough(self, side: Color, worth: Ints) -> Bools:
        """Whether outcomes are as good as a side can hope for."""
        enough: Bools = worth >= self.window.high if side is Color.WHITE else worth <= self.window.low
        return enough

    def _followed(self, layer: _Layer, left: int, mover: Color) -> Bools:
        """The moves to states that are to be looked at."""
        known = self.facts[left]
        moves = np.flatnonzero(layer.next >= 0)
        rows = layer.next[moves]
        is_open = ~self.window.is_shut_on(known.low[rows], known.high[rows])
        moves, rows = moves[is_open], rows[is_open]
        if mover is self.side:
            effort = self._effort(mover, known, rows)
            popular = np.bincount(rows, minlength=len(known.states))[rows]
            state = np.searchsorted(layer.start, moves, side="right") - 1
            order = np.lexsort((rows, -popular, effort, state))
            moves = moves[order[np.diff(state[order], prepend=-1) > 0]]
        follow = np.zeros(len(layer.next), np.bool_)
        follow[moves] = True
        return follow

    def _folded(self, last_mover: Color) -> Window:
        """Bounds of all states, from the last layer backwards; those of the first position."""
        mover, low, high = last_mover, np.zeros(0, np.int64), np.zeros(0, np.int64)
        for depth in range(len(self.layers) - 1, -1, -1):
            layer, left = self.layers[depth], self.asked.plies - 1 - depth
            onward = layer.next >= 0
            known, rows = self.facts[left], layer.next[onward]
            layer.low[onward], layer.high[onward] = known.low[rows], known.high[rows]
            best = np.maximum if mover is Color.WHITE else np.minimum
            low, high = (best.reduceat(each, layer.start[:-1]) for each in (layer.low, layer.high))
            if depth:
                self._note(layer, left, mover, low, high)
            mover = mover.other
        return Window(int(low[0]), int(high[0]))

    def _note(self, layer: _Layer, left: int, mover: Color, low: Ints, high: Ints) -> None:
        """Take over what has been found of the states of a layer."""
        above = self.facts[left + 1]
        above.low[layer.own] = np.maximum(above.low[layer.own], low)
        above.high[layer.own] = np.minimum(above.high[layer.own], high)
        if self.side is None:
            return
        # A move that ends the search is enough, or it never will be.
        effort = np.where(self._is_enough(self.side, layer.low), 0, _HOPELESS)
        onward = layer.next >= 0
        effort[onward] = self._effort(self.side, self.facts[left], layer.next[onward])
        fold = np.minimum if mover is self.side else np.add
        above.efforts[self.side][layer.own] = np.clip(fold.reduceat(effort, layer.start[:-1]), 1, _HOPELESS)


def _settled(asked: Asked, found: Successors, held: Ints, mover: Color, left: int) -> tuple[Ints, Ints, Bools]:
    """What each move is worth if it ends the search, the signed score that has accrued after it, whether it ends it."""
    is_reset_rule = asked.fifty_moves.setting is FiftyMoveSetting.RESET
    own = signed_of(np.full(len(held), mover is Color.WHITE), found.codes)
    lower = found.codes < codes_of(held)
    over = found.codes <= STALEMATE_CODE
    restarts = lower & (found.codes < asked.fifty_moves.cutoff_code) & is_reset_rule
    exits = (found.resets | restarts) & ~over
    # A score that the last ply makes counts only where such a score can also start the clock anew.
    after = np.where(lower, own, held) if left > 0 or is_reset_rule else held
    signed = np.where(over, own, after)
    signed[exits] = entries(asked.tables, found, exits, mover.other)
    return worth_to_white(signed), after, over | exits | (left == 0)
