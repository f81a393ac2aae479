"""Player: which moves are best, and the limits of `go`.

The first position without a table loads the search. Loading takes a second, and compiling it once after an installation
some more. Neither delays an answer beyond its limit.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import chess

from tbgen.errors import NO_TABLE, TbgenError, UsageError
from tbgen.probe import MoveProbe, Tablebase
from tbgen.rules.notation import parse_move
from tbgen.rules.points import Scoring
from tbgen.rules.position import board_after, own_score, play_move
from tbgen.score import Color, Score
from tbgen.text import in_so_many

if TYPE_CHECKING:
    from tbgen.apps.play.search import Engine, Searched


@dataclass(frozen=True)
class Situation:
    """A position of a game: the board, the accrued score, and the positions since the last reset."""

    board: chess.Board
    accrued: Score
    seen: Counter[str] = field(default_factory=Counter)
    """[EPD] how often."""


def situation_of(first: chess.Board, accrued: Score | None, moves: Sequence[str]) -> Situation:
    """The position after some moves; without `accrued` the first one counts with its own score."""
    board = first.copy(stack=False)
    score = own_score(board) if accrued is None else accrued
    seen = Counter([board.epd()])
    for ply, word in enumerate(moves, 1):
        _, score, reset = play_move(board, parse_move(board, word, ply), score)
        if reset:
            seen.clear()
        seen[board.epd()] += 1
    return Situation(board, score, seen)


def _repeating_first(now: Situation, moves: list[MoveProbe]) -> list[MoveProbe]:
    """If the accrued score stands, its holder repeats positions to end the game; the other side does not."""
    if not moves or moves[0].outcome != now.accrued or not now.seen:
        return moves
    mine = now.accrued.holder is Color.of(now.board.turn)
    equal = [each for each in moves if (each.outcome, each.dtg) == (moves[0].outcome, moves[0].dtg)]
    wanted = [
        each for each in equal if (board_after(now.board, each.move).epd() in now.seen) is mine
    ]
    return [*wanted, *(each for each in moves if each not in wanted)]


def centipawns(outcome: Score, side: Color) -> int:
    """An outcome on the scale that other programs know: its points p as 100 * 4 log10(p / (1 - p)).

    >>> centipawns(Score(1, Color.WHITE), Color.WHITE), centipawns(Score(3, Color.BLACK), Color.WHITE)
    (191, -44)
    """
    points = float(Scoring().points(outcome)[side])
    return round(400 * math.log10(points / (1 - points)))


LINE_PLIES: Final = 24
"""The most plies of best play that are shown; each takes a probe."""
DEFAULT_NODES: Final = 200_000
"""The nodes of a search without a limit."""
MOST: Final = 10**12
"""Greater numbers count as this one: as milliseconds it is thirty years."""

HURRY_MILLISECONDS: Final = 200
"""If a move has less time than this, its line is not shown."""

_LIMITS: Final = (
    "depth",
    "nodes",
    "mate",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
)
_KEYWORDS: Final = (*_LIMITS, "infinite", "ponder")
_MOVES_TO_GO: Final = 30
_OVERHEAD_MILLISECONDS: Final = 20
"""The time that is reserved for sending an answer."""


@dataclass(frozen=True)
class GoLimits:
    """The parameters of `go`."""

    only: tuple[str, ...] = ()
    plies: int = LINE_PLIES
    """The most moves of a line from tables, including the move itself."""
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    """The limits of a search."""


def asked_in(words: Sequence[str], mover: Color, complain: Callable[[str], None]) -> GoLimits:
    """The parameters of `go`. It ignores unknown words, and reports and ignores wrong numbers.

    >>> asked_in("movetime 50 searchmoves e2e4 d2d4".split(), Color.WHITE, print).only
    ('e2e4', 'd2d4')
    >>> asked_in("wtime 60000 winc 1000 btime 1".split(), Color.WHITE, print).seconds
    2.73
    """
    numbers = dict[str, int]()
    for name, value in itertools.pairwise(words):
        if name in _LIMITS:
            try:
                numbers[name] = number_in(value, name)
            except UsageError as error:
                complain(str(error))
    named = itertools.dropwhile(lambda word: word != "searchmoves", words)
    only = itertools.takewhile(lambda word: word not in _KEYWORDS, itertools.islice(named, 1, None))
    clock, increment = ("wtime", "winc") if mover is Color.WHITE else ("btime", "binc")
    waits = is_endless(words)
    depth = numbers.get("depth", 2 * numbers["mate"] if "mate" in numbers else None)
    seconds = None if waits else _seconds(numbers, numbers.get(clock), numbers.get(increment, 0))
    is_free = depth is None and seconds is None and not waits
    in_hurry = numbers.get("movetime", numbers.get(clock, MOST)) < HURRY_MILLISECONDS
    return GoLimits(
        only=tuple(only),
        plies=1 if in_hurry else max(1, min(LINE_PLIES, numbers.get("depth", LINE_PLIES))),
        depth=depth,
        nodes=numbers.get("nodes", DEFAULT_NODES if is_free else None),
        seconds=seconds,
    )


def is_endless(words: Sequence[str]) -> bool:
    """Whether the answer to a `go` waits for `stop`."""
    return "infinite" in words or "ponder" in words


def _seconds(numbers: dict[str, int], clock: int | None, increment: int) -> float | None:
    """The limits of a search: the time for the move, or a fair part of the clock, but never half of it."""
    limits = [numbers["movetime"]] if "movetime" in numbers else []
    if clock is not None:
        fair = clock // max(1, numbers.get("movestogo", _MOVES_TO_GO)) + increment * 3 // 4
        limits += [fair, clock // 2]
    return max(1, min(limits) - _OVERHEAD_MILLISECONDS) / 1000 if limits else None


def number_in(text: str, name: str) -> int:
    """A whole number from the host, limited to the bounds.

    >>> number_in("9" * 5000, "nodes"), number_in("-20", "wtime")
    (1000000000000, -20)
    """
    if not re.fullmatch(r"-?[0-9]+", text):
        shown = text if len(text) <= 40 else f"{text[:40]}..."
        raise UsageError(f"{name} must be a number, not {shown!r}")
    return max(-MOST, min(MOST, int(text[:21])))  # more digits are beyond it


_GLANCE_SECONDS: Final = 0.02
"""The longest wait, after `stop`, for a search that is still loading."""
_ENOUGH: Final = 0.5
"""After this part of the time no deeper search begins, because it would not finish."""


class Player:
    """Tables, and a search of positions that they do not know.

    `tell` receives lines of UCI about the best moves, and `complain` the errors of tables.
    """

    def __init__(
        self, tables: Tablebase, tell: Callable[[str], None], complain: Callable[[TbgenError], None]
    ) -> None:
        self.tables, self._tell, self._complain = tables, tell, complain
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
        asked: GoLimits,
        lines: int,
        halt: threading.Event,
    ) -> chess.Move | None:
        """The move to play; if `only` names moves, one of these. None if there is no move."""
        try:
            return self._by_tables(now, only, asked, lines)
        except TbgenError as error:
            if not isinstance(error, NO_TABLE):
                self._complain(error)  # such as that of a damaged table
        self._tell("info string no table has this position, so it is searched")
        return self._searched(now, only, asked, lines, halt) or self._guessed(now, only)

    def _by_tables(
        self, now: Situation, only: Sequence[chess.Move], asked: GoLimits, lines: int
    ) -> chess.Move | None:
        """The best move, by tables."""
        moves = self.tables.probe_moves(now.board, now.accrued)
        wanted = _repeating_first(now, [each for each in moves if not only or each.move in only])[
            :lines
        ]
        found = [
            (each, [each.move, *self._line_after(now, each, asked.plies - 1)]) for each in wanted
        ]
        for number, (each, line) in enumerate(found, 1):
            self._tell(_info(Color.of(now.board.turn), number, each, line))
        return wanted[0].move if wanted else None

    def _line_after(self, now: Situation, chosen: MoveProbe, plies: int) -> list[chess.Move]:
        """Best play after a move, as far as it is wanted and known."""
        if plies and chosen.dtg is not None:
            with contextlib.suppress(*NO_TABLE):  # the move is as good without its line
                steps = self.tables.line(
                    board_after(now.board, chosen.move), chosen.accrued, max_plies=plies
                )
                return [step.move for step in steps]
        return []

    def _guessed(self, now: Situation, only: Sequence[chess.Move]) -> chess.Move | None:
        """The best move by its table value, or else by the accrued score after it; then by the fewest replies."""

        def merit(move: chess.Move) -> tuple[int, int, str]:
            after = now.board.copy(stack=False)
            own, outcome, _ = play_move(after, move, now.accrued)
            with contextlib.suppress(TbgenError):  # no table, or a damaged one
                outcome = self.tables.probe(after, outcome).outcome
            return -outcome.worth_to(Color.of(now.board.turn)), own.code, move.uci()

        self._tell("info string no depth could be searched, so the move is a guess")
        return min(only or now.board.legal_moves, key=merit, default=None)

    def _searched(
        self,
        now: Situation,
        only: Sequence[chess.Move],
        asked: GoLimits,
        lines: int,
        halt: threading.Event,
    ) -> chess.Move | None:
        """The best move that a search finds within the limits and until `halt`, None without one."""
        deadline = time.monotonic() + (MOST / 1000 if asked.seconds is None else asked.seconds)
        self.prepare()
        while self._loading.is_alive() and not halt.is_set() and time.monotonic() < deadline:
            self._loading.join(min(_GLANCE_SECONDS, deadline - time.monotonic()))
        engine = self._engine
        if engine is None:  # loading takes too long
            return None
        best, choices, seconds = (
            None,
            len(only) or now.board.legal_moves.count(),
            deadline - time.monotonic(),
        )
        for found in engine.deepen(
            now, asked.depth, asked.nodes, seconds, halt, only=only, most_lines=lines
        ):
            self._tell("\n".join(_infos(found)))
            first = found.lines[0]
            best = first.moves[0]
            is_clear = choices == 1 or first.is_mate
            if asked.seconds is not None and (is_clear or found.seconds > _ENOUGH * asked.seconds):
                break
        return best

    def _load(self) -> None:
        from tbgen.apps.play.search import Engine

        engine = Engine(self._outcomes, self._complain)
        next(
            engine.deepen(situation_of(chess.Board(), None, ()), 1)
        )  # this compiles or loads the kernel
        self._engine = engine


def _info(mover: Color, number: int, found: MoveProbe, line: Sequence[chess.Move]) -> str:
    """A line of `info` for a move from tables; G0.0 is a mate, any other outcome its points as centipawns."""
    outcome, plies = found.outcome, found.dtg or 1
    moves = (plies + 1) // 2
    mate = f"mate {moves if outcome.holder is mover else -moves}"
    score = mate if outcome.is_mate else f"cp {centipawns(outcome, mover)}"
    pv = " ".join(move.uci() for move in line)
    return f"info depth {plies} multipv {number} score {score} pv {pv} string {outcome} {in_so_many(found.dtg)}"


def _infos(found: Searched) -> Iterator[str]:
    """A line of `info` for each wanted move."""
    speed = round(found.nodes / max(found.seconds, 1e-6))
    counts = f"nodes {found.nodes} nps {speed} tbhits {found.table_hits} time {round(found.seconds * 1000)}"
    for number, line in enumerate(found.lines, 1):
        pv = " ".join(move.uci() for move in line.moves)
        yield f"info depth {found.depth} multipv {number} score {line.score} {counts} pv {pv}"
