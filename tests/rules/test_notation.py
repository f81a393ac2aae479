"""Moves as they are written: one parser for all commands."""

from __future__ import annotations

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.errors import MoveError, UsageError
from tbgen.rules.fen import position_of
from tbgen.rules.game import Game
from tbgen.rules.notation import moves_in, parse_move, san_of
from tbgen.rules.position import own_score
from tests.reference.pgn import movetexts

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
    assert [move for game in movetexts([text.replace(",", " ")]) for move in game.moves] == moves_in(text)


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
    for text in ("--", "Z0", "@@@@"):
        assert moves_in(text) == [text]
        with pytest.raises(MoveError, match="illegal move"):
            parse_move(chess.Board(), text)
    with pytest.raises(MoveError, match=r"^ply 1: illegal move"):
        parse_move(chess.Board(), "0000")


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
    ],
    ids=["promotion", "castling", "long castling", "castling of chess960", "en passant", "knight", "pawn"],
)
def test_every_spelling_of_a_move_is_read(fen: str, move: str, texts: str) -> None:
    board = chess.Board(fen, chess960="Bb" in fen)
    for text in texts.split():
        assert parse_move(board, text).uci() == move, text


def test_a_promotion_that_names_no_man_is_refused() -> None:
    for text in ("e8", "e7e8", "exd8", "e8=K", "e8=P"):
        with pytest.raises(MoveError, match="illegal move"):
            parse_move(chess.Board(PROMOTION), text)


def test_what_fits_two_moves_is_called_ambiguous() -> None:
    board = chess.Board("4k3/8/8/8/8/8/4K3/R6R w - - 0 1")
    with pytest.raises(MoveError, match="ply 7: ambiguous move 'Rd1'"):
        parse_move(board, "Rd1", 7)
    assert parse_move(board, "Rad1").uci() == "a1d1"


@given(st.integers(0, 2**32))
def test_every_legal_move_is_read_back_in_both_notations(seed: int) -> None:
    draw, board = random.Random(seed), chess.Board()
    for _ in range(draw.randrange(80)):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = draw.choice(moves)
        for text in (board.san(move), board.uci(move), board.lan(move), f"{board.fullmove_number}.{board.san(move)}"):
            assert [parse_move(board, text) for text in moves_in(text)] == [move]
        board.push(move)


def test_moves_are_named_as_python_chess_names_them() -> None:
    draw, named = random.Random(25), 0
    boards = [
        chess.Board(),
        chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
        chess.Board("7k/1P6/Q6Q/8/8/p7/QN1N1N2/K2N3N w - - 0 1"),
        chess.Board("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
    ]
    for first in boards:
        board = first.copy()
        while board.ply() < 60 and (moves := list(board.legal_moves)):
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
def test_an_illegal_move_is_told_why_where_there_is_a_plain_reason(played: str, text: str, why: str) -> None:
    board = chess.Board()
    for san in played.split():
        board.push_san(san)
    with pytest.raises(MoveError) as caught:
        parse_move(board, text)
    reasons = ("'s turn", "no square", "is over")
    assert why in str(caught.value)
    assert any(reason in str(caught.value) for reason in reasons) == bool(why)
