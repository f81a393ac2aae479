"""What commands say of the fifty-move rule at the end of a game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calls import printed, tbgen

FAR = "8/8/4K3/6k1/8/7B/8/8 b - - 97 30 G4.0"
"""G1.5 takes 30 plies, and the fifty-move rule leaves three."""

GAME = """[Event "ends"]
[White "a"]
[Black "b"]
[Result "1/2-1/2"]
[Termination "fifty moves"]
[SetUp "1"]
[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 96 30 G4.0"]

1. Bh3 1/2-1/2

"""


@pytest.mark.parametrize("how", [(), ("--line",)])
def test_json_has_the_value_under_the_rule_that_is_asked_for(how: tuple[str, ...], table_folder: Path) -> None:
    data = ("--data", str(table_folder), "--json")
    asked = json.loads(printed("probe", *how, FAR, "--fifty", "fide", *data))
    assert {name: asked[name] for name in ("fifty", "plies_left", "within", "outcome_within")} == {
        "fifty": "fide",
        "plies_left": 3,
        "within": "searched",
        "outcome_within": "G4.0",
    }
    assert "within" not in json.loads(printed("probe", *how, FAR, *data))


@pytest.mark.parametrize(
    ("tags", "warned"),
    [
        ('[Termination "adjudication"]\n[TerminationDetails "Fifty moves rule"]', True),
        ('[Termination "50-move rule"]', True),
        ('[Termination "adjudication"]\n[TerminationDetails "TCEC draw rule"]', False),
    ],
)
def test_a_game_that_says_in_any_tag_that_the_rule_ended_it_is_warned_of(
    tags: str, warned: bool, tmp_path: Path, table_folder: Path
) -> None:
    (tmp_path / "games.pgn").write_text(GAME.replace('[Termination "fifty moves"]', tags))
    told = tbgen("adjudicate", str(tmp_path / "games.pgn"), "--data", str(table_folder)).stderr
    assert ("though the fifty-move rule ended them: --fifty fide lets it" in told) == warned
