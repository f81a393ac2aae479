#!/usr/bin/env python3
"""Measure `tbgen serve` over loopback: answers a second, waiting times, CPU time and memory.

    bench_serve.py --data DIR                     the table of docs/measurements.md, in a minute
    bench_serve.py --data DIR --steady 1000000    memory after each tenth of so many requests

Positions are drawn at random from the tables of DIR, with a fixed seed. The client runs in this
process and the server in another: with two idle cores they take nothing from each other.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import chess

from tbgen.apps.server.service import POSITIONS_WORTH_KERNELS
from tbgen.probe import open_tablebase

HOST = "127.0.0.1"
SECONDS = 3.0
"""How long one line of the table is measured."""
CONNECTIONS = (1, 8, 64)
USUAL_CONNECTIONS = 8
POSITIONS = 500
STEADY_POSITIONS = 20_000
"""More than the server keeps chunks of."""
STEADY_PARTS = 10
BATCH = 1000
"""Positions in one body: as many as the server allows."""
MOST_ANSWER_BYTES = 1 << 24
"""Room for the whole answer to a batch."""
QUIET_SECONDS = 0.02
"""CPU time of an idle server in two seconds: it looks at its clock ten times a second."""
TICKS = os.sysconf("SC_CLK_TCK")


def random_fens(folder: str, number: int = POSITIONS) -> list[str]:
    """Legal positions of all tables of a folder."""
    with open_tablebase(folder) as tables:
        names = [str(material) for material in tables.available()]
    draw = random.Random(25)
    fens = list[str]()
    while len(fens) < number:
        white, black = draw.choice(names).split("v")
        letters = white + black.lower()
        board = chess.Board(None)
        for square, letter in zip(draw.sample(range(64), len(letters)), letters, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = draw.random() < 0.5
        if board.is_valid():
            fens.append(board.fen())
    return fens


# Requests.


def get_request(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def post_request(path: str, body: str) -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        "Content-Type: text/plain",
        f"Content-Length: {len(body)}",
    ]
    return ("\r\n".join(lines) + f"\r\n\r\n{body}").encode()


def position_requests(fens: Sequence[str], **parameters: str) -> list[bytes]:
    requests = list[bytes]()
    for fen in fens:
        query = urlencode({"fen": fen, **parameters})
        requests.append(get_request(f"/r-mobility?{query}"))
    return requests


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> None:
    """Send a request, and read all of its answer."""
    writer.write(request)
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    if not head.startswith("http/1.1 200"):
        raise ValueError(f"the server answered {head}")
    if "transfer-encoding: chunked" in head:
        await reader.readuntil(b"\r\n0\r\n\r\n")
        return
    size = int(head.partition("content-length:")[2].split()[0])
    await reader.readexactly(size)


@dataclass
class Crowd:
    """Clients that ask at the same time, each one thing after the other."""

    port: int
    requests: Sequence[bytes]
    connections: int = 1
    are_kept: bool = True
    """Whether a client asks all on one connection, or makes a new one for each request."""
    seconds: float = float("inf")
    """When it stops, if it has not stopped after so many requests."""
    number: int = sys.maxsize

    def run(self) -> list[float]:
        """The waiting times of all requests in seconds, ascending."""
        self._waits = list[float]()
        asyncio.run(self._ask_all())
        return sorted(self._waits)

    async def _ask_all(self) -> None:
        self._end = time.perf_counter() + self.seconds
        clients = [self._client(first) for first in range(self.connections)]
        await asyncio.gather(*clients)

    async def _client(self, first: int) -> None:
        turn = first
        reader, writer = await self._connect()
        while time.perf_counter() < self._end and turn < self.number:
            begun = time.perf_counter()
            if not self.are_kept:
                writer.close()
                reader, writer = await self._connect()
            await ask(reader, writer, self.requests[turn % len(self.requests)])
            self._waits.append(time.perf_counter() - begun)
            turn += self.connections
        writer.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(HOST, self.port, limit=MOST_ANSWER_BYTES)


# The server and its processes.


def cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    user_ticks = int(fields[11])
    system_ticks = int(fields[12])
    return (user_ticks + system_ticks) / TICKS


def resident(process: int) -> int:
    """The bytes of a process in memory."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


def wait_until_quiet(process: int) -> None:
    """Return when a process is idle."""
    before = -1.0
    now = 0.0
    while now - before > QUIET_SECONDS:
        time.sleep(2)
        before = now
        now = cpu_seconds(process)


def free_port() -> int:
    with socket.create_server((HOST, 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def wait_until_it_listens(server: subprocess.Popen[bytes], port: int) -> None:
    while server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection((HOST, port)):
            return
        time.sleep(0.1)
    sys.exit(f"the server ended with {server.returncode}")


@contextlib.contextmanager
def served(folder: str) -> Iterator[tuple[int, int]]:
    """The port of a server that answers, and its process."""
    port = free_port()
    command = [sys.executable, "-m", "tbgen", "serve", "--data", folder, "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            wait_until_it_listens(server, port)
            Crowd(port, [get_request("/health")], number=1).run()
            yield port, server.pid
        finally:
            server.terminate()


# Measurements.


@dataclass(frozen=True)
class Measured:
    """What a crowd got from a server."""

    a_second: float
    a_cpu_second: float
    middle_wait: float
    """The waiting time in seconds that half of the requests stay under."""
    slow_wait: float
    """The one that 99 of 100 stay under."""

    def row(self, answer: str, connections: str) -> str:
        """A row of the table of docs/measurements.md."""
        cells = [
            answer,
            connections,
            f"{self.a_second:,.0f}",
            f"{self.a_cpu_second:,.0f}",
            f"{1000 * self.middle_wait:.1f} ms",
            f"{1000 * self.slow_wait:.1f} ms",
        ]
        return f"| {' | '.join(cells)} |"


def measured(crowd: Crowd, server: int, answers: int = 1) -> Measured:
    """What a crowd gets from a server, if each request has so many answers."""
    cpu_before = cpu_seconds(server)
    begun = time.perf_counter()
    waits = crowd.run()
    wall = time.perf_counter() - begun
    cpu = cpu_seconds(server) - cpu_before
    count = len(waits) * answers
    return Measured(
        count / wall, count / cpu, waits[len(waits) // 2], waits[len(waits) * 99 // 100]
    )


def measure_table(folder: str) -> None:
    """The table of docs/measurements.md."""
    fens = random_fens(folder)
    loads = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    print(f"load of the machine before: {loads}", flush=True)
    with served(folder) as (port, server):
        values = position_requests(fens, brief="1")
        with_moves = position_requests(fens)
        with_strip = position_requests(fens, strip="1")
        body = "\n".join(fens[number % len(fens)] for number in range(BATCH))
        batch = [post_request("/r-mobility?brief=1", body)]
        Crowd(port, with_strip, number=len(fens)).run()  # opens all tables
        Crowd(port, batch, number=-(-POSITIONS_WORTH_KERNELS // BATCH)).run()
        wait_until_quiet(server)  # the kernels are loaded

        def show(answer: str, crowd: Crowd, answers: int = 1) -> None:
            kind = "kept" if crowd.are_kept else "new"
            found = measured(crowd, server, answers)
            print(found.row(answer, f"{crowd.connections} {kind}"), flush=True)

        for connections in CONNECTIONS:
            for are_kept in (True, False):
                show("the value alone", Crowd(port, values, connections, are_kept, SECONDS))
        usual = USUAL_CONNECTIONS
        show("with moves", Crowd(port, with_moves, usual, seconds=SECONDS))
        show("with moves and every accrued score", Crowd(port, with_strip, usual, seconds=SECONDS))
        show(f"{BATCH:,} values in one request", Crowd(port, batch, seconds=SECONDS), BATCH)


def measure_steady(folder: str, number: int) -> None:
    """Whether memory stays as it is, however many requests have been answered."""
    requests = position_requests(random_fens(folder, STEADY_POSITIONS), brief="1")
    part = number // STEADY_PARTS
    with served(folder) as (port, server):
        for done in range(part, number + 1, part):
            found = measured(Crowd(port, requests, USUAL_CONNECTIONS, number=part), server)
            print(f"{done} requests: {found.a_second:.0f} a second,", end=" ")
            print(f"{resident(server) / 1e6:.0f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default=os.environ.get("TBGEN_DATA", "data"))
    parser.add_argument("--steady", type=int, metavar="N", help="measure the memory of N requests")
    given = parser.parse_args()
    if given.steady:
        measure_steady(given.data, given.steady)
    else:
        measure_table(given.data)


if __name__ == "__main__":
    main()
