"""Seeded games that end with few men: random endings played at random, and real games cut short."""

from __future__ import annotations

import random

import chess
import chess.pgn

from tests.positions import random_root
from tests.project import S18
from tests.strategies import way_back


def random_ending(draw: random.Random, most_men: int) -> chess.Board:
    """A game that stops when no more than so many men are left, or some plies later.

    Some games go back and forth.
    """
    extra = draw.randrange(most_men - 1) + draw.randrange(2)
    board = random_root(draw, "Kk" + "".join(draw.choices("PNBRQpnbrq", k=extra)))
    board.halfmove_clock = draw.choice([0, 0, 7, 60, 95])
    board.fullmove_number = 60
    more = draw.choice([0, 0, 1, 3, 8, 20, 130])
    goes_back = draw.random() < 0.2
    while any(board.legal_moves) and len(board.move_stack) < 240:
        more -= board.occupied.bit_count() <= most_men
        if more < 0:
            break
        moves = list(board.legal_moves)
        back = way_back(board)
        captures = [move for move in moves if board.is_capture(move) or move.promotion]
        if goes_back and back in moves:
            moves = [back]
        elif draw.random() < 0.5:
            moves = captures or moves
        board.push(draw.choice(moves))
    return board


def cut_short(draw: random.Random, game: chess.pgn.Game) -> chess.Board:
    """The first plies of a real game."""
    board = chess.Board()
    for move in list(game.mainline_moves())[: draw.randrange(200)]:
        board.push(move)
    return board


def written(draw: random.Random, board: chess.Board) -> str:
    """A game with a result: mostly what the board says of a mate, else mostly a draw."""
    game = chess.pgn.Game.from_board(board)
    usual = board.result() if board.is_checkmate() else "1/2-1/2"
    game.headers["Result"] = draw.choice([usual, usual, usual, "*", "1-0", "0-1"])
    if board.root().halfmove_clock and draw.random() < 0.5:
        game.headers["RMobilityAccrued"] = draw.choice(
            ["G5.5", "-G5.5", "G7.5", "-G7.5", "G8.5", "-G8.5"]
        )
    return str(game)


def written_games(seed: int, games: int, most_men: int) -> str:
    """So many games as PGN; one in ten is a real one cut short."""
    draw = random.Random(seed)
    with S18.open() as file:
        real = list(iter(lambda: chess.pgn.read_game(file), None))
    played = (
        cut_short(draw, draw.choice(real)) if number % 10 == 9 else random_ending(draw, most_men)
        for number in range(games)
    )
    return "\n\n".join(written(draw, board) for board in played) + "\n"
