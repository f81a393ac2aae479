"""What `tbgen study compare` counts, beside the slow solvers of both games; and its lines, played by python-chess."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tbgen.apps.records.two_games import FILE, compare, read_comparison
from tbgen.errors import UsageError
from tbgen.material import Material, build_order, materials
from tbgen.probe import open_tablebase
from tbgen.score import Mobility
from tbgen.text import plain
from tests import reference
from tests.apps.records.slow import Entries, comparison_of, scores_of
from tests.project import RECORDS

PUBLISHED = RECORDS / FILE


def compared_in(folders: list[Path], names: Iterable[str]) -> dict[str, Any]:
    """The comparison of some tables, as JSON has it."""
    return plain(compare(folders, map(Material.parse, names)))


@pytest.fixture(scope="module")
def folder(table_folder: Path, whole_game_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tables of two and three men of both games."""
    made = tmp_path_factory.mktemp("both")
    for path in table_folder.glob("*.h5"):
        (made / path.name).symlink_to(path)
    (made / "whole-game").symlink_to(whole_game_folder / "whole-game")
    return made


@pytest.fixture(scope="module")
def compared(folder: Path) -> dict[str, Any]:
    return compared_in([folder], map(str, build_order(materials(3))))


def entries(folder: Path, name: str) -> Entries:
    """Entry values under whole-game mobility, as probes give them."""
    known = reference.solve(name).entry
    found = np.zeros_like(known)
    with open_tablebase(folder, game=Mobility.WHOLE_GAME) as tables:
        for side in range(2):
            where = np.argwhere(known[side])
            found[(side, *where.T)] = tables.probe_many(name, side == 0, where).outcome
    return found


def assert_counts(compared: dict[str, Any], name: str, whole: Entries) -> None:
    found = next(table for table in compared["tables"] if table["material"] == name)
    expected = comparison_of(reference.solve(name).entry, whole, with_pawns="P" in name)
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize("name", ["KvK", "KBvK"])
def test_every_count_is_that_of_slow_counting(compared: dict[str, Any], folder: Path, name: str) -> None:
    assert_counts(compared, name, entries(folder, name))


def assert_lines(facts: dict[str, Any]) -> None:
    """Every line reaches its score and no sooner."""
    lines = [
        (each["fen"], each[game], n)
        for each in facts["positions"]
        for n, game in enumerate(("r_mobility", "whole_game"))
    ]
    lines += [(each["fen"], each, 1) for each in facts["longest"]]
    for fen, play, forgets in lines:
        scores = [each[1 + forgets] for each in scores_of(fen, play["line"])]
        assert len(scores) == play["dtg"] + 1
        assert scores[-1] == play["outcome"]
        assert forgets == 0 or play["outcome"] not in scores[:-1]


def test_every_line_reaches_its_score_and_no_sooner(compared: dict[str, Any]) -> None:
    assert_lines(compared)
    assert len(compared["longest"]) > 10
    tables = [each["material"] for each in compared["positions"]]
    assert len(set(tables)) == len(tables) > 3


def test_every_published_line_reaches_its_score_and_no_sooner() -> None:
    facts = json.loads(PUBLISHED.read_text())
    assert_lines(facts)
    assert (len(facts["tables"]), len(facts["positions"])) == (146, 20)
    assert read_comparison(PUBLISHED).longest[0].material == Material.parse("KPPvKP")


def test_the_reset_that_is_named_is_the_first_after_which_the_scores_differ(compared: dict[str, Any]) -> None:
    published = json.loads(PUBLISHED.read_text())["positions"]
    for each in [*compared["positions"], *published]:
        scores = enumerate(scores_of(each["fen"], each["r_mobility"]["line"]))
        first = next(((ply, san) for ply, (san, one, other, _) in scores if one != other), None)
        assert (each["reset"] is None) == (first is None)
        assert first is None or each["reset"].endswith(f", ply {first[0]}: {first[1]}")
        assert each["r_mobility"]["outcome"] != each["whole_game"]["outcome"]
    assert sum(compared["resets"].values()) == sum(sum(each["resets"].values()) for each in compared["tables"]) > 100


def test_the_games_may_lie_in_folders_of_their_own(
    compared: dict[str, Any], table_folder: Path, whole_game_folder: Path
) -> None:
    (found,) = compared_in([table_folder, whole_game_folder], ["KNvK"])["tables"]
    assert found == compared["tables"][1]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tables": [{}], "longest": {}, "positions": []}', "[" * 100_000])
def test_a_file_that_no_comparison_has_written_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "games.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=re.escape(str(path))):
        read_comparison(path)
