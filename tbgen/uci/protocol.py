"""Protocol: lines of UCI in, lines of UCI out; whatever comes in, the player goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import chess

from tbgen import __version__
from tbgen.errors import TbgenError, UsageError
from tbgen.probe import Tablebase
from tbgen.rules.fen import parse_fen
from tbgen.rules.notation import parse_move
from tbgen.rules.position import color_of
from tbgen.score import Accrued, Color, parse_score
from tbgen.storage.folders import Folders
from tbgen.uci.player import Choice, Player, Situation, centipawns, situation_of
from tbgen.words import in_so_many

LINE_PLIES: Final = 24
"""How much of best play is shown; it is looked up ply by ply."""
HURRY_MILLISECONDS: Final = 200
"""With less time than this for a move, its line is not shown."""
MOST_LINES: Final = 256

_LIMITS: Final = ("depth", "nodes", "mate", "movetime", "wtime", "btime", "winc", "binc", "movestogo")
_EMPTY: Final = ("", "<empty>")


@dataclass(frozen=True)
class Asked:
    """What `go` says; times in milliseconds."""

    only: tuple[str, ...] = ()
    plies: int = LINE_PLIES
    milliseconds: int | None = None
    waits: bool = False
    """Whether the answer waits for `stop`."""
    ponders: bool = False


class Protocol:
    """One game after another; `tell` gets every line that goes out, from one thread at a time."""

    def __init__(self, folders: Folders, tell: Callable[[str], None]) -> None:
        self._tell_line, self._lock = tell, threading.Lock()
        self._player = Player(Tablebase(folders))
        self._now: Situation | None = situation_of(chess.Board(), None, ())
        self._accrued: Accrued | None = None
        self._lines = 1
        self._stop, self._thread = threading.Event(), threading.Thread()

    def run(self, lines: Iterable[str]) -> None:
        """Answer until `quit` or the end of the lines."""
        for line in lines:
            name, *words = line.split() or [""]
            if name == "quit":
                break
            try:
                self._obey(name, words)
            except TbgenError as error:
                self._tell(f"info string error: {error}")
        self._finish()
        self._player.tables.close()

    def _obey(self, name: str, words: Sequence[str]) -> None:
        if name == "uci":
            self._introduce()
        elif name == "isready":
            self._tell("readyok")
        elif name == "setoption":
            self._set_option(words)
        elif name == "position":
            self._finish()
            self._now = None
            self._now = self._situation(words)
        elif name == "go":
            self._go(asked_in(words, None if self._now is None else color_of(self._now.board.turn)))
        elif name in ("stop", "ponderhit"):
            self._stop.set()
        elif name not in ("", "ucinewgame", "debug", "register"):
            self._tell(f"info string unknown command {name}")

    def _introduce(self) -> None:
        folders = ":".join(str(folder) for folder in self._player.tables.folders)
        self._tell(f"id name tbgen {__version__}")
        self._tell("id author the tbgen maintainers")
        self._tell("option name UCI_RMobility type check default false")
        self._tell("option name UCI_Chess960 type check default false")
        self._tell("option name Accrued type string default <empty>")
        self._tell(f"option name MultiPV type spin default 1 min 1 max {MOST_LINES}")
        self._tell(f"option name TablePath type string default {folders}")
        self._tell("uciok")

    def _set_option(self, words: Sequence[str]) -> None:
        text = " ".join(words)
        name, _, value = text.removeprefix("name ").partition(" value ")
        name, value = name.strip().lower(), value.strip()
        if name == "accrued":
            self._accrued = None if value in _EMPTY else parse_score(value)
        elif name == "multipv":
            self._lines = min(MOST_LINES, max(1, _number(value, name)))
        elif name == "tablepath":
            self._finish()
            self._player.tables.close()
            self._player = Player(Tablebase(value))
        elif name not in ("uci_rmobility", "uci_chess960"):
            raise UsageError(f"there is no option {name!r}")

    def _situation(self, words: Sequence[str]) -> Situation:
        """The position after `position startpos|fen FEN [moves ...]`."""
        text = " ".join(words)
        start, _, moves = text.partition(" moves ") if " moves " in text else (text.removesuffix(" moves"), "", "")
        fen = chess.STARTING_FEN if start == "startpos" else start.removeprefix("fen ")
        board, carried = parse_fen(fen)
        played, walker = list[chess.Move](), board.copy(stack=False)
        for ply, word in enumerate(moves.split(), 1):
            played.append(parse_move(walker, word, ply))
            walker.push(played[-1])
        return situation_of(board, self._accrued if carried is None else carried, played)

    def _go(self, asked: Asked) -> None:
        self._finish()
        if asked.ponders:
            self._tell("info string pondering is not offered; the answer waits for stop or ponderhit")
        self._stop.clear()
        self._thread = threading.Thread(target=self._answer, args=(self._now, asked), daemon=True)
        self._thread.start()

    def _answer(self, now: Situation | None, asked: Asked) -> None:
        best = "(none)"
        try:
            choices = [] if now is None else self._choices(now, asked)
            for number, choice in enumerate(choices, 1):
                assert now is not None
                self._tell(_info(choice, number, color_of(now.board.turn)))
            if choices:
                best = choices[0].move.uci()
        except TbgenError as error:
            self._tell(f"info string error: {error}")
        if asked.waits:
            self._stop.wait()
        self._tell(f"bestmove {best}")

    def _choices(self, now: Situation, asked: Asked) -> list[Choice]:
        only = [parse_move(now.board, word) for word in asked.only]
        in_hurry = asked.milliseconds is not None and asked.milliseconds < HURRY_MILLISECONDS
        plies = 0 if in_hurry else max(0, asked.plies - 1)
        return self._player.choices(now, only=only, most=self._lines, line_plies=plies)

    def _finish(self) -> None:
        """Let the answer that is due be given."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _tell(self, line: str) -> None:
        with self._lock:
            self._tell_line(line)


def asked_in(words: Sequence[str], mover: Color | None) -> Asked:
    """What the words after `go` ask; those that are unknown are left aside, as UCI wants it.

    >>> asked_in("movetime 50 searchmoves e2e4 d2d4".split(), Color.WHITE).only
    ('e2e4', 'd2d4')
    """
    numbers = {name: _number(value, name) for name, value in pairwise(words) if name in _LIMITS}
    only = list[str]()
    if "searchmoves" in words:
        for word in words[list(words).index("searchmoves") + 1 :]:
            if word in (*_LIMITS, "infinite", "ponder"):
                break
            only.append(word)
    clock = numbers.get("wtime" if mover is Color.WHITE else "btime")
    waits = "infinite" in words or "ponder" in words
    return Asked(
        tuple(only),
        min(LINE_PLIES, numbers.get("depth", LINE_PLIES)),
        numbers.get("movetime", clock),
        waits,
        "ponder" in words,
    )


def _info(choice: Choice, number: int, mover: Color) -> str:
    """A line of `info`; G0.0 is a mate, any other outcome its points as centipawns."""
    plies = choice.dtg or 0
    if choice.outcome.is_mate and choice.dtg is not None:
        moves = (plies + 1) // 2
        score = f"mate {moves if choice.outcome.holder is mover else -moves}"
    elif choice.outcome.is_mate:
        score = f"mate {1 if choice.outcome.holder is mover else -1}"
    else:
        score = f"cp {centipawns(choice.outcome, mover)}"
    line = " ".join(move.uci() for move in (choice.move, *choice.line))
    way = "a guess, no table has it" if choice.is_guess else in_so_many(choice.dtg)
    depth = max(1, plies)
    return f"info string {choice.outcome} {way}\ninfo depth {depth} multipv {number} score {score} pv {line}"


def _number(text: str, name: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"{name} must be a number, not {text!r}") from None
