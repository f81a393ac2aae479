"""Positions with more men than tables have, each solved from all that it can reach.

`solving` has the solver that users call. Its loop `PositionSolver._ask_in_way` makes a bracket, in
these steps:

1. `nodes` finds the root: the placement of the position's pawns, and the cells that are asked.
2. `ways` lists which promotions are solved, the quickest way first. `planning` chooses the ways
   that budget and machine allow, by the `costs` of their blocks.
3. `policy` chooses the next question of a way: a few `cuts`, and the bound that replaces the values
   of unsolved promotions.
4. `closure` lists the blocks that this question takes, each as `planned` has it. `moves` lists what
   leads from placement to placement. `reach` leaves out what the kings never reach, what the
   promoting side does not need, and bishops on squares of the other colour (`shades`).
5. `schedule` solves each block after those that it leads to: small ones in `groups`, large ones one
   by one (`blocks`). `children` reads the values that a block leads to, and `promotions` bounds
   those that are not solved. `blocks` reads and keeps values, in the files of `folder`.
6. `answers` reads the bracket of the position and of its moves, and narrows the answer so far.

The loop repeats the steps from 3 on until a way has nothing left to ask. Then the solver takes the
next way, while the budget lasts and the bracket is not exact.

`bracket` has the answer itself, and `line` finds moves that keep its value. `pace` tells how far a
solve is.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

SOLVED: Final = "solved"
"""The folder of solved blocks, in a folder of tables."""

DEFAULT_BUDGET: Final = 1200
"""CPU seconds for a position."""


def has_solved_blocks(folders: Iterable[Path]) -> bool:
    """Whether `tbgen solve` has left blocks in any of some folders of tables."""
    return any((folder / SOLVED).is_dir() for folder in folders)
