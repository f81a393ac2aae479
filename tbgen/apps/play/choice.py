"""The choice among moves of the inner engine that are about equal, by the accrued score.

Where the game is level, a shallow search of the accrued score names moves that it likes more than
the inner engine's own. The inner engine evaluates these beside its own, and the player takes one if
that costs little in ordinary chess. Nothing is spent where nothing is to be gained.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import chess

from tbgen.apps.play.inner import EngineLostError, InnerEngine, InnerLine
from tbgen.apps.play.limits import number_in
from tbgen.apps.play.situation import Situation, Task
from tbgen.errors import EngineStartError, MoveError
from tbgen.rules.notation import parse_move

if TYPE_CHECKING:
    from tbgen.apps.play.search import Line

Ranking = Callable[[], Sequence["Line"]]
"""The best moves by the player's own search."""

_SHARE: Final = 0.25
"""The part of the limits that the comparison of moves takes."""
_MOST_MEN: Final = 24
"""With more men, captures and pawn moves are still to come and wipe out any score."""
_MOST: Final = {"Margin": 1000, "Price": 10_000, "Band": 10_000}
"""[option] -> its greatest value"""


@dataclass(slots=True)
class Prices:
    """What the ordinary evaluation is worth against the accrued score; each is a UCI option."""

    margin: int = 10
    """The most centipawns that a move may cost."""
    price: int = 100
    """The worth of a centipawn, in hundredths of the search's own centipawns."""
    band: int = 50
    """The greatest advantage, in centipawns, at which the game counts as level."""


class Chooser:
    """Asks the inner engine for moves, and chooses among them. `tell` receives lines of UCI."""

    def __init__(self, inner: InnerEngine, tell: Callable[[str], None]) -> None:
        self.inner = inner
        self._tell = tell
        self._prices = Prices()
        self._last: int | None = None
        """The last evaluation of this game, in centipawns."""

    def options(self) -> Iterator[str]:
        """The lines that declare the options of the choice and of the inner engine."""
        for name, most in _MOST.items():
            default = getattr(Prices(), name.lower())
            yield f"option name {name} type spin default {default} min 0 max {most}"
        yield from self.inner.passed_options()

    def set_option(self, name: str, value: str) -> bool:
        """Set an option of the choice or of the inner engine; False if there is none so called."""
        for own, most in _MOST.items():
            if own.lower() == name:
                setattr(self._prices, name, max(0, min(most, number_in(value, own))))
                return True
        return self.inner.set_option(name, value)

    def begin_game(self) -> None:
        self._last = None
        with contextlib.suppress(EngineLostError):  # the first move tells
            self.inner.begin_game()

    def revive(self) -> None:
        """Start an inner engine anew that has been lost."""
        if self.inner.is_running:
            return
        try:
            self.inner.restart()
        except EngineStartError as error:
            self._tell(f"info string error: {error}")

    def answer(self, task: Task, rank: Ranking) -> str | None:
        """The move to play, and the reply to ponder on; None if the inner engine is lost."""
        try:
            line = self._best_line(task, rank)
            move = parse_move(task.now.board, line.moves[0])
        except EngineLostError as error:
            self._tell(f"info string the inner engine {error}; tbgen searches instead")
            return None
        except MoveError as error:
            self._tell(f"info string the inner engine makes an illegal move: {error.move!r}")
            return None
        if self.inner.ponders and len(line.moves) > 1:
            return f"{move.uci()} ponder {line.moves[1]}"
        return move.uci()

    def _best_line(self, task: Task, rank: Ranking) -> InnerLine:
        may_compare = task.limits.can_be_shared and self._is_level(task.now)
        part = 1 - _SHARE if may_compare else 1
        best = self._search(task, part, task.lines, self._tell)[0]
        self._last = best.centipawns
        if not may_compare or not self._is_level(task.now) or task.halt.is_set():
            return best
        ranked = rank()
        better = _better_than(best, ranked)
        if not better:
            return best
        moves = [parse_move(task.now.board, best.moves[0]), *better]
        rest = replace(task, only=moves, limits=replace(task.limits, flags=()))
        compared = self._search(rest, _SHARE, len(moves))
        chosen = self._dearest(compared, ranked)
        if chosen.moves[0] == best.moves[0]:
            return best
        self._tell(re.sub(r" multipv \d+ ", " multipv 1 ", chosen.info))
        return chosen

    def _search(
        self, task: Task, part: float, lines: int, tell: Callable[[str], object] = str
    ) -> list[InnerLine]:
        """The lines of the inner engine within a part of the limits, best first."""
        board = task.now.board
        go = task.limits.command(part)
        if len(task.only) < board.legal_moves.count():
            go += f" searchmoves {' '.join(board.uci(move) for move in task.only)}"
        hit = task.hit if "ponder" in task.limits.flags else None
        seconds = task.limits.seconds_of(part)
        command = task.now.command
        return self.inner.search(command, go, lines, seconds, task.halt, hit, tell)

    def _is_level(self, now: Situation) -> bool:
        """Whether the score may decide: the game is not being won or lost, and few men are left."""
        if self._last is None or abs(self._last) > self._prices.band:
            return False
        return chess.popcount(now.board.occupied) <= _MOST_MEN

    def _dearest(self, compared: Sequence[InnerLine], ranked: Sequence[Line]) -> InnerLine:
        """The move of the greatest worth by both searches, among those within the margin.

        A move that is not ranked counts as the last one that is.
        """
        worths = {line.moves[0].uci(): line.centipawns for line in ranked}
        least = min(worths.values())
        greatest = max(line.centipawns for line in compared)

        def worth(line: InnerLine) -> float:
            if line.centipawns < greatest - self._prices.margin:
                return -math.inf
            ordinary = line.centipawns * self._prices.price / 100
            return worths.get(line.moves[0], least) + ordinary

        return max(compared, key=worth)


def _better_than(best: InnerLine, ranked: Sequence[Line]) -> list[chess.Move]:
    """The moves that a ranking has before that of a line."""
    better = list[chess.Move]()
    for line in ranked:
        move = line.moves[0]
        if move.uci() == best.moves[0]:
            break
        better.append(move)
    return better
