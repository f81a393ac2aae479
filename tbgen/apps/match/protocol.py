"""The lines between the referee and an engine: the protocol UCI with its times, and evaluations.

Built on python-chess's asynchronous engines, of which only the protocol is used: when a game is
over is for the rules of r-mobility to say.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import chess
import chess.engine

from tbgen.system.process import kill_group

HANDSHAKE = "UCI_RMobility"
"""The option by which an engine says that it knows r-mobility; docs/uci.md."""

_LINGER_SECONDS = 0.5
"""The time in which an engine that has closed its output may end by itself."""
_NO_MOVE = "none"
"""In place of a move that an engine has not named."""

logging.getLogger("chess.engine").addHandler(logging.NullHandler())

Listener = Callable[[str, str], None]
"""Told each line that passes: `<` from the engine, `>` to it, `!` its standard error."""

_SCORE = re.compile(r"\bscore (?:(?:upper|lower)bound )?(cp|mate) ([+-]?\d{1,9})\b")
_BOUND = re.compile(r"\b(?:upper|lower)bound\b")
_DEPTH = re.compile(r"\bdepth (\d{1,9})\b")
_LINE = re.compile(r"\bmultipv (\d{1,9})\b")
_FACT = re.compile(
    "cpuload|currline|currmove|currmovenumber|depth|hashfull|multipv|nodes|nps|refutation|sbhits|"
    "score|seldepth|tbhits|time|wdl"
)
"""The word with which a fact of an `info` line begins."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An engine's evaluation of its move, from its own point of view."""

    score: chess.engine.Score | None = None
    plies: int | None = None

    def __str__(self) -> str:
        """As comments have it: +0.31/12, or +M5/20."""
        if self.score is None:
            return ""
        mate = self.score.mate()
        if mate is None:
            text = f"{self.score.score(mate_score=0) / 100:+.2f}"
        else:
            text = f"{'-' if mate < 0 else '+'}M{abs(mate)}"
        return text if self.plies is None else f"{text}/{self.plies}"


@dataclass(frozen=True, slots=True)
class Info:
    """An `info` line of an engine, as far as a referee needs it."""

    line: int = 1
    """The number of the line of play: 1 is that of the best move."""
    is_bound: bool = False
    """Whether the score is no more than a bound."""
    score: chess.engine.Score | None = None
    depth: int | None = None
    variation: tuple[str, ...] = ()
    """The moves after `pv`, as the engine wrote them."""
    text: str = field(default="", repr=False, compare=False)
    """The line, but for what follows `string`."""

    @property
    def is_evaluation(self) -> bool:
        """Whether it has the exact score of the best move."""
        return self.line == 1 and self.score is not None and not self.is_bound

    @classmethod
    def parse(cls, text: str) -> Info:
        """The facts of a line; those that are garbled are missing.

        The text after `string` is for people.

        >>> Info.parse("info depth 12 seldepth 18 multipv 2 score cp 31 lowerbound nodes 4711")
        Info(line=2, is_bound=True, score=Cp(+31), depth=12, variation=())
        >>> Info.parse("info depth  5 score mate   +3 pv e2e4 e7e5 string score cp 7")
        Info(line=1, is_bound=False, score=Mate(+3), depth=5, variation=('e2e4', 'e7e5'))
        """
        facts = " ".join(text.split()).partition(" string ")[0]
        line = _LINE.search(facts)
        depth = _DEPTH.search(facts)
        return cls(
            line=1 if line is None else int(line[1]),
            is_bound=_BOUND.search(facts) is not None,
            score=_score_in(facts),
            depth=None if depth is None else int(depth[1]),
            variation=tuple(_variation_in(facts)),
            text=facts,
        )

    def number(self, name: str) -> int | None:
        """The number behind a word of the line, such as `nodes`; None without one.

        >>> Info.parse("info depth 12 nodes 4711 pv e2e4").number("nodes")
        4711
        """
        match = re.search(rf"\b{name} (\d{{1,18}})\b", self.text)
        return None if match is None else int(match[1])

    def evaluation(self, *, from_other_side: bool) -> Evaluation:
        """The evaluation, if the score is that of the engine's own side or of the other one."""
        score = self.score
        if score is not None and from_other_side:
            score = -score
        return Evaluation(score, self.depth)


def _variation_in(facts: str) -> Iterator[str]:
    """The words after `pv`, up to the next fact."""
    _, _, rest = facts.partition(" pv ")
    for word in rest.split():
        if _FACT.fullmatch(word):
            return
        yield word


def _score_in(facts: str) -> chess.engine.Score | None:
    match = _SCORE.search(facts)
    if match is None:
        return None
    number = int(match[2])
    return chess.engine.Cp(number) if match[1] == "cp" else chess.engine.Mate(number)


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


def pass_over(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Drop python-chess's reports of engines that end in the midst of a command.

    `EngineProcess` handles these.
    """
    if not isinstance(context.get("protocol"), Uci):
        loop.default_exception_handler(context)
