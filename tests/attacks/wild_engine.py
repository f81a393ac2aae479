"""A UCI engine that does, drawn from a seed, whatever an engine should not do.

Usage: wild_engine.py SEED
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Callable

SCORE = b"info depth 99999999999999999999 score cp 1e999 mate x nodes -1 time nan pv \x1b\n"
NAMES = (
    b"id name "
    + b"Wild\x1b]0;x\x07" * 99
    + b"\noption name\noption name X type spin default y min z\n"
)
MOVES = (
    b"e9e9",
    b"0000",
    b"e7e8k",
    b"O-O",
    b"resign",
    b"\xe2\x99\x94",
    b"e2e4e5",
    b"E2E4",
    b"",
    b"{}",
    b'"]',
)

BEFORE: tuple[Callable[[random.Random], bytes], ...] = (
    lambda draw: bytes(draw.randrange(256) for _ in range(draw.randrange(3000))) + b"\n",
    lambda draw: b"\x00\xff\x1b[2J\xe2\x80\xae\n",
    lambda draw: b"info string " + b"x" * draw.choice([10_000, 3_000_000]) + b"\n",
    lambda draw: b"info depth 1\n" * 20_000,
    lambda draw: b"bestmove e2e4\nreadyok\nuciok\n",
    lambda draw: b"bestmove " + draw.choice(MOVES) + draw.choice([b"\n", b"\r\n", b" ponder\n"]),
    lambda draw: SCORE,
    lambda draw: NAMES,
    lambda draw: b"",
)
"""What it says before its answer."""


def _closes_and_waits(_draw: random.Random) -> None:
    os.close(1)
    signal.pause()


INSTEAD: tuple[Callable[[random.Random], object], ...] = (
    lambda draw: signal.pause(),
    lambda draw: os.kill(
        os.getpid(), draw.choice([signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
    ),
    lambda draw: os._exit(draw.randrange(256)),
    _closes_and_waits,
)
"""What it does in place of one."""


def say(data: bytes) -> None:
    try:
        os.write(1, data)
    except OSError:
        sys.exit(0)


def act(draw: random.Random, answer: bytes) -> None:
    """Answer, or do something else."""
    if draw.random() < 0.2:
        draw.choice(INSTEAD)(draw)
    elif draw.random() < 0.1:
        for byte in answer + b"\n\n\r\n":
            say(bytes([byte]))
    else:
        say(draw.choice(BEFORE)(draw) + answer * draw.choice((1, 1, 1, 2)))


def main() -> None:
    draw = random.Random(int(sys.argv[1]))
    calm = draw.choice([0.0, 0.5, 0.9])
    moves = ("f2f3", "e7e5", "g2g4", "d8h4")
    ply = 0
    for text in sys.stdin:
        words = text.split()
        answer = b""
        if words[:1] == ["uci"]:
            answer = b"id name Wild\nuciok\n"
        elif words[:1] == ["isready"]:
            answer = b"readyok\n"
        elif words[:1] == ["position"]:
            ply = len(words) - words.index("moves") - 1 if "moves" in words else 0
        elif words[:1] == ["go"]:
            answer = f"bestmove {moves[ply % 4]}\n".encode()
        elif words[:1] == ["quit"] and draw.random() < 0.8:
            return
        if draw.random() < calm:
            say(answer)
        else:
            act(draw, answer)


if __name__ == "__main__":
    main()
