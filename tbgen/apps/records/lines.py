"""Lines: best play as a list of moves, and the proof of it by playing them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from tbgen.rules.accrual import play_move
from tbgen.rules.fen import parse_fen
from tbgen.rules.notation import parse_move
from tbgen.rules.position import own_score
from tbgen.score import Mobility, Outcome


@dataclass(frozen=True)
class Replay:
    """What becomes of the score when a line is played."""

    outcomes: tuple[Outcome, ...]
    """The accrued score before the first move and after each."""
    resets: tuple[int, ...]
    """The plies, from 1 on, that are captures or pawn moves."""
    fens: tuple[str, ...]
    """The position before the first move and after each."""
    forgets: bool = True
    """Whether resets wipe out what has accrued."""

    @property
    def plies(self) -> int:
        return len(self.outcomes) - 1

    @property
    def phases(self) -> list[int]:
        """How many quiet plies there are before, between and after the resets."""
        ends = [0, *self.resets, self.plies + 1]
        return [end - start - 1 for start, end in itertools.pairwise(ends)]

    def proves(self, outcome: Outcome, dtg: int) -> bool:
        """Whether the line gets the outcome in so many plies, and has not got it one ply earlier."""
        if self.plies != dtg or self.outcomes[-1] != outcome:
            return False
        return dtg == 0 or (dtg in self.resets and self.forgets) or self.outcomes[-2] != outcome


def replay(fen: str, moves: Sequence[str], game: Mobility = Mobility.RESET) -> Replay:
    """Play moves in short notation; MoveError if one is not legal."""
    board, _ = parse_fen(fen)
    accrued, resets = own_score(board), []
    outcomes, fens = [accrued.outcome], [board.fen()]
    for ply, text in enumerate(moves, 1):
        _, accrued, reset = play_move(board, parse_move(board, text, ply), accrued, game)
        outcomes.append(accrued.outcome)
        fens.append(board.fen())
        if reset:
            resets.append(ply)
    return Replay(tuple(outcomes), tuple(resets), tuple(fens), game.forgets)
