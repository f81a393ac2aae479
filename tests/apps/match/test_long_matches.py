"""Matches of very many games: the cost of a game does not grow, and -recover reads what it must."""

from __future__ import annotations

import asyncio
import sys
import tracemalloc
from pathlib import Path
from types import FrameType

import pytest

from tbgen.apps.match.openings import Openings
from tbgen.apps.match.sheet import Sheet
from tests.apps.match.matches import Silent, fake_referee, run, walker
from tests.apps.match.test_recover import signature

NAMES = ["-engine", "cmd=Ann", "-engine", "cmd=Bob", "-each", "depth=1"]


class Counting(Silent):
    """Counts the calls of Python functions between the games of a match."""

    def __init__(self) -> None:
        self.calls = 0
        self.after: list[int] = []

    def profile(self, frame: FrameType, event: str, argument: object) -> None:
        self.calls += event == "call"

    def game_over(self, sheet: Sheet) -> None:
        self.after.append(self.calls)


@pytest.mark.parametrize("games", [1200, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_game_costs_as_much_at_the_end_of_a_long_match_as_at_its_beginning(games: int) -> None:
    watcher = Counting()
    referee = fake_referee([*NAMES, "-games", str(games), "-concurrency", "2"], watcher)
    sys.setprofile(watcher.profile)
    try:
        asyncio.run(referee.play())
    finally:
        sys.setprofile(None)
    assert len(watcher.after) == games
    early = watcher.after[600] - watcher.after[300]
    late = watcher.after[-1] - watcher.after[-301]
    assert late <= 1.1 * early


def test_a_long_match_keeps_no_games_in_memory_while_it_is_read_back(tmp_path: Path) -> None:
    """A game that was read takes more memory than its text, and a match may have a million."""
    pgn = tmp_path / "games.pgn"
    words = [
        *walker("Ann"),
        *walker("Bob"),
        "-maxmoves",
        "1",
        "-games",
        "2",
        "-srand",
        "1",
        "-pgnout",
        str(pgn),
    ]
    run(words)
    game = pgn.read_text().partition("\n\n[")[0] + "\n\n"
    padded = game.replace("1/2-1/2\n\n", "{" + "a comment \n" * 350 + "} 1/2-1/2\n\n")
    numbered = (
        padded.replace('[MatchGame "1"]', f'[MatchGame "{number}"]') for number in range(1, 1001)
    )
    pgn.write_text("".join(numbered))
    size = pgn.stat().st_size
    tracemalloc.start()
    try:
        assert run([*words[:-2], "-rounds", "500", "-pgnout", str(pgn), "-recover"])[1] == []
        assert tracemalloc.get_traced_memory()[1] < 10 * size
    finally:
        tracemalloc.stop()


def test_openings_of_games_that_were_played_are_not_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their komi, under which the games count, stands in their tags."""
    (book := tmp_path / "book.pgn").write_text(
        '[Komi "G4.25"]\n\n1. e4 *\n\n[Komi "G7.25"]\n\n1. d4 *\n'
    )
    pgn = tmp_path / "games.pgn"
    words = [
        *walker("Ann"),
        *walker("Bob"),
        "-maxmoves",
        "6",
        "-games",
        "4",
        "-srand",
        "1",
        "-scoring",
        "komi",
    ]
    words += ["-openings", f"file={book}", "-pgnout", str(pgn)]
    standings, _ = run(words)
    assert len(signature(pgn)) == 4
    monkeypatch.setattr(Openings, "read", lambda *_: pytest.fail("an opening is played again"))
    again, _ = run([*words, "-recover"])
    assert again.facts() == standings.facts()
