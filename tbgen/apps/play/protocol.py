"""UCI: lines in, lines out. Whatever comes in, the player goes on and answers every `go`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import chess

from tbgen.apps.play.player import Player, Situation, asked_in, is_endless, number_in, situation_of
from tbgen.errors import AccruedError, ScoreFormatError, TbgenError, UsageError
from tbgen.probe import Tablebase
from tbgen.rules.notation import parse_fen, parse_move
from tbgen.rules.position import material_of
from tbgen.score import Color, Score
from tbgen.storage.files import Folders
from tbgen.system import __version__

MOST_LINES: Final = 256

_INTRODUCTION: Final = f"""\
id name tbgen {__version__}
id author the tbgen maintainers
option name UCI_RMobility type check default false
option name UCI_Chess960 type check default false
option name Accrued type string default <empty>
option name MultiPV type spin default 1 min 1 max {MOST_LINES}"""
_AT_ANY_TIME: Final = ("", "stop", "ponderhit", "isready", "debug")
"""Commands that a program may send while it waits for an answer."""
_EMPTY: Final = ("", "<empty>")
_MOST_SHOWN: Final = 300
"""The most characters of an error, which may quote its input."""


class Protocol:
    """Plays one game after another; `tell` receives every line that goes out, from one thread at a time.

    A thread of its own answers a `go`, so that the reader of lines sees `stop` and `isready` meanwhile. Most other
    commands wait for the answer, and end a `go` that would wait for a line.
    """

    def __init__(self, folders: Folders, tell: Callable[[str], None]) -> None:
        self._tell_line, self._lock = tell, threading.Lock()
        self._player = Player(Tablebase(folders, missing_ok=True), self._tell, self._complain)
        self._now: Situation | None = situation_of(chess.Board(), None, ())
        self._accrued: Score | None = None
        self._lines = 1
        self._halt, self._is_endless = threading.Event(), False
        """The signal to stop for the last `go`, and whether it waits for that."""
        self._answering = threading.Thread()

    def run(self, lines: Iterable[str]) -> None:
        """Answer until `quit` or the end of the lines."""
        for line in lines:
            name, *words = line.split() or [""]
            if name == "quit":
                self._halt.set()
                break
            try:
                if name not in _AT_ANY_TIME:
                    self._await_answer()
                self._obey(name, words)
            except Exception as error:  # any error: the next command may do better
                self._complain(error)
        self._await_answer()  # at the end of input the last answer is still due
        self._player.close()

    def _await_answer(self) -> None:
        """Wait until a `go` is answered; end it if it waits for a line."""
        if self._is_endless:
            self._halt.set()
        if self._answering.ident is not None:
            self._answering.join()

    def _obey(self, name: str, words: Sequence[str]) -> None:
        match name:
            case "uci":
                folders = ":".join(map(str, self._player.tables.folders))
                self._tell(_INTRODUCTION)
                self._tell(f"option name TablePath type string default {folders}")
                self._say_if_empty(folders)
                self._tell("uciok")
            case "stop" | "ponderhit":
                self._halt.set()
            case "isready":
                self._tell("readyok")
            case "setoption":
                self._set_option(words)
            case "position":
                self._now = None
                self._now = self._situation(words)
                if (
                    self._now.board.castling_rights
                    or material_of(self._now.board) not in self._player.tables
                ):
                    self._player.prepare()
            case "go":
                self._halt, self._is_endless = threading.Event(), is_endless(words)
                self._answering = threading.Thread(
                    target=self._go, args=(words, self._halt), daemon=True
                )
                self._answering.start()
            case "" | "ucinewgame" | "debug" | "register":
                pass
            case _:
                raise UsageError(f"unknown command {name}")

    def _set_option(self, words: Sequence[str]) -> None:
        text = " ".join(words)
        name, _, value = f"{text.removeprefix('name ')} ".partition(
            " value "
        )  # hosts send an empty value, too
        name, value = name.strip().lower(), value.strip()
        match name:
            case "accrued":
                self._accrued = None if value in _EMPTY else Score(value)
            case "multipv":
                self._lines = min(MOST_LINES, max(1, number_in(value, name)))
            case "tablepath":
                if value in _EMPTY:
                    raise UsageError("TablePath must name a folder")
                player = Player(Tablebase(value), self._tell, self._complain)
                self._player.close()  # not before the new tables are open
                self._player = player
                self._say_if_empty(value)
            case "uci_rmobility" | "uci_chess960":
                pass
            case _:
                raise UsageError(f"there is no option {name!r}")

    def _say_if_empty(self, folders: str) -> None:
        if not self._player.tables.available():
            self._tell(f"info string no tables in {folders[:_MOST_SHOWN]}")

    def _situation(self, words: Sequence[str]) -> Situation:
        """The position after `position startpos|fen FEN [moves ...]`."""
        start, _, moves = f"{' '.join(words)} ".partition(" moves ")
        fen = (
            chess.STARTING_FEN
            if start.strip() == "startpos"
            else start.removeprefix("fen ").strip()
        )
        try:
            board, carried = parse_fen(fen)
        except (AccruedError, ScoreFormatError) as error:  # no game is lost for that
            self._complain(error)
            board, carried = parse_fen(" ".join(fen.split()[:6]))
        return situation_of(board, self._accrued if carried is None else carried, moves.split())

    def _go(self, words: Sequence[str], halt: threading.Event) -> None:
        """Answer with the best move that is found, or else with any legal move."""
        now, best = self._now, None
        if "ponder" in words:
            self._tell(
                "info string pondering is not offered; the answer waits for stop or ponderhit"
            )
        if now is not None:
            best = next(iter(now.board.legal_moves), None)
            try:
                asked = asked_in(words, Color.of(now.board.turn), self._complain)
                only = self._named(now, asked.only)
                best = self._player.best_move(now, only, asked, self._lines, halt) or best
            except Exception as error:
                self._complain(error)
        if is_endless(words):
            halt.wait()
        halt.set()  # for what waits to end the search
        self._tell(f"bestmove {best.uci() if best else '(none)'}")

    def _named(self, now: Situation, words: Sequence[str]) -> list[chess.Move]:
        """The legal ones of the named moves; none means all."""
        moves = list[chess.Move]()
        for word in words:
            try:
                moves.append(parse_move(now.board, word))
            except TbgenError as error:
                self._complain(error)
        return moves

    def _complain(self, error: Exception | str) -> None:
        told = (
            str(error)
            if isinstance(error, (str, TbgenError))
            else f"{type(error).__name__}: {error}"
        )
        self._tell(f"info string error: {' '.join(told.split())[:_MOST_SHOWN]}")

    def _tell(self, line: str) -> None:
        with self._lock:
            self._tell_line(line)
