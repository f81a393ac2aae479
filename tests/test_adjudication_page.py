"""What docs/adjudication.md says is so."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from tests.project import ROOT

PAGE = (ROOT / "docs" / "adjudication.md").read_text(encoding="utf-8")
HELD = '[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"]\n\n30. Bh3 Kh4 1/2-1/2\n\n1. e4 1-0\n\n1. Ke2 *\n'


def test_the_python_of_the_page_runs_and_is_ten_lines(table_folder: Path, tmp_path: Path) -> None:
    code = re.search(r"(    import chess, tbgen\n(?:(?:    .*)?\n)+?)\n`decide`", PAGE)
    assert code is not None
    lines = [line[4:] for line in code[1].splitlines()]
    assert sum(bool(line) for line in lines) == 10
    path = tmp_path / "event.pgn"
    path.write_text(HELD)
    program = (
        "\n".join(lines)
        .replace('"data"', repr(str(table_folder)))
        .replace('"event.pgn"', repr(str(path)))
    )
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(program, "docs/adjudication.md", "exec"), {})
    assert printed.getvalue().splitlines() == [
        "G1.5 tablebase 5 9/16 White holds Black to 1 legal move, in 5 plies, with best play from KBvK",
        (
            "{'final': 'G1.5', 'source': 'tablebase', 'material': 'KBvK', 'dtg': 5, 'missing': None, "
            "'plies_left': 67, 'within': 'between', 'points': {'white': 0.5625, 'black': 0.4375}, 'bounds': None}"
        ),
        "1 G1.5 tablebase ()",
        "2 G0.0 result ()",
    ]
