"""The final score of a game by a script that knows only python-chess and the public probe."""

from __future__ import annotations

import io

import chess.pgn

import tbgen
from tests.reference.scores import code_of, end_of


def final_scores(text: str, tables: tbgen.Tablebase) -> list[tuple[str, str, int | None]]:
    """Final score, source and plies to go of every game of a text."""
    file = io.StringIO(text)
    found = []
    while (game := chess.pgn.read_game(file)) is not None:
        assert not game.errors
        found.append(final_score(game, tables))
    return found


def final_score(game: chess.pgn.Game, tables: tbgen.Tablebase) -> tuple[str, str, int | None]:
    """The same of a game, which is continued by best play unless it is over."""
    board = game.board()
    result = game.headers["Result"]
    accrued, ends = end_of(board, game.mainline_moves(), game.headers.get("RMobilityAccrued", ""))
    if result in ("1-0", "0-1") and code_of(board) > 1:
        return ("G0.0" if result == "1-0" else "-G0.0"), "result", None
    answer = (
        None
        if ends[-1] or code_of(board) <= 1
        else tables.get(board.copy(stack=False), tbgen.Score(accrued))
    )
    return (
        (accrued, "game", None)
        if answer is None
        else (str(answer.outcome), "tablebase", answer.dtg)
    )
