"""The attacks, with the counts of the first one."""

from __future__ import annotations

from tests.attacks import blocks, files, games, matches, positions, tables
from tests.attacks.attack import Attack

ATTACKS = (
    Attack("hostile PGN files", 67, 6, games.begin),
    Attack("FENs", 150_000, 2000, positions.begin),
    Attack("damaged tables", 500, 20, tables.begin_flips),
    Attack("forged tables", 126, 8, tables.begin_forged),
    Attack("tampered `.blocks`", 217, 6, blocks.begin),
    Attack("tampered matches", 120, 1, matches.begin_states),
    Attack("bad engines", 40, 1, matches.begin_engines),
    Attack("full disks", 30, 0, files.begin_disks),
    Attack("two users", 30, 0, files.begin_users),
)
"""The last two need the rights of root. scripts/kills_everywhere.py kills commands."""
