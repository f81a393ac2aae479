"""Tables held against published counts of ordinary chess."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tbgen.apps.records.published import ORDINARY, differences, read_published
from tbgen.errors import UsageError
from tbgen.material import Material, materials
from tbgen.score import Color
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tests.cli.calls import printed, tbgen
from tests.project import GOLDEN, golden_rows

COUNTS = GOLDEN / "ordinary_tables.csv"
CORRECTED = {"KBPvKN": ("105,8", "100,8"), "KQPvKR": ("38,33", "37,33")}
"""Longest mates that Scid's list has wrong, and what the program has; see the next test but one."""


def test_the_counts_that_come_with_the_program_are_those_of_the_tests() -> None:
    lines = ORDINARY.read_text().splitlines()
    expected = COUNTS.read_text().splitlines()
    for name, (scid, ours) in CORRECTED.items():
        place = next(n for n, line in enumerate(expected) if line.startswith(f"{name},"))
        assert expected[place].endswith(f",{scid}")
        expected[place] = expected[place].removesuffix(scid) + ours
    assert [line for line in lines if not line.startswith("#")] == expected
    assert sum(line.startswith("# Sources: ") for line in lines) == 1
    assert len(read_published(ORDINARY)) == 145


def endings_by_longest_mate(file: Path) -> Counter[int]:
    """How many endings have a longest mate of so many moves; those with equal sides count once."""
    return Counter(
        moves
        for material, published in read_published(file).items()
        for winner in (Color if material.white != material.black else [Color.WHITE])
        if (moves := published[f"longest_{str(winner).lower()}_mate_moves"])
    )


def test_longest_mates_are_as_many_as_others_have_counted() -> None:
    """OEIS A274458 does not name the endings, and has one more of 28 moves than all lists we know."""
    counted = {int(row["moves"]): int(row["endings"]) for row in golden_rows("oeis_a274458.csv")}
    counted[28] -= 1
    assert endings_by_longest_mate(ORDINARY) == Counter(counted)
    scid = endings_by_longest_mate(COUNTS)
    assert {moves for moves, count in counted.items() if scid[moves] != count} == {37, 38, 100, 105}


@pytest.mark.parametrize("material", materials(3), ids=str)
def test_tables_of_three_men_are_as_published(table_folder: Path, material: Material) -> None:
    with TableFile(path_of(table_folder, material)) as file:
        assert not list(differences(file, read_published(COUNTS)[material]))


@pytest.mark.slow
def test_all_tables_of_four_men_are_as_published(four_men_folder: Path) -> None:
    facts = json.loads(printed("verify", "--against", "ordinary", "--json", folder=four_men_folder))
    assert facts["faults"] == []
    assert [table["published"] for table in facts["tables"]] == [False] + [True] * 35


@pytest.mark.parametrize(
    ("column", "complaint"),
    [
        ("white_to_move_wins", "wins with White to move"),
        ("white_to_move_draws", "draws with White to move"),
        ("black_to_move_draws", "draws with Black to move"),
        ("black_to_move_losses", "losses with Black to move"),
        ("longest_white_mate_moves", "moves of White's longest mate"),
        ("longest_black_mate_moves", "moves of Black's longest mate"),
    ],
)
def test_any_figure_that_is_another_is_found(table_folder: Path, tmp_path: Path, column: str, complaint: str) -> None:
    heads, *rows = [line.split(",") for line in COUNTS.read_text().splitlines()]
    row = next(row for row in rows if row[0] == "KPvK")
    row[heads.index(column)] = str(int(row[heads.index(column)]) + 1)
    (tmp_path / "wrong.csv").write_text("# changed\n" + "\n".join(map(",".join, [heads, *rows])))
    published = read_published(tmp_path / "wrong.csv")
    with TableFile(path_of(table_folder, Material.parse("KPvK"))) as file:
        assert [each.partition(":")[0] for each in differences(file, published[file.material])] == [complaint]


def test_a_difference_is_said_and_has_the_exit_code_of_a_wrong_table(table_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "wrong.csv").write_text(COUNTS.read_text().replace("KQvK,18081", "KQvK,18080"))
    done = tbgen("verify", "--against", str(tmp_path / "wrong.csv"), folder=table_folder)
    assert done.stderr == "tbgen: KQvK is wrong: wins with White to move: 18,081 instead of 18,080\n"
    assert (done.returncode, done.stdout.splitlines()[4]) == (7, "KRvK   as published")


def test_a_file_of_something_else_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match=r"other\.csv has no published counts: it lacks 'material'"):
        read_published(tmp_path / "other.csv")
