"""End to end with the engines of the distribution, Stockfish and Fairy-Stockfish."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from tbgen.apps.match.arguments import settings_of
from tests.apps.match.matches import games_of, random_endings, run
from tests.apps.match.test_match import check
from tests.cli.calls import tbgen

PROGRAMS = {"Stockfish": "stockfish", "Fairy": "fairy-stockfish"}
MISSING = [
    program
    for program in PROGRAMS.values()
    if not Path(settings_of(["-engine", f"cmd={program}", "depth=1"] * 2).engines[0].command[0]).is_file()
]
needs_engines = pytest.mark.skipif(
    bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (apt-get install stockfish fairy-stockfish)"
)
ENDS = ("bare kings", "fifty moves", "threefold repetition", "stalemate")
ENGINES = [word for name, program in PROGRAMS.items() for word in ("-engine", f"cmd={program}", f"name={name}")]


@needs_engines
def test_two_real_engines_play_by_the_rules_and_on_where_ordinary_chess_is_drawn(tmp_path: Path) -> None:
    """With bare kings or one minor piece, up to the end that the variant has."""
    pgn, epd = tmp_path / "games.pgn", tmp_path / "openings.epd"
    drawn = ["8/8/8/2K3k1/8/8/8/8 w - - 0 1", "8/8/4K3/5Bk1/8/8/8/8 w - - 0 1", "8/8/8/3k4/8/3NK3/8/8 b - - 0 1"]
    epd.write_text("\n".join([chess.STARTING_FEN, *drawn]))
    words = [*ENGINES, "-each", "tc=60+1", "nodes=40", "hash=1", "threads=1", "-games", "8", "-concurrency", "2"]
    standings, records = run([*words, "-openings", f"file={epd}", "-pgnout", str(pgn)])
    games = games_of(pgn)
    assert len(games) == len(standings.results) == 8
    assert not standings.forfeits()
    for game in games:
        check(game)
        assert game.game.last.number >= 2
        assert game.tags.get("FEN") not in drawn or game.tags["TerminationDetails"] in ENDS
    notes = [note for record in records for note in record.sheet.notes.values()]
    assert all(note.remaining is not None and note.evaluation.plies is not None for note in notes)


@pytest.mark.slow
@needs_engines
def test_a_thousand_games_are_played_and_scored_by_the_rules(tmp_path: Path) -> None:
    pgn, epd = tmp_path / "games.pgn", tmp_path / "endings.epd"
    epd.write_text("\n".join([*random_endings(220), *[chess.STARTING_FEN] * 30]))
    words = [*ENGINES, "-each", "nodes=20", "hash=1", "-games", "1000", "-concurrency", "2", "-srand", "1"]
    standings, _ = run([*words, "-openings", f"file={epd}", "order=random", "-pgnout", str(pgn)])
    games = games_of(pgn)
    assert sorted(int(game.tags["MatchGame"]) for game in games) == list(range(1, 1001))
    assert len(standings.results) == 1000
    assert not standings.forfeits()
    for game in games:
        check(game)
    copy = tmp_path / "adjudicated.pgn"
    assert tbgen("adjudicate", str(pgn), "-o", str(copy), folder=tmp_path).returncode == 0
    results = ([game.tags["RMobilityResult"] for game in games_of(path)] for path in (pgn, copy))
    assert next(results) == next(results)
