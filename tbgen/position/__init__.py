"""One position with more men than tables have, solved from all that it can reach.

======================== =========================================================================================
File                     What it knows
======================== =========================================================================================
closure.py               which blocks a position can reach, and which of them need a bound
known.py                 the tables that captures lead to, as the solver asks for them
bounds.py                what a promotion is worth at least and at most where nobody has solved it
blocks.py                one block, solved with lower or upper bounds; the folder of solved blocks
asking.py                what solved blocks, tables and bounds say of a position and its moves
bracket.py               the answer: the least and the greatest that the position is worth
plan.py                  what solving a closure takes
solver.py                the nodes of a closure, one after another
solving.py               plan, refuse, solve, answer
======================== =========================================================================================
"""

from typing import Final

SOLVED: Final = "solved"
"""The folder of solved blocks, in a folder of tables."""
DEFAULT_BUDGET: Final = 1200
"""CPU seconds for a position."""
