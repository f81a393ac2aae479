#!/usr/bin/env python3
"""Show a newcomer's first commands as they look on a terminal: from a fresh clone, with nothing compiled.

    transcript.py > transcript.md

Each command runs on a pseudo-terminal. What it draws and clears away, such as a bar, is kept as it looked every ten
seconds. The seconds are those of this machine, with whatever else is at work on it.
"""

from __future__ import annotations

import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

ROOT = Path(__file__).resolve().parent.parent
COLUMNS, LINES = 96, 60
FRAME_SECONDS = 10.0
COMMANDS = (
    ("Set-up", "./scripts/tbgen --version"),
    ("First build", "./scripts/tbgen build KBvK"),
    ("First probe", './scripts/tbgen probe "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"'),
    ("First score", "./scripts/tbgen score startpos e4 e5 Qh5 Nc6"),
    ("First adjudication", "./scripts/tbgen adjudicate docs/examples/drawn.pgn"),
)
HEAD = """# First commands, as they look

What a newcomer sees, from a fresh clone with nothing compiled: `scripts/transcript.py` made this page.
A line that a command draws and clears away, such as a bar, is shown as it looked every ten seconds, after `~`.
"""
_CONTROL = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])")


class Screen:
    """What a terminal shows; it knows as much as our commands ask of it."""

    def __init__(self) -> None:
        self.lines, self.row, self.column = [""], 0, 0

    def feed(self, text: str) -> None:
        place = 0
        while place < len(text):
            control = _CONTROL.match(text, place)
            if control is not None:
                self._obey(control[1], control[2])
                place = control.end()
                continue
            self._put(text[place])
            place += 1

    def _put(self, sign: str) -> None:
        if sign == "\n":
            self.row += 1
            self.lines += [""] * (self.row + 1 - len(self.lines))
        elif sign == "\r":
            self.column = 0
        elif sign >= " ":
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[: self.column] + sign + line[self.column + 1 :]
            self.column += 1

    def _obey(self, number: str, letter: str) -> None:
        if letter == "A":
            self.row = max(0, self.row - int(number or 1))
        elif letter == "K":
            line = self.lines[self.row]
            self.lines[self.row] = "" if number == "2" else line[: self.column]

    def text(self) -> list[str]:
        return [line.rstrip() for line in self.lines]


def output_of(command: str, folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """What a command prints on a terminal, as it comes; an empty text every now and then."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execvpe("sh", ["sh", "-c", command], environment)
    ioctl(terminal, TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    while True:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        try:
            piece = os.read(terminal, 1 << 16) if ready else b""
        except OSError:  # nobody has the other end any more
            break
        if ready and not piece:
            break
        yield piece.decode("utf-8", "replace")
    os.close(terminal)
    os.waitpid(process, 0)


def shown(command: str, folder: Path, environment: dict[str, str]) -> list[str]:
    """What a command leaves on the screen, and before it what it showed on the way."""
    screen, frames, begun = Screen(), list[str](), time.monotonic()
    next_frame = begun + FRAME_SECONDS
    for piece in output_of(command, folder, environment):
        if time.monotonic() >= next_frame:
            next_frame += FRAME_SECONDS
            frames += [f"~ {line}" for line in screen.text()[-3:] if line]
        screen.feed(piece)
    rest = screen.text()
    while rest and not rest[-1]:
        rest.pop()
    seconds = time.monotonic() - begun
    drawn = [frame for frame in dict.fromkeys(frames) if frame.removeprefix("~ ") not in rest]
    return [f"$ {command}", *drawn, *rest, *([f"({seconds:.0f} s)"] if seconds >= 1 else [])]


def main() -> None:
    print(HEAD)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        folder = home / "tbgen"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("TBGEN_", "NUMBA_", "VIRTUAL"))}
        environment = {**kept, "TBGEN_CACHE": str(home / "kernels"), "TERM": "xterm", "COLUMNS": str(COLUMNS)}
        for title, command in COMMANDS:
            print(f"## {title}\n")
            for line in shown(command, folder, environment):
                print(f"    {line}".rstrip().replace(str(folder), "~/tbgen"), flush=True)
            print()


if __name__ == "__main__":
    sys.exit(main())
