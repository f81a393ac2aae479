#!/usr/bin/env python3
"""Measure the solver and the probe; every run is a line of JSON in a log.

    bench.py solve KBvKN KQvKR --runs 3        three runs each, a process of its own for every run
    bench.py solve --men 4 --label faster      all tables of four men, filed under a label
    bench.py solve --profile KRvKP             where the time goes in one table
    bench.py probe --data data                 probes of the tables in a folder
    bench.py games --pgn FILE                  games read and decided, by kernels and by python-chess
    bench.py --compare 1a2b3c4 faster          medians of two labels (or of two log files) and their ratios

A run is labelled with the commit, and `+` if files differ from it. Children are built, and kernels compiled,
before anything is measured. Positions are counted once each, up to symmetry. `solve` is implied where the
first argument is not a command.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    import chess

    from tbgen.material import Material
    from tbgen.table import Table

Record = dict[str, Any]
COMMANDS = ("solve", "probe", "games", "one")
LOG = ROOT / "bench.jsonl"
WARM_UP = ("KNvK", "KPvK")
"""One table without pawns and one with: between them they use every kernel."""
POSITIONS = 300
GAMES = ROOT / "tests" / "golden" / "tcec_s18.pgn"
GAME_BYTES, GAME_PLIES = 2_000_000, 150
BULK = 200_000


# Measuring one table: what the child process does.


def solve_one(name: str, data: Path, threads: int, profile: bool) -> None:
    """Solve and write one table, and print the figures; the parent adds what the whole process took."""
    from tbgen import __version__, _jit, retro
    from tbgen.material import Material
    from tbgen.storage.files import path_of
    from tbgen.storage.reader import TableFile
    from tbgen.storage.writer import write_table

    started = time.process_time()
    material, children = Material.parse(name).canonical(), {}
    for child in material.children():
        children[child] = TableFile(path_of(data, child))
    loaded = time.process_time()

    def work() -> Table:
        return retro.solve(material, children, threads=threads)

    table = profiled(work) if profile else work()
    solved = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        source = _jit.source_digest()
        size = write_table(Path(folder), table, generator=__version__, source=source, threads=threads).bytes
    figures = table.figures
    record = {
        "positions": int((table.entry != 0).sum()),
        "patterns": len(table.patterns),
        "sweeps": figures.sweeps,
        "bytes": size,
        "load_cpu": round(loaded - started, 3),
        "solve_wall": round(figures.wall_seconds, 3),
        "solve_cpu": round(figures.cpu_seconds, 3),
        "write_cpu": round(time.process_time() - solved, 3),
        "phases": dict(figures.phase_seconds),
    }
    print(json.dumps(record))


def profiled(work: Callable[[], Table]) -> Table:
    """Do some work, and show what the Python side of it spent its time on."""
    import cProfile
    import pstats

    profile = cProfile.Profile()
    table = profile.runcall(work)
    pstats.Stats(profile, stream=sys.stderr).strip_dirs().sort_stats("tottime").print_stats(15)
    return table


def run_one(name: str, data: Path, threads: int, *, profile: bool = False) -> Record:
    """Solve one table in a fresh process; its CPU seconds and peak memory are the whole process's."""
    command = [sys.executable, __file__, "one", name, "--data", str(data), "--threads", str(threads)]
    began = time.perf_counter()
    process = subprocess.Popen([*command, *["--profile"] * profile], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"bench: solving {name} failed")
    record: Record = json.loads(output)
    cpu = usage.ru_utime + usage.ru_stime
    wall = time.perf_counter() - began
    record |= {"wall": round(wall, 3), "cpu": round(cpu, 3), "peak_bytes": usage.ru_maxrss * 1024}
    record["busy"] = round(record["solve_cpu"] / max(record["solve_wall"], 1e-9) / threads, 3)
    record["positions_per_cpu_second"] = round(record["positions"] / max(record["solve_cpu"], 1e-9))
    return record


# Measuring many tables.


def materials_wanted(options: argparse.Namespace) -> list[Material]:
    from tbgen.material import Material, all_materials, materials

    if options.all:
        return all_materials()
    named = [Material.parse(name).canonical() for name in options.names]
    return named + (materials(options.men) if options.men else [])


def build_children(data: Path, wanted: Iterable[Material], threads: int) -> None:
    """Build in a process of its own what the wanted tables lead to, and compile what they use."""
    from tbgen.material import Material

    needed = {str(child) for material in wanted for child in material.children()}
    needed |= {str(child) for name in WARM_UP for child in Material.parse(name).children()}
    command = [sys.executable, "-m", "tbgen", "build", *sorted(needed), "--data", str(data)]
    say(f"building {len(needed)} tables that the wanted ones lead to ...")
    subprocess.run([*command, "--threads", str(threads), "--quiet"], cwd=ROOT, check=True)
    for name in WARM_UP:
        run_one(name, data, threads)


def solve(options: argparse.Namespace) -> None:
    """Solve each wanted table as often as asked, and log every run."""
    wanted = materials_wanted(options)
    if not wanted:
        raise SystemExit("bench: name a material such as KBvKN, or say --men N or --all")
    with ExitStack() as stack:
        data = options.data or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        build_children(data, wanted, options.threads)
        print(f"{'':8} {'wall s':>8} {'CPU s':>8} {'solve':>8} {'busy':>6} {'MiB':>7} {'pos/CPU s':>11}  phases")
        for run in range(1, options.runs + 1):
            for material in wanted:
                record = run_one(str(material), data, options.threads, profile=options.profile)
                kept = {"kind": "solve", "name": str(material), "threads": options.threads, "run": run, **record}
                append(options, kept)
                show_run(kept)
                if options.profile:
                    show_profile(kept)


def show_run(record: Record) -> None:
    phases = sorted(record["phases"].items(), key=lambda phase: -phase[1])
    named = ", ".join(f"{phase} {seconds:.2f}" for phase, seconds in phases[:4])
    print(
        f"{record['name']:8} {record['wall']:8.2f} {record['cpu']:8.2f} {record['solve_cpu']:8.2f}"
        f" {record['busy']:6.0%} {record['peak_bytes'] / 2**20:7.0f} {record['positions_per_cpu_second']:11,}  {named}",
        flush=True,
    )


def show_profile(record: Record) -> None:
    """Where the time of one run went."""
    start = record["cpu"] - record["load_cpu"] - record["solve_cpu"] - record["write_cpu"]
    parts = {
        "start": start,
        "children from files": record["load_cpu"],
        "solve": record["solve_cpu"],
        "write": record["write_cpu"],
    }
    print("\nCPU seconds of the whole process")
    show_bars(parts)
    print("\nwall seconds of solving, by phase")
    show_bars(record["phases"])
    a_sweep = record["positions"] / max(record["sweeps"], 1)
    print(f"\n{record['positions']:,} positions; {record['sweeps']:,} sweeps, {a_sweep:.1f} positions each")
    print(f"{record['patterns']:,} patterns; a file of {record['bytes']:,} bytes\n")


def show_bars(parts: dict[str, float]) -> None:
    whole = max(sum(parts.values()), 1e-9)
    for name, seconds in sorted(parts.items(), key=lambda part: -part[1]):
        print(f"  {name:20} {seconds:9.3f}  {'#' * round(40 * seconds / whole)}")


# The log.


def say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def commit() -> str:
    """The commit that is measured, with a `+` if files differ from it."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", "tbgen")
    return (git("rev-parse", "--short=7", "HEAD") or "unknown") + ("+" if changed else "")


def append(options: argparse.Namespace, record: Record) -> None:
    """Add a record to the log."""
    head = {"label": options.label or commit(), "commit": commit(), "time": time.strftime("%Y-%m-%dT%H:%M:%S%z")}
    with options.log.open("a", encoding="utf-8") as log:
        log.write(json.dumps({**head, **record}) + "\n")


def records_of(source: str, log: Path) -> list[Record]:
    """The records of a log file, or those of the log that have this label or commit."""
    path = Path(source)
    lines = (path if path.is_file() else log).read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    if path.is_file():
        return records
    found = [record for record in records if source in (record["label"], record["commit"])]
    if not found:
        labels = ", ".join(sorted({record["label"] for record in records}))
        raise SystemExit(f"bench: nothing is labelled {source!r} in {log.name}; there is {labels or 'nothing'}")
    return found


def compare(sources: Sequence[str], log: Path) -> None:
    """Print the medians of two sets of runs and their ratios; below 1 means that the second takes less."""
    groups: list[dict[tuple[str, str, int], list[Record]]] = []
    for source in sources:
        by_key: dict[tuple[str, str, int], list[Record]] = {}
        for record in records_of(source, log):
            by_key.setdefault((record["kind"], record["name"], record.get("threads", 0)), []).append(record)
        groups.append(by_key)
    print(f"{'':30} {'':16} {sources[0][-14:]:>14} {sources[1][-14:]:>14} {'ratio':>7}")
    for key in groups[0]:
        if key in groups[1]:
            show_ratios(key, *[group[key] for group in groups])


def show_ratios(key: tuple[str, str, int], before: list[Record], after: list[Record]) -> None:
    kind, name, threads = key
    measures = ("cpu", "wall", "solve_cpu", "peak_bytes") if kind == "solve" else ("seconds",)
    title = f"{name}, {threads} threads" if kind == "solve" else name
    for measure in measures:
        old, new = (median(record[measure] for record in records) for records in (before, after))
        print(f"{title:30} {measure:16} {old:14.6g} {new:14.6g} {new / max(old, 1e-12):7.3f}")
        title = ""


# Measuring probes.


def random_boards(material: Material, wanted: int) -> list[chess.Board]:
    """Seeded legal positions of a material, each with a move to make."""
    import chess
    import numpy as np

    random, found = np.random.default_rng(1), list[chess.Board]()
    men = [(chess.WHITE, role) for role in material.white] + [(chess.BLACK, role) for role in material.black]
    while len(found) < wanted:
        board = chess.Board(None)
        for (color, role), square in zip(men, random.permutation(64).tolist(), strict=False):
            board.set_piece_at(square, chess.Piece(int(role), color))
        board.turn = bool(random.integers(2))
        if board.is_valid() and any(board.legal_moves):
            found.append(board)
    return found


def timed(work: Callable[[chess.Board], object], boards: Sequence[chess.Board]) -> float:
    """Median CPU seconds of a piece of work on one board."""
    found = []
    for board in boards:
        began = time.process_time_ns()
        work(board)
        found.append(time.process_time_ns() - began)
    return median(found) / 1e9


def shell_seconds(board: chess.Board, data: Path) -> float:
    """CPU seconds of one `tbgen probe`, the start of the program included."""
    command = [sys.executable, "-m", "tbgen", "probe", board.fen(), "--data", str(data)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"bench: tbgen probe failed for {board.fen()}")
    return usage.ru_utime + usage.ru_stime


def bulk_seconds(data: Path, material: Material) -> float:
    """CPU seconds a legal position when many are asked for that have been asked for before."""
    import numpy as np

    from tbgen.probe import open_tablebase

    random = np.random.default_rng(2)
    squares = random.integers(8, 56, (BULK, material.men))
    pawns = [n for n, role in enumerate((*material.white, *material.black)) if role == 1]
    squares = squares[[len(set(row)) == len(row) for row in squares[:, pawns].tolist()]]
    to_move = random.integers(0, 2, len(squares)).astype(bool)
    with open_tablebase(data, cache_bytes=1 << 30) as tables:
        legal = tables.probe_many(material, to_move, squares).outcome != 0
        to_move, squares = to_move[legal], squares[legal]
        began = time.process_time()
        tables.probe_many(material, to_move, squares)
        return (time.process_time() - began) / len(squares)


def probe(options: argparse.Namespace) -> None:
    """Probe the tables of a folder: from the shell, from Python with a chunk to read, again, and many at once."""
    from tbgen.probe import open_tablebase

    with open_tablebase(options.data) as tables:
        there = tables.available()
    if not there:
        raise SystemExit("bench: the folder has no tables; build some with: tbgen build --men 4")
    wanted = materials_wanted(options) or [material for material in there if material.men == max(m.men for m in there)]
    print("CPU seconds, medians")
    for material in wanted:
        boards = random_boards(material, POSITIONS)
        show_probe(options, f"{material} shell", median(shell_seconds(board, options.data) for board in boards[:5]))
        with open_tablebase(options.data, cache_bytes=1) as tables:
            tables.probe(boards[0])
            show_probe(options, f"{material} cold chunk", timed(tables.probe, boards[1:]))
        with open_tablebase(options.data, cache_bytes=1 << 30) as tables:
            for board in boards:
                tables.probe_moves(board)
            show_probe(options, f"{material} warm", timed(tables.probe, boards))
            show_probe(options, f"{material} warm moves", timed(tables.probe_moves, boards))
        show_probe(options, f"{material} bulk", bulk_seconds(options.data, material))


def show_probe(options: argparse.Namespace, name: str, seconds: float) -> None:
    append(options, {"kind": "probe", "name": name, "seconds": seconds})
    print(f"{name:24} {seconds * 1e6:12.1f} µs {1 / max(seconds, 1e-9):14,.0f} a second", flush=True)


# Measuring games.


def games(options: argparse.Namespace) -> None:
    """Read games and decide them, every ply counted, one after the other on one core."""
    from tbgen.adjudicate.archive import Task, decide_file, total
    from tbgen.pgn.game import PgnGame
    from tbgen.pgn.plain import games_in
    from tbgen.pgn.reader import read_games

    def plies_in(found: Iterable[object]) -> int:
        return sum(game.last.number for game in found if isinstance(game, PgnGame))

    with tempfile.TemporaryDirectory() as folder:
        many = Path(folder) / "games.pgn"
        text = options.pgn.read_bytes()
        many.write_bytes(text * max(1, GAME_BYTES // len(text)))
        plies = plies_in(read_games(str(many)))  # and compile
        print("CPU seconds a game of 150 plies, one core")
        seconds = cpu_seconds(lambda: plies_in(read_games(str(many))))
        show_probe(options, "games read", GAME_PLIES * seconds / plies)
        seconds = cpu_seconds(lambda: total(list(decide_file(str(many), Task()))))
        show_probe(options, "games decided", GAME_PLIES * seconds / plies)
        with options.pgn.open(encoding="utf-8", errors="replace") as file:
            few = plies_in(games_in(file, str(options.pgn)))
        with options.pgn.open(encoding="utf-8", errors="replace") as file:
            seconds = cpu_seconds(lambda: plies_in(games_in(file, str(options.pgn))))
        show_probe(options, "games by python-chess", GAME_PLIES * seconds / few)


def cpu_seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


# The command line.


def parser() -> argparse.ArgumentParser:
    shape = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(prog="bench.py", description=__doc__, formatter_class=shape)
    commands = top.add_subparsers(dest="command", required=True, metavar="solve | probe | games")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("names", nargs="*", metavar="MATERIAL")
    common.add_argument("--men", type=int, metavar="N", help="all materials with N men")
    common.add_argument("--all", action="store_true", help="all materials there are tables for")
    common.add_argument("--label", help="what to call these runs (default: the commit)")
    common.add_argument(
        "--log", type=Path, default=LOG, metavar="FILE", help="where runs are kept (default: bench.jsonl)"
    )
    common.add_argument("--compare", nargs=2, metavar=("A", "B"), help="compare two labels, commits or log files")
    each = commands.add_parser("solve", parents=[common], help="solve tables, each in a process of its own")
    each.add_argument("--data", type=Path, metavar="DIR", help="where children are kept (default: built anew)")
    each.add_argument("--threads", type=int, default=os.cpu_count() or 1, metavar="N")
    each.add_argument("--runs", type=int, default=1, metavar="N", help="how often each table is solved")
    each.add_argument("--profile", action="store_true", help="show where the time goes")
    asked = commands.add_parser("probe", parents=[common], help="probe the tables of a folder")
    asked.add_argument("--data", type=Path, default=ROOT / "data", metavar="DIR", help="the tables (default: data)")
    played = commands.add_parser("games", parents=[common], help="read and decide the games of a PGN file")
    played.add_argument(
        "--pgn", type=Path, default=GAMES, metavar="FILE", help="the games (default: those of the tests)"
    )
    one = commands.add_parser("one")
    one.add_argument("name")
    one.add_argument("--data", type=Path, required=True)
    one.add_argument("--threads", type=int, required=True)
    one.add_argument("--profile", action="store_true")
    return top


def main(arguments: list[str]) -> None:
    if not arguments or arguments[0] not in (*COMMANDS, "-h", "--help"):
        arguments = ["solve", *arguments]
    options = parser().parse_args(arguments)
    if options.command == "one":
        solve_one(options.name, options.data, options.threads, options.profile)
    elif options.compare:
        compare(options.compare, options.log)
    else:
        {"solve": solve, "probe": probe, "games": games}[options.command](options)


def with_dependencies() -> None:
    """Go on in the project's virtual environment if this Python lacks what tbgen needs."""
    if importlib.util.find_spec("numba") is None:
        python = ROOT / ".venv" / "bin" / "python"
        if not python.exists() or Path(sys.executable) == python:
            raise SystemExit("bench: run ./scripts/test once, which makes the virtual environment")
        os.execv(python, [str(python), __file__, *sys.argv[1:]])


if __name__ == "__main__":
    with_dependencies()
    main(sys.argv[1:])
