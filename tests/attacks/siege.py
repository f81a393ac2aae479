"""A server with few descriptors and little memory, besieged by clients that keep it waiting, all
from this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import quote

import chess

from tests.project import ROOT

FEW_DESCRIPTORS = 300
USUAL_DESCRIPTORS = 1024
MORE_BYTES = 512 << 20
FEN = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
PATHS = ("/health", f"/r-mobility?fen={quote(FEN)}", f"/r-mobility?fen={quote(FEN)}&brief=1")
MANY_MOVES = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1_w_-_-_0_1"
WALKERS = "4k3/8/8/8/8/8/8/RN2KN1R w - - 0 1"
WALK_PLIES = 8000
"""Of a variant, they take a second or two to read."""
PAUSE = 2.0
"""Seconds until an attacker that was cut off comes again."""
DROP_SECONDS = 0.5
FIELDS = "Host: localhost\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n"
HEAD = "POST /r-mobility?strip=1 HTTP/1.1\r\n" + FIELDS
PGN_HEAD = "POST /adjudicate HTTP/1.1\r\n" + FIELDS
MANY = "\n".join([FEN] * 800)

LIMITED = """
import os, resource, sys
descriptors = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
os.execv(sys.argv[2], sys.argv[2:])
"""

Attacker = Callable[[asyncio.AbstractEventLoop, socket.socket], Awaitable[None]]


@dataclass
class Outcome:
    """What those see who ask between the attackers, and what is left of the server."""

    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    log: str = ""
    seconds_to_end: float = 0.0


@contextlib.contextmanager
def server(
    tables: Path, log: Path, descriptors: int
) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server that has few descriptors and may take 512 MB beyond what it starts with.

    And its port.
    """
    command = [
        sys.executable,
        "-m",
        "tbgen",
        "serve",
        "--port",
        "0",
        "--cache",
        "64",
        "--data",
        str(tables),
    ]
    with (
        log.open("w") as said,
        subprocess.Popen(
            [sys.executable, "-c", LIMITED, str(descriptors), *command],
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        ) as process,
    ):
        try:
            port = int(process.stdout.readline().rpartition(":")[2].partition("/")[0])
            asyncio.run(_asked(port, "/health"))
            pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[0])
            most = pages * resource.getpagesize() + MORE_BYTES
            resource.prlimit(process.pid, resource.RLIMIT_AS, (most, most))
            yield process, port
        finally:
            process.kill()


def besiege(
    tables: Path,
    log: Path,
    counts: Mapping[str, int],
    seconds: float,
    descriptors: int = FEW_DESCRIPTORS,
) -> Outcome:
    """Ask a server for its health and for positions while attackers hold it up, and end it then."""
    found = Outcome()
    names = [f"{name}={count}" for name, count in counts.items()]
    with server(tables, log, descriptors) as (process, port):
        before = [(path, asyncio.run(_asked(port, path))) for path in PATHS]
        with subprocess.Popen(
            [sys.executable, "-m", __name__, str(port), *names], cwd=ROOT
        ) as attackers:
            try:
                asyncio.run(_ask(port, before, seconds, found))
            finally:
                attackers.kill()
        process.send_signal(signal.SIGTERM)
        start = time.monotonic()
        process.wait(60)
        found.seconds_to_end = time.monotonic() - start
    found.log = log.read_text()
    return found


async def _ask(
    port: int, before: Sequence[tuple[str, object]], seconds: float, found: Outcome
) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for path, expected in before:
            start = time.monotonic()
            try:
                answer = await asyncio.wait_for(_asked(port, path), 20)
            except (OSError, ValueError, TimeoutError) as error:
                answer = repr(error)
            found.seconds.append(time.monotonic() - start)
            if answer != expected:
                found.wrong.append(f"{path}: {answer}"[:300])
        await asyncio.sleep(0.1)


async def _asked(port: int, path: str) -> object:
    loop = asyncio.get_running_loop()
    whole = b""
    with socket.socket() as client:
        client.setblocking(False)
        await loop.sock_connect(client, ("127.0.0.1", port))
        await loop.sock_sendall(
            client, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        )
        while part := await loop.sock_recv(client, 1 << 16):
            whole += part
    return json.loads(whole.partition(b"\r\n\r\n")[2])


async def _again_and_again(port: int, attacker: Attacker) -> None:
    loop = asyncio.get_running_loop()
    while True:
        with contextlib.suppress(OSError), socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
            client.setblocking(False)
            await loop.sock_connect(client, ("127.0.0.1", port))
            await attacker(loop, client)
        await asyncio.sleep(PAUSE)


async def half_open(loop: asyncio.AbstractEventLoop, client: socket.socket) -> None:
    """Sends half a head."""
    await loop.sock_sendall(client, b"GET /health HTTP/1.1\r\nHost: loc")
    await loop.sock_recv(client, 1)


async def dripping(loop: asyncio.AbstractEventLoop, client: socket.socket) -> None:
    """Sends a body by drops, until it is cut off."""
    await loop.sock_sendall(client, HEAD.format(200_000).encode())
    while True:
        await loop.sock_sendall(client, b"8")
        await asyncio.sleep(DROP_SECONDS)


async def deaf(loop: asyncio.AbstractEventLoop, client: socket.socket) -> None:
    """Asks for megabytes and reads none."""
    await loop.sock_sendall(client, (HEAD.format(len(MANY)) + MANY).encode())
    await asyncio.sleep(30)


async def hurrying(loop: asyncio.AbstractEventLoop, client: socket.socket) -> None:
    """Asks for a position of 218 moves, again and again."""
    request = (
        f"GET /r-mobility?fen={MANY_MOVES}&strip=1 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    )
    while True:
        await loop.sock_sendall(client, request)
        if not await loop.sock_recv(client, 1 << 20):
            return


async def playing(loop: asyncio.AbstractEventLoop, client: socket.socket) -> None:
    """Sends a long game of crazyhouse."""
    game = walk()
    await loop.sock_sendall(client, (PGN_HEAD.format(len(game)) + game).encode())
    await loop.sock_recv(client, 1 << 16)


@cache
def walk() -> str:
    """A game of crazyhouse in which kings, rooks and knights walk at random."""
    draw = random.Random(8)
    board = chess.Board(WALKERS)
    moves = list[str]()
    while len(moves) < WALK_PLIES:
        move = draw.choice(list(board.legal_moves))
        moves.append(move.uci())
        board.push(move)
    return f'[Variant "crazyhouse"]\n[FEN "{WALKERS}"]\n\n{" ".join(moves)} *\n'


async def _attack(port: int, counts: Mapping[str, int]) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    attackers = (half_open, dripping, deaf, hurrying, playing)
    kinds = {attacker.__name__: attacker for attacker in attackers}
    await asyncio.gather(
        *(
            _again_and_again(port, kinds[name])
            for name, count in counts.items()
            for _ in range(count)
        )
    )


if __name__ == "__main__":
    asyncio.run(
        _attack(
            int(sys.argv[1]),
            {name: int(count) for name, count in (each.split("=") for each in sys.argv[2:])},
        )
    )
