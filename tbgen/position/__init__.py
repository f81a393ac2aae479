"""One position with more men than tables have, solved from all that it can reach."""

from typing import Final

SOLVED: Final = "solved"
"""The folder of solved blocks, in a folder of tables."""
DEFAULT_BUDGET: Final = 1200
"""CPU seconds for a position."""
