"""The solver: from rules to values, with no idea of files."""

from tbgen.retro.solver import solve

__all__ = ["solve"]
