"""The inner engine: another UCI engine as a process, which searches for the player.

Its lines pass unchanged, so a host sees its `info` and sets its options. A thread reads them, so
that an engine that hangs cannot stop the player.
"""

from __future__ import annotations

import contextlib
import math
import queue
import re
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import IO, Final

from tbgen.errors import EngineStartError
from tbgen.system.process import end_with_us, how_it_ended, kill_group

_MATE: Final = 100_000
"""The evaluation of a mate; each move until it takes one off."""
_START_SECONDS: Final = 60.0
"""For an engine to be ready: large networks take long to load."""
_SILENT_SECONDS: Final = 300.0
"""Without a clock, an engine that says nothing for so long is stopped: a referee waits as long."""
_STOP_SECONDS: Final = 2.0
"""For an engine to answer `stop`; a busy machine takes long to change processes."""
_STOP_PART: Final = 0.4
"""Where time is short, its answer is awaited for this part of the time of the search."""
_END_SECONDS: Final = 0.5
"""For an engine to end after `quit`."""
_GLANCE_SECONDS: Final = 0.005
"""The wait between two looks for a stop, while the host's clock runs."""
_OWN_OPTIONS: Final = ("multipv", "uci_chess960", "uci_rmobility")
"""Options that the player has itself."""

_NUMBER = re.compile(r"\bmultipv (\d{1,9})\b")
_SCORE = re.compile(r"\bscore (cp|mate) ([+-]?\d{1,9})\b(?! (?:upper|lower)bound)")


class EngineLostError(Exception):
    """The inner engine has ended, or does not answer."""


@dataclass(frozen=True, slots=True)
class InnerLine:
    """A line of play, with its evaluation for the side to move."""

    centipawns: int
    moves: tuple[str, ...]
    info: str = ""
    """The line that told of it."""


class InnerEngine:
    """A UCI engine as a process. EngineStartError says why it does not start."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._settings = dict[str, str]()
        """[option] -> the line that has set it, also for a process that is started anew."""
        self._options = dict[str, str]()
        """[option in small letters] -> the line that declares it."""
        self._start()

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(
                shlex.split(self._command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                errors="replace",
                process_group=0,
            )
        except FileNotFoundError:
            reason = "there is no such program in the folders of PATH; give its path"
            raise EngineStartError(reason, self._command) from None
        except (OSError, ValueError, IndexError) as error:
            reason = getattr(error, "strerror", None) or "it is not a command"
            raise EngineStartError(reason, self._command) from None
        self._ended = Future[None]()
        end_with_us(self._process.pid, self._ended)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._heard = queue.SimpleQueue[tuple[float, str | None]]()
        self.owes_answer = False
        """Whether the answer to a search is late."""
        hearing = (self._process.stdout, self._heard)
        threading.Thread(target=_hear, args=hearing, daemon=True).start()
        try:
            self._send("uci")
            for line in self._lines_until("uciok", _START_SECONDS):
                if line.startswith("option name "):
                    self._options[_option_in(line).lower()] = line
            for setting in self._settings.values():
                self._send(setting)
            self._wait_until_ready()
        except EngineLostError as error:
            self.close()
            raise EngineStartError(str(error), self._command) from None

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def restart(self) -> None:
        """End it, and start it anew; EngineStartError if that fails."""
        self.close()
        self._start()

    def passed_options(self) -> Iterator[str]:
        """The lines that declare its options, but for those that the player has itself."""
        for name, line in self._options.items():
            if name not in _OWN_OPTIONS:
                yield line

    def set_option(self, name: str, value: str) -> bool:
        """Set an option; False if it has none so called."""
        declared = self._options.get(name.lower())
        if declared is None:
            return False
        setting = f"setoption name {_option_in(declared)}"
        if value:
            setting += f" value {value}"
        self._settings[name.lower()] = setting
        with contextlib.suppress(EngineLostError):  # it gets the line when it is started anew
            self._send(setting)
        return True

    @property
    def ponders(self) -> bool:
        return "ponder" in self._options

    def begin_game(self) -> None:
        """Announce a new game, and wait until the engine is ready."""
        self._send("ucinewgame")
        self._wait_until_ready()

    def search(
        self,
        position: str,
        go: str,
        most_lines: int,
        seconds: float | None,
        halt: threading.Event,
        hit: threading.Event | None,
        tell: Callable[[str], object],
    ) -> list[InnerLine]:
        """The lines of a search, best first; EngineLostError if the engine ends or says nothing.

        `seconds` or `halt` stop it. A search that ponders has `hit`, and its time begins with it.
        `tell` receives its `info` lines. If the answer is late, the lines are those so far, and
        `await_answer` has to come before another search.
        """
        commands = [position, go]
        if "multipv" in self._options:
            commands.insert(0, f"setoption name MultiPV value {most_lines}")
        self._send("\n".join(commands))  # at once: a busy machine takes long to change processes
        self.owes_answer = True
        patience = math.inf if "infinite" in go.split() else _SILENT_SECONDS
        lines = dict[int, InnerLine]()
        for text in self._lines_of_search(seconds, patience, halt, hit):
            if text.startswith("info "):
                tell(text)
                number = _NUMBER.search(text)
                line = _line_in(text)
                if line is not None:
                    lines[int(number[1]) if number else 1] = line
            elif text.startswith("bestmove"):
                self.owes_answer = False
                best = "".join(text.split()[1:2])
        found = [lines[number] for number in sorted(lines)]
        if self.owes_answer:
            if not found:
                raise EngineLostError("does not answer")
            tell("info string the inner engine answers late, and its last line is played")
        elif not found or found[0].moves[0] != best:
            found.insert(0, InnerLine(found[0].centipawns if found else 0, (best,)))
        return found

    def await_answer(self) -> None:
        """Wait for an answer that is late; an engine that still owes it after that is ended."""
        if self.owes_answer and self.is_running:
            with contextlib.suppress(EngineLostError):
                for _ in self._lines_until("bestmove", _STOP_SECONDS):
                    pass
                self.owes_answer = False

    def close(self) -> None:
        """Send `quit`, and kill what still runs."""
        with contextlib.suppress(EngineLostError):
            self._send("quit")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        self._kill()

    def _kill(self) -> None:
        """End the process and its children, once: the system gives its number away."""
        if self._ended.done():
            return
        kill_group(self._process.pid)
        self._process.wait()
        with contextlib.suppress(OSError):
            self._input.close()
        self._ended.set_result(None)

    def _send(self, line: str) -> None:
        try:
            self._input.write(f"{line}\n")
            self._input.flush()
        except (OSError, ValueError):
            raise EngineLostError(self._how_it_ended()) from None

    def _wait_until_ready(self) -> None:
        self._send("isready")
        for _ in self._lines_until("readyok", _START_SECONDS):
            pass

    def _lines_until(self, word: str, seconds: float) -> Iterator[str]:
        """Lines up to one that begins with a word; an engine that is late is ended."""
        deadline = time.monotonic() + seconds
        while True:
            moment, line = self._next_line()
            yield line
            if line.split()[:1] == [word]:
                return
            if moment >= deadline:
                self._kill()
                raise EngineLostError("does not answer")

    def _lines_of_search(
        self,
        seconds: float | None,
        patience: float,
        halt: threading.Event,
        hit: threading.Event | None,
    ) -> Iterator[str]:
        """Lines up to `bestmove`, or until that is overdue.

        The search is stopped by `halt`, on time, or after a silence of `patience`. While `hit` is
        awaited, neither time nor silence counts.
        """
        most_seconds = math.inf if seconds is None else seconds
        heard = time.monotonic()
        deadline = heard + most_seconds
        is_stopped = False
        while True:
            moment, line = self._next_line()
            if line:
                heard = moment
                yield line
                if line.split()[:1] == ["bestmove"]:
                    return
            if is_stopped:
                if moment >= deadline:
                    return
                continue
            is_late = hit is None and moment >= min(deadline, heard + patience)
            if halt.is_set() or is_late:
                self._send("stop")
                is_stopped = True
                deadline = moment + min(_STOP_SECONDS, most_seconds * _STOP_PART)
            elif hit is not None and hit.is_set():
                self._send("ponderhit")
                hit = None
                heard = moment
                deadline = moment + most_seconds

    def _next_line(self) -> tuple[float, str]:
        """A moment and the line that was heard then; an empty one after a glance in vain."""
        try:
            moment, line = self._heard.get(timeout=_GLANCE_SECONDS)
        except queue.Empty:
            return time.monotonic(), ""
        if line is None:
            raise EngineLostError(self._how_it_ended())
        return moment, line

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._kill()
            return "has closed its output"
        return f"has ended ({how_it_ended(code)})"


def _hear(output: IO[str], heard: queue.SimpleQueue[tuple[float, str | None]]) -> None:
    """Pass on the lines of an output with their moments; None follows the last one."""
    with output:
        for line in output:
            heard.put((time.monotonic(), line.strip()))
    heard.put((time.monotonic(), None))


def _option_in(line: str) -> str:
    """The name of an option.

    >>> _option_in("option name Move Overhead type spin default 10 min 0 max 5000")
    'Move Overhead'
    """
    return line.removeprefix("option name ").partition(" type ")[0].strip()


def _line_in(info: str) -> InnerLine | None:
    """The line of play with an exact evaluation, if an `info` line has one.

    >>> _line_in("info depth 9 score mate -2 nodes 99 pv e2e4 e7e5").centipawns
    -99998
    """
    facts, _, moves = info.partition(" pv ")
    score = _SCORE.search(facts)
    words = moves.split()
    if score is None or not words:
        return None
    number = int(score[2])
    if score[1] == "mate":
        number = _MATE - number if number > 0 else -_MATE - number
    return InnerLine(number, tuple(words), info)
