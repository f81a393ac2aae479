#!/usr/bin/env python3
"""Change a rule of the specification, make the checker again, and see it refuse a right dump.

    rules.py BUILD DUMPS

BUILD is the folder in which proofs/check compiled.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent


class Mutant(NamedTuple):
    rule: str
    old: str
    new: str
    material: str


MUTANTS = (
    Mutant("a bishop jumps", "Bishop => diagonal && is_clear ms a s", "Bishop => diagonal", "KBvK"),
    Mutant("a rook jumps", "Rook => straight && is_clear ms a s", "Rook => straight", "KRvK"),
    Mutant(
        "a knight leaps three by one", "Z.abs (right * up) =? 2", "Z.abs (right * up) =? 3", "KNvK"
    ),
    Mutant(
        "a stalemate is worth G1.0",
        "then 0 else 1)",
        "then 0 else if moves =? 0 then 2 else 1)",
        "KQvK",
    ),
    Mutant("a check is worth half a move, too", "then 0 else 1)", "then 1 else 1)", "KQvK"),
    Mutant("pawns become queens alone", "[Queen; Rook; Bishop; Knight]", "[Queen]", "KPvK"),
    Mutant("a pawn never steps twice", "(same s (ahead m 2) && (rank", "(false && (rank", "KPvK"),
    Mutant("a pawn takes straight ahead", "  is_empty ms s &&\n", "", "KPvK"),
    Mutant("a pawn move is no reset", "is_reset := is_pawn m ||", "is_reset :=", "KPvK"),
    Mutant(
        "a king steps straight alone",
        "Z.abs right <=? 1) && (Z.abs up <=? 1)",
        "right =? 0) && (Z.abs up =? 1) || (up =? 0) && (Z.abs right =? 1)",
        "KvK",
    ),
    Mutant("a capture is no reset", "|| negb (is_empty (before ++ after) taken)", "", "KRvK"),
    Mutant(
        "Black likes what White likes", "Black => code b - 1000", "Black => 1000 - code b", "KvK"
    ),
)
"""Rules that the checker follows."""

PROVED = (
    Mutant(
        "a tie replaces the accrued score",
        "own_code (next m) <? code b",
        "own_code (next m) <=? code b",
        "",
    ),
    Mutant(
        "a worse score replaces it, too", "is_reset m || (own_code (next m) <? code b)", "true", ""
    ),
)
"""Rules that the proof relies on."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=Path)
    parser.add_argument("dumps", type=Path)
    arguments = parser.parse_args()
    accepted = list[str]()
    for mutant in MUTANTS + PROVED:
        with tempfile.TemporaryDirectory() as folder:
            make(mutant, arguments.build, Path(folder))
            if mutant in PROVED:
                is_refused = not compiles("Sound", folder)
            else:
                is_refused = is_refused_by_checker(mutant, folder, arguments.dumps.resolve())
        by = "proof" if mutant in PROVED else f"checker, from {mutant.material}"
        print(f"refused by the {by}: {mutant.rule}" if is_refused else f"ACCEPTED: {mutant.rule}")
        if not is_refused:
            accepted.append(mutant.rule)
    if accepted:
        sys.exit(f"accepted: {', '.join(accepted)}")


def make(mutant: Mutant, build: Path, folder: Path) -> None:
    """Change the rule in a copy of all sources, and compile specification and checker."""
    for path in build.iterdir():
        if path.suffix in {".v", ".vo", ".ml"}:
            shutil.copy(path, folder)
    source = (folder / "Chess.v").read_text()
    if source.count(mutant.old) != 1:
        sys.exit(f"Chess.v has {source.count(mutant.old)} times: {mutant.old}")
    (folder / "Chess.v").write_text(source.replace(mutant.old, mutant.new))
    for name in ("Chess", "Checker"):
        if not compiles(name, folder):
            sys.exit(f"{name}.v does not compile with this rule: {mutant.rule}")


def compiles(name: str, folder: str | Path) -> bool:
    command = ["coqc", "-q", "-Q", ".", "Tbgen", f"{name}.v"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


def is_refused_by_checker(mutant: Mutant, folder: str, dumps: Path) -> bool:
    compiles("Extract", folder)
    (Path(folder) / "checker.mli").unlink()
    command = ["ocamlopt", "-w", "-a", "-inline", "200", "checker.ml", "run.ml", "-o", "run"]
    subprocess.run(command, cwd=folder, check=True)
    check = ["./run", "check", str(dumps), mutant.material]
    done = subprocess.run(check, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode == 1 and f"{mutant.material} REFUSED" in " ".join(done.stdout.split())


if __name__ == "__main__":
    main()
