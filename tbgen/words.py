"""Numbers in words, for whatever speaks to people.

>>> counted(1, "table", "tables"), counted(1200, "game", "games"), in_plies(1)
('1 table', '1,200 games', '1 ply')
"""

from __future__ import annotations


def counted(number: int, one: str, many: str) -> str:
    """A number of things."""
    return f"{number:,} {one if number == 1 else many}"


def in_plies(number: int) -> str:
    """A distance."""
    return counted(number, "ply", "plies")
