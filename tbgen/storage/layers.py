"""Layers: the files that a table consists of."""

from __future__ import annotations

import enum


class Layer(enum.Enum):
    """A file of a table; a table is there if its outcomes are."""

    OUTCOMES = "outcomes"
    """What every position is worth with every accrued score."""
    DISTANCES = "distances"
    """How far away that is; of no use without the outcomes."""

    @property
    def suffix(self) -> str:
        """What follows the material in the file's name."""
        return ".h5" if self is Layer.OUTCOMES else ".dtg.h5"
