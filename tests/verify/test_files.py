"""Files as `tbgen verify` sees them."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tbgen.errors import DamagedTableError, VerificationError
from tbgen.material import table_named
from tbgen.score import Color
from tbgen.storage.files import Layer, path_of
from tbgen.storage.reader import TableFile
from tbgen.storage.schema import DETAIL, DTG
from tbgen.storage.writer import write_table
from tbgen.table import Table
from tbgen.verify import Violation, verify_file
from tbgen.verify import check as check_module
from tbgen.verify.files import verify_tables
from tests.cli.calls import tbgen
from tests.retro.tables import solved
from tests.storage.forging import Items, rewritten, with_one_more

KINGS, KNIGHT, PAWN = map(table_named, ("KvK", "KNvK", "KPvK"))


def write(folder: Path, *tables: Table) -> None:
    for table in tables:
        path_of(folder, table.material).unlink(missing_ok=True)  # other outcomes would be refused
        write_table(folder, table, generator="test", source="test")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, solved("KvK"), solved("KNvK"))
    return tmp_path


def test_no_flipped_byte_goes_unnoticed(folder: Path) -> None:
    path = path_of(folder, KNIGHT)
    random = np.random.default_rng(9)
    written = path.read_bytes()
    for place in random.integers(0, len(written), 40).tolist():
        damaged = bytearray(written)
        damaged[place] ^= 1 << int(random.integers(8))
        path.write_bytes(damaged)
        with pytest.raises(DamagedTableError):
            verify_file(folder, KNIGHT)


def test_the_program_says_where_a_table_is_wrong(folder: Path) -> None:
    table = solved("KNvK")
    dtg = table.dtg.copy()
    dtg[np.flatnonzero(table.entry)[1000]] += 1
    write(folder, dataclasses.replace(table, dtg=dtg))
    done = tbgen("verify", "KNvK", "--json", folder=folder)
    assert done.returncode == VerificationError.exit_code
    (report,) = json.loads(done.stdout)["tables"]
    assert (report["right"], report["violation"]["law"]) == (False, "distance")
    assert f"{report['violation']['fen']} {report['violation']['accrued']}: distance" in done.stderr


def test_the_program_goes_on_after_a_damaged_file(folder: Path) -> None:
    path_of(folder, KINGS).write_bytes(b"nothing")
    done = tbgen("verify", "KvK", "--sample", "100", folder=folder)
    assert done.returncode == DamagedTableError.exit_code
    path = path_of(folder, KINGS)
    remedy = "delete it, and build, prepare or fetch it again"
    said = f"damaged file {path}: it ends after 7 bytes; {remedy}"
    assert [line for line in done.stderr.splitlines() if not line.startswith("compiling")] == [
        f"tbgen: {said}"
    ]


def test_how_far_it_is_is_told(table_folder: Path) -> None:
    told: list[float] = []
    verify_tables(["KvK"], table_folder, progress=lambda _, done: told.append(done))
    assert min(told) == 0
    assert max(told) == 1


def test_how_many_chunks_have_been_looked_up_is_told(table_folder: Path) -> None:
    told: list[tuple[int, int]] = []
    with TableFile(path_of(table_folder, table_named("KPvK"))) as file:
        file.look_up(np.array([0, file.order.layout.cells - 1]), lambda *facts: told.append(facts))
    assert told == [(1, 2), (2, 2)]


def test_a_sample_reads_no_table_whole(table_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(file: TableFile) -> None:
        raise AssertionError(f"{file.material} is read whole")

    monkeypatch.setattr(TableFile, "table", refuse)
    monkeypatch.setattr(TableFile, "values", refuse)
    for name in ("KNvK", "KPvK"):
        report = verify_file(table_folder, table_named(name), sample=400, seed=3)
        assert report.violation is None
        assert 300 < report.positions <= 400


@pytest.mark.parametrize("sample", [400, None])
def test_wrong_values_of_a_child_are_felt_by_its_parent(folder: Path, sample: int | None) -> None:
    """A knight that is captured leaves bare kings: their values decide in some of a hundred
    positions.
    """
    kings = solved("KvK")
    write(folder, dataclasses.replace(kings, entry=-kings.entry))
    assert verify_file(folder, KNIGHT, sample=sample).violation is not None


def test_a_sample_looks_at_the_longest_ways_that_the_tallies_name(folder: Path) -> None:
    table = solved("KNvK")
    (outcome, tally), *_ = table.tallies[Color.WHITE].items()
    longer = {
        **table.tallies[Color.WHITE],
        outcome: dataclasses.replace(tally, max_dtg=tally.max_dtg + 1),
    }
    write(folder, dataclasses.replace(table, tallies={**table.tallies, Color.WHITE: longer}))
    violation = verify_file(folder, KNIGHT, sample=100).violation
    assert violation is not None
    assert violation.law == f"longest {outcome}"


@pytest.fixture
def pawn(table_folder: Path, tmp_path: Path) -> Path:
    """KPvK's file of outcomes, in a folder with all that it takes to verify it."""
    for path in table_folder.glob("*.h5"):
        shutil.copyfile(path, tmp_path / path.name)
    return tmp_path / "KPvK.h5"


def violation_of(folder: Path) -> Violation:
    violation = verify_file(folder, PAWN).violation
    assert violation is not None
    return violation


def with_field(field: str, number: int, value: int) -> Callable[[Items], None]:
    def change(items: Items) -> None:
        items[field][number] = value

    return change


@pytest.mark.parametrize(
    ("field", "wrong", "states", "step"),
    [
        pytest.param(
            "outcome",
            lambda outcome: 127 if outcome > 0 else -127,
            1 << 20,
            1,
            marks=pytest.mark.slow,
        ),
        ("outcome", lambda outcome: 127 if outcome > 0 else -127, 77, 29),
        (
            "holder",
            lambda holder: 1 - holder,
            1 << 20,
            29,
        ),  # code and outcome of the break whose distance is known
    ],
)
def test_every_wrong_break_in_the_file_of_outcomes_is_found(
    pawn: Path,
    monkeypatch: pytest.MonkeyPatch,
    field: str,
    wrong: Callable[[int], int],
    states: int,
    step: int,
) -> None:
    monkeypatch.setattr(check_module, "_STATES", states)
    with TableFile(pawn) as file:
        assert len(file.states.entry) > 77
        values = file.column("outcome_rows")[field].tolist()
    for number, value in [*enumerate(values)][::step]:
        rewritten(pawn, Layer.OUTCOMES, "outcome_rows", with_field(field, number, wrong(value)))
        assert violation_of(pawn.parent).law.endswith("by the file of outcomes"), number
        rewritten(pawn, Layer.OUTCOMES, "outcome_rows", with_field(field, number, value))


def test_a_row_of_outcomes_that_is_there_again_for_lower_codes_is_found(pawn: Path) -> None:
    """Whoever looks up a score takes the last row that stands for it, so the order matters."""
    with TableFile(pawn) as file:
        symbols = file.column("symbols").copy()
        rows = file.column("outcome_rows").copy()
        used = set(file.symbol_of_state.tolist())

    def run_of(number: int) -> Items:
        first = int(symbols["first"][number])
        count = int(symbols["rows"][number])
        return rows[first : first + count]

    def is_wide(number: int) -> bool:
        """Whether its first two rows are one holder's, at codes below that of the entry value."""
        holder = run_of(number)["holder"].tolist()
        code = [*run_of(number)["code"].tolist(), 0, 0]
        return holder[:1] == holder[1:2] and code[0] < code[1] < abs(int(symbols["entry"][number]))

    number = next(filter(is_wide, sorted(used)))
    run = run_of(number)
    again = run[[0, 1, 1, *range(2, len(run))]]
    again["code"][2] = run["code"][0]
    symbols["first"][number] = len(rows)
    symbols["rows"][number] = len(again)
    rewritten(pawn, Layer.OUTCOMES, "outcome_rows", lambda _: np.concatenate([rows, again]))
    rewritten(pawn, Layer.OUTCOMES, "symbols", lambda _: symbols)
    assert violation_of(pawn.parent).law.endswith("by the file of outcomes")


def test_a_count_of_an_outcome_that_no_position_has_is_found(pawn: Path) -> None:
    rewritten(
        pawn,
        Layer.OUTCOMES,
        "counts",
        lambda items: with_one_more(items, side=0, outcome=120, count=1),
    )
    assert violation_of(pawn.parent).law == "count of G59.5 with White to move"


def test_a_state_without_some_of_its_rows_is_found(pawn: Path) -> None:
    with TableFile(pawn) as file:
        rows = file.column("states")["rows"].copy()
    rewritten(
        pawn, Layer.DISTANCES, "states", with_field("rows", int(rows.argmax()), int(rows.max()) - 1)
    )
    with pytest.raises(DamagedTableError, match="share some rows"):
        verify_file(pawn.parent, PAWN)


@pytest.mark.parametrize("name", [DTG, DETAIL])
def test_a_place_whose_state_is_of_another_symbol_or_distance_is_found(
    pawn: Path, name: str
) -> None:
    with TableFile(pawn) as file:
        states = file.distances.dataset("states").items
        ids = file.ids(0, file.order.chunk_cells)
        place = int(np.flatnonzero(ids < states // 2)[0])
        far = int(file.column("symbol_groups").max()) // 2

    def change(items: Items) -> None:
        items[place] += far if name == DTG else states // 2

    rewritten(pawn, Layer.DISTANCES, name, change)
    with pytest.raises(DamagedTableError, match="of another symbol or distance"):
        verify_file(pawn.parent, PAWN)
