"""Lines: best play by both sides, move by move."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from tbgen.errors import MissingDistancesError
from tbgen.probe.answers import LineStep, MoveProbe
from tbgen.probe.values import Values
from tbgen.rules.position import material_of
from tbgen.score import Accrued


def line_from(values: Values, board: chess.Board, accrued: Accrued, max_plies: int) -> list[LineStep]:
    """Best play until the goal is reached and the position repeats, or the game ends.

    MissingDistancesError where a table on the way has none.
    """
    walker, steps, seen = board.copy(stack=False), list[LineStep](), set[str]()
    while len(steps) < max_plies:
        table = values.tables.answering(walker)
        moves = values.moves(walker, table, values.successors(walker, table), accrued)
        if not moves:
            break
        if moves[0].outcome == accrued.outcome:
            if walker.epd() in seen:
                break
            seen.add(walker.epd())
        if not any(each.best for each in moves):
            raise MissingDistancesError(str(material_of(walker)), values.tables.named)
        step = _step(walker, moves, seen)
        walker.push(step.move)
        accrued = step.accrued
        steps.append(step)
    return steps


def _step(board: chess.Board, moves: Sequence[MoveProbe], seen: set[str]) -> LineStep:
    """The move to play: once the goal is reached, one that goes back to where the game has been."""
    best = [each for each in moves if each.best]
    chosen = next((each for each in best if seen and _epd_after(board, each.move) in seen), best[0])
    return LineStep(chosen.move, chosen.san, chosen.reset, chosen.own, chosen.accrued, chosen.outcome, chosen.dtg_after)


def _epd_after(board: chess.Board, move: chess.Move) -> str:
    board.push(move)
    epd = board.epd()
    board.pop()
    return epd
