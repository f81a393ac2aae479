"""Outcomes without distances, compared with the moves."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from tbgen.material import table_named
from tbgen.storage.files import path_of
from tbgen.storage.writer import write_table
from tbgen.table import Table
from tbgen.verify import verify_file
from tests.cli.calls import tbgen
from tests.retro.tables import solved

NAMES = ["KvK", "KBvK", "KQvK", "KRvK", "KNvK", "KPvK"]
PAWN = table_named("KPvK")


def write(folder: Path, table: Table) -> None:
    path_of(folder, table.material).unlink(missing_ok=True)  # other outcomes would be refused
    write_table(folder, table, generator="test", source="test", outcomes_only=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        write(tmp_path, solved(name))
    return tmp_path


@pytest.mark.parametrize("sample", [None, 300])
@pytest.mark.parametrize("name", NAMES)
def test_outcomes_that_agree_with_their_moves_pass(
    folder: Path, name: str, sample: int | None
) -> None:
    report = verify_file(folder, table_named(name), sample=sample)
    assert report.violation is None
    assert report.outcomes_only
    assert report.pairs > 0 or name == "KvK"


def test_every_wrong_entry_value_of_a_sample_is_found(folder: Path) -> None:
    table = solved("KPvK")
    draw = np.random.default_rng(4)
    for cell in draw.choice(np.flatnonzero(table.entry), 2).tolist():
        entry = table.entry.copy()
        entry[cell] = -entry[cell]
        write(folder, dataclasses.replace(table, entry=entry))
        report = verify_file(folder, PAWN)
        assert report.violation is not None, cell


def test_a_wrong_value_with_an_accrued_score_is_found(folder: Path) -> None:
    """Every hold of White's that Black breaks is said to stand."""
    table = solved("KPvK")
    patterns = table.patterns
    is_of_white = patterns.holder == 0
    assert is_of_white.any()
    stands = patterns.code.astype(np.int8) + 1
    outcome = np.where(is_of_white, stands, patterns.outcome)
    wrong = dataclasses.replace(patterns, outcome=outcome)
    write(folder, dataclasses.replace(table, patterns=wrong))
    report = verify_file(folder, PAWN)
    assert report.violation is not None
    assert report.violation.law == "value"


def test_the_program_does_not_call_it_a_proof(folder: Path) -> None:
    result = tbgen("verify", "KBvK", folder=folder)
    assert result.returncode == 0, result.stderr
    assert "agrees with its moves" in result.stdout
    assert "not proved without distances" in result.stdout
