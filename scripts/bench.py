"""Measure building, probing and deciding games, in user CPU seconds.

    bench.py build KBvKN KQvKR --runs 3        build tables, each in a process of its own
    bench.py build KRBvKN --against ../other   in turn with another checkout that has its own .venv
    bench.py probe KBvKN --data data           a probe from the shell, from Python and in bulk
    bench.py games --pgn FILE                  read and decide games
    bench.py first                             the first commands of a new clone, each with an empty
                                               folder of kernels
    bench.py costs --data data --write         what built tables took becomes the estimate of plans

The tables that a table leads to are built, and kernels compiled, before anything is measured. Quote
medians and ratios.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import chess

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tbgen import Tablebase, open_tablebase  # noqa: E402
from tbgen.apps.games.batch import GamesTask, adjudicate_file  # noqa: E402
from tbgen.apps.games.read import read_games  # noqa: E402
from tbgen.library.catalog import read_manifest  # noqa: E402
from tbgen.library.costs import measured_file  # noqa: E402
from tbgen.material import table_named  # noqa: E402
from tbgen.storage.files import mobility_of, path_of  # noqa: E402
from tests.positions import random_boards  # noqa: E402

GAMES = ROOT / "tests" / "golden" / "tcec_s18.pgn"
POSITIONS = 300
BULK = 200_000
FIRST = (
    ("build KBvK", ("build", "KBvK", "-q"), ()),
    ("verify KPvK", ("verify", "KPvK"), ("KPvK",)),
    ("study record KPvK", ("study", "record", "KPvK"), ("KPvK",)),
    ("score --pgn", ("score", "--pgn", str(GAMES), "--summary"), ()),
    ("adjudicate", ("adjudicate", str(GAMES), "-q"), ("KBvK",)),
)
"""Commands that a newcomer may call first, and the tables that each of them needs."""


def run(root: Path, arguments: Sequence[str], **variables: str) -> tuple[float, float, int]:
    """User CPU seconds, wall seconds and peak bytes of a command of the tbgen in a checkout."""
    began = time.monotonic()
    command = [str(root / ".venv" / "bin" / "python"), "-m", "tbgen", *arguments]
    process = subprocess.Popen(
        command, cwd=root, stdout=subprocess.DEVNULL, env={**os.environ, **variables}
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"bench: failed: tbgen {' '.join(arguments)}")
    return usage.ru_utime, time.monotonic() - began, usage.ru_maxrss * 1024


def show(name: str, runs: Sequence[tuple[float, float, int]]) -> float:
    user: float = statistics.median(run[0] for run in runs)
    wall = statistics.median(run[1] for run in runs)
    peak = statistics.median(run[2] for run in runs)
    print(f"{name:28} {user:9.2f} CPU s {wall:9.2f} s {peak / 2**20:8.0f} MiB", flush=True)
    return user


def build(options: argparse.Namespace) -> None:
    """Build each table as often as asked, in turn with another checkout if there is one."""
    roots = [ROOT, *([options.against.resolve()] if options.against else [])]
    for name in options.names:
        runs: dict[Path, list[tuple[float, float, int]]] = {root: [] for root in roots}
        with tempfile.TemporaryDirectory() as folder:
            for number, root in enumerate(roots):
                run(root, ("build", name, "--data", f"{folder}/{number}", "-q"))
            for _ in range(options.runs):
                for number, root in enumerate(roots):
                    for layer in Path(folder, str(number)).glob(f"{name}*.h5"):
                        layer.unlink()
                    threads = ("--jobs", "1", "--threads", str(options.threads))
                    runs[root].append(
                        run(root, ("build", name, "--data", f"{folder}/{number}", "-q", *threads))
                    )
        medians = [show(f"{name} {root.name}", runs[root]) for root in roots]
        if options.against:
            print(f"{name:28} {medians[0] / medians[1]:9.3f} of the other", flush=True)


def probe(options: argparse.Namespace) -> None:
    """Probe tables from the shell, from Python, and many positions at once."""
    for name in options.names:
        boards = random_boards(1, POSITIONS, [name])
        show(
            f"{name} shell",
            [
                run(ROOT, ("probe", board.fen(), "--data", str(options.data)))
                for board in boards[:5]
            ],
        )
        with open_tablebase(options.data) as tables:
            probe_boards(tables, name, boards)


def probe_boards(tables: Tablebase, name: str, boards: list[chess.Board]) -> None:
    """Probe some positions one by one, then again, then with their moves, then all at once."""
    for how, work in (
        ("first", tables.probe),
        ("again", tables.probe),
        ("moves", tables.probe_moves),
    ):
        show_each(f"{name} {how}", partial(list, map(work, boards)), len(boards))
    many = boards * (BULK // len(boards))
    tables.probe_many(many)
    show_each(f"{name} bulk", partial(tables.probe_many, many), len(many))


def show_each(name: str, work: Callable[[], object], times: int) -> None:
    began = time.process_time()
    work()
    seconds = (time.process_time() - began) / times
    print(f"{name:28} {seconds * 1e6:9.1f} µs {1 / seconds:12,.0f} a second", flush=True)


def games(options: argparse.Namespace) -> None:
    """Read games, and decide them, on one core."""
    with tempfile.TemporaryDirectory() as folder:
        many = Path(folder, "games.pgn")
        text = options.pgn.read_bytes()
        many.write_bytes(text * max(1, 2_000_000 // len(text)))
        number = sum(1 for _ in read_games(str(many)))
        show_each("games read", lambda: sum(1 for _ in read_games(str(many))), number)
        show_each("games decided", lambda: list(adjudicate_file(str(many), GamesTask())), number)


def first(options: argparse.Namespace) -> None:
    """Call each first command with an empty folder of kernels."""
    for name, command, tables in FIRST:
        with tempfile.TemporaryDirectory() as folder:
            data = f"{folder}/data"
            os.mkdir(data)
            if tables:
                run(ROOT, ("build", *tables, "--data", data, "-q"))
            empty = {"TBGEN_DATA": data, "TBGEN_CACHE": f"{folder}/kernels"}
            show(name, [run(ROOT, command, **empty)])


def costs(options: argparse.Namespace) -> None:
    """Print what each table of a folder took, or put it into the file of estimates."""
    path = measured_file(mobility_of(options.data))
    with path.open(encoding="utf-8", newline="") as file:
        heads, *known = csv.reader(file)
    rows = {row[0]: row for row in known}
    for name, made in read_manifest(options.data).items():
        if made.cpu_seconds is None:
            continue
        outcomes = path_of(options.data, table_named(name)).stat().st_size
        if made.sha256_of_distances is not None:
            distances = str(made.bytes - outcomes)
            rows[name] = [name, f"{made.cpu_seconds:.2f}", str(outcomes), distances]
        elif name not in rows:
            rows[name] = [name, "", str(outcomes), ""]
    scratch = path.with_suffix(".new") if options.write else None
    with scratch.open("w", encoding="utf-8", newline="") if scratch else sys.stdout as file:
        csv.writer(file, lineterminator="\n").writerows([heads, *rows.values()])
    if scratch:
        shutil.move(scratch, path)


def main() -> None:
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=shape)
    parser.add_argument(
        "command", choices=[each.__name__ for each in (build, probe, games, first, costs)]
    )
    parser.add_argument("names", nargs="*", metavar="MATERIAL")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--against", type=Path, metavar="CHECKOUT")
    parser.add_argument("--data", type=Path, default=ROOT / "data")
    parser.add_argument("--pgn", type=Path, default=GAMES)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    globals()[options.command](options)


if __name__ == "__main__":
    main()
