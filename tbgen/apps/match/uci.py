"""python-chess's UCI protocol, with what a referee needs of it: times, the last words of an engine, and its end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import chess.engine

_LINGER_SECONDS = 0.5
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
    return Evaluation(-score if from_other_side else score, None if depth is None else int(depth[1]))


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
        self._is_killed = self.transport.get_returncode() is not None  # a number may be given away after the last time
        with contextlib.suppress(OSError):
            os.killpg(self.transport.get_pid(), signal.SIGKILL)


def pass_over(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Drop python-chess's reports of engines that end in the midst of a command; `EngineProcess` handles these."""
    if not isinstance(context.get("protocol"), Uci):
        loop.default_exception_handler(context)
