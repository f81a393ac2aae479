"""The tasks that users come with, as short programs.

All places that read a score have one grammar.
"""

from __future__ import annotations

import ast
import json
import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import chess.engine
import pytest

import tbgen
from tbgen.apps.games.tags import read_tags
from tbgen.apps.server.parameters import position_in
from tbgen.errors import ScoreFormatError
from tbgen.rules.notation import fen_and_moves, position_of
from tests.apps.site.conftest import client_of
from tests.positions import BISHOP
from tests.project import ROOT

EXAMPLES = ROOT / "docs" / "examples"
DRAWN = str(EXAMPLES / "drawn.pgn")


def test_a_typed_program_uses_every_public_name_and_runs(
    own_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = EXAMPLES / "every_name.py"
    used = re.findall(r"\btbgen\.(\w+)", program.read_text(encoding="utf-8"))
    assert set(used) == set(tbgen.__all__)
    monkeypatch.setattr(sys, "argv", [str(program), str(own_folder), DRAWN])
    runpy.run_path(str(program), run_name="__main__")
    assert capsys.readouterr().out.splitlines()[1:8] == [
        "KBvK G1.5 in 5 plies, Ke5 4, 1997.0, too many men",
        "checkmate -G0.0 0-1",
        "no KQvKB, exit code 2",
        "Black: 8/8/8/4KBk1/8/8/8/8 b - - 34 30 G3.5, G3.5",
        "held",
        "KvK None",
        "-G3.5 to -G3.5",
    ]


def test_a_program_says_whether_drawn_games_tell_who_is_stronger(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    games = ""
    for number in range(400):
        holder = "-" if number % 2 else ""  # the stronger one, but for each fourth game
        if number % 8 in (6, 7):
            holder = "" if holder else "-"
        result, score = ("1/2-1/2", "G1.5")
        if number >= 200:
            result, score = ("0-1" if holder else "1-0", "G0.0")
        players = ("other", "better") if number % 2 else ("better", "other")
        games += (
            f'[White "{players[0]}"]\n[Black "{players[1]}"]\n[Opening "{number // 2}"]\n'
            f'[Result "{result}"]\n[RMobilityResult "{holder}{score}"]\n\n1. e4 e5 {result}\n\n'
        )
    file = tmp_path / "games.pgn"
    file.write_text(games)
    monkeypatch.setattr(sys, "argv", ["strength.py", str(file), "--stronger", "better"])
    runpy.run_path(str(EXAMPLES / "strength.py"), run_name="__main__")
    printed = re.sub(r" +", " ", capsys.readouterr().out)
    assert "400 of known strength, 200 of them drawn" in printed
    assert "who won 200 75.0% ± " in printed
    assert "who holds the score 200 75.0% ± " in printed
    assert "after a reset 0 too few" in printed
    # Slope and variance of classical points are 1/8 and 7/64, those of otb 1/4 and 3/16.
    assert f"otb {(1 / 8) ** 2 / (7 / 64) / ((1 / 4) ** 2 / (3 / 16)):.3f}" in printed


def test_the_notebook_runs_and_draws_what_it_shows(
    table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TBGEN_DATA", str(table_folder))
    cells = json.loads((EXAMPLES / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    names = dict[str, Any]()
    shown = list[Any]()
    for cell in cells:
        if cell["cell_type"] == "code":
            *lines, last = ast.parse("".join(cell["source"])).body
            assert isinstance(last, ast.Expr)
            exec(compile(ast.Module(lines, []), "cell", "exec"), names)
            shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))
    with names["tables"]:
        opened, probe, move, frame, answered, best = shown
        assert "6 tables" in repr(opened)
        assert "<svg" in probe._repr_html_()
        assert "<svg" in move._repr_svg_()
        moves, ranks, *_ = frame
        assert moves[0] == "Ke5"
        assert ranks[0] == 1997
        assert "answered" in repr(answered)
        best_first = sorted(names["answered"].rank.tolist(), reverse=True)
        assert best.rank.tolist() == best_first[:3]


def test_a_web_panel_asks_once_and_parses_no_score(table_folder: Path) -> None:
    with client_of(table_folder) as http:
        panel = http.get("/r-mobility", params={"fen": BISHOP, "accrued": "4.0"}).json()
    scores = panel["scores"]
    ranks = [scores[move["outcome"]]["rank"] for move in panel["moves"]]
    assert scores[panel["outcome"]]["holder"] == "white"
    assert panel["moves"][0]["san"] == "Ke5"
    assert ranks == sorted(ranks, reverse=True)


def test_an_engine_says_the_value_of_each_move(table_folder: Path) -> None:
    command = [sys.executable, "-m", "tbgen", "uci", "--data", str(table_folder)]
    with (
        chess.engine.SimpleEngine.popen_uci(command, timeout=60) as engine,
        tbgen.open_tablebase(table_folder) as tables,
    ):
        lines = engine.analyse(chess.Board(BISHOP), chess.engine.Limit(depth=1), multipv=20)
        values = {move.move: move.outcome for move in tables.probe_moves(BISHOP)}
    assert {line["pv"][0]: tbgen.Score(line["string"].split()[0]) for line in lines} == values


def test_a_side_is_no_number_of_another_library(tables: tbgen.Tablebase) -> None:
    board = chess.Board("7K/8/8/8/8/8/5kq1/8 w - - 0 1")
    holder = tables[board].outcome.holder
    assert holder is tbgen.Color.BLACK
    assert holder.chess is chess.BLACK
    for side in chess.COLORS:
        assert tbgen.Color.of(side).chess is side
    numbers: list[object] = [0, 1, False, True]
    for color in tbgen.Color:
        assert color not in numbers


MEN = "8/8/4K3/5Bk1/8/7n/8/8 w - - 33 30"
"""Either side can have given a check, and so hold any score."""
Read = Callable[[str], tbgen.Score | None]


READERS: dict[str, Read] = {
    "python": tbgen.Score,
    "an argument": lambda text: tbgen.Game(chess.Board(MEN), accrued=text).accrued,
    "the seventh field": lambda text: tbgen.parse_fen(f"{MEN} {text}")[1],
    "words with moves": lambda text: position_of(fen_and_moves([*MEN.split(), text, "g1f3"])[0])[1],
    "http": lambda text: position_in({"fen": MEN.replace(" ", "_"), "accrued": text}).accrued,
    "a tag": lambda text: read_tags({"RMobilityAccrued": text}).accrued,
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_every_place_that_reads_a_score_has_one_grammar(read: Read) -> None:
    for text in ("G4.0", "G4", "g4", "4.0", "+4.0", "+G4.0"):
        assert read(text) == tbgen.Score(8, tbgen.Color.WHITE), text
    for text in ("-G4.0", "-g4", "-4.0", "mG4.0", "\u2212G4.0", "\u22124.0"):
        assert read(text) == tbgen.Score(8, tbgen.Color.BLACK), text
    for text in ("4", "-4", "G4.2"):
        with pytest.raises(ScoreFormatError):
            read(text)
