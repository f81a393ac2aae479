"""Positions with more men than tables have, each solved from all that it can reach.

A bracket comes about in these steps, each in the file of its name:

1. `nodes` finds the node of a position: its placement of pawns, and the cells that are asked.
2. `ways` lists which promotions are solved, the quickest way first.
3. `policy` chooses the next question: a few cuts, and the bound that replaces the value of
   unsolved promotions.
4. `closure` lists the blocks that this question takes, and adds up their `costs`. `moves` lists
   what leads from block to block. `reach` leaves out what the kings never reach, and what the
   promoting side does not need.
5. `schedule` solves each block after those that it leads to: small ones as `tables`, large ones one
   by one (`blocks`). `children` brings to hand what a block leads to, `promotions` bounds what is
   not solved, `cuts` turns a bit a cell into bounds, and `folder` keeps the results.
6. `answers` reads the bracket of the position and of its moves, and narrows the answer so far.

`planning` lists the ways that a budget allows, and adds up what the games of an archive take.
`solving` has the solver that users call. It repeats the steps from 3 on until a way has nothing
left to ask. Then it takes the next way, while the budget lasts. `pace` tells how far it is, and
stops a solve that takes far longer than planned. `bracket` has the answer itself, and `line` finds
moves that keep its value.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

SOLVED: Final = "solved"
"""The folder of solved blocks, in a folder of tables."""

DEFAULT_BUDGET: Final = 1200
"""CPU seconds for a position."""

OVERRUN: Final = 2.0
"""A command stops a solve that takes so many times the CPU seconds that it was expected to take."""


def has_solved_blocks(folders: Iterable[Path]) -> bool:
    """Whether `tbgen solve` has left blocks in any of some folders of tables."""
    return any((folder / SOLVED).is_dir() for folder in folders)
