"""Positions with more men than tables have, each solved from all that it can reach.

`solver` asks one question after another about a position, until its bracket is exact or no other
one fits budget and machine. `policy` has the ways to ask: which promotions are solved, which cuts
large blocks are asked, and which `bounds` replace all other promotions. `plan` finds the next
`closure` that the budget allows: the blocks that moves between `placements` lead to, as far as the
position can `reach` them, with the `costs` that were measured. `closure_solver` solves them, each
after those that it leads to, from values that `children` reads and `promotions` bounds, and puts
them into the `store`. From there `reading` has their values, and `answers` makes the brackets of
the position and of its moves, and a line of moves that keep the value. What a solve has found is
`kept`, and answers other positions of its root's block without a plan.

A node is a placement of a material's pawns, and its block has a cell for each place of the other
men. The root is the node of the position, and the blocks that it needs are a closure. A way says
which promotions are solved, and a question in it which cuts, scores at which a large block is asked
instead of all. A bound stands for a promotion that is not solved, and two bounds give a bracket.
One `costs.Budget` of CPU seconds pays for plans and solves.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

SOLVED: Final = "solved"
"""The folder of solved blocks, in a folder of tables."""

DEFAULT_BUDGET: Final = 1200
"""CPU seconds for a position."""


def folders_with_blocks(folders: Iterable[Path]) -> list[Path]:
    """The folders of tables in which `tbgen solve` has left blocks."""
    return [folder for folder in folders if (folder / SOLVED).is_dir()]
