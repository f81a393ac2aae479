"""Methods: the ways to solve the accrued codes of a block whose moves are known.

`DISTANCES` finds outcomes and plies by labels (distances/). `OUTCOMES` finds outcomes alone, by
sets that grow (outcomes/). `ENTRY_VALUES` does the same and keeps no histories, so nobody can tell
later what accrued scores are worth. One thread solves a block in one kernel, or two threads solve
it step by step, one for each forcer.
"""

from collections.abc import Callable
from typing import Any, Generic, NamedTuple

from tbgen.compiled.jit import borrowing, inlined
from tbgen.retro.cells.members import open_words
from tbgen.retro.cells.worker import HISTORIES, JOURNAL, NO_BREAKS, STATUS, Room, S, Worker
from tbgen.retro.distances.forcer import Forcer, new_forcer, start_forcer, start_middles
from tbgen.retro.distances.one_code import freeze, search_code
from tbgen.retro.outcomes.codes import freeze_holds, prepare_code, search_outcomes, start_grower
from tbgen.retro.outcomes.en_passant import Inquiry
from tbgen.retro.outcomes.grower import Grower, new_grower
from tbgen.retro.outcomes.rights import find_rights
from tbgen.retro.patterns.histories import new_interner
from tbgen.retro.words.block import Block, BlockValues, new_block, number_cells
from tbgen.retro.words.geometry import BLACK, WHITE, Geometry
from tbgen.retro.words.moves import new_scratch
from tbgen.score import STALEMATE_CODE, Mobility


class Method(NamedTuple, Generic[S]):
    """How accrued codes are solved.

    Steps are given a side's part before the other's, or White's before Black's.
    """

    new: Callable[[int, Geometry, Room, int], S]
    """The arrays of one side's part, for a mode."""
    solve_codes: Callable[[Inquiry], int]
    """All accrued codes of a block whose moves are known, by one thread; returns the status."""
    start: Callable[[Block, S], None]
    """Begin with a block whose words are open."""
    freeze: Callable[[Block, S, S, BlockValues, int, int, int], int]
    """Freeze the cells of a range of words that have this own code; how many are left undecided."""
    prepare: Callable[[Block, S, int, int], None]
    """Once a code is frozen; after the mates, with how many cells are undecided, else with 0."""
    search: Callable[[Block, S, S, BlockValues, int], None]
    """What one side forces at an accrued code."""
    plies: bool
    """Whether it counts them, and reads the distances of children."""
    by_number: tuple[str, ...]
    """The arrays of a side's part that have an item for each undecided cell."""
    keeps_histories: bool = True
    """Whether cells have histories, which tell later what accrued scores are worth."""

    def mode(self, mobility: Mobility) -> int:
        """The mode in which blocks are solved."""
        if not mobility.forgets:
            return NO_BREAKS
        return HISTORIES if self.keeps_histories else JOURNAL


# With the block before both sides, freed memory between them stays with the process: 130 MB of the
# peak of KRBvKN.
def new_worker(method: Method[S], geometry: Geometry, mobility: Mobility, room: Room) -> Worker[S]:
    mode = method.mode(mobility)
    white = method.new(WHITE, geometry, room, mode)
    black = method.new(BLACK, geometry, room, mode)
    pairs = new_interner(room.nodes if mode == HISTORIES else 1)
    block = new_block(geometry)
    return Worker(block, new_scratch(len(geometry.color)), white, black, pairs)


MethodStep = Callable[..., Any]
"""A kernel for one of the steps in `Method`."""


@inlined
def solve_codes(
    start: MethodStep,
    freeze: MethodStep,
    prepare: MethodStep,
    search: MethodStep,
    find_rights: MethodStep,
    inquiry: Inquiry,
) -> int:
    """The steps of a method, code by code, until all is decided or something has gone wrong.

    Returns the status.
    """
    block = inquiry.worker.block
    white = inquiry.worker.white
    black = inquiry.worker.black
    values = inquiry.values
    words = len(block.occupied)
    open_words(block, white.forced, black.forced, 0, words)
    start(block, white)
    start(block, black)
    left = 1
    code = 0
    while left and not white.state[STATUS] and not black.state[STATUS]:
        left = freeze(block, white, black, values, code, 0, words)
        cells = 0
        if code == STALEMATE_CODE and white.mode == HISTORIES:
            cells = number_cells(block, 0, words, 0)
        prepare(block, white, code, cells)
        prepare(block, black, code, cells)
        search(block, white, black, values, code)
        search(block, black, white, values, code)
        code += 1
        find_rights(inquiry, code, False)
    find_rights(inquiry, code, True)
    return int(white.state[STATUS] or black.state[STATUS] or inquiry.worker.scratch.status[0])


@inlined
def find_later(_inquiry: Inquiry, _code: int, _is_over: bool) -> None:
    """Find no rights on the way: histories tell their values afterwards."""


@borrowing
def solve_distances(inquiry: Inquiry) -> int:
    """Outcomes and distances of a block."""
    return solve_codes(start_forcer, freeze, start_middles, search_code, find_later, inquiry)


@borrowing
def solve_outcomes(inquiry: Inquiry) -> int:
    """Outcomes alone."""
    return solve_codes(
        start_grower, freeze_holds, prepare_code, search_outcomes, find_later, inquiry
    )


@borrowing
def solve_entry_values(inquiry: Inquiry) -> int:
    """Outcomes alone, without histories."""
    return solve_codes(
        start_grower, freeze_holds, prepare_code, search_outcomes, find_rights, inquiry
    )


DISTANCES: Method[Forcer] = Method(
    new=new_forcer,
    solve_codes=solve_distances,
    start=start_forcer,
    freeze=freeze,
    prepare=start_middles,
    search=search_code,
    plies=True,
    by_number=("label", "history"),
)
OUTCOMES: Method[Grower] = Method(
    new=new_grower,
    solve_codes=solve_outcomes,
    start=start_grower,
    freeze=freeze_holds,
    prepare=prepare_code,
    search=search_outcomes,
    plies=False,
    by_number=("history",),
)
ENTRY_VALUES: Method[Grower] = OUTCOMES._replace(
    solve_codes=solve_entry_values, keeps_histories=False
)
