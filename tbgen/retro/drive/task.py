"""Task: a material on its way from children to table."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tbgen.index.layout import Layout
from tbgen.material import Material
from tbgen.retro.drive.placement import Grant
from tbgen.retro.drive.runs import BlockStore
from tbgen.retro.drive.timing import Progress, Timer
from tbgen.retro.resets.children import Supply
from tbgen.retro.resets.family import Kinship, kinship_of
from tbgen.retro.words.geometry import Geometry, geometry_of
from tbgen.score import Mobility
from tbgen.table import Child


@dataclass(eq=False)
class Task:
    """What is to be solved, from what, to where, and with how many threads."""

    layout: Layout
    children: Mapping[Material, Child]
    store: BlockStore
    threads: int
    pool: Executor
    progress: Progress
    grant: Grant | None = None
    """What a table of one block may take of memory; as much as it needs if nobody says."""
    game: Mobility = Mobility.RESET
    timer: Timer = field(default_factory=Timer)
    sweeps: int = 0
    geometry: Geometry = field(init=False)
    kinship: Kinship = field(init=False)
    pawns: npt.NDArray[np.int64] = field(init=False)
    """[block, pawn] -> square."""

    def __post_init__(self) -> None:
        self.geometry = geometry_of(self.layout)
        self.kinship = kinship_of(self.layout)
        blocks = len(self.layout.blocks)
        self.pawns = np.array(self.layout.blocks, np.int64).reshape(blocks, self.layout.pawns)

    def supply(self) -> Supply:
        """What brings the values of children, and of blocks solved before, to hand."""
        return Supply(self.kinship, self.children, self.pool)

    @property
    def material(self) -> Material:
        return self.layout.material

    @property
    def block_cells(self) -> int:
        """Cells of a block, both sides to move together."""
        return self.layout.block_words * 128
