"""A UCI engine as a process, and its clock: start it, set it up, ask it for moves, and detect its faults.

Built on python-chess's asynchronous engines, of which only the protocol is used: when a game is over is for the
rules of r-mobility to say. `Uci` adds to it what a referee needs: times, the last words of an engine, and its end.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import logging
import math
import os
import re
import signal
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import chess
import chess.engine

from tbgen.errors import EngineStartError, UsageError
from tbgen.system.process import end_with_us
from tbgen.text import cleaned

T = TypeVar("T")

_CONTROL = re.compile(
    r"(?:(?P<moves>\d+)/)?(?:(?P<minutes>\d+(?:\.\d+)?):)?(?P<seconds>\d+(?:\.\d+)?)(?:\+(?P<increment>\d+(?:\.\d+)?))?"
)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time and the search limits of an engine; all times are in seconds.

    `base` for `moves` moves (all of them if None) with `increment` a move, or `each_move`; `nodes` and `plies`
    may limit the search besides. Without a `base` and `each_move` nobody loses on time.
    """

    moves: int | None = None
    base: float | None = None
    increment: float = 0.0
    each_move: float | None = None
    nodes: int | None = None
    plies: int | None = None
    margin: float = 0.0

    def __str__(self) -> str:
        """As the TimeControl tag of a game."""
        moves = "" if self.moves is None else f"{self.moves}/"
        increment = f"+{self.increment:g}" if self.increment else ""
        limits = {
            f"{moves}{{:g}}{increment}": self.base,
            "{:g}/move": self.each_move,
            "{} nodes/move": self.nodes,
            "{} plies/move": self.plies,
        }
        return (
            ", ".join(form.format(limit) for form, limit in limits.items() if limit is not None)
            or "-"
        )


def parse_time_control(text: str) -> TimeControl:
    """The control that `moves/time+increment` writes; time is seconds or minutes:seconds, `inf` is none."""
    if text in ("inf", "infinite"):
        return TimeControl()
    match = _CONTROL.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not a time control such as 10+0.1, 40/60, 1:30+0.5 or inf")
    moves, minutes, seconds, increment = match.group("moves", "minutes", "seconds", "increment")
    base = 60 * float(minutes or 0) + float(seconds)
    if base == 0:
        raise UsageError(
            f"{text!r} leaves no time for the first move; st=1 gives each move a second, inf sets no limit"
        )
    return TimeControl(int(moves or 0) or None, base, float(increment or 0))


class Clock:
    """The time that one side has left."""

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.remaining = control.base
        self.moves_to_go = control.moves
        """Moves until time is added."""

    @property
    def allowance(self) -> float:
        """Seconds within which the next move must arrive, margin included; infinite without a time limit."""
        limits = [limit for limit in (self.remaining, self.control.each_move) if limit is not None]
        return min(limits, default=math.inf) + self.control.margin

    def stop(self, used: float) -> None:
        """Take the time of a move off, and add what the control gives for it."""
        if self.remaining is not None:
            self.remaining = max(0.0, self.remaining - used) + self.control.increment
            if self.moves_to_go is not None:
                self.moves_to_go -= 1
            if self.moves_to_go == 0:
                self.moves_to_go = self.control.moves
                self.remaining += self.control.base or 0.0


_SCORE = re.compile(r"\bscore(?:\s+(?:upper|lower)bound)?\s+(cp|mate)\s+([+-]?\d{1,9})\b")
_DEPTH = re.compile(r"\bdepth\s+(\d{1,9})\b")

logging.getLogger("chess.engine").addHandler(logging.NullHandler())

Listener = Callable[[str, str], None]
"""Told each line that passes: `<` from the engine, `>` to it, `!` its standard error."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An engine's evaluation of its move, from its own point of view."""

    score: chess.engine.Score | None = None
    plies: int | None = None

    def __str__(self) -> str:
        """As comments have it: +0.31/12, or +M5/20."""
        if self.score is None:
            return ""
        mate, pawns = self.score.mate(), self.score.score(mate_score=0) / 100
        text = f"{pawns:+.2f}" if mate is None else f"{'-' if mate < 0 else '+'}M{abs(mate)}"
        return text if self.plies is None else f"{text}/{self.plies}"


def evaluation_in(line: str, *, from_other_side: bool = False) -> Evaluation:
    """The evaluation in an `info` line; empty where the line is garbled. Only one line of a search needs to be read.

    >>> str(evaluation_in("info depth 12 seldepth 18 score cp 31 nodes 4711 pv e2e4"))
    '+0.31/12'
    >>> str(evaluation_in("info depth  5 score mate   +3"))
    '+M3/5'
    """
    found, depth = _SCORE.search(line), _DEPTH.search(line)
    if found is None:
        return Evaluation()
    score = chess.engine.Cp(int(found[2])) if found[1] == "cp" else chess.engine.Mate(int(found[2]))
    return Evaluation(
        -score if from_other_side else score, None if depth is None else int(depth[1])
    )


class Uci(chess.engine.UciProtocol):
    """The protocol, with the moments at which a search was asked for and answered."""

    def __init__(self, listener: Listener) -> None:
        super().__init__()
        self._listener = listener
        self.root: str | None = None
        self.asked = self.answered = 0.0
        self.last_info = self.last_move = self.last_complaint = ""
        self.closed_output = False
        self._is_killed = False

    def send_line(self, line: str) -> None:
        if self.root is not None and line.startswith("position "):
            _, moves, played = line.partition(" moves ")
            line = f"position fen {self.root}{moves}{played}"
        self._listener(">", line)
        super().send_line(line)
        if line.startswith("go"):
            self.last_info, self.last_move, self.asked = "", "none", time.perf_counter()

    def line_received(self, line: str) -> None:
        if line.startswith("bestmove"):
            self.answered, self.last_move = time.perf_counter(), [*line.split(), "none"][1]
        elif line.startswith("info ") and " score " in line:
            self.last_info = line
        self._listener("<", line)

    def error_line_received(self, line: str) -> None:
        self.last_complaint = line.strip() or self.last_complaint
        self._listener("!", line)

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        """An answer may come after its question has been given up, which python-chess takes ill."""
        with contextlib.suppress(asyncio.InvalidStateError):
            super().pipe_data_received(fd, data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """An engine that closes its output but lives on has left the game."""
        if fd == 1:
            self.loop.call_later(_LINGER_SECONDS, self._leave)

    def _leave(self) -> None:
        if not self.returncode.done():
            self.closed_output = True
            self.kill()

    def kill(self) -> None:
        """End the process and its children, also when it has ended by itself: its process group remains."""
        if self.transport is None or self._is_killed:
            return
        self._is_killed = (
            self.transport.get_returncode() is not None
        )  # a number may be given away after the last time
        with contextlib.suppress(OSError):
            os.killpg(self.transport.get_pid(), signal.SIGKILL)


HANDSHAKE = "UCI_RMobility"
"""The option by which an engine says that it knows r-mobility; docs/uci.md."""

_START_SECONDS, _LINGER_SECONDS = 20.0, 0.5
_GRACE_SECONDS = 2.0
_SLACK_SECONDS = 0.05
"""The alarm rings so much later: the time measured from `go` to `bestmove` decides."""
_NAME_LENGTH, _MOVE_LENGTH, _COMPLAINT_LENGTH = 80, 20, 200
"""The longest names, moves and complaints of engines in tags and messages."""


class Offence(enum.Enum):
    """The faults by which an engine forfeits a game, in the words of the tag `Termination` of the PGN standard."""

    ILLEGAL_MOVE = "rules infraction"
    TIME = "time forfeit"
    ABANDONED = "abandoned"
    """It hangs, or it has ended."""


class ForfeitError(Exception):
    """An engine forfeits its game; `details` continues a sentence that begins with its side."""

    def __init__(self, fault: Offence, details: str) -> None:
        self.fault = fault
        self.details = details


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """How to start an engine, and its options; `hang` is the time limit, in seconds, of an engine without a clock."""

    command: tuple[str, ...]
    name: str | None = None
    folder: Path | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    control: TimeControl = field(default_factory=TimeControl)
    restart: bool = False
    """Whether every game has a new process."""
    hang: float = 300.0
    stderr: Path | None = None
    white_view: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """A move with the time that it took, what the engine said of it, and the time that is left."""

    move: chess.Move
    seconds: float
    evaluation: Evaluation
    remaining: float | None


class EngineProcess:
    """An engine process, from its start to its end; an engine that has ended needs a new one."""

    def __init__(self, spec: EngineSpec, listener: Listener = lambda direction, line: None) -> None:
        self.spec = spec
        self._uci = Uci(listener)

    @property
    def name(self) -> str:
        """The name given by the user, or else the engine's `id name`, or that of its program."""
        names = (
            self.spec.name or "",
            self._uci.id.get("name", ""),
            Path(self.spec.command[0]).name,
        )
        return next(filter(None, (cleaned(name, _NAME_LENGTH) for name in names)), "")

    @property
    def knows_r_mobility(self) -> bool:
        return HANDSHAKE in self._uci.options

    @property
    def is_running(self) -> bool:
        return self._uci.transport is not None and not self._uci.returncode.done()

    async def start(self, told: Mapping[str, str], variant: str = "chess") -> None:
        """Start the process and set it up; `told` is for engines that know r-mobility, `variant` is what is played."""
        try:
            async with asyncio.timeout(_START_SECONDS):
                await self._spawn()
                await self._uci.initialize()
                await self._uci.configure(self._options(told, variant))
                await self._uci.ping()
        except TimeoutError:
            await self._fail(f"no answer to uci or isready within {_START_SECONDS:g} s")
        except chess.engine.EngineTerminatedError:
            complaint = cleaned(self._uci.last_complaint, _COMPLAINT_LENGTH)
            await self._fail(
                f"it ended at once{self._how_it_ended()}{complaint and ': '}{complaint}"
            )
        except (chess.engine.EngineError, OSError) as error:
            await self._fail(
                error.strerror or str(error) if isinstance(error, OSError) else str(error)
            )

    async def begin(self, root: str, komi: str | None = None) -> None:
        """Announce a new game; `root` is its first position with the accrued score."""
        if self.knows_r_mobility:
            self._uci.root = root
            if komi is not None and f"{HANDSHAKE}Komi" in self._uci.options:
                await self._uci.configure({f"{HANDSHAKE}Komi": komi})
        self._uci.first_game = False
        try:
            self._uci.send_line("ucinewgame")
            await self._within(_START_SECONDS, self._uci.ping())
        except TimeoutError:
            raise ForfeitError(
                Offence.ABANDONED, f"does not answer isready within {_START_SECONDS:g} s"
            ) from None

    async def think(self, board: chess.Board, clock: Clock, other: Clock) -> Answer:
        """Ask for a move, measure its time and take it off the clock."""
        uci, allowance = self._uci, clock.allowance
        patience = self.spec.hang if math.isinf(allowance) else allowance
        try:
            search = uci.play(board, _limit(board.turn, clock, other), game=uci.game)
            move = (await self._within(patience + _SLACK_SECONDS, search)).move
        except TimeoutError:
            raise await self._overdue(clock) from None
        except chess.engine.EngineError:
            move = None
        if move is None or move not in board.legal_moves:
            raise ForfeitError(
                Offence.ILLEGAL_MOVE,
                f"makes an illegal move: {cleaned(uci.last_move, _MOVE_LENGTH)}",
            )
        seconds = uci.answered - uci.asked
        if seconds > allowance:
            left = allowance - clock.control.margin
            raise ForfeitError(
                Offence.TIME, f"loses on time: {seconds:.3f} s for a move with {left:.3f} s left"
            )
        clock.stop(seconds)
        said = evaluation_in(
            uci.last_info, from_other_side=self.spec.white_view and board.turn == chess.BLACK
        )
        return Answer(move, seconds, said, clock.remaining)

    def kill(self) -> None:
        """End the process without asking."""
        self._uci.kill()

    async def close(self) -> None:
        """Send `quit`, and end the process if it does not."""
        try:
            with contextlib.suppress(TimeoutError, chess.engine.EngineError, ForfeitError):
                if self.is_running:
                    await self._within(_GRACE_SECONDS, self._uci.quit())
        finally:
            self._uci.kill()
            if self._uci.transport is not None:
                await asyncio.wait([self._uci.returncode], timeout=_GRACE_SECONDS)
                self._uci.transport.close()

    async def _spawn(self) -> None:
        spec = self.spec
        with contextlib.ExitStack() as opened:
            stderr = (
                asyncio.subprocess.PIPE
                if spec.stderr is None
                else opened.enter_context(spec.stderr.open("ab"))
            )
            transport, _ = await asyncio.get_running_loop().subprocess_exec(
                lambda: self._uci, *spec.command, cwd=spec.folder, stderr=stderr, process_group=0
            )
        end_with_us(transport.get_pid(), self._uci.returncode)

    def _options(
        self, told: Mapping[str, str], variant: str
    ) -> dict[str, chess.engine.ConfigValue]:
        """The user's options, and those for r-mobility if the engine knows it; an error if it plays no such variant."""
        known = self._uci.options
        variants = known["UCI_Variant"].var or [] if "UCI_Variant" in known else []
        played = ["chess", *(["chess960"] if "UCI_Chess960" in known else []), *variants]
        if variant not in played:
            raise chess.engine.EngineError(f"it does not play {variant}{nearest(variant, played)}")
        for name in self.spec.options:
            if name not in known:
                raise chess.engine.EngineError(f"it has no option {name!r}{nearest(name, known)}")
        return {
            **self.spec.options,
            **{
                name: value
                for name, value in told.items()
                if self.knows_r_mobility and name in known
            },
        }

    async def _fail(self, reason: str) -> None:
        await self.close()
        raise EngineStartError(reason, self.spec.name or " ".join(self.spec.command))

    async def _overdue(self, clock: Clock) -> ForfeitError:
        if math.isinf(clock.allowance):
            return ForfeitError(Offence.ABANDONED, f"does not answer within {self.spec.hang:g} s")
        end = ""
        try:
            await self._within(_GRACE_SECONDS, self._uci.ping())
        except (
            TimeoutError,
            chess.engine.EngineError,
            ForfeitError,
        ):  # it hangs: the next game needs another process
            self._uci.kill()
            await asyncio.wait([self._uci.returncode], timeout=_GRACE_SECONDS)
            end = " and no answer after it"
        return ForfeitError(
            Offence.TIME, f"loses on time: no move within {clock.allowance:.3f} s{end}"
        )

    async def _within(self, seconds: float, answer: Awaitable[T]) -> T:
        """What the engine answers; TimeoutError if it takes longer, and it forfeits the game if it has ended."""
        try:
            async with asyncio.timeout(seconds):
                return await answer
        except chess.engine.EngineTerminatedError:
            details = (
                "closes its output"
                if self._uci.closed_output
                else f"has ended{self._how_it_ended()}"
            )
            raise ForfeitError(Offence.ABANDONED, details) from None

    def _how_it_ended(self) -> str:
        code = self._uci.returncode.result()
        return f" (signal {signal.Signals(-code).name})" if code < 0 else f" (exit code {code})"


def _limit(turn: chess.Color, clock: Clock, other: Clock) -> chess.engine.Limit:
    """The limits that `go` sends: both clocks, if the engine plays with a clock."""
    white, black = (clock, other) if turn == chess.WHITE else (other, clock)
    clocks: dict[str, Any] = {
        "white_clock": white.remaining,
        "black_clock": black.remaining,
        "white_inc": white.control.increment,
        "black_inc": black.control.increment,
        "remaining_moves": clock.moves_to_go,
    }
    control, sent = clock.control, {} if clock.remaining is None else clocks
    return chess.engine.Limit(
        time=control.each_move, nodes=control.nodes, depth=control.plies, **sent
    )


def nearest(word: str, known: Iterable[str]) -> str:
    """A suggestion for an unknown word, as the end of a sentence.

    >>> nearest("concurency", ["concurrency", "games"])
    '; did you mean concurrency?'
    >>> nearest("xyz", ["games"])
    ''
    """
    lower = {each.lower(): each for each in known}
    close = get_close_matches(word.lower(), lower, n=1, cutoff=0.6)
    return f"; did you mean {lower[close[0]]}?" if close else ""


def pass_over(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Drop python-chess's reports of engines that end in the midst of a command; `EngineProcess` handles these."""
    if not isinstance(context.get("protocol"), Uci):
        loop.default_exception_handler(context)
