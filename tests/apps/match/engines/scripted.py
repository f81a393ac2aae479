"""A UCI engine that plays a line of moves by heart, and misbehaves at the ply it is told to.

Usage: scripted.py [--line "f2f3 e7e5 ..."] [--at PLY --do DEED] [--announce "OPTION ..."] [--score N] [--seen FILE]
                   [--once FILE] [--deaf-after N]
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys

FOOLS_MATE = "f2f3 e7e5 g2g4 d8h4"


def say(text: str) -> None:
    print(text, flush=True)


def misbehave(deed: str) -> None:
    """What an engine should not do when it is its turn."""
    if deed == "crash":
        sys.exit(3)
    if deed == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if deed == "leave":
        sys.exit(0)
    if deed == "close":
        os.close(1)
        sys.stdin.read()
        sys.exit(0)
    if deed == "hang":
        say("info string deaf")
        while True:
            signal.pause()
    if deed == "late":
        while sys.stdin.readline().strip() != "stop":
            pass
    if deed == "babble":
        say("info depth x score cp nonsense\ninfo string hello\nwhat?\n\x80\xff")


def answer(deed: str, move: str) -> str:
    wrong = {"illegal": "e1e5", "garbage": "castle please", "null": "0000", "none": "(none)", "empty": ""}
    wrong["noise"] = "e2\x1b[2J\u202ee4" + 100 * "x"
    return wrong.get(deed, move)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--line", default=FOOLS_MATE)
    parser.add_argument("--at", type=int, default=-1)
    parser.add_argument("--do", default="")
    parser.add_argument("--announce", action="append", default=[])
    parser.add_argument("--score", default="cp 10")
    parser.add_argument("--seen")
    parser.add_argument("--once", help="a file that says that there has been a life before")
    parser.add_argument("--deaf-after", type=int, default=1 << 30, help="answer isready only so often")
    parser.add_argument("--helper", help="start a process that nobody ends, and write its number to a file")
    told = parser.parse_args()
    if told.helper:
        helper = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        with open(told.helper, "a", encoding="utf-8") as numbers:
            numbers.write(f"{helper.pid} {os.getpid()}\n")
    if told.once and os.path.exists(told.once):
        sys.exit("this engine lives but once")
    if told.once:
        os.close(os.open(told.once, os.O_CREAT))
    heard = 0
    line, ply = told.line.split(), 0
    for text in sys.stdin:
        if told.seen:
            with open(told.seen, "a", encoding="utf-8") as seen:
                seen.write(text)
        words = text.split()
        if words[:1] == ["uci"]:
            say("id name Scripted")
            for option in told.announce:
                say(f"option name {option}")
            say("uciok")
        elif words[:1] == ["isready"]:
            heard += 1
            if heard <= told.deaf_after:
                say("readyok")
        elif words[:1] == ["position"]:
            ply = len(words) - words.index("moves") - 1 if "moves" in words else 0
        elif words[:1] == ["go"]:
            deed = told.do if ply == told.at else ""
            misbehave(deed)
            say(f"info depth 7 score {told.score} nodes 99 pv {line[ply]}")
            say(f"bestmove {answer(deed, line[ply])}")
        elif words[:1] == ["quit"]:
            return


if __name__ == "__main__":
    main()
