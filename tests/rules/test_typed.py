from __future__ import annotations

import chess
import pytest
from hypothesis import given

from tbgen.rules.fen import fen_and_moves, parse_fen
from tests.positions import BISHOP
from tests.strategies import boards

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
    assert fen_and_moves([*words, *MOVES]) == (" ".join(words), MOVES)


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
