"""Player: which moves are best, and what comes of them."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import chess

from tbgen.errors import NO_TABLE, TbgenError
from tbgen.probe import MoveProbe, Tablebase
from tbgen.rules.position import color_of, material_of, own_score, play_move
from tbgen.score import Color, Score


@dataclass(frozen=True, slots=True)
class Choice:
    """A move with what it is worth, and how that goes on."""

    move: chess.Move
    outcome: Score
    dtg: int | None
    """Plies from the position before the move; None where no table knows it."""
    line: tuple[chess.Move, ...] = ()
    """The best play after the move."""
    is_guess: bool = False
    """Whether no table knows the position, and the outcome is a guess."""


@dataclass(frozen=True)
class Situation:
    """A position of a game: the board, what has accrued, and which positions have been there since the last reset."""

    board: chess.Board
    accrued: Score
    seen: Counter[str] = field(default_factory=Counter)
    """[EPD] how often."""

    def twice(self) -> list[chess.Board]:
        """The positions that end the game if they arise once more."""
        return [chess.Board(f"{epd} 0 1") for epd, times in self.seen.items() if times > 1]


class Player:
    """Plays from tables; what no table knows it looks at one ply ahead, for the lowest score."""

    def __init__(self, tables: Tablebase) -> None:
        self.tables = tables

    def knows(self, board: chess.Board) -> bool:
        """Whether a table answers for a position."""
        return not board.castling_rights and material_of(board) in self.tables

    def choices(
        self, now: Situation, *, only: Collection[chess.Move] = (), most: int = 1, line_plies: int = 0
    ) -> list[Choice] | None:
        """The best moves, best first, None without a table; if `only` names moves, of these alone."""
        try:
            moves: Sequence[MoveProbe] = self.tables.probe_moves(now.board, now.accrued)
        except NO_TABLE:
            return None
        moves = [each for each in moves if not only or each.move in only]
        if moves:
            moves = self._first_of_equals(now, moves)
        return [self._with_line(now, each, line_plies) for each in moves[:most]]

    def _first_of_equals(self, now: Situation, moves: Sequence[MoveProbe]) -> list[MoveProbe]:
        """Where the accrued score stands, its holder repeats positions to end the game; the other side does not."""
        first, *_ = moves
        if first.outcome != now.accrued or not now.seen:
            return list(moves)
        mine = now.accrued.holder is color_of(now.board.turn)
        equal = [each for each in moves if (each.outcome, each.dtg) == (first.outcome, first.dtg)]
        wanted = [each for each in equal if (_after(now.board, each.move) in now.seen) is mine]
        return [*wanted, *(each for each in moves if each not in wanted)]

    def _with_line(self, now: Situation, chosen: MoveProbe, plies: int) -> Choice:
        after = now.board.copy(stack=False)
        _, accrued, _ = play_move(after, chosen.move, now.accrued)
        line: tuple[chess.Move, ...] = ()
        if plies and chosen.dtg is not None:
            with contextlib.suppress(*NO_TABLE):  # the move is as good without its line
                line = tuple(step.move for step in self.tables.line(after, accrued, max_plies=plies))
        return Choice(chosen.move, chosen.outcome, chosen.dtg, line)

    def guesses(self, now: Situation, *, only: Collection[chess.Move] = ()) -> list[Choice]:
        """Every move by what a table says after it, or by what has then accrued; then by the opponent's few moves."""
        mover, rated = color_of(now.board.turn), list[tuple[tuple[int, int, str], Choice]]()
        for move in now.board.legal_moves:
            if only and move not in only:
                continue
            after = now.board.copy(stack=False)
            own, accrued, _ = play_move(after, move, now.accrued)
            known = None
            with contextlib.suppress(TbgenError):  # a damaged table
                known = self.tables.get(after, accrued)
            outcome = accrued if known is None else known.outcome
            rated.append(((-outcome.worth_to(mover), own.code, move.uci()), Choice(move, outcome, None, is_guess=True)))
        return [choice for _, choice in sorted(rated, key=lambda each: each[0])]


def situation_of(first: chess.Board, accrued: Score | None, moves: Sequence[chess.Move]) -> Situation:
    """The position after some moves; without `accrued` the first one counts with its own score."""
    board = first.copy(stack=False)
    score = own_score(board) if accrued is None else accrued
    seen = Counter([board.epd()])
    for move in moves:
        _, score, reset = play_move(board, move, score)
        if reset:
            seen.clear()
        seen[board.epd()] += 1
    return Situation(board, score, seen)


def centipawns(outcome: Score, side: Color) -> int:
    """An outcome on the scale that other programs know: its points p as 100 * 4 log10(p / (1 - p)).

    >>> centipawns(Score(1, Color.WHITE), Color.WHITE), centipawns(Score(3, Color.BLACK), Color.WHITE)
    (191, -44)
    """
    from math import log10

    from tbgen.rules.points import Scoring

    points = float(Scoring().points(outcome)[side])
    return round(400 * log10(points / (1 - points)))


def _after(board: chess.Board, move: chess.Move) -> str:
    board.push(move)
    epd = board.epd()
    board.pop()
    return epd
