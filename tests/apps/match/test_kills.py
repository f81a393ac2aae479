"""Matches of real engines that are killed twenty times end as they do when nobody kills them."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import pytest

from tests.apps.match.matches import games_of, walker
from tests.apps.match.test_real_engines import PROGRAMS, needs_engines
from tests.apps.match.test_recover import killed_after, signature

KILLS = 20


def engines(count: int) -> list[str]:
    """Real engines of different strength that play the same in a position."""
    programs = list(PROGRAMS.values())
    each = (
        ["-engine", f"cmd={programs[number % 2]}", f"name=E{number}", f"nodes={10 + 5 * number}"]
        for number in range(count)
    )
    return [
        *chain(*each),
        "-each",
        "option.Hash=1",
        "option.Threads=1",
        "-maxmoves",
        "12",
        "-srand",
        "7",
    ]


MATCHES = {
    "swiss": [*engines(8), "-tournament", "swiss", "-rounds", "5", "-concurrency", "2"],
    "knockout": [
        *engines(8),
        "-tournament",
        "knockout",
        "-games",
        "4",
        "-scoring",
        "classical",
        "-concurrency",
        "2",
    ],
    "pyramid": [*engines(4), "-tournament", "pyramid", "-games", "6"],
    "quick": [
        *walker("Ann"),
        *walker("Bob"),
        "-games",
        "200",
        "-maxmoves",
        "5",
        "-concurrency",
        "2",
        "-srand",
        "3",
    ],
}


@pytest.mark.slow
@needs_engines
@pytest.mark.parametrize("kind", MATCHES)
def test_a_match_that_is_killed_twenty_times_has_the_same_games_and_standings(
    kind: str, tmp_path: Path
) -> None:
    facts = {}
    for name in ("whole", "broken"):
        pgn, path = tmp_path / f"{name}.pgn", tmp_path / f"{name}.json"
        words = [*MATCHES[kind], "-pgnout", str(pgn), "-jsonout", str(path), "-recover"]
        if name == "broken":
            games = len(games_of(tmp_path / "whole.pgn"))
            kills = [
                killed_after(words, max(1, games // (KILLS + 5)), "Finished") for _ in range(KILLS)
            ]
            assert all(kills)
        assert not killed_after(words, 1000, "Finished")
        facts[name] = json.loads(path.read_text())
        for each in facts[name]["forfeits"]:
            each.pop("file")
    assert signature(tmp_path / "broken.pgn") == signature(tmp_path / "whole.pgn")
    assert facts["broken"] == facts["whole"]
    assert not facts["whole"]["forfeits"]
