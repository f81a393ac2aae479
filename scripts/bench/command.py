"""Measure the solver, the probe and the reading of games; every run is a line of JSON in a log.

    bench.py solve KBvKN KQvKR --runs 3        three runs each, a process of its own for every run
    bench.py solve --men 4 --label faster      all tables of four men, filed under a label
    bench.py solve --profile KRvKP             where the time goes in one table
    bench.py probe --data data                 probes of the tables in a folder
    bench.py games --pgn FILE                  games read and decided, by kernels and by python-chess
    bench.py costs --data data                 what the tables of a folder took; --write makes it the estimate
    bench.py --compare 1a2b3c4 faster          medians of two labels (or of two log files) and their ratios

A run is labelled with the commit, and `+` if files differ from it. Children are built, and kernels compiled,
before anything is measured. Positions are counted once each, up to symmetry. `solve` is implied where the
first argument is not a command.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from bench.costs import costs
from bench.log import LOG, ROOT, compare
from bench.one import solve_one
from bench.playing import GAMES, games
from bench.probing import probe
from bench.solving import solve

COMMANDS = {each.__name__: each for each in (solve, probe, games, costs)}


def parser() -> argparse.ArgumentParser:
    shape = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(prog="bench.py", description=__doc__, formatter_class=shape)
    commands = top.add_subparsers(dest="command", required=True, metavar=" | ".join(COMMANDS))
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
    fitted = commands.add_parser("costs", help="what the tables of a folder took")
    fitted.add_argument("--data", type=Path, default=ROOT / "data", metavar="DIR", help="the tables (default: data)")
    fitted.add_argument("--write", action="store_true", help="put it into tbgen/library/measured")
    fitted.set_defaults(compare=None)
    one = commands.add_parser("one")
    one.add_argument("name")
    one.add_argument("--data", type=Path, required=True)
    one.add_argument("--threads", type=int, required=True)
    one.add_argument("--profile", action="store_true")
    return top


def main(arguments: list[str]) -> None:
    if not arguments or arguments[0] not in (*COMMANDS, "one", "-h", "--help"):
        arguments = ["solve", *arguments]
    options = parser().parse_args(arguments)
    if options.command == "one":
        solve_one(options.name, options.data, options.threads, options.profile)
    elif options.compare:
        compare(options.compare, options.log)
    else:
        COMMANDS[options.command](options)
