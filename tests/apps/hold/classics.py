"""The classics: fortresses, perpetual checks and blockades that are known to hold, and how large their proofs are.

The positions are those of tests/golden/holds.csv; the sizes of the proofs are our own figures.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

from tbgen.score import Color

GOLDEN = Path(__file__).parent.parent.parent / "golden" / "holds.csv"


class Classic(NamedTuple):
    """A position that a side holds in ordinary chess."""

    name: str
    fen: str
    side: Color
    men: tuple[str, ...]
    rung: str
    positions: int
    """Of the closed set: positions with a threshold."""


SIZES: dict[str, tuple[tuple[str, ...], str, int]] = {
    "queen's perpetual check": (("Qh5", "Kg8"), "frame", 4),
    "knight's perpetual check": (("Nh6", "Kh8"), "frame", 4),
    "wild rook": (("Ra7", "Kh8"), "frame", 18),
    "wild rook, king b1": (("Rh2", "Kd4"), "frame", 443),
    "wild queen": (("Qa7", "Kh8"), "frame", 2),
    "b4 d4, White": (("Kb2", "Kb6"), "frame", 370),
    "b4 d4, Black": (("Kb6", "Kb2"), "frame", 352),
    "shut chain, White": (("Kb2", "Kd6"), "frame", 85),
    "shut chain, Black": (("Kd6", "Kb2"), "frame", 76),
    "rook shut in": (("Ke1", "Kc5"), "frame", 128),
    "Fine 70, Black": (("Ka7", "Ka1"), "frame", 165),
    "Fine 70, White": (("Ka1", "Ka7"), "frame", 123),
    "Fine 70, White, Black to move": (("Ka1", "Ka7"), "frame", 123),
    "Penrose's fortress": (("Ke2",), "one man", 16781),
}

ALL = [
    Classic(row["name"], row["fen"], Color[row["side"].upper()], *SIZES[row["name"]])
    for row in csv.DictReader(GOLDEN.read_text(encoding="utf-8").splitlines())
]
PENROSE = ALL[-1]
CLASSICS = ALL[:-1]
"""Those that two men hold."""
SHUT = next(each.fen for each in CLASSICS if each.name == "shut chain, White")
FINE_70 = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 {} - - 0 1"
