"""Games for the tests of adjudication."""

from __future__ import annotations

from tbgen.rules.fen import parse_fen
from tbgen.rules.game import Game


def game_from(fen: str, *moves: str) -> Game:
    """The game that begins on a FEN, with its seventh field, and goes on with some moves."""
    board, accrued = parse_fen(fen)
    game = Game(board, accrued=accrued)
    for move in moves:
        game.push_text(move)
    return game
