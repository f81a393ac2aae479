"""Laws of the rules, over games that hypothesis draws."""

from __future__ import annotations

from collections import Counter

import chess
from hypothesis import assume, example, given

from tbgen import End, Game, Score, format_fen, own_score, parse_fen
from tbgen.rules.position import accrued_of, is_reset
from tbgen.score import Mobility
from tests.board.plies import told_by_kernels, written
from tests.positions import played
from tests.strategies import boards

from .symmetries import LEFT_TO_RIGHT, TURNS, exchanged, turned, turned_move


def sheet(
    board: chess.Board, mobility: Mobility = Mobility.RESET
) -> list[tuple[Score, int, End | None]]:
    """What stands on the sheet after every ply."""
    return [(ply.accrued, ply.since, ply.end) for ply in Game(board, mobility=mobility).plies]


@given(boards())
def test_colours_exchanged_exchange_the_scores_and_nothing_else(board: chess.Board) -> None:
    expected = [(accrued.flipped(), since, end) for accrued, since, end in sheet(board)]
    assert sheet(exchanged(board)) == expected


@given(boards())
def test_left_and_right_are_alike(board: chess.Board) -> None:
    assume(not board.root().castling_rights)
    seen = turned(board, LEFT_TO_RIGHT)
    assert sheet(seen) == sheet(board)
    resets = {
        turned_move(move, TURNS[LEFT_TO_RIGHT])
        for move in board.legal_moves
        if is_reset(board, move)
    }
    assert {move for move in seen.legal_moves if is_reset(seen, move)} == resets


@given(boards())
def test_what_has_accrued_is_the_lowest_score_since_the_last_reset(board: chess.Board) -> None:
    """The first of equals, the first position's included.

    Under whole-game mobility resets wipe out nothing.
    """
    plies = Game(board).plies
    walker = board.root()
    reached = [own_score(board.root())]
    ever = [own_score(board.root())]
    lowest = ever.copy()
    for ply, move in zip(plies[1:], board.move_stack, strict=True):
        forgets = walker.is_capture(move) or walker.piece_type_at(move.from_square) == chess.PAWN
        walker.push(move)
        reached = [] if forgets else reached
        reached.append(own_score(walker))
        ever.append(reached[-1])
        assert ply.accrued == min(reached, key=lambda score: score.code)
        assert ply.since == ply.number - len(reached) + 1 + reached.index(ply.accrued)
        lowest.append(min(ever, key=lambda score: score.code))
    assert plies[-1].accrued == accrued_of(board)
    assert Game(board).lowest == (lowest[-1], ever.index(lowest[-1]))
    assert lowest[-1] == accrued_of(board, mobility=Mobility.WHOLE_GAME)
    assert [accrued for accrued, _, _ in sheet(board, Mobility.WHOLE_GAME)] == lowest


@given(boards())
@example(played(chess.STARTING_FEN, ["e4", "e5", "Nf3", "Nf6", "Ng1", "Ng8", "Nf3"]))
@example(
    played("3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1", ["e4", "Ke8", "Kf1", "Kd8", "Ke1"])
)  # the other pawn is pinned
def test_a_position_counts_again_where_men_turn_rights_and_a_capture_en_passant_are_the_same(
    board: chess.Board,
) -> None:
    """python-chess writes a right into a FEN where a capture is legal.

    Kernels and game agree on this and on scores.
    """
    walker = board.root()
    seen = Counter[str]()
    counts = []
    for move in (None, *board.move_stack):
        if move is not None:
            walker.push(move)
        key = " ".join(walker.fen(en_passant="legal").split()[:4])
        seen[key] += 1
        counts.append(seen[key])
    (number, facts) = told_by_kernels(board.root(), written(board))
    plies = Game(board).plies
    assert (number, [ply[3] for ply in facts]) == (len(board.move_stack), counts)
    assert [ply[0] for ply in facts] == [ply.own.code for ply in plies]
    earlier = {End.CHECKMATE, End.STALEMATE, End.BARE_KINGS, End.FIFTY_MOVES}
    for ply, count in zip(plies[1:], counts[1:], strict=True):
        assert ply.end in earlier or (ply.end is End.THREEFOLD_REPETITION) == (count >= 3)


@given(boards())
def test_a_position_comes_back_from_its_fen_with_its_score(board: chess.Board) -> None:
    game = Game(board)
    position, accrued = parse_fen(game.fen())
    assert position == game.position()
    assert (accrued or own_score(position)) == game.accrued
    assert format_fen(position, accrued) == game.fen()
    assert Score.from_signed(game.accrued.signed) == game.accrued
