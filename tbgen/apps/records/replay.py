"""Replay: a line of play, played once more by the rules."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import chess

from tbgen.rules.fen import parse_fen
from tbgen.rules.notation import parse_move
from tbgen.rules.position import own_score, play_move
from tbgen.score import Mobility, Score


@dataclass(frozen=True)
class Replay:
    """What happens on the board and to the score when a line is played."""

    steps: tuple[str, ...]
    """What happens with each ply, see `step_of`."""
    outcomes: tuple[Score, ...]
    """The accrued score before the first move and after each."""
    resets: tuple[int, ...]
    """The plies, from 1 on, that are captures or pawn moves."""
    forgets: bool
    """Whether resets wipe out what has accrued."""

    @property
    def phases(self) -> list[int]:
        """How many quiet plies there are before, between and after the resets."""
        ends = [0, *self.resets, len(self.steps) + 1]
        return [end - start - 1 for start, end in itertools.pairwise(ends)]

    def proves(self, outcome: Score, dtg: int) -> bool:
        """Whether the line gets the outcome in so many plies, and has not got it one ply earlier."""
        if len(self.steps) != dtg or self.outcomes[-1] != outcome:
            return False
        return dtg == 0 or (dtg in self.resets and self.forgets) or self.outcomes[-2] != outcome


def replay(fen: str, moves: Iterable[str], game: Mobility = Mobility.RESET) -> Replay:
    """Play moves in short notation; MoveError if one is not legal."""
    board, _ = parse_fen(fen)
    steps, outcomes, resets = list[str](), [own_score(board)], list[int]()
    for ply, text in enumerate(moves, 1):
        move = parse_move(board, text, ply)
        steps.append(step_of(board, move))
        reached = play_move(board, move, outcomes[-1], game)
        outcomes.append(reached.accrued)
        resets += [ply] * reached.reset
    return Replay(tuple(steps), tuple(outcomes), tuple(resets), game.forgets)


def step_of(board: chess.Board, move: chess.Move) -> str:
    """What happens on the board with a move: the move as UCI writes it, before it a pawn taken en passant."""
    if not board.is_en_passant(move):
        return move.uci()
    taken = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    return f"{chess.square_name(taken)},{move.uci()}"
