"""Positions with more men than tables have, each solved from all that it can reach.

The files, from the question to the answer:

* `nodes`: the placements of pawns that a position can reach.
* `cuts`: bounds, and what a bit a cell says of a value.
* `ways`: how much of what a position reaches is solved, the quickest way first.
* `policy`: which cuts are asked next.
* `costs`: what a block takes.
* `closure`: the blocks of a position in one way, each after those that it leads to.
* `folder`: solved blocks in files.
* `promotions`: bounds of promotions that are not solved, and the theorem behind them.
* `blocks`: solving blocks, and reading their values.
* `answers`: brackets of positions and of their moves.
* `solving`: the solver that users call.
"""

from typing import Final

SOLVED: Final = "solved"
"""The folder of solved blocks, in a folder of tables."""

DEFAULT_BUDGET: Final = 1200
"""CPU seconds for a position."""
