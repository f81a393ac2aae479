"""The program of docs/adjudication.md runs and prints what it should."""

from __future__ import annotations

import contextlib
import io
import re
import textwrap
from pathlib import Path

from tests.project import ROOT

PAGE = (ROOT / "docs" / "adjudication.md").read_text(encoding="utf-8")
GAMES = """[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"]

30. Bh3 Kh4 1/2-1/2

1. e4 1-0

1. Ke2 *
"""
"""A game that a table decides, one that is lost by its result, and one with a fault."""

WORDS = "White holds Black to 1 legal move, in 5 plies, with best play from KBvK"
FACTS = {
    "final": "G1.5",
    "source": "tablebase",
    "material": "KBvK",
    "dtg": 5,
    "missing": None,
    "plies_left": 67,
    "within": "between",
    "points": {"white": 0.5625, "black": 0.4375},
    "bounds": None,
}


def test_the_python_of_the_page_runs_and_is_ten_lines(table_folder: Path, tmp_path: Path) -> None:
    code = re.search(r"(    import chess, tbgen\n(?:(?:    .*)?\n)+?)\n`decide`", PAGE)
    assert code is not None
    program = textwrap.dedent(code[1])
    assert len([line for line in program.splitlines() if line]) == 10
    path = tmp_path / "event.pgn"
    path.write_text(GAMES)
    program = program.replace('"data"', repr(str(table_folder)))
    program = program.replace('"event.pgn"', repr(str(path)))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(program, "docs/adjudication.md", "exec"), {})
    assert printed.getvalue().splitlines() == [
        f"G1.5 tablebase 5 9/16 {WORDS}",
        str(FACTS),
        "1 G1.5 tablebase ()",
        "2 G0.0 result ()",
    ]
