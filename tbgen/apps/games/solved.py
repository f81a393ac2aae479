"""Positions that no table has: what a solve has left of them, and the games that end there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import chess

from tbgen.apps.games.decide import Adjudicator, FindSolved
from tbgen.apps.games.read import game_of
from tbgen.apps.games.text import GameText, chunks_of
from tbgen.closures import folders_with_blocks
from tbgen.errors import InputFileError, PgnError
from tbgen.probe import Tablebase
from tbgen.score import Score
from tbgen.system.inputs import read_pieces


@contextlib.contextmanager
def finding_solved(folders: Sequence[Path]) -> Iterator[FindSolved | None]:
    """Find what was solved, with moves that keep it; None if nothing was solved."""
    if not folders_with_blocks(folders):
        yield None
        return
    from tbgen.closures.solver import PositionSolver

    with PositionSolver(folders, reads_only=True) as solver:
        yield partial(solver.solved, line=True)


class GameToSolve(NamedTuple):
    """A game whose last position no table has, and which best play would decide."""

    file: str
    number: int
    white: str
    black: str
    problem: tuple[chess.Board, Score]
    """The last position with the accrued score."""


def games_to_solve(path: str, tables: Tablebase) -> Iterator[GameToSolve | InputFileError | None]:
    """The games of a file that only a solve decides, and the errors in place of unreadable ones.

    Any other game is None. The error of a file that cannot be read to its end comes last.
    """
    adjudicator = Adjudicator(tables)
    for text in _texts_in(path):
        if isinstance(text, InputFileError):
            yield text
            continue
        game = game_of(text, path, adjudicator.rules)
        if isinstance(game, PgnError):
            yield game
        elif adjudicator.decide_read(game).is_solvable:
            names = (game.tags.get("White", "?"), game.tags.get("Black", "?"))
            problem = (game.position(), game.last.accrued)
            yield GameToSolve(path, game.number, *names, problem)
        else:
            yield None


def _texts_in(path: str) -> Iterator[GameText | InputFileError]:
    """The texts of a file's games, and then the error that kept it from being read to its end."""
    try:
        for chunk in chunks_of(read_pieces(path), path):
            yield from chunk.games
    except InputFileError as error:
        yield error
