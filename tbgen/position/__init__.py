"""One position with more men than tables have, solved from all that it can reach.

======================== =========================================================================================
File                     What it knows
======================== =========================================================================================
closure.py               which blocks a position can reach, which of them need a bound, and what solving them takes
known.py                 the tables that captures lead to, as the solver asks for them
bounds.py                the least and the most that an unsolved promotion can be worth
classes.py               which positions of a block with one pawn a side mates in, sixty-four at a time
mates.py                 these classes for promoted material, in files
folder.py                the folder of solved blocks
blocks.py                the blocks of a closure, solved one after another with lower or upper bounds
asking.py                what solved blocks, tables and bounds say of a position and its moves
bracket.py               the answer: the least and the greatest that the position is worth
solving.py               plan, refuse, solve, answer
======================== =========================================================================================
"""

from typing import Final

SOLVED: Final = "solved"
"""The folder of solved blocks, in a folder of tables."""
CLASSES: Final = "classes"
"""The folder of classes of mates there."""
DEFAULT_BUDGET: Final = 1200
"""CPU seconds for a position."""
