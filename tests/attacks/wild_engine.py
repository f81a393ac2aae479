"""A UCI engine that does, drawn from a seed, whatever an engine should not do. Usage: wild_engine.py SEED"""

from __future__ import annotations

import os
import random
import signal
import sys

DEEDS = (
    "garbage",
    "bytes",
    "long",
    "flood",
    "twice",
    "early",
    "illegal",
    "silence",
    "death",
    "exit",
    "close",
    "score",
    "info",
    "newlines",
    "fine",
    "fine",
    "fine",
)


def say(data: bytes) -> None:
    try:
        os.write(1, data)
    except OSError:
        sys.exit(0)


def act(draw: random.Random, answer: bytes) -> None:
    """Answer, or do something else."""
    deed = draw.choice(DEEDS)
    if deed == "garbage":
        say(bytes(draw.randrange(256) for _ in range(draw.randrange(3000))) + b"\n" + answer)
    elif deed == "bytes":
        say(b"\x00\xff\x1b[2J\xe2\x80\xae\n" + answer)
    elif deed == "long":
        say(b"info string " + b"x" * draw.choice([10_000, 3_000_000]) + b"\n" + answer)
    elif deed == "flood":
        say(b"info depth 1\n" * 20_000 + answer)
    elif deed == "twice":
        say(answer + answer)
    elif deed == "early":
        say(b"bestmove e2e4\nreadyok\nuciok\n" + answer)
    elif deed == "illegal":
        moves = (b"e9e9", b"0000", b"e7e8k", b"O-O", b"resign", b"\xe2\x99\x94", b"e2e4e5", b"E2E4", b"", b"{}", b'"]')
        say(b"bestmove " + draw.choice(moves) + draw.choice([b"\n", b"\r\n", b" ponder\n"]))
    elif deed == "silence":
        signal.pause()
    elif deed == "death":
        os.kill(os.getpid(), draw.choice([signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT]))
    elif deed == "exit":
        os._exit(draw.randrange(256))
    elif deed == "close":
        os.close(1)
        signal.pause()
    elif deed == "score":
        say(b"info depth 99999999999999999999 score cp 1e999 mate x nodes -1 time nan pv \x1b\n" + answer)
    elif deed == "info":
        say(
            b"id name "
            + b"Wild\x1b]0;x\x07" * 99
            + b"\noption name\noption name X type spin default y min z\n"
            + answer
        )
    elif deed == "newlines":
        for byte in answer:
            say(bytes([byte]))
        say(b"\n\n\r\n")
    else:
        say(answer)


def main() -> None:
    draw = random.Random(int(sys.argv[1]))
    calm = draw.choice([0.0, 0.5, 0.9])
    moves = ("f2f3", "e7e5", "g2g4", "d8h4")
    ply = 0
    for text in sys.stdin:
        words, answer = text.split(), b""
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
