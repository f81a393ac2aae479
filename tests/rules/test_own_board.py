"""Boards with men of your own, with Fairy-Stockfish as the judge."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import pyffish
import pytest

from tbgen.errors import FenError, IllegalPositionError, MoveError
from tbgen.men import Man
from tbgen.rules.game import Game
from tbgen.rules.notation import parse_fen, parse_move, picture_of, position_of
from tbgen.rules.own_board import OwnBoard
from tbgen.rules.position import material_of, own_score
from tests.own_men import MEN, VARIANT

JUDGED = [man for man in MEN if "DD" not in man.moves]
"""Fairy-Stockfish has no dabbaba riders."""

pyffish.load_variant_config(VARIANT)


def boards_with(man: Man, draw: random.Random, count: int) -> Iterator[OwnBoard]:
    """Legal positions with a man, and often with one more."""
    found = 0
    while found < count:
        other = draw.choice(["", *(judged.letter for judged in JUDGED), *"QRBN"])
        letters = ["K", "k"]
        for letter in man.letter + other:
            letters.append(draw.choice([letter, letter.lower()]))
        fields = ["1"] * 64
        for square, letter in zip(draw.sample(chess.SQUARES, len(letters)), letters, strict=True):
            fields[square] = letter
        placement = "/".join("".join(fields[rank : rank + 8]) for rank in range(0, 64, 8))
        for run in range(8, 1, -1):
            placement = placement.replace("1" * run, str(run))
        try:
            board, _ = parse_fen(f"{placement} {draw.choice('wb')} - - 0 1", men=MEN)
        except IllegalPositionError:
            continue
        found += 1
        assert isinstance(board, OwnBoard)
        yield board


def judge(man: Man, draw: random.Random, count: int) -> None:
    """Compare moves, checks, mates and stalemates, and two plies of play."""
    for board in boards_with(man, draw, count):
        fen = board.fen()
        moves = sorted(move.uci() for move in board.legal_moves)
        assert moves == sorted(pyffish.legal_moves("own", fen, [])), fen
        assert board.is_check() == pyffish.gives_check("own", fen, []), fen
        for move in draw.sample(moves, min(2, len(moves))):
            board.push_uci(move)
            assert sorted(each.uci() for each in board.legal_moves) == sorted(
                pyffish.legal_moves("own", fen, [move])
            )
            board.pop()
        assert board.fen() == fen


@pytest.mark.parametrize("man", JUDGED, ids=lambda man: man.name)
def test_moves_and_checks_are_those_of_fairy_stockfish(man: Man) -> None:
    judge(man, random.Random(75), 10)


@pytest.mark.slow
@pytest.mark.parametrize("man", JUDGED, ids=lambda man: man.name)
def test_moves_and_checks_of_a_thousand_positions_are_those_of_fairy_stockfish(man: Man) -> None:
    judge(man, random.Random(1000), 1000)


def test_letters_are_read_and_written_and_men_of_chess_stand_beside_them() -> None:
    fen = "8/8/2n5/8/3g4/1k6/3Q4/KM6 b - - 5 9"
    board, accrued = parse_fen(f"{fen} G30.5", men=MEN)
    assert board.fen() == fen
    assert str(accrued) == str(own_score(board))
    assert str(material_of(board)) == "KQMvKNG"
    assert picture_of(board).splitlines()[5:8:2] == ["3 . k . . . . . .", "1 K M . . . . . ."]
    move = parse_move(board, "Gf5")
    assert move.uci() == "d4f5"
    assert board.san(move) == "Gf5"
    after, _ = position_of(fen, ["Gf5", "Qd1+"], men=MEN)
    assert after.fen() == "8/8/2n5/5g2/8/1k6/8/KM1Q4 b - - 7 10"
    assert after.copy().fen() == after.fen()
    moved = board.copy()
    moved.push(move)
    assert moved.root().fen() == fen
    assert Game(moved).fen().startswith(moved.fen())
    with pytest.raises(MoveError):
        parse_move(board, "Bf5")


def test_positions_that_cannot_be_are_refused_in_a_line() -> None:
    with pytest.raises(IllegalPositionError, match="White is in check but Black is to move"):
        parse_fen("8/8/8/8/8/8/2m5/1K1k4 b - - 0 1", men=MEN)
    with pytest.raises(FenError, match="more than 4 kinds"):
        parse_fen("8/8/8/2ACDEF2/8/8/8/1K1k4 b - - 0 1", men=MEN)
    with pytest.raises(FenError, match="invalid character"):
        parse_fen("8/8/8/8/8/8/2m5/1K1k4 b - - 0 1")
    with pytest.raises(FenError, match="pawns cannot stand beside men of your own"):
        parse_fen("8/P7/8/8/7k/8/1M6/2K5 w - - 0 1", men=MEN)
    for placement, right in (("4k3/8/8/8/8/8/8/M1BNK3 w", "Q"), ("4k3/8/8/8/8/8/8/R3K2M w", "Q")):
        with pytest.raises(FenError, match="nobody castles beside men of your own"):
            parse_fen(f"{placement} {right} - 0 1", men=MEN)
