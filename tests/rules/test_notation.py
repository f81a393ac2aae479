"""Positions and moves as they are written: one parser for all commands."""

from __future__ import annotations

import contextlib
import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.errors import (
    AccruedError,
    FenError,
    IllegalPositionError,
    InputError,
    MoveError,
    UsageError,
)
from tbgen.rules.game import Game
from tbgen.rules.notation import (
    fen_and_moves,
    format_fen,
    moves_in,
    parse_fen,
    parse_move,
    position_of,
    san_of,
    with_score,
)
from tbgen.rules.position import accrued_of, board_after, own_score
from tbgen.rules.variants import variant_board
from tbgen.score import Mobility, Score
from tests.positions import BISHOP
from tests.reference.pgn import movetexts
from tests.strategies import boards, scores

PROMOTION = "3r1k2/4P3/8/8/8/8/8/4K3 w - - 0 1"


@pytest.mark.parametrize(
    "text",
    [
        "e4 e5 Nf3 Nc6",
        "1. e4 e5 2. Nf3 Nc6",
        "1.e4 e5 2.Nf3 Nc6 *",
        "1. e4 1... e5 2. Nf3 2... Nc6 1/2-1/2",
        "1.e4! e5?! $14 2.Nf3!! {the best,\nthey say} Nc6 += 1-0",
        "e4,e5,Nf3,Nc6",
        "\n e4\te5\r\n Nf3  Nc6 \n",
    ],
)
def test_a_text_of_moves_may_have_numbers_signs_comments_and_a_result(text: str) -> None:
    assert moves_in(text) == ["e4", "e5", "Nf3", "Nc6"]
    assert moves_in(text.split("\t")) == ["e4", "e5", "Nf3", "Nc6"]
    assert [
        move for game in movetexts([text.replace(",", " ")]) for move in game.moves
    ] == moves_in(text)


def test_a_result_in_a_line_that_is_to_be_played_is_refused() -> None:
    game = Game()
    for text in ("1. e4 e5 1-0", "e4 1/2-1/2", "½-½ e4"):
        with pytest.raises(UsageError, match="is a result and no move"):
            game.push_line(text)
        with pytest.raises(UsageError, match="is a result and no move"):
            position_of(chess.STARTING_FEN, text.split())
    assert game.last.number == 0
    assert [ply.san for ply in game.push_line("1. e4 e5 {0-1 on time} *")] == ["e4", "e5"]


def test_a_null_move_is_not_skipped() -> None:
    assert moves_in("-- Z0 @@@@") == ["--", "Z0", "@@@@"]


TWO_ROOKS = "4k3/8/8/8/8/8/4K3/R6R w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "texts", "fault"),
    [
        (chess.STARTING_FEN, "-- Z0 @@@@ 0000", "illegal move"),
        (PROMOTION, "e8 e7e8 exd8 e8=K e8=P", "illegal move"),  # a promotion names a man
        (TWO_ROOKS, "Rd1", "ambiguous move"),
    ],
)
def test_what_is_no_move_or_fits_two_is_refused(fen: str, texts: str, fault: str) -> None:
    for text in texts.split():
        with pytest.raises(MoveError, match=f"^ply 7: {fault} '{text}'"):
            parse_move(chess.Board(fen), text, 7)


@pytest.mark.parametrize(
    ("fen", "move", "texts"),
    [
        (
            "8/4P3/8/k7/8/8/8/4K3 w - - 0 1",
            "e7e8q",
            "e8=Q e8Q e8q e8=q e8(Q) e8/Q e8=(Q) e7e8q e7-e8=Q e8=Q+ e8Q!? e8=♕",
        ),
        ("5k2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O 0-0 o-o O–O 0-0+ O-O! e1g1 e1-g1"),
        ("5k2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "O-O-O 0-0-0# o-o-o e1c1"),
        ("1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1", "e1b1", "O-O-O 0-0-0 e1b1"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6 exd6e.p. exd6ep e5d6 e5xd6"),
        (chess.STARTING_FEN, "g1f3", "Nf3 ♘f3"),
        (chess.STARTING_FEN, "e2e4", "e4 ♙e4"),
        (TWO_ROOKS, "a1d1", "Rad1"),
    ],
    ids=[
        "promotion",
        "castling",
        "long castling",
        "castling of chess960",
        "en passant",
        "knight",
        "pawn",
        "rooks",
    ],
)
def test_every_spelling_of_a_move_is_read(fen: str, move: str, texts: str) -> None:
    board = chess.Board(fen, chess960="Bb" in fen)
    for text in texts.split():
        assert parse_move(board, text).uci() == move, text


@given(st.integers(0, 2**32))
def test_every_legal_move_is_read_back_in_both_notations(seed: int) -> None:
    draw = random.Random(seed)
    board = chess.Board()
    for _ in range(draw.randrange(80)):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = draw.choice(moves)
        for text in (
            board.san(move),
            board.uci(move),
            board.lan(move),
            f"{board.fullmove_number}.{board.san(move)}",
        ):
            assert [parse_move(board, text) for text in moves_in(text)] == [move]
        board.push(move)


def test_castling_of_chess960_is_named_as_python_chess_names_it() -> None:
    """King and rook may be neighbours, and the king may step on the square that he castles to."""
    draw = random.Random(3)
    castlings = 0
    for _ in range(60):
        board = chess.Board.from_chess960_pos(draw.randrange(960))
        for _ in range(80):
            moves = list(board.legal_moves)
            if not moves:
                break
            for move in moves:
                if board.is_castling(move):
                    own = own_score(board_after(board, move))
                    assert san_of(board, move, own) == board.san(move)
                    castlings += 1
            board.push(draw.choice(moves))
    assert castlings > 100


def test_the_end_of_a_variant_is_no_stalemate() -> None:
    board = variant_board("kingofthehill", "4k3/8/8/4K3/8/8/8/7R b - - 0 1")
    with pytest.raises(MoveError, match="the game is over by a rule of King of the Hill"):
        parse_move(board, "Ke7")


def test_moves_are_named_as_python_chess_names_them() -> None:
    draw = random.Random(25)
    named = 0
    boards = [
        chess.Board(),
        chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
        chess.Board("7k/1P6/Q6Q/8/8/p7/QN1N1N2/K2N3N w - - 0 1"),
        chess.Board("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
    ]
    for first in boards:
        board = first.copy()
        while board.ply() < 60 and not board.is_game_over():
            moves = list(board.legal_moves)
            for move in moves:
                after = board.copy(stack=False)
                after.push(move)
                assert san_of(board, move, own_score(after)) == board.san(move)
                named += 1
            board.push(draw.choice(moves))
    assert named > 2500


@pytest.mark.parametrize(
    ("played", "text", "why"),
    [
        ("", "e5", "it is White's turn"),
        ("e4", "d4", "it is Black's turn"),
        ("e4", "g8f6x", ""),
        ("", "Ne9", "there is no square e9"),
        ("", "i2i4", "there is no square i4"),
        ("", "say z9 please", ""),
        ("f3 e5 g4 Qh4", "a3", "the game is over by checkmate"),
    ],
)
def test_an_illegal_move_is_told_why_where_there_is_a_plain_reason(
    played: str, text: str, why: str
) -> None:
    board = chess.Board()
    for san in played.split():
        board.push_san(san)
    with pytest.raises(MoveError) as caught:
        parse_move(board, text)
    reasons = ("'s turn", "no square", "is over")
    assert why in str(caught.value)
    assert any(reason in str(caught.value) for reason in reasons) == bool(why)


AFTER_RESET = "rnbqkbnr/pp2pppp/3p4/2p5/2P1P3/5N2/PP1P1PPP/RNBQKB1R b KQkq - 0 3"
QUIET = "rnbqkbnr/1p2pppp/p2p4/2p5/2P1P3/2N2N2/PP1P1PPP/R1BQKB1R b KQkq - 1 4"


BISHOP_AT_ZERO = "8/8/4K3/5Bk1/8/8/8/8 w - - 0 30"


@pytest.mark.parametrize(
    ("fen", "field", "mobility", "own", "accrued"),
    [
        (QUIET, "-G26.5", Mobility.RESET, "G27.5", "-G26.5"),
        *(
            (AFTER_RESET, field, Mobility.RESET, "G28.5", "G28.5")
            for field in ("G28.5", "-G3.5", "G0.0")
        ),
        (
            "8/8/4k3/5q2/6K1/7P/8/8 w - - 9 40",
            "G2.0",
            Mobility.RESET,
            "-G2.0",
            "G2.0",
        ),  # on a tie the holder keeps it
        (BISHOP_AT_ZERO, "G4.0", Mobility.RESET, "-G14.5", "-G14.5"),
        (BISHOP_AT_ZERO, "G4.0", Mobility.WHOLE_GAME, "-G14.5", "G4.0"),
    ],
)
def test_the_seventh_field_carries_the_accrued_score_except_right_after_a_reset(
    fen: str, field: str, mobility: Mobility, own: str, accrued: str
) -> None:
    board, found = parse_fen(f"{fen} {field}", mobility=mobility)
    assert str(own_score(board)) == own
    assert str(found) == accrued
    assert format_fen(board, found) == f"{fen} {accrued}"


@pytest.mark.parametrize("field", ["G0.0", "-G0.5"])
def test_a_game_does_not_go_on_after_mate_or_stalemate(field: str) -> None:
    with pytest.raises(AccruedError, match="would have ended"):
        parse_fen(f"{QUIET} {field}")


@pytest.mark.parametrize(
    "fen", ["8/8/8/4KBk1/8/8/8/8 b", "8/8/8/4KBk1/8/8/8/8 b - -", " 8/8/8/4KBk1/8/8/8/8  b "]
)
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
        ("8/8/8/4Kk~2/8/8/8/8 w", "a king is marked as a promoted pawn"),
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
def test_a_score_read_is_never_worse_than_the_positions_own(
    played: chess.Board, score: object
) -> None:
    try:
        board, accrued = parse_fen(f"{played.fen()} {score}")
    except AccruedError:
        return
    assert accrued is not None
    assert accrued.code <= own_score(board).code


@pytest.mark.parametrize(("clock", "expected"), [(0, 1), (1, 1), (33, 33)])
def test_a_score_carried_into_a_position_keeps_its_clock_but_needs_one_above_zero(
    clock: int, expected: int
) -> None:
    board, accrued = with_score(
        chess.Board(f"8/8/4K3/5Bk1/8/8/8/8 w - - {clock} 30"), Score("G4.0")
    )
    assert board.halfmove_clock == expected
    assert str(accrued) == "G4.0"


MOVES = ["e6e5", "Kh5"]


@pytest.mark.parametrize("words", [[], [""], [" "]])
def test_no_words_are_no_fen(words: list[str]) -> None:
    assert fen_and_moves(words) == ("".join(words), [])


@given(boards(60))
def test_a_fen_is_found_in_quotes_with_underscores_and_as_words(board: chess.Board) -> None:
    fen = board.fen()
    for words in ([fen], [fen.replace(" ", "_")], fen.split(), [f" {fen} "]):
        found, moves = fen_and_moves([*words, *MOVES])
        assert parse_fen(found)[0] == board
        assert moves == MOVES


@pytest.mark.parametrize("score", ["G4.0", "-G4.0", "mG4.0", "g4.0", "-g4.0", "G3.2"])
@pytest.mark.parametrize("moves", [[], MOVES, ["1. Ke5 Kh5"], ["1.", "Ke5"]])
def test_a_score_belongs_to_the_fen(score: str, moves: list[str]) -> None:
    assert fen_and_moves([*BISHOP.split(), score, *moves]) == (f"{BISHOP} {score}", moves)
    assert fen_and_moves([f"{BISHOP} {score}", *moves]) == (f"{BISHOP} {score}", moves)


@pytest.mark.parametrize("fields", range(1, 7))
def test_fields_at_the_end_of_a_fen_may_be_missing(fields: int) -> None:
    words = BISHOP.split()[:fields]
    for moves in (MOVES, ["1.Ke5"], ["1...", "Kh5"], ["♔e5"], ["1.0-0"], ["{mate}", "Ke5"], ["*"]):
        assert fen_and_moves([*words, *moves]) == (" ".join(words), moves)


@pytest.mark.parametrize(
    "words",
    [
        ["startpos", "e4", "e5"],
        ["startpos", "moves", "e4", "e5"],
        ["startpos e4 e5"],
        ["startpos moves e4 e5"],
        ["startpos", "e4 e5"],
    ],
)
def test_the_first_position_has_a_name(words: list[str]) -> None:
    fen, moves = fen_and_moves(words)
    assert fen == chess.STARTING_FEN
    assert " ".join(moves) == "e4 e5"
