"""UCI: lines in, lines out. Whatever comes in, the player goes on and answers every `go`."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import chess

from tbgen.apps.play.choice import Chooser
from tbgen.apps.play.inner import InnerEngine
from tbgen.apps.play.limits import is_endless, limits_in, option_number
from tbgen.apps.play.player import Player
from tbgen.apps.play.situation import Situation, Turn, situation_of
from tbgen.errors import AccruedError, ScoreFormatError, TbgenError, UsageError
from tbgen.probe import Tablebase
from tbgen.rules.notation import parse_fen, parse_move
from tbgen.rules.position import material_of
from tbgen.score import Color, Score
from tbgen.storage.files import Folders, tables_in
from tbgen.system import __version__

MOST_LINES: Final = 256

_INTRODUCTION: Final = f"""\
id name tbgen {__version__}
id author the tbgen maintainers
option name UCI_RMobility type check default false
option name UCI_Chess960 type check default false
option name Accrued type string default <empty>
option name MultiPV type spin default 1 min 1 max {MOST_LINES}"""
_AT_ANY_TIME: Final = ("", "isready", "debug")
"""Commands that do not wait for a search; nor do those that end one."""
_EMPTY: Final = ("", "<empty>")
_FEN_FIELDS: Final = 6
_MOST_SHOWN: Final = 300
"""The most characters of an error, which may quote its input."""


@dataclass(frozen=True, slots=True)
class GoRequest:
    """A `go`, which has one answer."""

    words: Sequence[str]
    halt: threading.Event = field(default_factory=threading.Event)
    """Set to end the search."""
    released: threading.Event = field(default_factory=threading.Event)
    """Set when the answer of an endless search may be sent."""
    answered: threading.Event = field(default_factory=threading.Event)

    @property
    def is_endless(self) -> bool:
        """Whether the answer waits for the host."""
        return is_endless(self.words)

    def stop(self) -> None:
        """End the search."""
        self.halt.set()
        self.released.set()


@dataclass(frozen=True, slots=True)
class HostLine:
    """A line from the host; `search` is that of a `go`."""

    name: str
    words: Sequence[str]
    search: GoRequest | None = None


class Protocol:
    """Plays one game after another.

    A thread of its own answers a `go`, so that the reader of lines sees `stop`, `quit` and the end
    of the lines meanwhile. Most other commands wait until the search before them is answered.

    Arguments:
        folders: Those of the tables.
        tell: Receives each line for the host, from one thread at a time.
        inner: The inner engine, if there is one. The protocol closes it.
        quit_seconds: The time that `quit` leaves to a search for which other commands wait.
        end_seconds: The time that the end of the lines leaves to a search.
    """

    def __init__(
        self,
        folders: Folders,
        tell: Callable[[str], None],
        inner: InnerEngine | None = None,
        *,
        quit_seconds: float = 5.0,
        end_seconds: float = 60.0,
    ) -> None:
        self._tell_line = tell
        self._telling = threading.Lock()
        self._quit_seconds = quit_seconds
        self._end_seconds = end_seconds
        self._inner = inner
        self._chooser = None if inner is None else Chooser(inner, self._tell)
        tables = Tablebase(folders, missing_ok=True)
        self._player = Player(tables, self._tell, self._complain, self._chooser)
        self._now: Situation | None = situation_of(chess.Board(), None, ())
        self._accrued: Score | None = None
        self._is_chess960 = False
        self._lines = 1

        self._changed = threading.Condition()
        """Guards the two fields after it."""
        self._search: GoRequest | None = None
        """The search that is not answered yet."""
        self._waiting = deque[HostLine]()
        """The commands after it, in their order."""

    def run(self, lines: Iterable[str]) -> None:
        """Answer until `quit` or the end of the lines."""
        patience = self._end_seconds
        for line in lines:
            name, *words = line.split() or [""]
            last = self._last_search()
            if name == "quit":
                if last is not None:
                    last.stop()
                patience = self._quit_seconds
                break
            if name == "ponderhit" and self._inner is not None and last is not None:
                last.released.set()
            elif name in ("stop", "ponderhit"):
                self._halt_all_searches()
            else:
                self._take(HostLine(name, words, GoRequest(words) if name == "go" else None))
        self._halt_if_endless(self._last_search())
        self._answer_rest(patience)
        self._player.close()
        if self._inner is not None:
            self._inner.close()

    def _take(self, command: HostLine) -> None:
        """Obey a command, or let it wait for the search before it."""
        with self._changed:
            if self._search is not None:
                if command.name not in _AT_ANY_TIME:
                    self._halt_if_endless(self._last_search())
                if command.name not in _AT_ANY_TIME or self._waiting:
                    self._waiting.append(command)
                    return
            if command.search is not None:
                self._search = command.search
                threading.Thread(target=self._work, args=(command.search,), daemon=True).start()
                return
        self._try(command)

    def _work(self, search: GoRequest | None) -> None:
        """Answer a search, and then the commands that wait for it."""
        try:
            while search is not None:
                self._answer(search)
                search = self._next_search()
        except BaseException:
            with self._changed:
                self._search = None
                self._changed.notify_all()
            raise

    def _next_search(self) -> GoRequest | None:
        """Obey the commands that wait, up to a search; None if none waits any more."""
        while True:
            with self._changed:
                command = self._waiting.popleft() if self._waiting else None
                if command is None or command.search is not None:
                    self._search = None if command is None else command.search
                    self._changed.notify_all()
                    return self._search
            self._try(command)

    def _last_search(self) -> GoRequest | None:
        """The last search that the host has asked for, if it is not answered yet."""
        with self._changed:
            for command in reversed(self._waiting):
                if command.search is not None:
                    return command.search
            return self._search

    def _halt_if_endless(self, search: GoRequest | None) -> None:
        if search is not None and search.is_endless:
            search.stop()

    def _halt_all_searches(self) -> None:
        with self._changed:
            if self._search is not None:
                self._search.stop()
            for command in self._waiting:
                if command.search is not None:
                    command.search.stop()

    def _answer_rest(self, patience: float) -> None:
        """Wait until all is answered; end each search that takes longer than `patience`."""
        while True:
            with self._changed:
                search = self._search
            if search is None:
                return
            if not search.answered.wait(patience):
                search.stop()
                search.answered.wait()
            with self._changed:
                while self._search is search:
                    self._changed.wait()

    def _try(self, command: HostLine) -> None:
        """Obey a command; any error is told, for the next command may do better."""
        try:
            self._obey(command.name, command.words)
        except Exception as error:
            self._complain(error)

    def _obey(self, name: str, words: Sequence[str]) -> None:
        match name:
            case "uci":
                folders = ":".join(map(str, self._player.tables.folders))
                self._tell(_INTRODUCTION)
                self._tell(f"option name TablePath type string default {folders}")
                if self._chooser is not None:
                    self._tell("\n".join(self._chooser.options()))
                self._tell_if_empty(folders)
                self._tell("uciok")
            case "isready":
                if self._search is None:
                    self._player.finish_loading()
                self._tell("readyok")
            case "setoption":
                self._set_option(words)
            case "position":
                known = self._now
                self._now = None
                self._now = self._situation(words, known)
                board = self._now.board
                if board.castling_rights or material_of(board) not in self._player.tables:
                    self._player.prepare()
            case "ucinewgame" if self._chooser is not None:
                self._chooser.begin_game()
            case "" | "ucinewgame" | "debug" | "register":
                pass
            case _:
                raise UsageError(f"unknown command {name}")

    def _set_option(self, words: Sequence[str]) -> None:
        text = " ".join(words).removeprefix("name ")
        name, _, value = f"{text} ".partition(" value ")  # hosts send an empty value, too
        name = name.strip().lower()
        value = value.strip()
        match name:
            case "accrued":
                self._accrued = None if value in _EMPTY else Score(value)
            case "multipv":
                self._lines = option_number(value, "MultiPV", 1, MOST_LINES)
            case "tablepath":
                if value in _EMPTY:
                    raise UsageError("TablePath must name a folder")
                player = Player(Tablebase(value), self._tell, self._complain, self._chooser)
                self._player.close()  # not before the new tables are open
                self._player = player
                self._tell_if_empty(value)
            case "uci_chess960":
                self._is_chess960 = value.lower() == "true"
                if self._inner is not None:
                    self._inner.set_option(name, value)
            case "uci_rmobility":
                pass
            case _ if self._chooser is not None and self._chooser.set_option(name, value):
                pass
            case _:
                raise UsageError(f"there is no option {name!r}")

    def _tell_if_empty(self, folders: str) -> None:
        if not any(map(tables_in, self._player.tables.folders)):
            self._tell(
                f"info string no tables in {folders[:_MOST_SHOWN]}; "
                "using those of two and three men that come with tbgen"
            )

    def _situation(self, words: Sequence[str], known: Situation | None) -> Situation:
        """The position after `position startpos|fen FEN [moves ...]`; `known` is the last one."""
        start, _, moves = f"{' '.join(words)} ".partition(" moves ")
        start = start.strip()
        fen = chess.STARTING_FEN if start == "startpos" else start.removeprefix("fen ").strip()
        try:
            board, carried = parse_fen(fen, chess960=self._is_chess960)
        except (AccruedError, ScoreFormatError) as error:  # no game is lost for that
            self._complain(f"{error}; the position counts without a seventh field")
            plain_fen = " ".join(fen.split()[:_FEN_FIELDS])
            board, carried = parse_fen(plain_fen, chess960=self._is_chess960)
        accrued = self._accrued if carried is None else carried
        return situation_of(board, accrued, moves.split(), known)

    def _answer(self, search: GoRequest) -> None:
        """Answer with the best move that is found, or else with any legal move."""
        try:
            if "ponder" in search.words and self._inner is None:
                self._tell(
                    "info string pondering is not offered; the answer waits for stop or ponderhit"
                )
            best = None if self._now is None else self._best_move(self._now, search)
            if search.is_endless:
                search.released.wait()
            self._tell(f"bestmove {'(none)' if best is None else best}")
            if self._chooser is not None:
                self._chooser.revive()
        finally:
            search.stop()  # for the thread that waits to end the search
            search.answered.set()

    def _best_move(self, now: Situation, search: GoRequest) -> str | None:
        """The player's move; if that fails, any legal move. None if there is no move."""
        best = None
        try:
            limits = limits_in(search.words, Color.of(now.board.turn), self._complain)
            only = self._moves_named(now, limits.only)
            turn = Turn(now, limits, search.halt, search.released, self._lines, only)
            best = self._player.best_move(turn)
        except Exception as error:
            self._complain(error)
        if best is None and any(now.board.legal_moves):
            best = next(iter(now.board.legal_moves)).uci()
        return best

    def _moves_named(self, now: Situation, words: Sequence[str]) -> list[chess.Move]:
        """The legal ones of the named moves; none means all."""
        moves = list[chess.Move]()
        for word in words:
            try:
                moves.append(parse_move(now.board, word))
            except TbgenError as error:
                self._complain(error)
        return moves

    def _complain(self, error: Exception | str) -> None:
        text = str(error)
        if not isinstance(error, (str, TbgenError)):
            text = f"{type(error).__name__}: {text}"
        self._tell(f"info string error: {' '.join(text.split())[:_MOST_SHOWN]}")

    def _tell(self, line: str) -> None:
        with self._telling:
            self._tell_line(line)
