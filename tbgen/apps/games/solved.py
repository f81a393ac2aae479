"""What `tbgen solve` has left of positions that no table has."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from tbgen.closures import has_solved_blocks
from tbgen.score import Score

if TYPE_CHECKING:
    from tbgen.closures.bracket import Solution

FindSolved = Callable[[chess.Board, Score], "Solution | None"]
"""What a solve has proved of a position with an accrued score; None if nothing was solved."""


@contextlib.contextmanager
def finding_solved(folders: Sequence[Path]) -> Iterator[FindSolved | None]:
    """Find what was solved, with moves that keep it; None if nothing was solved."""
    if not has_solved_blocks(folders):
        yield None
        return
    from tbgen.closures.solving import PositionSolver

    with PositionSolver(folders) as solver:
        yield partial(solver.solved, line=True)
