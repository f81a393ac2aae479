"""Worker: all arrays that one thread needs to solve blocks; a table of one block has one, which its threads share."""

from __future__ import annotations

from typing import NamedTuple

from tbgen.compiled.jit import by_address
from tbgen.retro.levels.forcer import Forcer, new_forcer
from tbgen.retro.levels.histories import Interner, new_interner
from tbgen.retro.words.block import Block, new_block
from tbgen.retro.words.geometry import BLACK, WHITE, Geometry
from tbgen.retro.words.movelist import Scratch, new_scratch
from tbgen.score import Mobility

MOST_NODES = 1 << 26
"""Histories of one run; memory for them is touched as they come."""


@by_address
class Worker(NamedTuple):
    """A thread's own arrays."""

    block: Block
    scratch: Scratch
    white: Forcer
    black: Forcer
    pairs: Interner
    """Pairs of histories, White's as the forcer and Black's, that a cell has."""


def new_worker(geometry: Geometry, game: Mobility = Mobility.RESET) -> Worker:
    """A worker for blocks of this geometry."""
    middles = game.forgets
    return Worker(
        block=new_block(geometry),
        scratch=new_scratch(len(geometry.role)),
        white=new_forcer(WHITE, geometry, MOST_NODES, middles=middles),
        black=new_forcer(BLACK, geometry, MOST_NODES, middles=middles),
        pairs=new_interner(MOST_NODES if middles else 1),
    )
