"""What the findings say of claims is what records, rules and tables give."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from research.bare_kings import counts_in
from research.claims import sharpness_in, stalemates_in
from tbgen.apps.records.record import Record, records_in
from tbgen.probe import Tablebase
from tests.cli.calls import printed
from tests.project import RECORDS, ROOT

PAGE = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
STUDIES = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
FIND = (ROOT / "docs" / "find.md").read_text(encoding="utf-8")
PAWN_UP = ("KQPvKQ", "KRPvKR", "KBPvKB", "KNPvKN")
ROW = r"^\| (K\w+) \| ([0-9,]+) \| ([0-9.]+ %) \| (.+) \|$"


def named(published: list[Record]) -> dict[str, Record]:
    return {str(record.material): record for record in published}


def test_drawn_endings_are_those_of_the_records(published: list[Record]) -> None:
    records = named(published)
    rows = re.findall(ROW, PAGE, re.MULTILINE)
    assert len(rows) == 6
    for name, drawn, white, rest in rows:
        cells = stalemates_in([records[name]])
        assert cells[:2] == [drawn, white], name
        if rest.endswith("%"):
            assert cells[2] == rest
    together = stalemates_in(records[name] for name in PAWN_UP)
    assert f"| the last four together | {' | '.join(together)} |" in PAGE


def test_stalemates_decide_as_many_drawn_positions_as_the_page_says(
    published: list[Record],
) -> None:
    drawn, white, black = stalemates_in(published)
    decided = float(white.rstrip(" %")) + float(black.rstrip(" %"))
    assert decided == pytest.approx(13.5, abs=0.15)
    assert f"Of all {drawn} drawn positions, stalemate decides 13.5 %" in PAGE


def test_the_deepest_stalemate_is_that_of_the_records(published: list[Record]) -> None:
    lines = [line for record in published for line in record.lines()]
    stalemates = [line for _, outcome, line in lines if outcome.code == 1]
    deepest = max(stalemates, key=lambda line: line.dtg)
    assert f"**{deepest.dtg} plies**" in PAGE
    assert f"`{' '.join(deepest.fen.split()[:2])}`" in PAGE


def test_the_thinning_is_that_of_the_records(published: list[Record]) -> None:
    number = r"([0-9.]+)"
    share = r"([0-9.]+(?: ± [0-9.]+)? %)"
    name = r"(K[\w.]+|up to four men|all)"
    cells_of_row = [name, r"([0-9,]+)", number, number, number, share, share]
    between = r" \| "
    pattern = rf"^\| {between.join(cells_of_row)} \|$"
    shown = re.findall(pattern, PAGE, re.MULTILINE)
    assert len(shown) == 8
    records = named([*published, *records_in(RECORDS / "pairs")])
    of_row = {name: [record] for name, record in records.items()}
    of_row["up to four men"] = [record for record in published if record.men <= 4]
    of_row["all"] = published
    for name, *cells in shown:
        assert sharpness_in(of_row[name]) == cells


@pytest.mark.parametrize(
    ("command", "outcome"),
    list(
        zip(
            re.findall(r"^    tbgen (score .*)$", STUDIES, re.MULTILINE),
            ("G0.5", "-G0.5", "-G0.5"),
            strict=True,
        )
    ),
)
def test_famous_stalemates_have_their_score(command: str, outcome: str) -> None:
    assert f"accrued     {outcome} since" in printed(*shlex.split(command))


@pytest.mark.given_tables
def test_a_study_is_worth_what_the_command_of_the_page_says(
    given_folder: Path, tmp_path: Path
) -> None:
    (row,) = re.findall(
        r"^\| L. Kubbel, 1916 \| `(.+)` \| 1. (\w+) \| `(.+)`", STUDIES, re.MULTILINE
    )
    (command,) = re.findall(r"^    tbgen (solve .*4r3.*?) +#", STUDIES, re.MULTILINE)
    for path in given_folder.glob("*.h5"):
        (tmp_path / path.name).symlink_to(path)
    facts = json.loads(printed(*shlex.split(command), "--json", folder=tmp_path))
    best, *others = facts["moves"]
    assert facts["exact"]
    assert row == (command.split('"')[1], best["san"], facts["lower"]["outcome"])
    assert {move["upper"]["outcome"] for move in others} == {"-G0.0"}


def test_bare_kings_are_those_of_the_table(tables: Tablebase) -> None:
    counts = counts_in(tables)
    every = counts["all moves"]
    best = counts["best moves"]
    assert f"With `G8.5` accrued, {every.number:,} moves of Black" in PAGE
    assert f"After {every.improved:,} of them White still improves" in PAGE
    assert f"{best.number:,} of them are best moves" in PAGE
    assert best.improved == 0


def test_the_lines_of_the_page_are_those_that_the_command_prints(table_folder: Path) -> None:
    command, lines = re.findall(r"^    \$ tbgen (.*)\n((?:    .*\n)+)", FIND, re.MULTILINE)[0]
    assert printed(*shlex.split(command), folder=table_folder) == lines.replace("    ", "")


@pytest.mark.slow
def test_the_answers_to_ten_questions_are_those_of_the_tables(four_men_folder: Path) -> None:
    rows = re.findall(r"^\| .+ \| (K\w+) \| `(.+)` \| ([0-9,]+) \|$", FIND, re.MULTILINE)
    assert len(rows) == 10
    for name, where, count in rows:
        words = ("study", "find", name, "--where", where, "--count")
        assert printed(*words, folder=four_men_folder) == f"{count.replace(',', '')}\n"
