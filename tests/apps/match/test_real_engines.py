"""End to end with the engines of the distribution, Stockfish and Fairy-Stockfish."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import chess
import pytest

from tbgen.apps.match.options import settings_of
from tests.apps.match.matches import games_of, random_endings, run
from tests.apps.match.test_match import check
from tests.cli.calls import tbgen

PROGRAMS = {"Stockfish": "stockfish", "Fairy": "fairy-stockfish"}
MISSING = [
    program
    for program in PROGRAMS.values()
    if not Path(
        settings_of(["-engine", f"cmd={program}", "depth=1"] * 2).engines[0].command[0]
    ).is_file()
]
needs_engines = pytest.mark.skipif(
    bool(MISSING),
    reason=f"not installed: {', '.join(MISSING)} (apt-get install stockfish fairy-stockfish)",
)
ENDS = ("bare kings", "fifty moves", "threefold repetition", "stalemate")


def silent_searches(lines: list[str], name: str) -> int:
    """How often an engine moved without a word about its depth."""
    text = "\n".join(line for line in lines if line.startswith(f"{name} "))
    return sum(
        " depth " not in each.partition("bestmove")[0] for each in re.split("> go .*", text)[1:]
    )


@needs_engines
@pytest.mark.parametrize("endings", [0, pytest.param(246, marks=pytest.mark.slow)])
def test_two_real_engines_play_by_the_rules_and_on_where_ordinary_chess_is_drawn(
    tmp_path: Path, endings: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """With bare kings or one minor piece, up to the end that the variant has.

    The slow suite plays a thousand games.
    """
    pgn = tmp_path / "games.pgn"
    epd = tmp_path / "openings.epd"
    copy = tmp_path / "copy.pgn"
    drawn = [
        "8/8/8/2K3k1/8/8/8/8 w - - 0 1",
        "8/8/4K3/5Bk1/8/8/8/8 w - - 0 1",
        "8/8/8/3k4/8/3NK3/8/8 b - - 0 1",
    ]
    openings = [chess.STARTING_FEN, *drawn, *random_endings(endings)]
    epd.write_text("\n".join(openings))
    count = (4 if endings else 2) * len(openings)
    engines = (("-engine", f"cmd={program}", f"name={name}") for name, program in PROGRAMS.items())
    words = [
        "-debug",
        *itertools.chain(*engines),
        "-each",
        "tc=60+1",
        "nodes=40",
        "option.Hash=1",
        "option.Threads=1",
        "-games",
        str(count),
    ]
    standings, sheets = run(
        [*words, "-concurrency", "1", "-openings", f"file={epd}", "-pgnout", str(pgn)]
    )
    games = games_of(pgn)
    assert (
        sorted(standings.games)
        == sorted(int(game.tags["MatchGame"]) for game in games)
        == [*range(1, count + 1)]
    )
    assert not standings.forfeits
    for game in games:
        check(game)
        assert game.tags.get("FEN") not in drawn or game.tags["TerminationDetails"] in ENDS
    answers = [answer for sheet in sheets for answer in sheet.answers.values()]
    assert all(answer.remaining is not None for answer in answers)
    silent = sum(answer.evaluation.plies is None for answer in answers)
    lines = capsys.readouterr().err.splitlines()
    assert sum(silent_searches(lines, name) for name in PROGRAMS) == silent < len(answers) / 1000
    assert tbgen("adjudicate", str(pgn), "-o", str(copy), folder=tmp_path).returncode == 0
    assert (
        len(
            {tuple(game.tags["RMobilityResult"] for game in games_of(path)) for path in (pgn, copy)}
        )
        == 1
    )
