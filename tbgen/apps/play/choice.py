"""The choice among moves of the inner engine that are about equal, by the accrued score.

Where the game is level and its score may last, a shallow search of the accrued score proposes
moves. Those that lead to a better score than the inner engine's own move are evaluated beside it by
the inner engine, and the player takes one if that costs little in ordinary chess.
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
from tbgen.apps.play.limits import option_number
from tbgen.apps.play.situation import Situation, Turn
from tbgen.errors import EngineStartError, MoveError
from tbgen.rules.notation import parse_move
from tbgen.score import Color

if TYPE_CHECKING:
    from tbgen.apps.play.search import Line

Ranking = Callable[[], Sequence["Line"]]
"""The best moves by the player's own search."""

_SHARE: Final = 0.25
"""The part of the limits that the comparison of moves takes."""
_RIVALS: Final = 2
"""The most moves that are compared with the best one: each takes its part of the search."""
_PLIES: Final = 6
"""The plies of a line after which its score counts; later ones are guesses."""
_FEW_MEN: Final = 8
_QUIET_PLIES: Final = 10
"""With so few men, or so many plies after a reset, half of all scores last to a drawn game's end.

With more men and fewer plies hardly any does (measured: 35 drawn games at 2,000 nodes).
"""
_SCORES: Final = 1200
"""The worth of a score is this, divided by its code and 2, in centipawns: as in the search."""
_GREATEST: Final = {"Margin": 1000, "Price": 10_000, "Band": 10_000}
"""[option] -> its greatest value"""


@dataclass(slots=True)
class Prices:
    """What the ordinary evaluation is worth against the accrued score; each is a UCI option."""

    margin: int = 10
    """The most centipawns that a move may cost."""
    price: int = 100
    """The worth of a centipawn, in hundredths of the centipawns that a score is worth."""
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
        for name, most in _GREATEST.items():
            default = getattr(Prices(), name.lower())
            yield f"option name {name} type spin default {default} min 0 max {most}"
        yield from self.inner.passed_options()

    def set_option(self, name: str, value: str) -> bool:
        """Set an option of the choice or of the inner engine; False if there is none so called."""
        for own, most in _GREATEST.items():
            if own.lower() == name:
                setattr(self._prices, name, option_number(value, own, 0, most))
                return True
        return self.inner.set_option(name, value)

    def begin_game(self) -> None:
        self._last = None
        with contextlib.suppress(EngineLostError):  # the first move tells
            self.inner.begin_game()

    def revive(self) -> None:
        """Start an inner engine anew that has been lost, also one that never answers."""
        self.inner.await_answer()
        if self.inner.is_running:
            return
        try:
            self.inner.restart()
        except EngineStartError as error:
            self._tell(f"info string error: {error}")

    def answer(self, turn: Turn, rank: Ranking) -> str | None:
        """The move to play, and the reply to ponder on; None if the inner engine is lost."""
        try:
            line = self._best_line(turn, rank)
            move = parse_move(turn.now.board, line.moves[0])
        except EngineLostError as error:
            self._tell(f"info string the inner engine {error}; tbgen searches instead")
            return None
        except MoveError as error:
            self._tell(f"info string the inner engine makes an illegal move: {error.move!r}")
            return None
        if self.inner.ponders and len(line.moves) > 1:
            return f"{move.uci()} ponder {line.moves[1]}"
        return move.uci()

    def _best_line(self, turn: Turn, rank: Ranking) -> InnerLine:
        may_compare = turn.limits.can_be_shared and self._is_level(turn.now)
        part = 1 - _SHARE if may_compare else 1
        best = self._search(turn, part, turn.lines, self._tell)[0]
        self._last = best.centipawns
        if not may_compare or not self._is_level(turn.now) or turn.halt.is_set():
            return best
        if self.inner.owes_answer:
            return best
        rivals = _rivals_of(best, turn.now, rank())
        if not rivals:
            return best
        moves = [parse_move(turn.now.board, best.moves[0]), *rivals]
        rest = replace(turn, only=moves, limits=replace(turn.limits, flags=()))
        compared = self._search(rest, _SHARE, len(moves))
        chosen = self._most_valuable(compared, turn.now)
        if chosen.moves[0] == best.moves[0]:
            return best
        if chosen.info:
            self._tell(re.sub(r" multipv \d+ ", " multipv 1 ", chosen.info))
        return chosen

    def _search(
        self, turn: Turn, part: float, lines: int, tell: Callable[[str], object] = str
    ) -> list[InnerLine]:
        """The lines of the inner engine within a part of the limits, best first."""
        board = turn.now.board
        go = turn.limits.command(part)
        if len(turn.only) < board.legal_moves.count():
            go += f" searchmoves {' '.join(board.uci(move) for move in turn.only)}"
        hit = turn.hit if "ponder" in turn.limits.flags else None
        seconds = turn.limits.seconds_of(part)
        command = turn.now.command
        return self.inner.search(command, go, lines, seconds, turn.halt, hit, tell)

    def _is_level(self, now: Situation) -> bool:
        """Whether the score may decide: the game is not being won or lost, and it may last."""
        if self._last is None or abs(self._last) > self._prices.band:
            return False
        if now.board.halfmove_clock >= _QUIET_PLIES:
            return True
        return chess.popcount(now.board.occupied) <= _FEW_MEN

    def _most_valuable(self, lines: Sequence[InnerLine], now: Situation) -> InnerLine:
        """The line of the greatest worth in score and evaluation, among those within the margin."""
        greatest = max(line.centipawns for line in lines)

        def worth(line: InnerLine) -> float:
            if line.centipawns < greatest - self._prices.margin:
                return -math.inf
            return _worth_after(line.moves, now) + line.centipawns * self._prices.price / 100

        return max(lines, key=worth)


def _rivals_of(best: InnerLine, now: Situation, ranked: Sequence[Line]) -> list[chess.Move]:
    """The moves of a ranking that lead to a better score than a line does, the best ones first."""
    least = _worth_after(best.moves, now)
    worths = dict[chess.Move, float]()
    for line in ranked:
        worth = _worth_after([move.uci() for move in line.moves], now)
        if worth > least and line.moves[0].uci() != best.moves[0]:
            worths[line.moves[0]] = worth
    return sorted(worths, key=lambda move: -worths[move])[:_RIVALS]


def _worth_after(moves: Sequence[str], now: Situation) -> float:
    """The worth of the score after a line, in centipawns for the side to move."""
    mover = Color.of(now.board.turn)
    with contextlib.suppress(MoveError):  # a line may go on behind the end of the game
        now = now.after(moves[:_PLIES])
    worth = _SCORES / (now.accrued.code + 2)
    return worth if now.accrued.holder is mover else -worth
