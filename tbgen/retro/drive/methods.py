"""Methods: the two ways to solve the accrued codes of a block whose moves are known.

`DISTANCES` finds outcomes and plies by labels (distances/). `OUTCOMES` finds outcomes alone, by sets that grow
(outcomes/). One thread solves a block in one kernel, or two threads solve it step by step, one for each forcer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple

from tbgen.compiled.jit import borrowing
from tbgen.retro.distances.forcer import Forcer, new_forcer, start_forcer, start_middles
from tbgen.retro.distances.one_code import freeze, search_code
from tbgen.retro.outcomes.codes import freeze_holds, prepare_code, search_outcomes, solve_outcomes, start_grower
from tbgen.retro.outcomes.grower import Grower, new_grower
from tbgen.retro.patterns.en_passant import Inquiry
from tbgen.retro.patterns.histories import new_interner
from tbgen.retro.patterns.worker import STATUS, Room, S, Worker, open_words
from tbgen.retro.words.block import Block, BlockValues, new_block, number_cells
from tbgen.retro.words.geometry import BLACK, WHITE, Geometry
from tbgen.retro.words.moves import new_scratch
from tbgen.score import STALEMATE_CODE, Mobility


class Method(NamedTuple, Generic[S]):
    """How accrued codes are solved. Steps are given a side's part before the other's, or White's before Black's."""

    new: Callable[[int, Geometry, Room, bool], S]
    """The arrays of one side's part, with middles or without."""
    solve_codes: Callable[[Inquiry], int]
    """All accrued codes of a block, by one thread; the status is 0 if all is well."""
    start: Callable[[Block, S], None]
    """Begin with a block whose words are open."""
    freeze: Callable[[Block, S, S, BlockValues, int, int, int], int]
    """Freeze the cells of a range of words that have this own code; how many are left undecided."""
    prepare: Callable[[Block, S, int, int], None]
    """Once a code is frozen; after the mates, stalemate's, with how many cells are undecided, else with 0."""
    search: Callable[[Block, S, S, BlockValues, int], None]
    """What one side forces at an accrued code."""
    by_place: tuple[str, ...]
    """The arrays of a side's part that have an item for each undecided cell."""


def new_worker(
    method: Method[S], geometry: Geometry, game: Mobility = Mobility.RESET, room: Room | None = None
) -> Worker[S]:
    """A worker for blocks of this geometry."""
    room = room or Room(geometry.words)
    white, black = (method.new(side, geometry, room, game.forgets) for side in (WHITE, BLACK))
    pairs = new_interner(room.nodes if game.forgets else 1)
    return Worker(new_block(geometry), new_scratch(len(geometry.color)), white, black, pairs)


@borrowing
def solve_distances(inquiry: Inquiry) -> int:
    """All accrued codes of a block whose moves are known, until something goes wrong."""
    block, white, black, values = inquiry.worker.block, inquiry.worker.white, inquiry.worker.black, inquiry.values
    words, left, code = len(block.occupied), 1, 0
    open_words(block, white.forced, black.forced, 0, words)
    start_forcer(block, white)
    start_forcer(block, black)
    while left and not white.state[STATUS] and not black.state[STATUS]:
        left = freeze(block, white, black, values, code, 0, words)
        cells = number_cells(block, 0, words, 0) if code == STALEMATE_CODE else 0
        start_middles(block, white, code, cells)
        start_middles(block, black, code, cells)
        search_code(block, white, black, values, code)
        search_code(block, black, white, values, code)
        code += 1
    return int(white.state[STATUS] or black.state[STATUS])


DISTANCES: Method[Forcer] = Method(
    new_forcer, solve_distances, start_forcer, freeze, start_middles, search_code, ("label", "history")
)
OUTCOMES: Method[Grower] = Method(
    new_grower,
    lambda inquiry: solve_outcomes(inquiry, None),
    start_grower,
    freeze_holds,
    prepare_code,
    search_outcomes,
    ("history",),
)
