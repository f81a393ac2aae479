#!/usr/bin/env python3
"""Measure `tbgen serve`: answers a second, waiting times, CPU time and memory of the server, over loopback.

    bench_serve.py [--data DIR] [--requests N] [--clients N]

Positions are drawn at random from the tables of DIR, with a fixed seed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode

import chess

from tbgen.probe import open_tablebase

WAYS = {"the value alone": {"brief": "1"}, "with moves": {}, "with moves and strip": {"strip": "1"}}
POSITIONS = 500
TICKS = os.sysconf("SC_CLK_TCK")


def random_fens(folder: str) -> list[str]:
    """Legal positions of all tables there."""
    draw, fens = random.Random(25), list[str]()
    with open_tablebase(folder) as tables:
        names = [str(material) for material in tables.available()]
    while len(fens) < POSITIONS:
        white, black = draw.choice(names).split("v")
        board = chess.Board(None)
        for square, letter in zip(draw.sample(range(64), len(white + black)), white + black.lower(), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = draw.random() < 0.5
        if board.is_valid():
            fens.append(board.fen())
    return fens


async def ask(port: int, paths: list[str], number: int, seconds: list[float]) -> None:
    """Ask one thing after the other on one connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for turn in range(number):
        begun = time.perf_counter()
        writer.write(f"GET {paths[turn % len(paths)]} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        assert head.startswith("http/1.1 200"), head
        await reader.readexactly(int(head.partition("content-length:")[2].split()[0]))
        seconds.append(time.perf_counter() - begun)
    writer.close()


async def crowd(port: int, paths: list[str], clients: int, requests: int) -> list[float]:
    seconds = list[float]()
    shares = [paths[number::clients] for number in range(clients)]
    await asyncio.gather(*(ask(port, share, requests // clients, seconds) for share in shares))
    return sorted(seconds)


def cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("TBGEN_DATA", "data"))
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--clients", type=int, default=8)
    given = parser.parse_args()
    port, fens = free_port(), random_fens(given.data)
    command = [sys.executable, "-m", "tbgen", "serve", "--data", given.data, "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.1)
            for name, more in WAYS.items():
                paths = [f"/r-mobility?{urlencode({'fen': fen, **more})}" for fen in fens]
                asyncio.run(crowd(port, paths, 1, POSITIONS))
                for clients in (1, given.clients):
                    before, begun = cpu_seconds(server.pid), time.perf_counter()
                    seconds = asyncio.run(crowd(port, paths, clients, given.requests))
                    wall, cpu = time.perf_counter() - begun, cpu_seconds(server.pid) - before
                    middle, slow = (seconds[len(seconds) * part // 100] * 1e3 for part in (50, 99))
                    print(
                        f"{name}, {clients} at once: {len(seconds) / wall:.0f} a second,"
                        f" {cpu / len(seconds) * 1e3:.2f} CPU ms each,"
                        f" p50 {middle:.2f} ms, p99 {slow:.2f} ms, {resident(server.pid) / 1e6:.0f} MB"
                    )
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
