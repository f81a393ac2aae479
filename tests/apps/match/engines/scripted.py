"""A UCI engine that plays a line of moves by heart, and misbehaves at the ply it is told to.

Usage: scripted.py [--line "f2f3 e7e5 ..."] [--at PLY --do DEED] [--announce "OPTION ..."]
                   [--seen FILE] [--once FILE] [--deaf-after N] [--helper FILE] [--then LINE]
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Callable

FOOLS_MATE = "f2f3 e7e5 g2g4 d8h4"


def say(text: str) -> None:
    print(text, flush=True)


def hang() -> None:
    say("info string deaf")
    while True:
        signal.pause()


def close_output() -> None:
    os.close(1)
    sys.stdin.read()
    os._exit(0)


DEEDS: dict[str, Callable[[], object]] = {
    "crash": lambda: sys.exit(3),
    "segfault": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "leave": lambda: sys.exit(0),
    "close": close_output,
    "hang": hang,
    "late": lambda: "stop\n" in iter(sys.stdin.readline, ""),
}
"""What an engine should not do when it is its turn."""
ANSWERS = {
    "illegal": "e1e5",
    "garbage": "castle please",
    "null": "0000",
    "none": "(none)",
    "empty": "",
    "noise": "e2\x1b[2J\u202ee4" + 100 * "x",
}
"""What it should not answer."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--line", default=FOOLS_MATE)
    parser.add_argument("--at", type=int, default=-1)
    parser.add_argument("--do", default="")
    parser.add_argument("--announce", action="append", default=[])
    parser.add_argument("--seen", default=os.devnull)
    parser.add_argument("--then", action="append", default=[], help="say this before each move")
    parser.add_argument("--once", help="a file that says that there has been a life before")
    parser.add_argument(
        "--deaf-after", type=int, default=1 << 30, help="answer isready only so often"
    )
    parser.add_argument(
        "--helper", help="start a process that nobody ends, and write its number to a file"
    )
    told = parser.parse_args()
    if told.helper:
        helper = subprocess.Popen(
            ["sleep", "600"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        with open(told.helper, "a", encoding="utf-8") as numbers:
            numbers.write(f"{helper.pid} {os.getpid()}\n")
    if told.once:
        os.close(os.open(told.once, os.O_CREAT | os.O_EXCL))
    line = told.line.split()
    ply = 0
    with open(told.seen, "a", encoding="utf-8", buffering=1) as seen:
        for text in iter(sys.stdin.readline, ""):
            seen.write(text)
            words = text.split()
            if words[:1] == ["uci"]:
                say(
                    "\n".join(
                        [
                            "id name Scripted",
                            *(f"option name {each}" for each in told.announce),
                            "uciok",
                        ]
                    )
                )
            elif words[:1] == ["isready"]:
                told.deaf_after -= 1
                if told.deaf_after >= 0:
                    say("readyok")
            elif words[:1] == ["position"]:
                ply = len(words) - words.index("moves") - 1 if "moves" in words else 0
            elif words[:1] == ["go"]:
                deed = told.do if ply == told.at else ""
                DEEDS.get(deed, lambda: None)()
                say(f"info depth 7 score cp 10 nodes 99 pv {line[ply]}")
                for text in told.then:
                    say(text)
                say(f"bestmove {ANSWERS.get(deed, line[ply])}")
            elif words[:1] == ["quit"]:
                return


if __name__ == "__main__":
    main()
