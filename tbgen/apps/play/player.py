"""Player: the move to play, by tables, by a search, or by a guess.

The first position without a table loads the search. Loading takes a second, and compiling it once
after an installation some more. Neither delays an answer beyond its limit.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import chess

from tbgen.apps.play.limits import MOST, GoLimits
from tbgen.apps.play.situation import Situation, situation_of
from tbgen.errors import NO_TABLE, TbgenError
from tbgen.probe import MoveProbe, Tablebase
from tbgen.rules.points import Scoring
from tbgen.rules.position import board_after, play_move
from tbgen.score import Color, Score
from tbgen.text import in_so_many

if TYPE_CHECKING:
    from tbgen.apps.play.search import Engine, Searched

_GLANCE_SECONDS: Final = 0.02
"""The longest wait, after `stop`, for a search that is still loading."""
_ENOUGH: Final = 0.5
"""After this part of the time no deeper search begins, because it would not finish."""
_LEAST_SECONDS: Final = 1e-6
"""The time of a search that the clock did not notice, for its speed."""


class Player:
    """Tables, and a search of positions that they do not know.

    `tell` receives lines of UCI about the best moves, and `complain` the errors of tables.
    """

    def __init__(
        self, tables: Tablebase, tell: Callable[[str], None], complain: Callable[[TbgenError], None]
    ) -> None:
        self.tables = tables
        self._tell = tell
        self._complain = complain
        self._outcomes = Tablebase(tables.folders, outcomes_only=True, missing_ok=True)
        self._engine: Engine | None = None
        self._loading = threading.Thread(target=self._load, daemon=True)

    def prepare(self) -> None:
        """Begin to load the search, if it is not loaded yet."""
        if self._loading.ident is None:
            self._loading.start()

    def close(self) -> None:
        self.tables.close()
        self._outcomes.close()

    def best_move(
        self,
        now: Situation,
        only: Sequence[chess.Move],
        limits: GoLimits,
        lines: int,
        halt: threading.Event,
    ) -> chess.Move | None:
        """The move to play; if `only` names moves, one of these. None if there is no move."""
        try:
            return self._best_by_tables(now, only, limits, lines)
        except TbgenError as error:
            if not isinstance(error, NO_TABLE):
                self._complain(error)  # such as that of a damaged table
        self._tell("info string no table has this position, so it is searched")
        move = self._best_by_search(now, only, limits, lines, halt)
        if move is None:
            move = self._guess(now, only)
        return move

    def _best_by_tables(
        self, now: Situation, only: Sequence[chess.Move], limits: GoLimits, lines: int
    ) -> chess.Move | None:
        """The best move, by tables."""
        probes = list(self.tables.probe_moves(now.board, now.accrued))
        if only:
            probes = [probe for probe in probes if probe.move in only]
        best = _repeating_first(now, probes)[:lines]
        # A table of a line may be missing or damaged: tell of all moves, or of none.
        messages = list[str]()
        for number, probe in enumerate(best, 1):
            line = [probe.move, *self._line_after(now, probe, limits.plies - 1)]
            messages.append(_table_info(Color.of(now.board.turn), number, probe, line))
        for message in messages:
            self._tell(message)
        return best[0].move if best else None

    def _line_after(self, now: Situation, chosen: MoveProbe, plies: int) -> list[chess.Move]:
        """Best play after a move, as far as it is wanted and known."""
        if not plies or chosen.dtg is None:
            return []
        after = board_after(now.board, chosen.move)
        try:
            steps = self.tables.line(after, chosen.accrued, max_plies=plies)
            return [step.move for step in steps]
        except NO_TABLE:  # the move is as good without its line
            return []

    def _best_by_search(
        self,
        now: Situation,
        only: Sequence[chess.Move],
        limits: GoLimits,
        lines: int,
        halt: threading.Event,
    ) -> chess.Move | None:
        """The best move that a search finds within the limits and until `halt`, if any."""
        seconds = MOST / 1000 if limits.seconds is None else limits.seconds
        deadline = time.monotonic() + seconds
        engine = self._loaded_engine(deadline, halt)
        if engine is None:  # loading takes too long
            return None
        choices = len(only) or now.board.legal_moves.count()
        best = None
        for searched in engine.deepen(
            now,
            limits.depth,
            limits.nodes,
            deadline - time.monotonic(),
            halt,
            only=only,
            most_lines=lines,
        ):
            self._tell("\n".join(_search_infos(searched)))
            best_line = searched.lines[0]
            best = best_line.moves[0]
            if limits.seconds is None:
                continue
            if choices == 1 or best_line.is_mate or searched.seconds > _ENOUGH * limits.seconds:
                break
        return best

    def _loaded_engine(self, deadline: float, halt: threading.Event) -> Engine | None:
        """The search, or None if it is not loaded before `deadline` or `halt`."""
        self.prepare()
        while self._loading.is_alive() and not halt.is_set() and time.monotonic() < deadline:
            self._loading.join(min(_GLANCE_SECONDS, deadline - time.monotonic()))
        return self._engine

    def _load(self) -> None:
        """Load the search, and compile its kernel by a search of one ply."""
        from tbgen.apps.play.search import Engine

        engine = Engine(self._outcomes, self._complain)
        next(engine.deepen(situation_of(chess.Board(), None, ()), 1))
        self._engine = engine

    def _guess(self, now: Situation, only: Sequence[chess.Move]) -> chess.Move | None:
        """The best move by its value, and among equals that with the fewest replies.

        The value is that of a table, or else the accrued score after the move.
        """

        def merit(move: chess.Move) -> tuple[int, int, str]:
            after = now.board.copy(stack=False)
            own, outcome, _ = play_move(after, move, now.accrued)
            with contextlib.suppress(TbgenError):  # no table, or a damaged one
                outcome = self.tables.probe(after, outcome).outcome
            return -outcome.worth_to(Color.of(now.board.turn)), own.code, move.uci()

        self._tell("info string no depth could be searched, so the move is a guess")
        return min(only or now.board.legal_moves, key=merit, default=None)


def _repeating_first(now: Situation, probes: list[MoveProbe]) -> list[MoveProbe]:
    """The moves, reordered if the accrued score stands.

    Its holder repeats positions to end the game; the other side does not.
    """
    if not probes or probes[0].outcome != now.accrued or not now.seen:
        return probes
    wants_repetition = now.accrued.holder is Color.of(now.board.turn)
    best_value = (probes[0].outcome, probes[0].dtg)
    preferred = list[MoveProbe]()
    for probe in probes:
        if (probe.outcome, probe.dtg) != best_value:
            continue
        repeats = board_after(now.board, probe.move).epd() in now.seen
        if repeats is wants_repetition:
            preferred.append(probe)
    others = [probe for probe in probes if probe not in preferred]
    return preferred + others


def centipawns(outcome: Score, side: Color) -> int:
    """An outcome on the scale that other programs know: its points p as 100 * 4 log10(p / (1 - p)).

    >>> centipawns(Score(1, Color.WHITE), Color.WHITE)
    191
    >>> centipawns(Score(3, Color.BLACK), Color.WHITE)
    -44
    """
    points = float(Scoring().points(outcome)[side])
    return round(400 * math.log10(points / (1 - points)))


def _table_info(mover: Color, number: int, probe: MoveProbe, line: Sequence[chess.Move]) -> str:
    """A line of `info` for a move from tables.

    G0.0 is a mate; any other outcome is shown as its points in centipawns.
    """
    plies = probe.dtg or 1
    if probe.outcome.is_mate:
        moves = (plies + 1) // 2
        score = f"mate {moves if probe.outcome.holder is mover else -moves}"
    else:
        score = f"cp {centipawns(probe.outcome, mover)}"
    return (
        f"info depth {plies} multipv {number} score {score} pv {_in_uci(line)} "
        f"string {probe.outcome} {in_so_many(probe.dtg)}"
    )


def _search_infos(searched: Searched) -> Iterator[str]:
    """A line of `info` for each wanted move."""
    speed = round(searched.nodes / max(searched.seconds, _LEAST_SECONDS))
    milliseconds = round(searched.seconds * 1000)
    counts = f"nodes {searched.nodes} nps {speed} tbhits {searched.table_hits} time {milliseconds}"
    for number, line in enumerate(searched.lines, 1):
        yield (
            f"info depth {searched.depth} multipv {number} score {line.score} {counts} "
            f"pv {_in_uci(line.moves)}"
        )


def _in_uci(moves: Sequence[chess.Move]) -> str:
    return " ".join(move.uci() for move in moves)
