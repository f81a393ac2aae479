"""Final scores are those of a script that uses python-chess and the public probe alone."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tbgen.apps.games.batch import GamesTask, adjudicate_file
from tbgen.probe import open_tablebase
from tests.apps.games.endings import written_games
from tests.apps.games.slow_script import final_scores


def check(folder: Path, path: Path, *, games: int, most_men: int) -> Counter[str]:
    """Decide the games both ways; how many scores have which source."""
    text = written_games(most_men, games, most_men)
    path.write_text(text)
    parts = list(adjudicate_file(str(path), GamesTask(tables=folder, texts=False, facts=True)))
    ours = [json.loads(fact) for part in parts for fact in part.facts]
    with open_tablebase(folder) as tables:
        theirs = final_scores(text, tables)
    assert len(ours) == len(theirs) == games
    for number, (fact, expected) in enumerate(zip(ours, theirs, strict=True), start=1):
        assert (fact["final"], fact["source"], fact["dtg"]) == expected, number
    return Counter(source for _, source, _ in theirs)


def test_games_that_end_with_three_men_or_fewer(table_folder: Path, tmp_path: Path) -> None:
    sources = check(table_folder, tmp_path / "games.pgn", games=200, most_men=3)
    assert sources["tablebase"] > 50
    assert sources["game"] > 25
    assert sources["result"] > 25


@pytest.mark.slow
def test_games_that_end_with_four_men_or_fewer(four_men_folder: Path, tmp_path: Path) -> None:
    assert check(four_men_folder, tmp_path / "games.pgn", games=1200, most_men=4)["tablebase"] > 300
