from __future__ import annotations

import chess
import pytest
from hypothesis import given

from tbgen.errors import UsageError
from tbgen.rules.notation import parse_fen
from tbgen.rules.position import is_reset, own_score, play_move
from tbgen.score import Color, code_of
from tests.strategies import boards

OWN_SCORES = [
    ("5k2/5Q2/5K2/8/8/8/8/8 b", "G0.0"),
    ("8/8/8/8/8/5k2/5p2/5K2 w", "-G0.5"),
    ("8/8/7k/5B2/6K1/8/8/8 b", "G1.5"),
    ("8/8/4k3/5q2/6K1/8/8/8 w", "-G2.0"),
    ("4k3/4P3/4K3/8/8/8/8/8 b", "G0.5"),
    (chess.STARTING_FEN, "-G20.5"),
    ("rnbqkbnr/pp2pppp/3p4/2p5/2P1P3/5N2/PP1P1PPP/RNBQKB1R b KQkq - 0 3", "G28.5"),
    ("rnbqkbnr/1p2pppp/p2p4/2p5/2P1P3/2N2N2/PP1P1PPP/R1BQKB1R b KQkq - 1 4", "G27.5"),
]


@pytest.mark.parametrize(("fen", "score"), OWN_SCORES)
def test_published_positions_have_their_own_score(fen: str, score: str) -> None:
    assert str(own_score(parse_fen(fen)[0])) == score


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("8/1P6/8/8/8/8/1K4k1/8 w", 8 + 4),
        ("r1r5/1P6/8/8/8/8/1K4k1/8 w", 2 + 12),
        ("8/8/8/8/1pP5/8/8/1K4k1 b - c3 0 1", 5 + 2),
        ("8/8/8/8/1pP5/8/8/1K4k1 b - - 0 1", 5 + 1),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", 10 + 9 + 5 + 2),
    ],
    ids=["promotion", "promotion with capture", "en passant", "no en passant right", "castling"],
)
def test_plain_legal_moves_are_counted(fen: str, moves: int) -> None:
    board, _ = parse_fen(fen)
    assert board.legal_moves.count() == moves
    assert own_score(board).moves == moves


@given(boards())
def test_the_side_that_has_just_moved_holds(board: chess.Board) -> None:
    score = own_score(board)
    assert score.holder is Color.of(board.turn).other
    assert score.code == code_of(len(list(board.legal_moves)), in_check=board.is_check())
    assert score.is_mate == board.is_checkmate()
    assert score.is_stalemate == board.is_stalemate()


@given(boards())
def test_captures_and_pawn_moves_are_resets(board: chess.Board) -> None:
    for move in board.legal_moves:
        moved = board.piece_type_at(move.from_square)
        assert is_reset(board, move) == (moved == chess.PAWN or board.is_capture(move))


def test_a_move_with_a_wrong_score_leaves_the_board_as_it_was() -> None:
    board = chess.Board()
    with pytest.raises(UsageError, match="accrued must be"):
        play_move(board, chess.Move.from_uci("e2e4"), 3.5)  # type: ignore[arg-type]
    assert board == chess.Board()
    assert str(play_move(board, chess.Move.from_uci("e2e4"), "G4").accrued) == "G20.5"
