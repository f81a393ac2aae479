"""`tbgen hold` as a shell calls it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calls import complaint, printed

PERPETUAL = "6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 0 1"
FINE_70 = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"
CAGE = "k7/p1p1p1p1/P1P1P1P1/8/8/p1p1p1p1/P1P1P1P1/K7 w - - 0 1"
DRAW = ("--side", "white", "--goal", "draw")


def lines(*arguments: str) -> list[str]:
    return printed("hold", *arguments).splitlines()


def test_a_score_as_the_goal_is_asked_of_the_sides_that_have_it() -> None:
    assert [line for line in lines(CAGE, "--goal", "G1.5") if "keeps" in line] == ["Black keeps G1.5 or better: held"]
    assert [line for line in lines(CAGE, "--goal", "-G1.0") if "keeps" in line] == ["White keeps -G1.0 or better: held"]
    assert lines(CAGE, "--goal", "-G1.5")[-1] == "the value is -G1.5: Black holds White to 1 legal move"
    assert json.loads(printed("hold", CAGE, "--goal", "G1.5", "--json"))["side"] == "black"


def test_the_map_shows_how_many_squares_hold() -> None:
    facts = json.loads(
        printed("hold", FINE_70.replace(" w ", " b "), "--side", "black", "--goal", "draw", "--map", "--json")
    )
    assert facts["map"]["squares"]["d3"] == ["c7"]
    assert ["c7", "d3"] in facts["map"]["zugzwangs"]


def test_a_strategy_is_written_and_checked_again(tmp_path: Path) -> None:
    file = tmp_path / "perpetual.json"
    assert printed("hold", PERPETUAL, *DRAW, "--strategy", str(file)) == ""
    assert printed("hold", "--check", str(file)).splitlines()[1:] == lines(PERPETUAL, *DRAW)[-4:]
    assert json.loads(printed("hold", "--check", str(file), "--json"))["men"] == ["Qh5", "Kg8"]
    assert printed("hold", PERPETUAL, *DRAW, "--strategy", "-") == file.read_text()
    file.write_text(file.read_text().replace("h5e8", "h5d1"))
    code, told = complaint("hold", "--check", str(file))
    assert code == 7
    assert told.startswith(f"tbgen: {file} is wrong: ")
