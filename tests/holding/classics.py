"""The classics: fortresses, perpetual checks and blockades that are known to hold, and how large their proofs are."""

from __future__ import annotations

from typing import NamedTuple

from tbgen.score import Color


class Classic(NamedTuple):
    """A position that a side holds in ordinary chess."""

    name: str
    fen: str
    side: Color
    men: tuple[str, ...]
    rung: str
    positions: int
    """Of the closed set: positions with a threshold."""


WHITE, BLACK = Color.WHITE, Color.BLACK
QUEENS = "8/8/1k6/1p1p4/1P1P4/8/1K6/8 w - - 0 1"
SHUT = "8/8/1p1k4/1Pp1p1p1/2PpPpPp/3P1P1P/1K6/8 w - - 0 1"
FINE_70 = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 {} - - 0 1"

CLASSICS = [
    Classic("queen's perpetual check", "6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 0 1", WHITE, ("Qh5", "Kg8"), "frame", 4),
    Classic("knight's perpetual check", "5n1k/7p/5PPN/8/8/2q5/r7/6K1 w - - 0 1", WHITE, ("Nh6", "Kh8"), "frame", 4),
    Classic("wild rook", "7k/R7/8/8/8/4p2p/4Pp1P/5K2 w - - 0 1", WHITE, ("Ra7", "Kh8"), "frame", 18),
    Classic("wild rook, king b1", "8/8/8/8/1p1k4/1P6/Pp5R/bK6 w - - 0 1", WHITE, ("Rh2", "Kd4"), "frame", 443),
    Classic("queen stalemates at once", "7k/Q7/8/8/8/4p2p/4Pp1P/5K2 w - - 0 1", WHITE, ("Qa7", "Kh8"), "frame", 2),
    Classic("b4 d4, White", QUEENS, WHITE, ("Kb2", "Kb6"), "frame", 370),
    Classic("b4 d4, Black", QUEENS, BLACK, ("Kb6", "Kb2"), "frame", 352),
    Classic("shut chain, White", SHUT, WHITE, ("Kb2", "Kd6"), "frame", 85),
    Classic("shut chain, Black", SHUT, BLACK, ("Kd6", "Kb2"), "frame", 76),
    Classic(
        "rook shut in", "8/8/8/2k5/p1p1p1p1/PpPpPpPp/1P1P1P1P/2B1K3 w - - 0 1", WHITE, ("Ke1", "Kc5"), "frame", 128
    ),
    Classic("Fine 70, Black", FINE_70.format("b"), BLACK, ("Ka7", "Ka1"), "frame", 165),
    Classic("Fine 70, White", FINE_70.format("w"), WHITE, ("Ka1", "Ka7"), "frame", 123),
    Classic("Fine 70, White, Black to move", FINE_70.format("b"), WHITE, ("Ka1", "Ka7"), "frame", 123),
]
