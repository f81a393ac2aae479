#!/usr/bin/env python3
"""Besiege a server with little memory behind nginx, by clients that keep it waiting.

    siege.py TABLES                  five minutes of many, on an idle machine
    siege.py TABLES --few            seconds of a few

nginx is set up as docs/serving.md shows it, and is needed. All clients are on this machine: the
attackers have an address of their own, so that its limits are theirs alone. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import quote

import chess

ROOT = Path(__file__).resolve().parent.parent
MORE_BYTES = 512 << 20
PAGE = ROOT / "docs" / "serving.md"
NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
FEN = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
PATHS = ("/health", f"/r-mobility?fen={quote(FEN)}", f"/r-mobility?fen={quote(FEN)}&brief=1")
LONG_LINE = f"/r-mobility?fen={quote(FEN)}&moves={quote('Kh4 Kf4 Kh5 Ke5 ' * 100)}"
"""A position after 400 moves, which takes long to answer."""
WALKERS = "4k3/8/8/8/8/8/8/RN2KN1R w - - 0 1"
WALK_PLIES = 8000
"""Of a variant, they take a second or two to read."""
PAUSE = 2.0
"""Seconds until an attacker that was cut off comes again."""
DROP_SECONDS = 0.5
NAME = "tables.example"
FIELDS = f"Host: {NAME}\r\nContent-Type: text/plain\r\nContent-Length: {{}}\r\n\r\n"
HEAD = "POST /r-mobility?strip=1 HTTP/1.1\r\n" + FIELDS
PGN_HEAD = "POST /adjudicate HTTP/1.1\r\n" + FIELDS
MANY = "\n".join([FEN] * 800)

SIEGES = (
    {"half_open": 600, "dripping": 600, "deaf": 150},
    {"hurrying": 200, "playing": 8},
)
"""How many attackers of each kind; a few are a tenth."""

OWN_ADDRESS = "127.0.0.1"
FOREIGN_ADDRESS = "127.0.0.2"

MAIN = """
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""
"""What Debian's own files have around the settings of a site."""

Attacker = Callable[[asyncio.AbstractEventLoop, socket.socket], Awaitable[None]]


@dataclass
class Outcome:
    """What those see who ask between the attackers, and what is left of the server."""

    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    log: str = ""
    seconds_to_end: float = 0.0


@contextlib.contextmanager
def server(tables: Path, log: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server that may take 512 MB beyond what it starts with, and its port."""
    command = [sys.executable, "-m", "tbgen", "serve", "--port", "0", "--cache", "64"]
    with (
        log.open("w") as said,
        subprocess.Popen(
            [*command, "--name", NAME, "--data", str(tables)],
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline().rpartition(":")[2].partition("/")[0])
            asyncio.run(_asked(port, "/health"))
            pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[0])
            most = pages * resource.getpagesize() + MORE_BYTES
            resource.prlimit(process.pid, resource.RLIMIT_AS, (most, most))
            yield process, port
        finally:
            process.kill()


@contextlib.contextmanager
def nginx(folder: Path, port: int) -> Iterator[int]:
    """nginx before a server's port, and its own port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        own_port = free.getsockname()[1]
    page = PAGE.read_text(encoding="utf-8")
    site = page.partition("```nginx\n")[2].partition("```")[0]
    for shown, here in (("listen 443 ssl", f"listen {own_port}"), (":8000", f":{port}")):
        assert shown in site
        site = site.replace(shown, here)
    (folder / "site.conf").write_text(site)
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder))
    with subprocess.Popen(
        [NGINX or "nginx", "-c", str(folder / "nginx.conf"), "-e", str(folder / "nginx.log")]
    ) as process:
        try:
            _wait_for(own_port)
            yield own_port
        finally:
            process.terminate()


def _wait_for(port: int) -> None:
    while True:
        with contextlib.suppress(ConnectionRefusedError):
            socket.create_connection((OWN_ADDRESS, port)).close()
            return


def besiege(tables: Path, folder: Path, counts: Mapping[str, int], seconds: float) -> Outcome:
    """Ask a server for its health and for positions while attackers hold it up, and end it then."""
    found = Outcome()
    names = [f"{name}={count}" for name, count in counts.items()]
    log = folder / "log"
    with server(tables, log) as (process, own_port), nginx(folder, own_port) as port:
        before = [(path, asyncio.run(_asked(port, path))) for path in PATHS]
        with subprocess.Popen(
            [sys.executable, __file__, "--attack", str(port), *names]
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
        await loop.sock_connect(client, (OWN_ADDRESS, port))
        await loop.sock_sendall(
            client,
            f"GET {path} HTTP/1.1\r\nHost: tables.example\r\nConnection: close\r\n\r\n".encode(),
        )
        while part := await loop.sock_recv(client, 1 << 16):
            whole += part
    return json.loads(whole.partition(b"\r\n\r\n")[2])


async def _again_and_again(port: int, attacker: Attacker) -> None:
    loop = asyncio.get_running_loop()
    while True:
        with contextlib.suppress(OSError), socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
            client.bind((FOREIGN_ADDRESS, 0))
            client.setblocking(False)
            await loop.sock_connect(client, (OWN_ADDRESS, port))
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
    """Asks for a position after many moves, again and again."""
    request = f"GET {LONG_LINE} HTTP/1.1\r\nHost: {NAME}\r\n\r\n".encode()
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


def main() -> None:
    if sys.argv[1:2] == ["--attack"]:
        pairs = (word.split("=") for word in sys.argv[3:])
        asyncio.run(_attack(int(sys.argv[2]), {name: int(count) for name, count in pairs}))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", type=Path, metavar="TABLES")
    parser.add_argument("--few", action="store_true")
    wanted = parser.parse_args()
    for siege in SIEGES:
        counts = {name: -(-count // 10) if wanted.few else count for name, count in siege.items()}
        with tempfile.TemporaryDirectory() as folder:
            found = besiege(wanted.tables, Path(folder), counts, 2 if wanted.few else 300)
        longest = 20 if wanted.few else 1
        assert found.seconds
        assert not found.wrong, found.wrong[:3]
        assert max(found.seconds) < longest
        assert "Traceback" not in found.log
        assert len(found.log) < 100_000
        assert found.seconds_to_end < 15 + longest
        print(f"{counts}: {len(found.seconds)} right answers, within {max(found.seconds):.2f} s")


if __name__ == "__main__":
    main()
