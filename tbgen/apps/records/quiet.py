"""Quiet: how many plies best play can let pass before the next reset, or before the goal if that comes first.

A stretch is no longer than the way to the goal, so positions are asked from the farthest on, until those that are
left are too near to have a longer one.

Best play keeps the outcome and brings the goal one ply nearer each time. So pairs of a position and an accrued score
make layers: they are listed from the farthest down, by quiet moves of best play alone, then weighed from below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chess
import numpy as np

from tbgen.apps.records.record import Quiet
from tbgen.compiled.arrays import Int, Ints
from tbgen.compiled.jit import borrowing, inner
from tbgen.index.layout import Layout, fen_of_cell
from tbgen.probe import Tablebase
from tbgen.probe.stored import kinds_of, squares_on
from tbgen.rules.notation import parse_fen
from tbgen.rules.position import board_after, own_score
from tbgen.score import Color
from tbgen.storage.reader import TableFile
from tbgen.verify.cells import set_up, side_of
from tbgen.verify.moves import (
    MOST_MOVES,
    NO_POSITION,
    QUIETS,
    Scratch,
    list_moves,
    new_scratch,
    own_code_of,
    quiet_cell,
)
from tbgen.verify.resets import Cells, positions_among
from tbgen.verify.values import Subject, code_of, signed, stored_value, subject_of

_SCORES = 512
_OWN = _SCORES // 2
"""A pair of a cell and an accrued score is one number; the signed score is 0 where it is the position's own."""
_BATCH = 1 << 12


@inner
def know_own(subject: Subject, cell: Int, scratch: Scratch) -> None:
    """See to it that a position's own code is known."""
    if subject.own[cell] == NO_POSITION:
        subject.own[cell] = own_code_of(subject.men, cell, scratch)


@inner
def pair_after(subject: Subject, cell: Int, holder: Int, code: Int, outcome: Int) -> Int:
    """The pair that a quiet move makes; with its own score accrued wherever value and best play are the same."""
    outcome_code, own = code_of(outcome), int(subject.own[cell])
    replaced = code > own or (code == own and holder != side_of(subject.men, cell))
    is_own = replaced or (outcome_code < own and outcome_code < code)
    return cell * _SCORES + _OWN + (0 if is_own else signed(holder, code))


# pairs[n] -> after[start[n]:start[n + 1]]
@borrowing
def follow(subject: Subject, scratch: Scratch, other: Scratch, pairs: Ints, start: Ints, after: Ints) -> Int:
    """List the pairs that best play leads to from some pairs by quiet moves; returns how many there are."""
    count: Int = 0
    for n in range(pairs.size):
        cell, accrued = pairs[n] // _SCORES, pairs[n] % _SCORES - _OWN
        side = set_up(subject.men, cell, scratch.squares)
        know_own(subject, cell, other)
        if accrued == 0:
            accrued = signed(1 - side, int(subject.own[cell]))
        holder, code = 0 if accrued > 0 else 1, code_of(accrued)
        outcome, dtg = stored_value(subject, cell, holder, code)
        for move in range(list_moves(subject.men, scratch, side, QUIETS)):
            there = quiet_cell(subject.men, scratch, side, move)
            know_own(subject, there, other)
            value, left = stored_value(subject, there, holder, code)
            if value == outcome and left == dtg - 1:
                after[count] = pair_after(subject, there, holder, code, outcome)
                count += 1
        start[n + 1] = count
    return count


def _with_own_scores(cells: Any) -> Any:
    """The pair, or pairs, of a cell or an array of cells, with the position's own score accrued."""
    return cells * _SCORES + _OWN


class Stretches:
    """The quiet plies of best play from some positions, each with its own score accrued, `dtg` plies from the goal.

    The subject is a whole table; own codes are filled in where they are asked for.
    """

    def __init__(self, subject: Subject, cells: Cells, dtg: Ints) -> None:
        nothing, layers = np.zeros(0, np.int64), list[tuple[Ints, Ints, Ints]]()
        after = nothing
        for plies in range(int(dtg.max(initial=0)), -1, -1):
            pairs = np.union1d(after, _with_own_scores(cells[dtg == plies]))
            start, after = _followed(subject, pairs)
            layers.append((pairs, start, after))
        self._subject = subject
        self.waits = np.zeros(len(cells), np.int64)
        """How many quiet plies best play has from each of the positions."""
        self._known = {-1: (nothing, nothing)}
        """[plies to the goal] -> pairs, ascending, and how many plies best play can stay quiet from each."""
        for plies, (pairs, start, after) in enumerate(reversed(layers)):
            waits, some = np.zeros(len(pairs), np.int64), np.flatnonzero(np.diff(start))
            waits[some] = 1 + np.maximum.reduceat(self._waits_of(after, plies - 1), start[some])
            self._known[plies] = pairs, waits
            here = dtg == plies
            self.waits[here] = self._waits_of(_with_own_scores(cells[here]), plies)

    def _waits_of(self, pairs: Ints, plies: int) -> Ints:
        known, waits = self._known[plies]
        return waits[np.searchsorted(known, pairs)]

    def way_from(self, cell: int, dtg: int) -> list[int]:
        """The cells of the longest stretch that begins with a position."""
        pair, way = _with_own_scores(cell), [cell]
        for plies in range(dtg - 1, -1, -1):
            _, after = _followed(self._subject, np.array([pair]))
            if not len(after):
                break
            pair = int(after[self._waits_of(after, plies).argmax()])
            way.append(pair // _SCORES)
        return way


# pairs[n] -> after[start[n]:start[n + 1]]
def _followed(subject: Subject, pairs: Ints) -> tuple[Ints, Ints]:
    """The start and the pairs that best play leads to by quiet moves: those of a layer lie in the layer below."""
    start, parts = np.zeros(len(pairs) + 1, np.int64), [np.zeros(0, np.int64)]
    room, scratch, other = np.empty(_BATCH * MOST_MOVES, np.int64), new_scratch(), new_scratch()
    for first in range(0, len(pairs), _BATCH):
        ways = start[first : first + _BATCH + 1]
        count = follow(subject, scratch, other, pairs[first : first + _BATCH], ways, room)
        ways[1:] += ways[0]
        parts.append(room[:count].copy())
    return start, np.concatenate(parts)


def longest_stretch(file: TableFile, tables: Tablebase) -> Quiet | None:
    """The longest stretch over all positions of a table, and best play that begins with it.

    None if nothing has to be played anywhere.
    """
    subject, layout = subject_of(file.table()), file.order.layout
    floor, best = max(dtg for dtg, _ in file.longest.values()), 0
    if floor == 0:
        return None
    while best < floor:
        floor = max(best, floor * 7 // 8)
        cells = positions_among(layout, np.flatnonzero((subject.dtg > floor) & (subject.entry != 0)))
        dtg = subject.dtg[cells].astype(np.int64)
        stretches = Stretches(subject, cells, dtg)
        first = int(stretches.waits.argmax())
        best = int(stretches.waits[first])
    way, plies = stretches.way_from(int(cells[first]), int(dtg[first])), int(dtg[first])
    fen = fen_of_cell(layout, way[0])
    board = parse_fen(fen)[0]
    line = " ".join(_line_along(tables, layout, board, way, plies))
    return Quiet(Color.of(board.turn), tables.probe(board).outcome, best, True, plies, fen, line)


def _line_along(tables: Tablebase, layout: Layout, board: chess.Board, way: Sequence[int], dtg: int) -> tuple[str, ...]:
    """Best play to the goal that begins by going through some cells."""
    walker, accrued, moves = board.copy(), own_score(board), list[str]()
    for cell in way[1:]:
        steps = (each for each in tables.best_moves(walker, accrued) if not each.reset)
        step = next(each for each in steps if _cell_after(layout, walker, each.move) == cell)
        moves.append(step.san)
        walker.push(step.move)
        accrued = step.accrued
    rest = tables.line(walker, accrued, max_plies=dtg - len(moves)) if len(moves) < dtg else []
    return (*moves, *[step.san for step in rest])


def _cell_after(layout: Layout, board: chess.Board, move: chess.Move) -> int:
    """The cell that a move leads to."""
    after = board_after(board, move)
    return layout.cell_of(int(not after.turn), squares_on(after, kinds_of(layout.material)))
