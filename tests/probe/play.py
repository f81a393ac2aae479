"""Positions drawn at random, and games played from them."""

from __future__ import annotations

import random
from pathlib import Path

import chess

from tbgen.material import Material
from tbgen.probe import Tablebase
from tbgen.rules.position import is_reset, own_score
from tbgen.score import Color, Score
from tests.library.made_up import write_made_up


def make_up(folder: Path) -> Path:
    """KPvKP and all that it leads to, their values made up; there are no holds."""
    material = Material.parse("KPvKP")
    for each in (material, *material.children()):
        write_made_up(folder, each)
    return folder


def en_passant_boards(draw: random.Random, count: int) -> list[chess.Board]:
    """Positions of KPvKP right after a double step, a capture beside it or not, some with an impossible right."""
    boards: list[chess.Board] = []
    while len(boards) < count:
        board, file = chess.Board(None), draw.randrange(8)
        beside = draw.choice([file - 1, file + 1, draw.randrange(8)]) % 8
        board.set_piece_at(chess.square(file, 3), chess.Piece(chess.PAWN, chess.WHITE))
        board.set_piece_at(chess.square(beside, draw.choice((3, 3, 3, 2))), chess.Piece(chess.PAWN, chess.BLACK))
        for color in chess.COLORS:
            free = [square for square in chess.SQUARES if board.piece_at(square) is None]
            board.set_piece_at(draw.choice(free), chess.Piece(chess.KING, color))
        board.turn, board.ep_square = chess.BLACK, chess.square(draw.choice([file] * 9 + [0]), 2)
        if chess.popcount(board.occupied) == 4:
            boards.append(draw.choice((board, board.mirror())))
    return boards


def play(board: chess.Board, move: chess.Move, accrued: Score) -> Score:
    """Make the move; the score that has then accrued."""
    reset = is_reset(board, move)
    board.push(move)
    return accrued.after(own_score(board), reset=reset)


def play_best(tables: Tablebase, board: chess.Board, draw: random.Random, extra_plies: int) -> None:
    """Best play by both sides reaches the promised outcome in exactly so many plies, and keeps it."""
    board, promise = board.copy(stack=False), tables.probe(board)
    accrued, root = own_score(board), board.fen()
    for ply in range(promise.dtg + extra_plies):
        assert (accrued == promise.outcome) == (ply >= promise.dtg), (root, ply)
        moves = tables.best_moves(board, accrued)
        if not moves:
            assert ply >= promise.dtg
            return
        chosen = draw.choice(moves)
        assert chosen.outcome == promise.outcome, (root, ply)
        accrued = play(board, chosen.move, accrued)
        if ply >= promise.dtg and chosen.dtg:
            return  # no quiet move was left: the same outcome is forced anew, from a position tested on its own
    assert accrued == promise.outcome, root


def play_against_random(tables: Tablebase, board: chess.Board, best: Color, draw: random.Random, plies: int) -> None:
    """Best play by one side never ends below what was promised to it."""
    board, promise = board.copy(stack=False), tables.probe(board).outcome
    accrued, root = own_score(board), board.fen()
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        if (board.turn == chess.WHITE) == (best is Color.WHITE):
            move = tables.best_moves(board, accrued)[0].move
        else:
            move = draw.choice(moves)
        accrued = play(board, move, accrued)
        value = tables.probe(board, accrued).outcome
        assert value >= promise if best is Color.WHITE else value <= promise, root
    value = tables.probe(board, accrued)
    for _ in range(value.dtg):
        accrued = play(board, tables.best_moves(board, accrued)[0].move, accrued)
    assert accrued == value.outcome, root
