#!/usr/bin/env python3
"""Measure `tbgen serve` over loopback: answers a second, waiting times, CPU time, memory and descriptors.

    bench_serve.py --data DIR                        one position a request, then many in one
    bench_serve.py --data DIR --steady 1000000       and then so many requests, with the memory after each tenth
    bench_serve.py --data DIR --workers 64           descriptors and memory of so many processes, and nothing else

Positions are drawn at random from the tables of DIR, with a fixed seed. The client runs in a process of its own:
with two idle cores it takes nothing from the server.
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
from pathlib import Path
from urllib.parse import urlencode

import chess

from tbgen.probe import open_tablebase

WAYS = {"the value alone": {"brief": "1"}, "with moves": {}, "with moves and strip": {"strip": "1"}}
POSITIONS = 500
STEADY_POSITIONS = 20_000
"""More than the server keeps chunks of."""
BATCH = 1000
PARTS = 10
QUIET_SECONDS = 0.02
"""What a worker that nobody asks may take in two seconds: it looks at its clock ten times a second."""
TICKS = os.sysconf("SC_CLK_TCK")


def random_fens(folder: str, number: int = POSITIONS) -> list[str]:
    """Legal positions of all tables there."""
    draw, fens = random.Random(25), list[str]()
    with open_tablebase(folder) as tables:
        names = [str(material) for material in tables.available()]
    while len(fens) < number:
        white, black = draw.choice(names).split("v")
        board = chess.Board(None)
        for square, letter in zip(
            draw.sample(range(64), len(white + black)), white + black.lower(), strict=True
        ):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = draw.random() < 0.5
        if board.is_valid():
            fens.append(board.fen())
    return fens


def got(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def posted(path: str, body: str) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}"
    return f"{head}\r\n\r\n{body}".encode()


async def ask(port: int, requests: Sequence[bytes], number: int, seconds: list[float]) -> None:
    """Ask one thing after the other on one connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for turn in range(number):
        begun = time.perf_counter()
        writer.write(requests[turn % len(requests)])
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        assert head.startswith("http/1.1 200"), head
        await reader.readexactly(int(head.partition("content-length:")[2].split()[0]))
        seconds.append(time.perf_counter() - begun)
    writer.close()


async def crowd(port: int, requests: Sequence[bytes], clients: int, number: int) -> list[float]:
    """The waiting times of so many requests, ascending."""
    seconds = list[float]()
    shares = [requests[client % len(requests) :: clients] for client in range(clients)]
    await asyncio.gather(*(ask(port, share, number // clients, seconds) for share in shares))
    return sorted(seconds)


def cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident(process: int, kind: str = "VmRSS") -> int:
    """The bytes that a process has in memory; of kind RssAnon those that are no file's, which it shares with nobody."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition(f"{kind}:")[2].split()[0]) * 1024


def family(process: int) -> list[int]:
    """A process and all that it has started."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *(each for child in children for each in family(int(child)))]


def wait_until_quiet(process: int) -> None:
    """Return when a process and all that it has started have nothing more to do: workers are up one after another."""
    before, now, workers = -1.0, 0.0, 0
    while now - before > QUIET_SECONDS * workers:
        time.sleep(2)
        processes = family(process)
        before, now, workers = now, sum(map(cpu_seconds, processes)), len(processes)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


@contextlib.contextmanager
def served(folder: str, workers: int = 1) -> Iterator[tuple[int, int]]:
    """The port of a server that answers, and its process."""
    port = free_port()
    command = [sys.executable, "-m", "tbgen", "serve", "--data", folder, "--port", str(port)]
    with subprocess.Popen(
        [*command, "--workers", str(workers)], stdout=subprocess.DEVNULL
    ) as server:
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    if server.poll() is not None:
                        sys.exit(f"the server ended with {server.returncode}")
                    time.sleep(0.1)
            asyncio.run(crowd(port, [got("/health")], 1, 1))
            yield port, server.pid
        finally:
            server.terminate()


def measure(
    port: int, server: int, requests: Sequence[bytes], clients: int, number: int, answers: int = 1
) -> str:
    """What so many requests took, each with so many answers."""
    before, begun = cpu_seconds(server), time.perf_counter()
    seconds = asyncio.run(crowd(port, requests, clients, number))
    wall, cpu = time.perf_counter() - begun, cpu_seconds(server) - before
    middle, slow = (seconds[len(seconds) * part // 100] * 1e3 for part in (50, 99))
    count = len(seconds) * answers
    return (
        f"{count / wall:.0f} a second, {count / cpu:.0f} a CPU second,"
        f" p50 {middle:.2f} ms, p99 {slow:.2f} ms, {resident(server) / 1e6:.0f} MB"
    )


def measure_single(port: int, server: int, fens: Sequence[str], clients: int, number: int) -> None:
    for name, more in WAYS.items():
        requests = [got(f"/r-mobility?{urlencode({'fen': fen, **more})}") for fen in fens]
        asyncio.run(crowd(port, requests, 1, len(fens)))
        for at_once in (1, clients):
            print(
                f"{name}, {at_once} at once: {measure(port, server, requests, at_once, number)}",
                flush=True,
            )


def measure_batches(port: int, server: int, fens: Sequence[str]) -> None:
    body = "\n".join((list(fens) * BATCH)[:BATCH])
    for name, more in (("the values alone", "?brief=1"), ("with moves", "")):
        requests = [posted(f"/r-mobility{more}", body)]
        print(
            f"{BATCH} in one, {name}: {measure(port, server, requests, 1, 10, BATCH)}", flush=True
        )


def measure_steady(port: int, server: int, folder: str, clients: int, number: int) -> None:
    """Whether memory stays as it is, however many requests have been answered."""
    asked = (urlencode({"fen": fen, "brief": "1"}) for fen in random_fens(folder, STEADY_POSITIONS))
    requests = [got(f"/r-mobility?{query}") for query in asked]
    for part in range(1, PARTS + 1):
        print(
            f"{number * part // PARTS} requests: {measure(port, server, requests, clients, number // PARTS)}",
            flush=True,
        )


def measure_workers(folder: str, workers: int, fens: Sequence[str]) -> None:
    """Descriptors and memory of many processes that have opened all tables."""
    with served(folder, workers) as (port, server):
        wait_until_quiet(server)
        requests = [got(f"/r-mobility?{urlencode({'fen': fen})}") for fen in fens]
        asyncio.run(crowd(port, requests, 4 * workers, 40 * workers))
        processes = family(server)
        open_files = [len(list(Path(f"/proc/{process}/fd").iterdir())) for process in processes]
        memory, own = (
            sum(resident(each, kind) for each in processes) for kind in ("VmRSS", "RssAnon")
        )
        print(
            f"{workers} workers, {len(processes)} processes: {max(open_files)} descriptors in one,"
            f" {sum(open_files)} in all, {own / 1e6:.0f} MB, {memory / 1e6:.0f} MB with pages of files,"
            " which they share, counted for each"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default=os.environ.get("TBGEN_DATA", "data"))
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument(
        "--steady", type=int, default=0, metavar="N", help="requests for the memory"
    )
    parser.add_argument(
        "--workers", type=int, default=0, metavar="N", help="processes for the descriptors"
    )
    given = parser.parse_args()
    fens = random_fens(given.data)
    if given.workers:
        measure_workers(given.data, given.workers, fens)
        return
    with served(given.data) as (port, server):
        measure_single(port, server, fens, given.clients, given.requests)
        measure_batches(port, server, fens)
        if given.steady:
            measure_steady(port, server, given.data, given.clients, given.steady)


if __name__ == "__main__":
    main()
