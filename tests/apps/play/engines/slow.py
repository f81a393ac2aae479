"""A UCI engine that takes its time: lines a tenth of a second apart, and an answer after `stop`.

Usage: slow.py [--lines N] [--late SECONDS]
It plays f2f3 after so many lines. If it is late, it waits for `stop`, and for some seconds after.
"""

from __future__ import annotations

import argparse
import sys
import time

LINE_SECONDS = 0.1


def say(text: str) -> None:
    print(text, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=0)
    parser.add_argument("--late", type=float)
    told = parser.parse_args()
    lives = 0
    for line in iter(sys.stdin.readline, ""):
        word = line.split()[0]
        if word == "uci":
            say("uciok")
        elif word == "isready":
            say("readyok")
        elif word == "go":
            if not lives:
                say("info string a new life")
            lives += 1
            for depth in range(1, told.lines + 1):
                say(f"info depth {depth} score cp 1 pv f2f3")
                if told.late is None:
                    time.sleep(LINE_SECONDS)
            if told.late is not None and "movetime" in line:
                while sys.stdin.readline() != "stop\n":
                    pass
                time.sleep(told.late)
            say("bestmove f2f3")
        elif word == "quit":
            return


if __name__ == "__main__":
    main()
