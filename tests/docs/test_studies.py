"""The page of pawn studies: its values, and the moves that keep them, are what tbgen says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from tbgen.closures.solver import PositionSolver
from tbgen.probe import Tablebase
from tests.project import ROOT

PAGE = ROOT / "docs" / "studies.md"
MOVE = re.compile(r"\b[KQRBN]?[a-h]?x?[a-h][1-8](?:=[QRBN])?\b")
ALL_MOVES = re.compile(r"\ball (four|five)\b")
NUMBERS = {"four": 4, "five": 5}


def rows() -> Iterator[list[str]]:
    """The rows of the page's tables: the position, its value, its moves."""
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and "`" in cells[0]:
            position, _, value, moves, *_ = cells
            yield [position.split("`")[1], value.split("`")[1], moves]


ROWS = list(rows())


def moves_named(board: chess.Board, words: str) -> set[str]:
    """The moves that a cell of a table names."""
    every = [board.san(move) for move in board.legal_moves]
    is_of_all = ALL_MOVES.search(words)
    if is_of_all:
        assert len(every) == NUMBERS[is_of_all[1]]
        return set(every)
    return set(MOVE.findall(words))


def test_the_page_has_its_positions_in_tables() -> None:
    assert len(ROWS) > 15


@pytest.mark.slow
def test_the_page_says_what_tbgen_says(own_four_men: Path) -> None:
    with PositionSolver(own_four_men) as solver, Tablebase(own_four_men) as tables:
        for position, value, words in ROWS:
            board = chess.Board(f"{position} - - 0 1")
            named = moves_named(board, words)
            if chess.popcount(board.occupied) > 4:
                solution = solver.solve(board)
                assert str(solution.bracket.exact) == value, position
                assert {move.san for move in solution.moves if move.best} == named, position
            else:
                keeping = set[str]()
                for move in tables.probe_moves(board):
                    if str(move.outcome) == value:
                        keeping.add(move.san)
                assert str(tables.probe(board).outcome) == value, position
                assert keeping == named, position
