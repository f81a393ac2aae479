from __future__ import annotations

import contextlib

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.errors import AccruedError, FenError, IllegalPositionError, InputError
from tbgen.rules.fen import format_fen, parse_fen, with_score
from tbgen.rules.position import accrued_of, own_score
from tbgen.score import Mobility, Score
from tests.strategies import boards, scores

AFTER_RESET = "rnbqkbnr/pp2pppp/3p4/2p5/2P1P3/5N2/PP1P1PPP/RNBQKB1R b KQkq - 0 3"
QUIET = "rnbqkbnr/1p2pppp/p2p4/2p5/2P1P3/2N2N2/PP1P1PPP/R1BQKB1R b KQkq - 1 4"


def test_the_seventh_field_carries_the_accrued_score() -> None:
    board, accrued = parse_fen(f"{QUIET} -G26.5")
    assert (str(own_score(board)), str(accrued)) == ("G27.5", "-G26.5")
    assert format_fen(board, accrued) == f"{QUIET} -G26.5"


@pytest.mark.parametrize("field", ["G28.5", "-G3.5", "G0.0"])
def test_right_after_a_reset_the_field_is_redundant(field: str) -> None:
    board, accrued = parse_fen(f"{AFTER_RESET} {field}")
    assert str(accrued) == str(own_score(board)) == "G28.5"


def test_on_a_tie_the_holder_named_by_the_field_keeps_the_score() -> None:
    assert str(parse_fen("8/8/4k3/5q2/6K1/8/8/8 w - - 9 40 G2.0")[1]) == "G2.0"


@pytest.mark.parametrize("field", ["G0.0", "-G0.5"])
def test_a_game_does_not_go_on_after_mate_or_stalemate(field: str) -> None:
    with pytest.raises(AccruedError, match="would have ended"):
        parse_fen(f"{QUIET} {field}")


@pytest.mark.parametrize("fen", ["8/8/8/4KBk1/8/8/8/8 b", "8/8/8/4KBk1/8/8/8/8 b - -", " 8/8/8/4KBk1/8/8/8/8  b "])
def test_fields_at_the_end_may_be_left_out(fen: str) -> None:
    assert parse_fen(fen)[0].fen() == "8/8/8/4KBk1/8/8/8/8 b - - 0 1"


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("", "it is empty"),
        ("  ", "it is empty"),
        ("hello", "rows"),
        ("8/8/8/8/8/8/8 w - - 0 1", "8 rows"),
        ("9/8/8/8/8/8/8/8 w - - 0 1", "invalid character"),
        ("8/8/8/4KBk1/8/8/8/8 x - - 0 1", "turn"),
        ("8/8/8/4KBk1/8/8/8/8 b Z - 0 1", "castling"),
        ("8/8/8/4KBk1/8/8/8/8 b - e9 0 1", "en passant"),
        ("8/8/8/4KBk1/8/8/8/8 b - - -1 1", "halfmove clock '-1'"),
        ("8/8/8/4KBk1/8/8/8/8 b - - 1_0 1", "halfmove clock '1_0'"),
        ("8/8/8/4KBk1/8/8/8/8 b - - 0 G2.5", "move number 'G2.5'"),
        ("8/8/8/4KBk1/8/8/8/8 b - - 0 1 G2.5 more", "more than seven"),
    ],
)
def test_what_is_no_fen_is_refused_with_a_reason(fen: str, reason: str) -> None:
    with pytest.raises(FenError, match=reason) as caught:
        parse_fen(fen)
    assert caught.value.fen == fen


@pytest.mark.parametrize(
    ("fen", "rule"),
    [
        ("8/8/8/8/8/8/8/8 w", "the board is empty"),
        ("8/8/8/4k3/8/8/8/8 w", "White has no king"),
        ("8/8/8/4K3/8/8/8/8 w", "Black has no king"),
        ("8/8/8/K3K1k1/8/8/8/8 w", "exactly one king"),
        ("8/8/8/4Kk2/8/8/8/8 w", "kings stand next to each other"),
        ("8/8/4k3/5q2/6K1/8/8/8 b", "White is in check but Black is to move"),
        ("P7/8/8/4K1k1/8/8/8/8 w", "no pawn stands on the first or last rank"),
        ("8/8/8/4K1k1/P7/P7/PPPPPPP1/8 w", "White has at most 8 pawns"),
        ("8/ppppppp1/p7/p3K1k1/8/8/8/8 w", "Black has at most 8 pawns"),
        ("QQQQQQQQ/QQQQQQQQ/8/8/8/8/8/K1k5 b", "White has at most 16 men"),
        ("8/8/8/8/8/4k3/8/4K3 w K - 0 1", "castling rights need king and rook"),
        ("8/8/8/4K1k1/8/8/8/8 w - e6 0 1", "en passant square"),
    ],
)
def test_an_illegal_position_is_refused_with_the_rule_it_breaks(fen: str, rule: str) -> None:
    with pytest.raises(IllegalPositionError, match=rule) as caught:
        parse_fen(fen)
    assert caught.value.rule in str(caught.value)


def test_a_position_no_game_reaches_is_legal_where_tables_hold_it() -> None:
    board, _ = parse_fen("8/8/8/k2R4/8/2B5/8/4K2R b")
    assert board.is_check()
    parse_fen("k7/8/2B5/8/4B3/8/8/4K3 b")


@given(boards())
def test_what_is_printed_is_read_back(played: chess.Board) -> None:
    board, accrued = parse_fen(format_fen(played, accrued_of(played)))
    assert board.fen() == played.fen()
    assert accrued == accrued_of(played)


@given(st.text(max_size=40) | st.text("8/KkPpQwb-01 Gg.5", max_size=60))
def test_any_text_is_a_fen_or_a_clean_error(text: str) -> None:
    with contextlib.suppress(InputError):
        parse_fen(text)


@given(boards(20), scores)
def test_a_score_read_is_never_worse_than_the_positions_own(played: chess.Board, score: object) -> None:
    try:
        board, accrued = parse_fen(f"{played.fen()} {score}")
    except AccruedError:
        return
    assert accrued is not None
    assert accrued.code <= own_score(board).code


def test_under_whole_game_mobility_a_score_counts_right_after_a_reset() -> None:
    fen = "8/8/4K3/5Bk1/8/8/8/8 w - - 0 30 G4.0"
    assert str(parse_fen(fen, game=Mobility.WHOLE_GAME)[1]) == "G4.0"
    assert str(parse_fen(fen)[1]) == str(own_score(chess.Board(fen.removesuffix(" G4.0"))))


@pytest.mark.parametrize(("clock", "expected"), [(0, 1), (1, 1), (33, 33)])
def test_a_score_carried_into_a_position_keeps_its_clock_but_needs_one_above_zero(clock: int, expected: int) -> None:
    board, accrued = with_score(chess.Board(f"8/8/4K3/5Bk1/8/8/8/8 w - - {clock} 30"), Score("G4.0"))
    assert (board.halfmove_clock, str(accrued)) == (expected, "G4.0")
