"""The attacks, with how often the ordinary suite tries each."""

from __future__ import annotations

from tests.attacks import (
    beside,
    blocks,
    files,
    games,
    lines,
    matches,
    requests,
    scripts,
    tables,
)
from tests.attacks.attack import Attack

ATTACKS = (
    Attack("hostile PGN files", 3, games.begin),
    Attack("damaged tables", 12, tables.begin_flips),
    Attack("forged tables", 4, tables.begin_forged),
    Attack("tampered `.blocks`", 6, blocks.begin),
    Attack("tampered matches", 1, matches.begin_states),
    Attack("UCI scripts", 10, scripts.begin),
    Attack("command lines", 50, lines.begin),
    Attack("bad engines", 1, matches.begin_engines),
    Attack("questions over HTTP", 150, requests.begin),
    Attack("disks that are elsewhere", 1, files.begin_remote),
    Attack("solvers side by side", 1, beside.begin_solvers, is_load=True),
    Attack("a build beside a server", 1, beside.begin_builds, is_load=True),
    Attack("full disks", 1, files.begin_disks, needs_root=True),
    Attack("two users", 1, files.begin_users, needs_root=True),
)
"""The last two are left out of the ordinary suite: root can mount small disks and run as somebody
else.
"""
