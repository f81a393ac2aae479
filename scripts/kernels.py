#!/usr/bin/env python3
"""Write down what kernels the program calls, with what types, for what purpose: tbgen/compiled/kernels.json.

    scripts/kernels.py            write it anew: after a kernel, or a group that it takes, has changed
    scripts/kernels.py games      the same for one purpose, which is quicker
    scripts/kernels.py --check    say whether it is as it would be written
    scripts/kernels.py --compile  compile all kernels into the user's folder, as a set-up does

Every purpose is rehearsed with small tables in a process of its own, which notes each kernel when it is first called.
That compiles what is not compiled.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "tbgen" / "compiled" / "kernels.json"
GAMES = ROOT / "tests" / "golden" / "tcec_s18.pgn"
HELD = "8/8/1k6/1p1p4/1P1P4/8/1K6/8 w - - 0 1"
FORTRESS = "8/p7/kpP5/qrp1b3/rpP2b2/pP4b1/P3K3/8 w - - 0 1"
"""Penrose 2017: a proof by one man."""
LEANING = "8/8/8/3k4/8/8/2r5/1K6 w - - 0 1"
"""The rook can be taken, which the table of bare kings answers for; some goals are refuted by it."""


Kernel = dict[str, Any]


def run(*arguments: str) -> None:
    """A command of the program, in this process."""
    from tbgen.cli import tbgen

    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        tbgen.main([*arguments], standalone_mode=False)


def build(folder: str, *names: str) -> None:
    run("build", *names, "--threads", "2", "--jobs", "1", "--data", folder, "-q")


def find_holds(folder: str) -> None:
    run("hold", *HELD.split(), "--wide", "--nodes", "500")
    run("hold", *HELD.split(), "--goal", "accrued", "--nodes", "50")
    run("hold", *FORTRESS.split(), "--side", "white", "--goal", "draw")
    run("hold", *LEANING.split(), "--data", folder, "--nodes", "500")


def solve_position(folder: str) -> None:
    from tbgen.material import Material
    from tbgen.position.known import KnownTables
    from tbgen.retro.levels.mates import MatesSolver

    run("solve", "8/4P3/8/8/4k3/8/8/4K3 w - - 2 9 G4.0", "--data", folder, "-q")
    with contextlib.closing(KnownTables([Path(folder)], 1 << 20, outcomes_only=True)) as known:
        next(MatesSolver(Material.parse("KPvK"), known.plane).file(0))


def find_move() -> None:
    from tbgen.apps.play.protocol import Protocol

    Protocol("data", lambda line: None).run(["position startpos", "go depth 1"])


def answer(folder: str) -> None:
    import chess

    from tbgen.probe import Tablebase

    with Tablebase(folder, compiled=True) as tables:
        board = chess.Board("8/8/8/3k4/8/8/8/3K4 w - - 0 1")
        tables.probe(board)
        tables.probe_moves(board)


def record_pawns(folder: str) -> None:
    run("study", "record", "KPvK", "KBvK", "-q", "--data", folder, "-o", f"{folder}/again")


def prove_samples(folder: str, *names: str) -> None:
    run("verify", *names, "--sample", "50", "-q", "--data", folder)


SELDOM = {
    "tbgen.board.moves:codes_on",
}
"""Kernels that only large questions call, large tables or damaged ones; they are compiled when they are called.

What other kernels call is compiled into them. Of itself it is compiled only for tests.
"""

REHEARSALS: dict[str, tuple[str, Callable[[str], None]]] = {
    "tables without pawns": ("", lambda folder: build(folder, "KBvK")),
    "tables with pawns": ("KQvK KRvK KBvK KNvK", lambda folder: build(folder, "KPvK")),
    "records": ("KBvK", lambda folder: run("study", "record", "KBvK", "-q", "--data", folder, "-o", f"{folder}/again")),
    "records of tables with pawns": ("KPvK", record_pawns),
    "digests": ("KPvK", lambda folder: run("verify", "--digest", "KBvK", "KPvK", "-q", "--data", folder)),
    "proofs": ("KBvK", lambda folder: run("verify", "KBvK", "-q", "--data", folder)),
    "proofs of tables with pawns": ("KPvK", lambda folder: run("verify", "KBvK", "KPvK", "-q", "--data", folder)),
    "proofs of samples": ("KBvK", lambda folder: prove_samples(folder, "KBvK")),
    "proofs of samples of tables with pawns": ("KPvK", lambda folder: prove_samples(folder, "KBvK", "KPvK")),
    "holds": ("KvK", find_holds),
    "positions with more men than tables have": ("KvK", lambda folder: solve_position(folder)),
    "games": ("", lambda folder: run("score", "--pgn", str(GAMES), "--summary")),
    "search": ("", lambda folder: find_move()),
    "answers of a server": ("KvK", answer),
}
"""The tables that a purpose is rehearsed with, which are built beforehand, and the rehearsal."""


def rehearse(purpose: str) -> None:
    """Print what kernels a purpose calls, and the groups that they take beside those that are read."""
    from tbgen.compiled.linking import KernelCache

    tables, rehearsal = REHEARSALS[purpose]
    used: dict[tuple[Any, Any], int] = {}
    compiling: list[Any] = []
    load, save = KernelCache._load_overload, KernelCache._save_overload

    def noting(cache: Any, sig: Any, context: Any) -> Any:
        if not compiling:  # otherwise it is asked for as a part of another
            used.setdefault((cache._py_func, sig), len(used))
        loaded = load(cache, sig, context)
        if loaded is None:
            compiling.append(cache)
        return loaded

    def compiled(cache: Any, sig: Any, data: Any) -> None:
        compiling.remove(cache)
        save(cache, sig, data)

    with tempfile.TemporaryDirectory() as folder:
        if tables:
            command = [sys.executable, "-m", "tbgen", "build", *tables.split(), "--data", folder, "-q"]
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        KernelCache._load_overload, KernelCache._save_overload = noting, compiled
        rehearsal(folder)
    print(json.dumps(facts_of(list(used), json.load(sys.stdin))))


def facts_of(used: list[tuple[Any, Any]], groups: dict[str, list[str]]) -> dict[str, Any]:
    from tbgen.compiled.groups import read, written

    kernels: list[Kernel] = []
    for function, signature in used:
        takes = [written(kind, groups) for kind in signature]
        assert [read(text, groups) for text in takes] == list(signature), function
        module, name = function.__module__, function.__name__
        kernels.append({"module": module, "name": name, "takes": takes, "calls": sorted(called_by(function))})
    return {"groups": groups, "kernels": kernels}


def called_by(function: Any) -> set[str]:
    """The kernels that are compiled into this one: all that it and its helpers name."""
    found, waiting, seen = set[str](), [function], set[Any]()
    while waiting:
        current = waiting.pop()
        for name in current.__code__.co_names:
            other = getattr(current.__globals__.get(name), "py_func", None)
            if other is not None and other not in seen:
                seen.add(other)
                waiting.append(other)
                if is_kernel(current.__globals__[name]):
                    found.add(f"{other.__module__}:{other.__name__}")
    return found


def is_kernel(thing: Any) -> bool:
    from tbgen.compiled.linking import KernelCache

    return isinstance(getattr(thing, "_cache", None), KernelCache)


def all_kernels() -> Iterator[str]:
    """Every kernel there is."""
    import tbgen

    for module in pkgutil.walk_packages(tbgen.__path__, "tbgen."):
        if "__main__" not in module.name:
            here = vars(importlib.import_module(module.name))
            yield from (f"{module.name}:{name}" for name, thing in here.items() if is_own(thing, module.name))


def is_own(thing: Any, module: str) -> bool:
    return is_kernel(thing) and thing.py_func.__module__ == module


def weight(kernel: Kernel) -> int:
    """The size of its machine code goes with the time that it takes to compile it."""
    from tbgen.compiled.folders import cache_folder

    folder = cache_folder(kernel["module"].split(".")[1]) / kernel["module"]
    return max((path.stat().st_size for path in folder.glob(f"{kernel['name']}-*.nbc")), default=0)


def found_now(purposes: Sequence[str]) -> dict[str, Any]:
    """What kernels.json should say; of purposes that are not rehearsed, what it says."""
    groups: dict[str, list[str]] = {}
    kernels: dict[str, list[Kernel]] = {}
    if purposes:
        written = json.loads(TARGET.read_text())
        groups, kernels = written["groups"], written["kernels"]
    for purpose in purposes or REHEARSALS:
        command = [sys.executable, __file__, "--rehearse", purpose]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        known = json.dumps(groups).encode()
        facts = json.loads(
            subprocess.run(command, check=True, input=known, stdout=subprocess.PIPE, env=environment).stdout
        )
        groups = facts["groups"]
        kernels[purpose] = sorted(facts["kernels"], key=lambda kernel: -weight(kernel))
    return {"groups": dict(sorted(groups.items())), "kernels": kernels}


def without_order(facts: dict[str, Any]) -> dict[str, Any]:
    """The order is that of sizes, which differ between machines."""
    return {**facts, "kernels": {name: sorted(map(str, each)) for name, each in facts["kernels"].items()}}


def compile_kernels() -> None:
    from tbgen.cli.reporter import compile_for
    from tbgen.compiled.known import Purpose

    compile_for(*Purpose)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("purposes", nargs="*", choices=[*REHEARSALS, []], metavar="PURPOSE", help="rehearse only these")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if something would change")
    parser.add_argument("--compile", action="store_true", help="compile all kernels for this machine")
    parser.add_argument("--rehearse", metavar="PURPOSE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rehearse:
        rehearse(options.rehearse)
        return 0
    if options.compile:
        compile_kernels()
        return 0
    facts = found_now(options.purposes)
    written = [each for kernels in facts["kernels"].values() for each in kernels]
    called = {f"{each['module']}:{each['name']}" for each in written}.union(*(each["calls"] for each in written))
    if never := sorted(set(all_kernels()) - called - SELDOM):
        print("no rehearsal calls " + ", ".join(never), file=sys.stderr)
    text = json.dumps(facts, indent=1)
    if options.check:
        is_same = without_order(json.loads(TARGET.read_text())) == without_order(json.loads(text))
        print("as it is written" if is_same else "not as it is written: run scripts/kernels.py", file=sys.stderr)
        return not is_same
    TARGET.write_text(text + "\n")
    return 0


if __name__ == "__main__":
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    sys.exit(main())
