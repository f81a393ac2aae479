"""A season of two events as one PGN file, drawn from a seed: a league and a Swiss open."""

from __future__ import annotations

import random
from itertools import combinations

import chess

from tests.positions import random_root

LEAGUE = "Spring League"
OPEN = "Spring Open"
GAMES = 57
ROUNDS = 3
"""Of the open, each with a bye."""
_LEAGUE_PLAYERS = 6
_OPEN_PLAYERS = 17
_SIX_MEN = "KRPvKRP"
_DECISIVE: tuple[tuple[str, dict[str, str]], ...] = (
    ("1-0", {"Termination": "normal", "TerminationDetails": "Black resigns"}),
    ("0-1", {"Termination": "time forfeit"}),
    ("1-0", {"Termination": "adjudication", "TerminationDetails": "TCEC win rule"}),
    ("0-1", {}),
)
"""Results with tags that say how they came about; the last has none."""


def season(seed: int = 1) -> str:
    """The games of both events: byes, forfeits, two unreadable games, and ends with six men."""
    draw = random.Random(seed)
    games = [*_league(draw), *_open(draw)]
    assert len(games) == GAMES
    for unreadable in (7, 45):
        games[unreadable] = games[unreadable].replace("\n\n1. ", "\n\n1. Ke5 ", 1)
    return "".join(games)


def _league(draw: random.Random) -> list[str]:
    """Everybody meets everybody twice; the first game of the second half is a forfeit."""
    names = [f"Engine {letter}" for letter in "ABCDEFGHIJ"[:_LEAGUE_PLAYERS]]
    games = []
    for half in (1, 2):
        for number, (white, black) in enumerate(combinations(names, 2)):
            players = (white, black) if half == 1 else (black, white)
            tags = {"Event": LEAGUE, "Date": f"2026.03.{half:02d}", "Round": str(half)}
            if half == 2 and number == 0:
                games.append(_game(players, tags | {"Termination": "forfeit"}, "", "1-0"))
            else:
                games.append(_played(draw, players, tags))
    return games


def _open(draw: random.Random) -> list[str]:
    """Random pairs in every round, and a bye for the player who is left over."""
    names = [f"Player {number:02d}" for number in range(1, _OPEN_PLAYERS + 1)]
    games = []
    for number in range(1, ROUNDS + 1):
        draw.shuffle(names)
        tags = {"Event": OPEN, "Date": f"2026.04.{number:02d}", "Round": str(number)}
        for white, black in zip(names[:-1:2], names[1::2], strict=True):
            games.append(_played(draw, (white, black), tags))
        games.append(_game((names[-1], "bye"), tags, "", "1/2-1/2"))
    return games


def _played(draw: random.Random, players: tuple[str, str], tags: dict[str, str]) -> str:
    """A game of random moves: won in one of several ways, or stopped, perhaps with six men."""
    kind = draw.random()
    if kind < 0.1:
        board = random_root(draw, _SIX_MEN)
        fen = {"SetUp": "1", "FEN": board.fen()}
        return _game(players, tags | fen, _moves(draw, board, 8), "1/2-1/2")
    moves = _moves(draw, chess.Board(), draw.randrange(20, 60))
    if kind < 0.5:
        return _game(players, tags, moves, "1/2-1/2")
    result, said = draw.choice(_DECISIVE)
    return _game(players, tags | said, moves, result)


def _moves(draw: random.Random, board: chess.Board, plies: int) -> str:
    """Random moves that take nothing and end nothing."""
    first = board.copy()
    for _ in range(plies):
        moves = list(board.legal_moves)
        draw.shuffle(moves)
        for move in moves:
            if board.is_capture(move) or move.promotion is not None:
                continue
            board.push(move)
            if not board.is_game_over():
                break
            board.pop()
    return first.variation_san(board.move_stack)


def _game(players: tuple[str, str], tags: dict[str, str], moves: str, result: str) -> str:
    every = {**tags, "White": players[0], "Black": players[1], "Result": result}
    heads = "".join(f'[{name} "{value}"]\n' for name, value in every.items())
    return f"{heads}\n{moves} {result}\n\n" if moves else f"{heads}\n{result}\n\n"
