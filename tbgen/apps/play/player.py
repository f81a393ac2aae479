"""Player: the move to play, by tables, by a search, or by a guess.

The player is ready once its search is loaded. Loading takes a second, and compiling it once after
an installation some more: the rest of that is done beside the host's first commands, and delays no
answer beyond its limit.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import chess

from tbgen.apps.play.choice import Chooser
from tbgen.apps.play.limits import DEFAULT_NODES
from tbgen.apps.play.situation import Situation, Turn, situation_of
from tbgen.closures import folders_with_blocks
from tbgen.errors import NO_TABLE, TbgenError
from tbgen.probe import MoveProbe, Tablebase
from tbgen.rules.points import Scoring
from tbgen.rules.position import board_after, play_move
from tbgen.score import Color, Score
from tbgen.text import in_so_many

if TYPE_CHECKING:
    from tbgen.apps.play.search import Engine, Line, Searched
    from tbgen.closures.solver import PositionSolver

_GLANCE_SECONDS: Final = 0.02
"""The longest wait, after `stop`, for a search that is still loading."""
_READY_SECONDS: Final = 8.0
"""The longest wait for the search before the first game: some hosts give up after ten seconds."""
_ENOUGH: Final = 0.5
"""After this part of the time no deeper search begins, because it would not finish."""
_LEAST_SECONDS: Final = 1e-6
"""The time of a search that the clock did not notice, for its speed."""
_RANKING_NODES: Final = 10_000
"""The nodes of the search that ranks moves for a comparison by the inner engine."""
_RANKING_SHARE: Final = 0.1
"""The part of the time that it may take."""
_RANKED: Final = 4
"""The moves that it names."""
_BLOCKS_SECONDS: Final = 2.0
"""With less time for a move, solved blocks are not asked: loading their reader takes a second."""


class Player:
    """Tables, and a search of positions that they do not know, by an inner engine if there is one.

    `tell` receives lines of UCI about the best moves, and `complain` the errors of tables.
    """

    def __init__(
        self,
        tables: Tablebase,
        tell: Callable[[str], None],
        complain: Callable[[TbgenError], None],
        chooser: Chooser | None = None,
    ) -> None:
        self.tables = tables
        self.chooser = chooser
        self._tell = tell
        self._complain = complain
        self._outcomes = Tablebase(tables.folders, outcomes_only=True, missing_ok=True)
        self._most_men = tables.max_men
        self._solver: PositionSolver | None = None
        self._engine: Engine | None = None
        self._loading = threading.Thread(target=self._load, daemon=True)

    def prepare(self) -> None:
        """Begin to load the search, if it is not loaded yet."""
        if self._loading.ident is None:
            self._loading.start()

    def finish_loading(self) -> None:
        """Load the search now: loaded beside a game, it takes time from the clock."""
        self.prepare()
        self._loading.join(_READY_SECONDS)

    def close(self) -> None:
        """Close the tables; the inner engine goes on, for another player."""
        self.tables.close()
        self._outcomes.close()
        if self._solver is not None:
            self._solver.close()

    def best_move(self, turn: Turn) -> str | None:
        """The move to play, as UCI writes it, perhaps with a reply to ponder on.

        None if there is no move.
        """
        if not any(turn.now.board.legal_moves):
            end = "checkmate" if turn.now.board.is_check() else "stalemate"
            self._tell(f"info string the game is over by {end}")
            return None
        probes = self._probes(turn)
        if probes and probes[0].dtg is not None:
            return self._best_by_tables(turn, probes)
        if probes:
            # Without distances, nobody knows which of these moves makes progress.
            only: Sequence[chess.Move] = [
                probe.move for probe in probes if probe.outcome == probes[0].outcome
            ]
        else:
            only = self._moves_by_solved_blocks(turn) or self._sound_moves(turn)
        turn = replace(turn, only=only)
        if self.chooser is None:
            self._tell("info string no table has this position, so it is searched")
        elif only:
            answer = self.chooser.answer(turn, partial(self._ranked, turn))
            if answer is not None:
                return answer
        move = self._best_by_search(turn)
        if move is None:
            move = self._guess(turn)
        return None if move is None else move.uci()

    def _probes(self, turn: Turn) -> list[MoveProbe]:
        """The moves with their values by tables, best first; none if tables cannot answer."""
        try:
            probes = self.tables.probe_moves(turn.now.board, turn.now.accrued)
        except TbgenError as error:
            if not isinstance(error, NO_TABLE):
                self._complain(error)  # such as that of a damaged table
            return []
        return [probe for probe in probes if not turn.only or probe.move in turn.only]

    def _moves_by_solved_blocks(self, turn: Turn) -> list[chess.Move]:
        """The moves that solved blocks do not prove worse than another one; none without blocks.

        `tbgen solve` leaves them beside the tables.
        """
        if turn.limits.most_seconds < _BLOCKS_SECONDS or turn.now.board.castling_rights:
            return []
        if not folders_with_blocks(self.tables.folders):
            return []
        try:
            solution = self._open_solver().solved(turn.now.board, turn.now.accrued)
        except TbgenError as error:
            self._complain(error)
            return []
        if solution is None:
            return []
        self._tell(f"info string solved: {solution.bracket}")
        least = dict[chess.Move, int]()
        most = dict[chess.Move, int]()
        for move in solution.moves:
            if turn.only and move.move not in turn.only:
                continue
            worths = [end.worth_to(turn.mover) for end in move.bracket.ends]
            least[move.move] = min(worths)
            most[move.move] = max(worths)
        proved = max(least.values(), default=0)
        return [move for move in most if most[move] >= proved]

    def _open_solver(self) -> PositionSolver:
        from tbgen.closures.solver import PositionSolver

        if self._solver is None:
            self._solver = PositionSolver(list(self.tables.folders), reads_only=True)
        return self._solver

    def _sound_moves(self, turn: Turn) -> Sequence[chess.Move]:
        """The moves that no table calls worse in ordinary chess than another one."""
        moves = turn.only or list(turn.now.board.legal_moves)
        if chess.popcount(turn.now.board.occupied) > self._most_men + 1:  # none leads to a table
            return moves
        results = dict[chess.Move, int]()
        for move in moves:
            _, outcome = self._value_after(turn.now, move)
            results[move] = 0
            if outcome.is_mate:
                results[move] = 1 if outcome.holder is turn.mover else -1
        best = max(results.values(), default=0)
        return [move for move in moves if results[move] == best]

    def _value_after(self, now: Situation, move: chess.Move) -> tuple[Score, Score]:
        """The own score after a move, and the value of a table, or else the accrued score."""
        after = now.board.copy(stack=False)
        own, outcome, _ = play_move(after, move, now.accrued)
        with contextlib.suppress(TbgenError):  # no table, or a damaged one
            outcome = self._outcomes.probe(after, outcome).outcome
        return own, outcome

    def _best_by_tables(self, turn: Turn, probes: list[MoveProbe]) -> str:
        """The best move, by tables."""
        best = _repeating_first(turn.now, probes)[: turn.lines]
        for number, probe in enumerate(best, 1):
            line = [probe.move, *self._line_after(turn.now, probe, turn.limits.plies - 1)]
            self._tell(_table_info(turn.mover, number, probe, line))
        return best[0].move.uci()

    def _line_after(self, now: Situation, chosen: MoveProbe, plies: int) -> list[chess.Move]:
        """Best play after a move, as far as it is wanted and known."""
        if not plies or chosen.dtg is None:
            return []
        after = board_after(now.board, chosen.move)
        try:
            steps = self.tables.line(after, chosen.accrued, max_plies=plies)
            return [step.move for step in steps]
        except TbgenError as error:  # the move is as good without its line
            if not isinstance(error, NO_TABLE):
                self._complain(error)
            return []

    def _ranked(self, turn: Turn) -> Sequence[Line]:
        """The best moves by a shallow search; none if loading it takes too long."""
        seconds = turn.limits.most_seconds * _RANKING_SHARE
        engine = self._loaded_engine(time.monotonic() + seconds, turn.halt)
        ranked: Sequence[Line] = ()
        if engine is not None:
            for searched in engine.deepen(
                turn.now,
                most_nodes=_RANKING_NODES,
                seconds=seconds,
                halt=turn.halt,
                only=turn.only,
                most_lines=_RANKED,
            ):
                ranked = searched.lines
        return ranked

    def _best_by_search(self, turn: Turn) -> chess.Move | None:
        """The best move that a search finds within the limits and until `halt`, if any."""
        limits = turn.limits
        deadline = time.monotonic() + limits.most_seconds
        engine = self._loaded_engine(deadline, turn.halt)
        if engine is None:  # loading takes too long
            return None
        nodes = limits.nodes
        if self.chooser is not None and limits.flags == ("ponder",):
            nodes = DEFAULT_NODES  # the inner engine has been lost, and nobody stops this search
        best = None
        for searched in engine.deepen(
            turn.now,
            limits.depth,
            nodes,
            deadline - time.monotonic(),
            turn.halt,
            only=turn.only,
            most_lines=turn.lines,
        ):
            self._tell("\n".join(_search_infos(searched)))
            best_line = searched.lines[0]
            best = best_line.moves[0]
            if limits.seconds is None:
                continue
            if (
                len(turn.only) == 1
                or best_line.is_mate
                or searched.seconds > _ENOUGH * limits.seconds
            ):
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

    def _guess(self, turn: Turn) -> chess.Move | None:
        """The best move by its value, and among equals that with the fewest replies."""

        def merit(move: chess.Move) -> tuple[int, int, str]:
            own, outcome = self._value_after(turn.now, move)
            return -outcome.worth_to(turn.mover), own.code, move.uci()

        if self.chooser is None:
            self._tell("info string no depth could be searched, so the move is a guess")
        return min(turn.only, key=merit, default=None)


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
