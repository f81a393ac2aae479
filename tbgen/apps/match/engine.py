"""A UCI engine as a process: start it, set it up, ask it for moves, and detect its faults.

The lines are those of python-chess's asynchronous engines, with their times. When a game is over is
for the rules of r-mobility to say.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import logging
import math
import os
import shlex
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

import chess
import chess.engine

from tbgen.apps.match.control import Clock
from tbgen.apps.match.info import Doubt, Evaluation, Info, doubt_about
from tbgen.apps.match.settings import EngineSpec
from tbgen.errors import EngineStartError
from tbgen.system.process import end_with_us, how_it_ended, kill_group
from tbgen.text import cleaned, nearest

T = TypeVar("T")

logging.getLogger("chess.engine").addHandler(logging.NullHandler())

Listener = Callable[[str, str], None]
"""Told each line that passes: `<` from the engine, `>` to it, `!` its standard error."""

HANDSHAKE = "UCI_RMobility"
"""The option by which an engine says that it knows r-mobility; docs/uci.md."""

SILENT = " and no answer after it"
"""The end of what is said of an engine that hangs."""

GRACE_SECONDS = 2.0
"""The time to say that it is ready after a loss on time, and to end after `quit`."""
_LINGER_SECONDS = 0.5
"""The time in which an engine that has closed its output may end by itself."""
_NO_MOVE = "none"
"""In place of a move that an engine has not named."""
_SLACK_SECONDS = 0.05
"""The wait beyond the allowance; the time measured from `go` to `bestmove` decides."""
# The longest names, moves and complaints of engines in tags and messages.
_NAME_LENGTH = 80
_MOVE_LENGTH = 20
_COMPLAINT_LENGTH = 200


class Offence(enum.Enum):
    """The faults by which an engine forfeits a game, as the tag `Termination` of PGN has them."""

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
class Answer:
    """A move with the time that it took, its evaluation, and the time that is left."""

    move: chess.Move
    seconds: float
    evaluation: Evaluation
    remaining: float | None
    info: Info | None = None
    """The line of the evaluation."""
    doubt: Doubt | None = None
    """What is wrong with it."""


class Uci(chess.engine.UciProtocol):
    """The protocol, with the moments at which a search was asked for and answered."""

    def __init__(self, listener: Listener) -> None:
        super().__init__()
        self._listener = listener
        self.root: str | None = None
        """The first position of the game with its accrued score; None for an ordinary engine."""
        self.asked = 0.0
        self.answered = 0.0
        self.evaluated: Info | None = None
        """The last exact score of the best move."""
        self.last_move = ""
        """The move as the engine wrote it."""
        self.last_complaint = ""
        """The last line of its standard error."""
        self.closed_output = False
        self._is_killed = False

    def send_line(self, line: str) -> None:
        if self.root is not None and line.startswith("position "):
            _, moves, played = line.partition(" moves ")
            line = f"position fen {self.root}{moves}{played}"
        self._listener(">", line)
        super().send_line(line)
        if line.startswith("go"):
            self.evaluated = None
            self.last_move = _NO_MOVE
            self.asked = time.perf_counter()

    def line_received(self, line: str) -> None:
        if line.startswith("bestmove"):
            self.answered = time.perf_counter()
            words = line.split()
            self.last_move = words[1] if len(words) > 1 else _NO_MOVE
        elif line.startswith("info ") and " score " in line:
            info = Info.parse(line)
            if info.is_evaluation:
                self.evaluated = info
        self._listener("<", line)

    def error_line_received(self, line: str) -> None:
        if line.strip():
            self.last_complaint = line.strip()
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
        """End the process and its children.

        The children may still run after the process has ended by itself. The system may give the
        number of a process away after that, so it is used only once.
        """
        if self.transport is None or self._is_killed:
            return
        self._is_killed = self.transport.get_returncode() is not None
        kill_group(self.transport.get_pid())


class EngineProcess:
    """An engine process, from its start to its end; an engine that has ended needs a new one."""

    def __init__(self, spec: EngineSpec, listener: Listener = lambda direction, line: None) -> None:
        self.spec = spec
        self._uci = Uci(listener)

    @property
    def name(self) -> str:
        """The name given by the user, or else the engine's `id name`, or that of its program."""
        program = Path(self.spec.program).name
        for name in (self.spec.name, self._uci.id.get("name"), program):
            plain = cleaned(name or "", _NAME_LENGTH)
            if plain:
                return plain
        return ""

    @property
    def knows_r_mobility(self) -> bool:
        return HANDSHAKE in self._uci.options

    @property
    def is_running(self) -> bool:
        return self._uci.transport is not None and not self._uci.returncode.done()

    async def start(self, rules: Mapping[str, str], variant: str = "chess") -> None:
        """Start the process and set it up.

        `rules` are options for an engine that knows r-mobility, `variant` is what is played.
        """
        try:
            async with asyncio.timeout(self.spec.startup):
                await self._spawn()
                await self._uci.initialize()
                await self._uci.configure(self._options(rules, variant))
                await self._uci.ping()
        except TimeoutError:
            await self._fail(f"no answer to uci or isready within {self.spec.startup:g} s")
        except chess.engine.EngineTerminatedError:
            await self._fail(f"it ended at once{self._how_it_ended()}")
        except chess.engine.EngineError as error:
            await self._fail(str(error))
        except OSError as error:
            await self._fail(self._why_it_cannot_run(error))

    async def begin(self, root: str, komi: str | None = None) -> None:
        """Announce a new game; `root` is its first position with the accrued score."""
        if self.knows_r_mobility:
            self._uci.root = root
            if komi is not None and f"{HANDSHAKE}Komi" in self._uci.options:
                await self._uci.configure({f"{HANDSHAKE}Komi": komi})
        self._uci.first_game = False
        try:
            self._uci.send_line("ucinewgame")
            await self._within(self.spec.startup, self._uci.ping())
        except TimeoutError:
            raise ForfeitError(
                Offence.ABANDONED, f"does not answer isready within {self.spec.startup:g} s"
            ) from None

    async def think(self, board: chess.Board, clock: Clock, other: Clock) -> Answer:
        """Ask for a move, measure its time and take it off the clock."""
        uci = self._uci
        allowance = clock.allowance
        patience = self.spec.hang if math.isinf(allowance) else allowance
        try:
            search = uci.play(board, _limit(board.turn, clock, other), game=uci.game)
            move = (await self._within(patience + _SLACK_SECONDS, search)).move
        except TimeoutError:
            raise await self._overdue(clock) from None
        except chess.engine.EngineError:
            move = None
        if move is None or move not in board.legal_moves:
            written = cleaned(uci.last_move, _MOVE_LENGTH)
            raise ForfeitError(Offence.ILLEGAL_MOVE, f"makes an illegal move: {written}")
        seconds = uci.answered - uci.asked
        if seconds > allowance:
            left = allowance - clock.control.margin
            raise ForfeitError(
                Offence.TIME, f"loses on time: {seconds:.3f} s for a move with {left:.3f} s left"
            )
        clock.stop(seconds)
        if uci.evaluated is None:
            return Answer(move, seconds, Evaluation(), clock.remaining)
        evaluation = uci.evaluated.evaluation()
        doubt = doubt_about(board, uci.evaluated, evaluation.score)
        return Answer(move, seconds, evaluation, clock.remaining, uci.evaluated, doubt)

    def kill(self) -> None:
        """End the process without asking."""
        self._uci.kill()

    async def close(self) -> None:
        """Send `quit`, and end the process if it does not."""
        try:
            with contextlib.suppress(TimeoutError, chess.engine.EngineError, ForfeitError):
                if self.is_running:
                    await self._within(GRACE_SECONDS, self._uci.quit())
        finally:
            self._uci.kill()
            if self._uci.transport is not None:
                await asyncio.wait([self._uci.returncode], timeout=GRACE_SECONDS)
                self._uci.transport.close()

    async def _spawn(self) -> None:
        with contextlib.ExitStack() as opened:
            stderr: int | IO[bytes] = asyncio.subprocess.PIPE
            if self.spec.stderr is not None:
                stderr = opened.enter_context(self.spec.stderr.open("ab"))
            transport, _ = await asyncio.get_running_loop().subprocess_exec(
                lambda: self._uci,
                *self.spec.command,
                cwd=self.spec.folder,
                stderr=stderr,
                process_group=0,
            )
        end_with_us(transport.get_pid(), self._uci.returncode)

    def _options(
        self, rules: Mapping[str, str], variant: str
    ) -> dict[str, chess.engine.ConfigValue]:
        """The user's options, and those for r-mobility if the engine knows it.

        It is an error if the engine does not play the variant, or has no such option.
        """
        known = self._uci.options
        played = ["chess"]
        if "UCI_Chess960" in known:
            played.append("chess960")
        if "UCI_Variant" in known:
            played += known["UCI_Variant"].var or []
        if variant not in played:
            raise chess.engine.EngineError(f"it does not play {variant}{nearest(variant, played)}")
        for name in self.spec.options:
            if name not in known:
                raise chess.engine.EngineError(f"it has no option {name!r}{nearest(name, known)}")
        options: dict[str, chess.engine.ConfigValue] = dict(self.spec.options)
        if self.knows_r_mobility:
            options |= {name: value for name, value in rules.items() if name in known}
        return options

    def _why_it_cannot_run(self, error: OSError) -> str:
        """The error of the system, with the file that it is about."""
        program = self.spec.program
        folder = self.spec.folder
        if folder is not None and not folder.is_dir():
            return f"there is no folder {folder}; give another dir="
        is_missing = isinstance(error, FileNotFoundError) and error.filename == program
        if is_missing and os.sep not in program:
            return f"no folder of PATH has a program {program}; give its path with cmd="
        reason = error.strerror or str(error)
        return reason if error.filename is None else f"{error.filename}: {reason}"

    async def _fail(self, reason: str) -> None:
        await self.close()
        command = shlex.join(self.spec.command)
        folder = self.spec.folder
        where = f" in {folder}" if folder is not None and folder.is_dir() else ""
        if self.spec.name is not None or where:
            reason += f"; it was started as: {command}{where}"
        raise EngineStartError(reason, self.spec.name or command)

    async def _overdue(self, clock: Clock) -> ForfeitError:
        """The forfeit of an engine that has not answered; one that hangs is killed."""
        if math.isinf(clock.allowance):
            return ForfeitError(Offence.ABANDONED, f"does not answer within {self.spec.hang:g} s")
        details = f"loses on time: no move within {clock.allowance:.3f} s"
        try:
            await self._within(GRACE_SECONDS, self._uci.ping())
        except (TimeoutError, chess.engine.EngineError, ForfeitError):
            self._uci.kill()  # the next game needs another process
            await asyncio.wait([self._uci.returncode], timeout=GRACE_SECONDS)
            details += SILENT
        return ForfeitError(Offence.TIME, details)

    async def _within(self, seconds: float, answer: Awaitable[T]) -> T:
        """The engine's answer; TimeoutError if it takes longer.

        An engine that has ended forfeits the game.
        """
        try:
            async with asyncio.timeout(seconds):
                return await answer
        except chess.engine.EngineTerminatedError:
            if self._uci.closed_output:
                details = "closes its output"
            else:
                details = f"has ended{self._how_it_ended()}"
            raise ForfeitError(Offence.ABANDONED, details) from None

    def _how_it_ended(self) -> str:
        """How the process ended, with its last complaint."""
        ended = f" ({how_it_ended(self._uci.returncode.result())})"
        complaint = cleaned(self._uci.last_complaint, _COMPLAINT_LENGTH)
        return f"{ended}: {complaint}" if complaint else ended


def _limit(turn: chess.Color, clock: Clock, other: Clock) -> chess.engine.Limit:
    """The limits that `go` sends: both clocks, if the engine plays with a clock."""
    control = clock.control
    limit = chess.engine.Limit(time=control.each_move, nodes=control.nodes, depth=control.plies)
    if clock.remaining is not None:
        white = clock if turn == chess.WHITE else other
        black = clock if turn == chess.BLACK else other
        limit.white_clock = white.remaining
        limit.black_clock = black.remaining
        limit.white_inc = white.control.increment
        limit.black_inc = black.control.increment
        limit.remaining_moves = clock.moves_to_go
    return limit


def pass_over(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Drop python-chess's reports of engines that end in the midst of a command.

    `EngineProcess` handles these.
    """
    if not isinstance(context.get("protocol"), Uci):
        loop.default_exception_handler(context)
