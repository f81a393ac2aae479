from __future__ import annotations

import chess
import chess.pgn
from hypothesis import given
from hypothesis import strategies as st

from tbgen.apps.games.writing import format_game, numbered
from tests.apps.games.plain import only_game, their_game
from tests.strategies import boards

WORDS = st.text('abc {}[]();$%"\\'.replace("{", "").replace("}", ""), max_size=30)


@given(boards(30), WORDS, st.data())
def test_a_written_game_is_read_alike_by_python_chess_and_here(
    board: chess.Board, name: str, data: st.DataObject
) -> None:
    first = board.root()
    comments = [data.draw(WORDS) for _ in board.move_stack]
    sans = (node.san() for node in chess.pgn.Game.from_board(board).mainline())
    moves = zip(sans, comments, strict=True)
    tags = {"White": name, "Result": "1/2-1/2", "SetUp": "1", "FEN": first.fen()}
    text = format_game(tags, numbered(first.fullmove_number, first.turn == chess.WHITE, moves))
    theirs = their_game(text)
    ours = only_game(text)
    assert list(theirs.mainline_moves()) == ours.replayed.board.move_stack == board.move_stack
    assert ours.tags["White"] == name
    unescaped = (
        theirs.headers["White"].replace('\\"', '"').replace("\\\\", "\\")
    )  # it leaves the signs before quotes
    assert unescaped == name
    assert [node.comment.split() for node in theirs.mainline()] == [
        comment.split() for comment in comments
    ]
