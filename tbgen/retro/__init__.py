"""The solver: from rules to values, with no idea of files."""

from tbgen.retro.memory import memory_needed
from tbgen.retro.solver import solve

__all__ = ["memory_needed", "solve"]
