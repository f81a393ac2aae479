"""The solver: from rules to values, with no idea of files."""

from tbgen.retro.memory import memory_needed
from tbgen.retro.runs import BlockStore, MemoryStore, Solved
from tbgen.retro.solver import needs_compiling, solve, solve_into

__all__ = [
    "BlockStore",
    "MemoryStore",
    "Solved",
    "memory_needed",
    "needs_compiling",
    "solve",
    "solve_into",
]
