"""Methods: the two ways to solve the accrued codes of a block whose moves are known.

`DistanceMethod` finds outcomes and plies by labels (distances/). `OutcomeMethod` finds outcomes alone, by sets that
grow (outcomes/). One thread solves a block in one kernel, or two threads solve it step by step, one for each forcer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from tbgen.compiled.jit import borrowing
from tbgen.retro.distances.forcer import Forcer, new_forcer, start_forcer, start_middles
from tbgen.retro.distances.one_code import freeze, search_code
from tbgen.retro.outcomes.codes import (
    freeze_holds,
    search_outcomes,
    settle,
    solve_code,
    start_block,
    start_goals,
    start_grower,
)
from tbgen.retro.outcomes.grower import Grower, new_grower
from tbgen.retro.patterns.histories import new_interner
from tbgen.retro.patterns.worker import STATUS, Room, S, Worker, open_words
from tbgen.retro.words.block import Block, BlockValues, new_block, number_cells
from tbgen.retro.words.geometry import BLACK, WHITE, Geometry
from tbgen.retro.words.moves import new_scratch
from tbgen.score import STALEMATE_CODE, Mobility


class Method(Protocol[S]):
    """How accrued codes are solved."""

    def searcher(self, side: int, geometry: Geometry, game: Mobility, room: Room) -> S:
        """The arrays of one forcer."""

    def solve_codes(self, worker: Worker[S], values: BlockValues) -> int:
        """All accrued codes of a block, by one thread; the status is 0 if all is well."""

    def start(self, block: Block, searcher: S) -> None:
        """Begin with a block whose words are open."""

    def freeze(self, worker: Worker[S], values: BlockValues, code: int, first: int, end: int) -> int:
        """Freeze the cells of a range of words that have this own code; how many are left undecided."""

    def with_room(self, searcher: S, new: Callable[..., Any], cells: int) -> S:
        """The same searcher with room for so many undecided cells."""

    def start_goals(self, block: Block, searcher: S, cells: int) -> None:
        """After the mates: go on with so many undecided cells."""

    def settle(self, worker: Worker[S], code: int) -> None:
        """Between two codes, while no thread works."""

    def search(self, worker: Worker[S], side: int, values: BlockValues, code: int) -> None:
        """What one side forces at an accrued code."""


def new_worker(
    method: Method[S], geometry: Geometry, game: Mobility = Mobility.RESET, room: Room | None = None
) -> Worker[S]:
    """A worker for blocks of this geometry."""
    room = room or Room(geometry.words)
    white, black = (method.searcher(side, geometry, game, room) for side in (WHITE, BLACK))
    pairs = new_interner(room.nodes if game.forgets else 1)
    return Worker(new_block(geometry), new_scratch(len(geometry.color)), white, black, pairs)


@borrowing
def solve_distances(block: Block, white: Forcer, black: Forcer, values: BlockValues) -> int:
    """All accrued codes of a block whose moves are known, until something goes wrong."""
    words = block.geometry.words
    open_words(block, white.forced, black.forced, 0, words)
    start_forcer(block, white)
    start_forcer(block, black)
    left, code = 1, 0
    while left and not white.state[STATUS] and not black.state[STATUS]:
        left = freeze(block, white, black, values, code, 0, words)
        if code == STALEMATE_CODE:
            cells = number_cells(block, 0, words, 0)
            start_middles(block, white, cells)
            start_middles(block, black, cells)
        for forcer in (white, black):
            search_code(block, forcer, values, code)
        code += 1
    return int(white.state[STATUS] or black.state[STATUS])


@borrowing
def solve_outcomes(block: Block, white: Grower, black: Grower, values: BlockValues) -> int:
    """The same for outcomes alone."""
    start_block(block, white, black)
    left, code = 1, 0
    while left and not white.state[STATUS] and not black.state[STATUS]:
        left = solve_code(block, white, black, values, code)
        code += 1
    return int(white.state[STATUS] or black.state[STATUS])


class DistanceMethod:
    """Outcomes and plies, by labels."""

    def searcher(self, side: int, geometry: Geometry, game: Mobility, room: Room) -> Forcer:
        return new_forcer(side, geometry, room, middles=game.forgets)

    def solve_codes(self, worker: Worker[Forcer], values: BlockValues) -> int:
        return solve_distances(worker.block, worker.white, worker.black, values)

    def start(self, block: Block, searcher: Forcer) -> None:
        start_forcer(block, searcher)

    def freeze(self, worker: Worker[Forcer], values: BlockValues, code: int, first: int, end: int) -> int:
        return freeze(worker.block, worker.white, worker.black, values, code, first, end)

    def with_room(self, searcher: Forcer, new: Callable[..., Any], cells: int) -> Forcer:
        return searcher._replace(label=new(cells, np.uint32), history=new(cells, np.uint32))

    def start_goals(self, block: Block, searcher: Forcer, cells: int) -> None:
        start_middles(block, searcher, cells)

    def settle(self, worker: Worker[Forcer], code: int) -> None:
        pass

    def search(self, worker: Worker[Forcer], side: int, values: BlockValues, code: int) -> None:
        search_code(worker.block, worker.white if side == WHITE else worker.black, values, code)


class OutcomeMethod:
    """Outcomes alone, by sets that grow."""

    def searcher(self, side: int, geometry: Geometry, game: Mobility, room: Room) -> Grower:
        return new_grower(side, geometry, room, middles=game.forgets, histories=True)

    def solve_codes(self, worker: Worker[Grower], values: BlockValues) -> int:
        return solve_outcomes(worker.block, worker.white, worker.black, values)

    def start(self, block: Block, searcher: Grower) -> None:
        start_grower(block, searcher)

    def freeze(self, worker: Worker[Grower], values: BlockValues, code: int, first: int, end: int) -> int:
        return freeze_holds(worker.block, worker.white, worker.black, values, code, first, end)

    def with_room(self, searcher: Grower, new: Callable[..., Any], cells: int) -> Grower:
        return searcher._replace(history=new(cells, np.uint32))

    def start_goals(self, block: Block, searcher: Grower, cells: int) -> None:
        start_goals(block, searcher, cells)

    def settle(self, worker: Worker[Grower], code: int) -> None:
        for searcher in (worker.white, worker.black):
            settle(worker.block, searcher, code)

    def search(self, worker: Worker[Grower], side: int, values: BlockValues, code: int) -> None:
        ours, theirs = (worker.white, worker.black) if side == WHITE else (worker.black, worker.white)
        search_outcomes(worker.block, ours, theirs, values, code)
