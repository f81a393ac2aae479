from __future__ import annotations

import pytest

from tbgen.apps.games.annotate import pgn_of
from tbgen.probe import Tablebase
from tbgen.rules.notation import parse_fen
from tbgen.rules.points import Scoring
from tests.apps.games.plain import only_game, their_game

FENS = [
    "8/8/8/4KBk1/8/8/8/8 b - - 0 1",
    "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0",
    "8/8/8/2K3k1/8/8/8/8 w - - 0 1",
    "8/8/8/2kNK3/8/8/8/8 b - - 0 1",
    "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1",
    "8/8/8/4kq2/8/8/8/4K3 b - - 7 12",
    "8/2k5/8/8/3K4/8/8/7R w - - 4 80 -G3.5",
    "8/2k5/8/8/3K4/8/8/7R b - - 4 80 G5.0",
    "5k2/5Q2/5K2/8/8/8/8/8 b - - 0 1",
]


@pytest.mark.parametrize("fen", FENS)
def test_python_chess_and_tbgen_read_a_line_back_with_the_same_moves_and_scores(
    tables: Tablebase, fen: str
) -> None:
    board, accrued = parse_fen(fen)
    answer = tables.probe(board, accrued)
    steps = tables.line(board, accrued)
    text = pgn_of(board, answer, steps, Scoring())
    theirs = their_game(text)
    assert list(theirs.mainline_moves()) == [step.move for step in steps]
    assert theirs.board().board_fen() == fen.split()[0]
    ours = only_game(text)
    assert list(ours.tags)[:7] == ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
    assert len(ours.tags["FEN"].split()) == 6
    assert [ply.accrued for ply in ours.replayed.plies] == [
        answer.accrued,
        *(step.accrued for step in steps),
    ]
    assert str(ours.final) == str(answer.outcome) == ours.tags["RMobilityResult"]
    assert [
        warning for warning in ours.warnings if not warning.startswith("the game was over")
    ] == []


def test_a_line_that_is_cut_short_claims_no_result(tables: Tablebase) -> None:
    board, accrued = parse_fen(FENS[1])
    steps = tables.line(board, accrued, max_plies=2)
    text = pgn_of(board, tables.probe(board, accrued), steps, Scoring())
    assert '[Result "*"]' in text
    assert "RMobilityResult" not in text
    assert text.endswith(" *")
