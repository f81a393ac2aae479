"""Seeded games that end with few men: random endings played at random, and real games cut short."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import chess.pgn

from tests.positions import random_root

GOLDEN = Path(__file__).parent.parent.parent / "golden"


def random_ending(draw: random.Random, most_men: int) -> chess.Board:
    """A legal position with some men more than the game is to end with."""
    extra = draw.randrange(most_men - 1) + draw.randrange(2)
    board = random_root(draw, "Kk" + "".join(draw.choices("PNBRQpnbrq", k=extra)))
    board.halfmove_clock, board.fullmove_number = draw.choice([0, 0, 7, 60, 95]), 60
    return board


def greedy_move(draw: random.Random, board: chess.Board) -> chess.Move:
    """A capture or a promotion now and then, else anything; back and forth for some."""
    moves = list(board.legal_moves)
    captures = [move for move in moves if board.is_capture(move) or move.promotion]
    return draw.choice(captures if captures and draw.random() < 0.5 else moves)


def ending_game(draw: random.Random, most_men: int) -> chess.pgn.Game:
    """A game that stops when no more than so many men are left, or some plies later."""
    game = chess.pgn.Game()
    root = random_ending(draw, most_men)
    game.setup(root)
    if root.halfmove_clock and draw.random() < 0.5:
        game.headers["RMobilityAccrued"] = draw.choice(["G5.5", "-G5.5", "G7.5", "-G7.5", "G8.5", "-G8.5"])
    node: chess.pgn.GameNode = game
    more, board, shuffles = draw.choice([0, 0, 1, 3, 8, 20, 130]), root.copy(), draw.random() < 0.2
    while any(board.legal_moves) and len(board.move_stack) < 240:
        if chess.popcount(board.occupied) <= most_men:
            if more == 0:
                break
            more -= 1
        stack = board.move_stack
        back = chess.Move(stack[-2].to_square, stack[-2].from_square) if len(stack) > 1 else chess.Move.null()
        move = back if shuffles and board.is_legal(back) else greedy_move(draw, board)
        board.push(move)
        node = node.add_variation(move)
    finish(game, board, draw)
    return game


def cut_short(draw: random.Random, game: chess.pgn.Game) -> chess.pgn.Game:
    """The first plies of a real game."""
    moves = list(game.mainline_moves())[: draw.randrange(200)]
    copy = chess.pgn.Game()
    board, node = copy.board(), copy
    for move in moves:
        board.push(move)
        node = node.add_variation(move)
    finish(copy, board, draw)
    return copy


def finish(game: chess.pgn.Game, board: chess.Board, draw: random.Random) -> None:
    """A result: mostly what the board says of a mate, else mostly a draw."""
    outcome = board.outcome(claim_draw=False)
    mated = outcome is not None and outcome.winner is not None
    usual = board.result() if mated else "1/2-1/2"
    game.headers["Result"] = draw.choice([usual, usual, usual, "*", "1-0", "0-1"])


def written_games(seed: int, games: int, most_men: int) -> str:
    """So many games as PGN; one in ten is a real one cut short."""
    draw = random.Random(seed)
    with (GOLDEN / "tcec_s18.pgn").open() as file:
        real = list(iter(lambda: chess.pgn.read_game(file), None))
    texts = []
    for number in range(games):
        game = cut_short(draw, draw.choice(real)) if number % 10 == 9 else ending_game(draw, most_men)
        texts.append(str(game))
    return "\n\n".join(texts) + "\n"
