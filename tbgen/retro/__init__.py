"""The solver: from rules to values, with no idea of files."""

from tbgen.retro.drive.memory import memory_needed
from tbgen.retro.drive.runs import BlockStore, MemoryStore, Solved
from tbgen.retro.drive.solver import needs_compiling, solve, solve_into

__all__ = [
    "BlockStore",
    "MemoryStore",
    "Solved",
    "memory_needed",
    "needs_compiling",
    "solve",
    "solve_into",
]
