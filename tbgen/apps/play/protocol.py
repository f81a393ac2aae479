"""Protocol: lines of UCI in, lines of UCI out; whatever comes in, the player goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import chess

from tbgen import __version__
from tbgen.apps.play.beyond import Beyond
from tbgen.apps.play.limits import Asked, asked_in, number_in
from tbgen.apps.play.player import Choice, Player, Situation, centipawns, situation_of
from tbgen.errors import TbgenError, UsageError
from tbgen.probe import Tablebase
from tbgen.rules.fen import parse_fen
from tbgen.rules.notation import parse_move
from tbgen.rules.position import color_of
from tbgen.score import Accrued, Color, parse_score
from tbgen.storage.folders import Folders
from tbgen.text import in_so_many

HURRY_MILLISECONDS: Final = 200
"""With less time than this for a move, its line is not shown."""
MOST_LINES: Final = 256

_EMPTY: Final = ("", "<empty>")


class Protocol:
    """One game after another; `tell` gets every line that goes out, from one thread at a time."""

    def __init__(self, folders: Folders, tell: Callable[[str], None]) -> None:
        self._tell_line, self._lock = tell, threading.Lock()
        self._player = Player(Tablebase(folders))
        self._beyond = Beyond(self._player.tables)
        self._now: Situation | None = situation_of(chess.Board(), None, ())
        self._accrued: Accrued | None = None
        self._lines = 1
        self._stop, self._thread = threading.Event(), threading.Thread()
        self._is_endless = True

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
        else:  # no more lines: the last answer is still due, unless it waits for one
            if not self._is_endless:
                self._thread.join()
        self._finish()
        self._close()

    def _close(self) -> None:
        self._player.tables.close()
        self._beyond.close()

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
            if not self._player.knows(self._now.board):
                self._beyond.prepare()
        elif name == "go":
            self._go(asked_in(words, None if self._now is None else color_of(self._now.board.turn)))
        elif name in ("stop", "ponderhit"):
            self._halt()
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
        name, _, value = f"{text.removeprefix('name ')} ".partition(" value ")  # hosts send an empty value, too
        name, value = name.strip().lower(), value.strip()
        if name == "accrued":
            self._accrued = None if value in _EMPTY else parse_score(value)
        elif name == "multipv":
            self._lines = min(MOST_LINES, max(1, number_in(value, name)))
        elif name == "tablepath":
            self._finish()
            self._close()
            self._player = Player(Tablebase(value))
            self._beyond = Beyond(self._player.tables)
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
        self._is_endless = asked.waits
        self._stop.clear()
        self._beyond.allow()
        self._thread = threading.Thread(target=self._answer, args=(self._now, asked), daemon=True)
        self._thread.start()

    def _answer(self, now: Situation | None, asked: Asked) -> None:
        best = None
        try:
            best = None if now is None else self._best(now, asked)
        except TbgenError as error:
            self._tell(f"info string error: {error}")
        if asked.waits:
            self._stop.wait()
        self._tell(f"bestmove {best.uci() if best else '(none)'}")

    def _best(self, now: Situation, asked: Asked) -> chess.Move | None:
        """The move to play; what is known of it is told."""
        only = [parse_move(now.board, word) for word in asked.only]
        in_hurry = asked.milliseconds is not None and asked.milliseconds < HURRY_MILLISECONDS
        plies = 0 if in_hurry else max(0, asked.plies - 1)
        choices = self._player.choices(now, only=only, most=self._lines, line_plies=plies)
        if choices is None:
            self._tell("info string no table has this position, so it is searched")
            best = self._beyond.best(now, only, asked, self._lines, self._tell)
            if best is not None:
                return best
            choices = self._player.guesses(now, only=only)[: self._lines]
        for number, choice in enumerate(choices, 1):
            self._tell(_info(choice, number, color_of(now.board.turn)))
        return choices[0].move if choices else None

    def _halt(self) -> None:
        self._stop.set()
        self._beyond.stop()

    def _finish(self) -> None:
        """Let the answer that is due be given."""
        self._halt()
        if self._thread.is_alive():
            self._thread.join()

    def _tell(self, line: str) -> None:
        with self._lock:
            self._tell_line(line)


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
