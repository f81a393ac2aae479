"""Stretch: the longest run of plies without a capture or pawn move that best play can have from a position of a table.

A stretch is no longer than the way to the goal, so positions are asked from the farthest on, until those that are
left are too near to have a longer one. Of larger tables only the longest lines are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import chess
import numpy as np
import numpy.typing as npt

from tbgen.apps.records.census import Spread
from tbgen.apps.records.lines import replay
from tbgen.apps.records.quiet import Stretches
from tbgen.apps.records.record import Longest, Quiet
from tbgen.errors import VerificationError
from tbgen.index.layout import Layout, fen_of_cell
from tbgen.probe import Tablebase
from tbgen.rules.fen import parse_fen
from tbgen.rules.position import own_score
from tbgen.score import Color, Outcome
from tbgen.storage.reader import TableFile
from tbgen.verify.listing import find_positions
from tbgen.verify.men import men_of, numbering_of
from tbgen.verify.moves import new_scratch
from tbgen.verify.subject import subject_of

Longs = npt.NDArray[np.int64]

Lines = Mapping[tuple[Color, Outcome], Longest]

MOST_MEN_STRETCHED_WHOLE: Final = 4
_FIRST_ASKED: Final = 1_000
_GROWTH: Final = 8


def longest_stretch(file: TableFile, spreads: Iterable[Spread], tables: Tablebase) -> Quiet | None:
    """The longest stretch over all positions of a table; None if nothing has to be played anywhere."""
    ahead, subject = _positions_ahead(spreads), subject_of(file.table())
    if len(ahead) == 1:
        return None
    best, asked = 0, _FIRST_ASKED
    while True:
        floor = max(best, min(int(np.argmax(ahead <= asked)), len(ahead) - 2))
        cells, dtg = cells_beyond(file, floor)
        stretches = Stretches(subject, cells, dtg)
        waits = stretches.waits(cells, dtg)
        first = int(waits.argmax())
        best, asked = int(waits[first]), asked * _GROWTH
        if best >= floor:
            way = stretches.way_from(int(cells[first]), int(dtg[first]))
            return _quiet(file, tables, way, int(dtg[first]))


def stretch_of_lines(lines: Lines) -> Quiet | None:
    """The longest stretch that one of the longest lines begins with: a proven case."""
    best: Quiet | None = None
    for (side, outcome), line in lines.items():
        plies = replay(line.fen, line.moves or ()).phases[0]
        if line.dtg and (best is None or plies > best.plies):
            best = Quiet(side, outcome, plies, line, exact=False)
    return best


def _positions_ahead(spreads: Iterable[Spread]) -> Longs:
    """[plies] -> positions up to symmetry that are more plies away from their goal."""
    counts = [np.array(spread.distances, np.int64) for spread in spreads]
    at = np.zeros(max((len(each) for each in counts), default=1), np.int64)
    for each in counts:
        at[: len(each)] += each
    ahead: Longs = at.sum() - np.cumsum(at)
    return ahead


def cells_beyond(file: TableFile, plies: int) -> tuple[Longs, Longs]:
    """The cells of positions that are more plies away from their goal, in ascending order, and how many."""
    states, order = file.states, file.order
    is_far, found = (states.dtg > plies) & (states.entry != 0), [np.zeros((2, 0), np.int64)]
    for number in range(order.chunks):
        ids = file.chunk(number)
        offsets = np.flatnonzero(is_far[ids])
        if len(offsets):
            found.append(np.stack([number * order.chunk_cells + offsets, states.dtg[ids[offsets]].astype(np.int64)]))
    places, dtg = np.concatenate(found, axis=1)
    cells = order.cells_of(places[places < order.layout.cells])
    is_position = np.zeros(len(cells), np.bool_)
    find_positions(men_of(order.layout), numbering_of(order.layout), new_scratch(), cells, is_position)
    ascending = np.flatnonzero(is_position)[np.argsort(cells[is_position])]
    return cells[ascending], dtg[: len(cells)][ascending]


def _quiet(file: TableFile, tables: Tablebase, way: Sequence[int], dtg: int) -> Quiet:
    """A stretch as best play from its first cell, proved by replay."""
    fen, plies = fen_of_cell(file.order.layout, way[0]), len(way) - 1
    board = parse_fen(fen)[0]
    outcome = tables.probe(board).outcome
    moves = _line_along(tables, file.order.layout, board, way, dtg)
    proof = replay(fen, moves)
    if not proof.proves(outcome, dtg) or proof.phases[0] != plies:
        raise VerificationError(str(file.material), f"best play from {fen} is not quiet for {plies} plies")
    return Quiet(Color.WHITE if board.turn else Color.BLACK, outcome, plies, Longest(dtg, fen, moves), exact=True)


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
    board.push(move)
    men = {(color, kind): list(board.pieces(kind, color)) for color in chess.COLORS for kind in range(1, 7)}
    squares = [men[color is Color.WHITE, int(role)].pop() for color, role in layout.slots]
    cell = layout.cell_of(int(not board.turn), squares)
    board.pop()
    return cell
