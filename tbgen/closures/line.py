"""Line: moves that keep an exact value and make progress.

The outcomes of blocks do not tell which of the moves that keep a value get anywhere. So in each
block on the way, the solver of tables finds how many plies it takes to the next capture or pawn
move, or to the final score. What such a move leads to counts as reached, so each block is solved
from outcomes alone. A line keeps the value with each move, and ends. It need not be the shortest.

Where bounds replace promotions, White's moves go by the lower bounds and Black's by the upper ones.
Where both are equal, as at the beginning, a side that gets its bound leaves them equal.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final, NamedTuple

import chess

from tbgen.closures.answers import BlockOfPosition, Brackets, own_score_counts
from tbgen.closures.blocks import SolvedBlocks
from tbgen.closures.children import ClosureReader
from tbgen.closures.cuts import Bound
from tbgen.closures.groups import GroupStore
from tbgen.closures.kept import line_of
from tbgen.closures.nodes import Node, cell_on
from tbgen.closures.planned import PlannedBlock
from tbgen.probe.answers import LineStep
from tbgen.retro.drive.many_blocks import ManyBlocks
from tbgen.retro.drive.methods import DISTANCES
from tbgen.retro.drive.task import Task
from tbgen.retro.patterns.dictionaries import merge_patterns
from tbgen.rules.position import board_after, own_of
from tbgen.score import Color, Score
from tbgen.system.watching import tell_nobody
from tbgen.table import Cells, Dictionary, Run

MOST_PLIES: Final = 500
"""Longer lines end here."""


class ValuedMove(NamedTuple):
    """A legal move, with its value as the mover's bounds have it."""

    move: chess.Move
    after: chess.Board
    own: Score
    outcome: Score
    plies: int
    """Plies from the position after it to the next capture or pawn move, or to the final score."""


class BlockWithDistances:
    """A block that is solved once more, for distances to the next capture or pawn move.

    Where the final score comes before that, distances are those to it.
    """

    def __init__(self, block: PlannedBlock, solved: SolvedBlocks, bound: Bound) -> None:
        with_bound = replace(block, bounds=[bound])
        reader = ClosureReader([with_bound], solved, [bound])
        store = _OneBlockStore(reader, [with_bound], solved, tell_nobody)
        with ThreadPoolExecutor(1) as pool:
            task = Task(reader.layout, {}, store, 1, pool, method=DISTANCES)
            ManyBlocks(task, reader, reader.shades).solve()
        self._cells = store.cells
        self._patterns, (self._numbers,) = merge_patterns(
            [store.dictionary], len(store.dictionary.rows)
        )

    def value(self, cell: int, accrued: Score, own: Score) -> tuple[Score, int]:
        """The outcome and distance of a cell with an accrued score, in which `own` is counted."""
        entry = Score.from_signed(int(self._cells.entry[cell]))
        if own_score_counts(own, accrued) or entry.code < accrued.code:
            return entry, int(self._cells.dtg[cell])
        pattern = int(self._numbers[self._cells.pattern[cell]])
        return self._patterns.held(pattern, accrued)


class _OneBlockStore(GroupStore):
    """Takes what is solved of one block, with its distances and patterns."""

    dictionary: Dictionary
    cells: Cells

    def put(self, run: Run, dictionary: Dictionary, cells: Cells) -> None:
        self.dictionary = dictionary
        self.cells = cells


class LineFinder:
    """Finds lines by the blocks of a closure."""

    def __init__(self, blocks: SolvedBlocks) -> None:
        self._blocks = blocks
        self._brackets = Brackets(blocks)
        self._solved = dict[tuple[Node, Bound], BlockWithDistances]()

    def line(self, board: chess.Board, accrued: Score) -> list[LineStep] | None:
        """Moves that keep the value of a position, as far as the blocks know all outcomes.

        None if the blocks do not prove the value.
        """
        if self._place_of(board) is None:
            return None
        value = self._brackets.bracket(board, accrued).exact
        if value is None:
            return None
        return line_of(board, accrued, value, self._moves_of_line(board, accrued, value))

    def _moves_of_line(
        self, board: chess.Board, accrued: Score, value: Score
    ) -> Iterator[chess.Move]:
        """The moves of a line, until the value has accrued and the position repeats."""
        seen = set[str]()
        for _ in range(MOST_PLIES):
            place = self._place_of(board)
            if place is None:
                return
            if value == accrued:
                if board.epd() in seen:
                    return
                seen.add(board.epd())
            keeping = []
            for move in self._moves(board, accrued, place):
                if move.outcome == value:
                    keeping.append(move)
            if not keeping:
                return  # the game is over
            chosen = _chosen(keeping, Color.of(board.turn), accrued, seen)
            yield chosen.move
            is_reset = board.is_zeroing(chosen.move)
            accrued = chosen.own if is_reset else accrued.after(chosen.own, reset=False)
            board = chosen.after

    def _place_of(self, board: chess.Board) -> BlockOfPosition | None:
        """The block of a position, if all its outcomes are found; None if a table has it."""
        if self._blocks.closure.tables.digest_on(board):
            return None
        place = self._brackets.block_of(board)
        if place is None or place.block.cuts:
            return None
        return place

    def _moves(
        self, board: chess.Board, accrued: Score, place: BlockOfPosition
    ) -> Iterator[ValuedMove]:
        """The legal moves by the bounds of the mover."""
        bound = Bound.LOWER if board.turn == chess.WHITE else Bound.UPPER
        distances = self._distances(place, bound.other if place.is_reversed else bound)
        for move in board.legal_moves:
            after = board_after(board, move)
            own = own_of(after)
            if board.is_zeroing(move):
                outcome = self._brackets.bracket(after, None).ends[bound]
                yield ValuedMove(move, after, own, outcome, 0)
                continue
            carried = accrued.after(own, reset=False)
            if place.is_reversed:
                cell = cell_on(place.block.node, after.mirror())
                outcome, plies = distances.value(cell, carried.flipped(), own.flipped())
                outcome = outcome.flipped()
            else:
                cell = cell_on(place.block.node, after)
                outcome, plies = distances.value(cell, carried, own)
            yield ValuedMove(move, after, own, outcome, plies)

    def _distances(self, place: BlockOfPosition, bound: Bound) -> BlockWithDistances:
        key = (place.block.node, bound)
        if key not in self._solved:
            self._solved[key] = BlockWithDistances(place.block, self._blocks, bound)
        return self._solved[key]


def _chosen(keeping: list[ValuedMove], mover: Color, accrued: Score, seen: set[str]) -> ValuedMove:
    """The move to play of those that keep the value.

    A side that gains by the value hurries, the other one delays. Once the value has accrued, a move
    returns to an earlier position, if one does.
    """
    value = keeping[0].outcome
    if value == accrued:
        return min(keeping, key=lambda move: (move.after.epd() not in seen, move.move.uci()))
    hurries = value.worth_to(mover) > accrued.worth_to(mover)
    if hurries:
        return min(keeping, key=lambda move: (move.plies, move.move.uci()))
    return min(keeping, key=lambda move: (-move.plies, move.move.uci()))
